// SPDX-License-Identifier: Apache-2.0
#include "verify/pair_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "base/input_error.h"
#include "base/threads.h"
#include "verify/words.h"

namespace plumb::verify {
namespace {

// Where states are long, parts of them are kept once: that takes a third of
// the memory, and more time where there is little to gain.
std::vector<std::uint32_t> cuts_of(const lts::System& system,
                                   const SearchLimits& limits) {
  constexpr std::size_t kLong = 24;
  if (!limits.is_large || system.initial().size() < kLong) return {};
  return system.cuts();
}

explore::StateId limit_on_states(const SearchLimits& limits) {
  return limits.states == 0 || limits.states > explore::kNoState
             ? explore::kNoState
             : static_cast<explore::StateId>(limits.states);
}

}  // namespace

PairSearch::PairSearch(const lts::System& system, const lts::System& reduced,
                       Tagging& moves, const SearchLimits& limits,
                       Budget& budget)
    : system_(system),
      reduced_(reduced),
      moves_(moves),
      limits_(limits),
      budget_(budget),
      follower_(moves),
      pairs_(limit_on_states(limits), limits.threads,
             cuts_of(reduced, limits)) {
  if (symmetry() != nullptr) moves.set_values(symmetry()->values());
  for (std::size_t i = 0; i < limits.threads; ++i) {
    workers_.push_back(std::make_unique<PairWorker>(
        i, reduced, follower_, pairs_, budget,
        PairWorker::Beside{limits.manner(), limits.rows}));
  }
}

PairSearch::End PairSearch::run() {
  end_ = !start()                                         ? End::kLimit
         : starts_at_goal()                               ? End::kFound
         : limits_.order == Options::Order::kBreadthFirst ? breadth_first()
                                                          : depth_first();
  for (const auto& worker : workers_) {
    if (worker->budget().limit() != Limit::kNone) budget_ = worker->budget();
  }
  // The last moves may have been cut short.
  const bool is_spent = budget_.limit() != Limit::kNone;
  if (end_ == End::kComplete && is_spent) end_ = End::kLimit;
  return end_;
}

bool PairSearch::start() {
  const explore::SharedStore::Session session(pairs_.states());
  const bool saves = limits_.order == Options::Order::kBreadthFirst;
  if (limits_.journal != nullptr && saves) {
    limits_.journal->begin(moves_.course());
    saver_ = std::make_unique<PairSaver>(*limits_.journal, pairs_, moves_);
    if (limits_.journal->resumes()) return resume();
  }
  const PairSteps::First first = workers_[0]->steps().first();
  before_.represented = 1;
  return !pairs_
              .reach(0, first.state, explore::SharedStore::hash(first.state),
                     first.set, kNoPair, moves_)
              .is_full;
}

bool PairSearch::starts_at_goal() {
  if (limits_.watch == nullptr) return false;
  const PairSteps::First first = workers_[0]->steps().first();
  failed_ = 0;
  return limits_.watch->is_goal(first.state, first.set);
}

bool PairSearch::resume() {
  SearchState state;
  try {
    state = saver_->load();
  } catch (const InputError&) {
    // Sets that were cut short are others than those saved: see ExactMoves.
    if (budget_.limit() != Limit::kNone) return false;
    throw;
  }
  depth_ = state.depth;
  before_ = state.count;
  resumed_level_ = std::move(state.to_expand);
  return limits_.rows == nullptr || write_rows_again();
}

// Rows are not in the journal: all that was expanded is expanded again.
bool PairSearch::write_rows_again() {
  std::vector<PairRange> open = resumed_level_;
  for (const PairRange& range : pairs_.added_in_level()) open.push_back(range);
  std::ranges::sort(open, {}, &PairRange::begin);
  const auto end = static_cast<PairId>(pairs_.states().size());
  open.push_back({end, end, 1});
  PairId pair = 0;
  for (const PairRange& range : open) {
    for (; pair < range.begin; ++pair) {
      if (!workers_[0]->write_row_again(pair)) return false;
    }
    pair = std::max(pair, range.end);
  }
  return true;
}

PairWorker::Count PairSearch::count() const {
  PairWorker::Count all = before_;
  for (const auto& worker : workers_) all.add(worker->count());
  return all;
}

PairSearch::End PairSearch::breadth_first() {
  std::vector<PairRange> level = std::move(resumed_level_);
  const bool is_resumed = saver_ && limits_.journal->resumes();
  if (level.empty()) {
    level = pairs_.next_level();
    if (is_resumed && !level.empty()) ++depth_;
  }
  begin_level(level);
  while (!level.empty()) {
    work_on(level);
    follower_.tidy();
    const End end = standing();
    const bool has_failed = first_failure() != nullptr;
    // Once the budget is spent, sets may be wrong: see ExactMoves.  And a pair
    // that has failed is not in `level` any more, but must be found again.
    const bool can_go_on = !has_failed && budget_.limit() == Limit::kNone;
    const bool is_due =
        end == End::kLimit || (saver_ && limits_.journal->is_due());
    if (saver_ && can_go_on && is_due) save(level);
    const bool is_last = limits_.faults_last &&
                         (end == End::kFault ||
                          (end == End::kEmpty && limits_.watch != nullptr));
    const bool finishes = (is_shared_ || is_last) && !is_stopped();
    if (has_failed && finishes && !level.empty()) continue;
    if (end != End::kComplete) return end;
    if (!level.empty()) continue;
    level = pairs_.next_level();
    begin_level(level);
    if (!level.empty()) ++depth_;
    if (limits_.goes_on && !level.empty() && !limits_.goes_on()) {
      return End::kStopped;
    }
    if (!grows()) continue;
    if (saver_) save(level);
    return End::kLimit;
  }
  return End::kComplete;
}

void PairSearch::begin_level(const std::vector<PairRange>& level) {
  std::size_t size = 0;
  for (const PairRange& range : level) size += range.size();
  is_shared_ = workers_.size() > 1 && size >= limits_.small_level;
}

void PairSearch::save(const std::vector<PairRange>& to_expand) {
  if (!limits_.journal->saves()) return;
  if (saver_->save({depth_, count(), to_expand}) || has_complained_) return;
  has_complained_ = true;
  fmt::print(stderr, "plumb: {}: the checkpoint before still counts\n",
             limits_.journal->why_not());
}

void PairSearch::work_on(std::vector<PairRange>& level) {
  PairQueue queue(level);
  std::atomic<bool> stop = false;
  const PairWorker::Order order{
      .transitions = limits_.transitions,
      .finish = is_shared_,
      .pause_at = saver_ && limits_.journal->saves()
                      ? limits_.journal->next()
                      : Budget::Clock::time_point::max()};
  // Whatever the user has written may go wrong in any thread.
  std::mutex mutex;
  std::exception_ptr error;  // guarded by it
  const auto work = [&](std::size_t i) {
    try {
      workers_[i]->work(queue, stop, order);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
      stop = true;
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < workers_.size(); ++i) {
    if (!is_shared_) break;
    if (!start_thread(threads, [&work, i] { work(i); })) break;
  }
  work(0);
  threads.clear();  // joins them
  if (error) std::rethrow_exception(error);
  std::vector<PairRange> rest = queue.rest();
  for (const auto& worker : workers_) {
    if (worker->rest().size() > 0) rest.push_back(worker->rest());
  }
  level = std::move(rest);
}

const PairWorker::Failure* PairSearch::first_failure() const {
  const PairWorker::Failure* first = nullptr;
  for (const auto& worker : workers_) {
    const auto& failure = worker->failure();
    if (failure && (!first || comes_before(*failure, *first, pairs_))) {
      first = &*failure;
    }
  }
  return first;
}

bool PairSearch::is_stopped() const {
  return std::ranges::any_of(workers_, [](const auto& worker) {
    return worker->stopped() != PairWorker::Stop::kNone;
  });
}

PairSearch::End PairSearch::standing() {
  // Of the machine, which then has failed for no reason, perhaps.
  if (budget_.limit() != Limit::kNone) return End::kLimit;
  if (const PairWorker::Failure* first = first_failure()) {
    failed_ = first->pair;
    return end_of(first->what);
  }
  for (const auto& worker : workers_) {
    switch (worker->stopped()) {
      case PairWorker::Stop::kNone:
        break;
      case PairWorker::Stop::kBudget:
      case PairWorker::Stop::kFull:
        return End::kLimit;
      case PairWorker::Stop::kTransitions:
        return End::kTransitions;
    }
  }
  return End::kComplete;
}

PairSearch::End PairSearch::depth_first() {
  struct Entry {
    PairId pair;
    std::uint32_t depth;
  };
  pairs_.freeze();
  const explore::SharedStore::Session session(pairs_.states());
  PairWorker& worker = *workers_[0];
  std::vector<Entry> stack = {{0, 0}};
  std::vector<PairId> reached;
  while (!stack.empty()) {
    const Entry entry = stack.back();
    stack.pop_back();
    depth_ = std::max<std::uint64_t>(depth_, entry.depth);
    if (limits_.transitions != 0 &&
        worker.count().transitions >= limits_.transitions) {
      return End::kTransitions;
    }
    if (grows()) return End::kLimit;
    reached.clear();
    if (!worker.expand(entry.pair, &reached)) return standing();
    if (!limits_.last_first) std::ranges::reverse(reached);
    for (const PairId each : reached) stack.push_back({each, entry.depth + 1});
  }
  return End::kComplete;
}

lts::Path PairSearch::path() const {
  return path_to(failed_, end_ != End::kFound);
}

lts::Path PairSearch::path_to(PairId pair, bool has_failed_step) const {
  // What was found is shown, even if the time is over: see ExactMoves.
  const Budget spent = std::exchange(budget_, Budget::deaf());
  std::vector<PairId> chain;
  for (PairId at = pair; at != kNoPair; at = pairs_[at].parent) {
    chain.push_back(at);
  }
  std::ranges::reverse(chain);
  PairSteps::Manner manner = limits_.manner();
  manner.watch = nullptr;
  PairSteps steps(reduced_, follower_, manner);
  std::vector<FoldedStep> folded;
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    folded.push_back(step_between(chain[i], chain[i + 1], steps));
  }
  if (has_failed_step) {
    const PairStore::Pair last = pairs_[pair];
    lts::StateBytes buffer;
    steps.expand(pairs_.states().get(last.state, buffer), last.set);
    folded.push_back(steps.failed());
  }
  budget_ = spent;
  return unfold(system_, symmetry(), steps.first().renaming, folded);
}

// How far each state is from the initial one, by the way on which it was found.
std::vector<std::uint32_t> PairSearch::depths(std::size_t end) const {
  constexpr std::uint32_t kUnknown = UINT32_MAX;
  std::vector<std::uint32_t> depths(end, kUnknown);
  std::vector<PairId> way;
  for (std::size_t i = 0; i < end; ++i) {
    for (auto at = static_cast<PairId>(i);
         at != kNoPair && depths[at] == kUnknown; at = pairs_[at].parent) {
      way.push_back(at);
    }
    for (; !way.empty(); way.pop_back()) {
      const PairId parent = pairs_[way.back()].parent;
      depths[way.back()] = parent == kNoPair ? 0 : depths[parent] + 1;
    }
  }
  return depths;
}

explore::StateId PairSearch::nearest_of(const std::vector<bool>& states) const {
  // One thread gives numbers in the order of the search.
  if (workers_.size() <= 1 || pairs_.states().size() < limits_.small_level) {
    return static_cast<explore::StateId>(std::ranges::find(states, true) -
                                         states.begin());
  }
  const auto depth = depths(states.size());
  explore::StateId nearest = explore::kNoState;
  lts::StateBytes mine, other;
  for (explore::StateId state = 0; state < states.size(); ++state) {
    if (!states[state]) continue;
    if (nearest != explore::kNoState && depth[state] >= depth[nearest] &&
        (depth[state] != depth[nearest] ||
         !std::ranges::lexicographical_compare(
             pairs_.states().get(state, mine),
             pairs_.states().get(nearest, other)))) {
      continue;
    }
    nearest = state;
  }
  return nearest;
}

// Which of the transitions of `from` leads to `to`?  There is one.
FoldedStep PairSearch::step_between(PairId from, PairId to,
                                    PairSteps& steps) const {
  const PairStore::Pair source = pairs_[from], target = pairs_[to];
  lts::StateBytes buffer;
  steps.expand(pairs_.states().get(source.state, buffer), source.set);
  const lts::StateView state = pairs_.states().get(target.state, buffer);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!std::ranges::equal(steps.state(i), state)) continue;
    if (auto step = steps.folded_to(i, target.set)) return *std::move(step);
  }
  fail("a step of the search cannot be found again");
}

std::string PairSearch::limit() const {
  const explore::SharedStore& states = pairs_.states();
  const std::size_t count = states.size();
  const std::string reason =
      budget_.limit() != Limit::kNone ? budget_.describe_limit()
      : states.full() && limits_.states != 0 && count >= limits_.states
          ? "the limit of " + with_commas(limits_.states) +
                " states was reached"
      : states.full() ? states.why_full()
      : grows()       ? "the specification seems to grow without end"
                      : "there is no more memory";
  return reason + " after " + with_commas(count) +
         (count == 1 ? " state" : " states");
}

void PairSearch::add_to(Statistics& statistics) const {
  const std::size_t states = pairs_.states().size();
  const PairWorker::Count done = count();
  statistics.states = states;
  statistics.transitions = done.system_transitions;
  statistics.pairs = pairs_.size();
  statistics.sets = moves_.size();
  statistics.specification_states = moves_.origin_states();
  statistics.depth = depth_;
  statistics.represented = done.represented;
  statistics.left_out = done.left_out;
  statistics.joined = done.joined;
  statistics.store_bytes = pairs_.bytes();
  statistics.state_bytes =
      states == 0 ? 0 : pairs_.states().state_bytes() / states;
}

}  // namespace plumb::verify
