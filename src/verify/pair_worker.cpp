// SPDX-License-Identifier: Apache-2.0
#include "verify/pair_worker.h"

#include <algorithm>

namespace plumb::verify {

PairQueue::PairQueue(const std::vector<PairRange>& ranges) : ranges_(ranges) {
  std::size_t total = 0;
  for (const PairRange& range : ranges) {
    starts_.push_back(total);
    total += range.size();
  }
  starts_.push_back(total);
}

// A portion may be shorter than others: at the end of a range.
PairRange PairQueue::next() {
  for (;;) {
    std::size_t at = given_.load(std::memory_order_relaxed);
    if (at >= size()) return {};
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), at);
    const auto index = static_cast<std::size_t>(after - starts_.begin()) - 1;
    const std::size_t end = std::min(at + kPortion, starts_[index + 1]);
    if (!given_.compare_exchange_weak(at, end, std::memory_order_relaxed)) {
      continue;
    }
    const PairRange& range = ranges_[index];
    const auto first = static_cast<PairId>(at - starts_[index]);
    const auto last = static_cast<PairId>(end - starts_[index] - 1);
    return {range.begin + first * range.stride,
            range.begin + last * range.stride + 1, range.stride};
  }
}

std::vector<PairRange> PairQueue::rest() const {
  const std::size_t given = given_.load(std::memory_order_relaxed);
  std::vector<PairRange> rest;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    if (starts_[i + 1] <= given) continue;
    PairRange range = ranges_[i];
    if (given > starts_[i]) {
      range.begin += static_cast<PairId>(given - starts_[i]) * range.stride;
    }
    rest.push_back(range);
  }
  return rest;
}

void PairWorker::Count::add(const Count& other) {
  transitions += other.transitions;
  system_transitions += other.system_transitions;
  cut |= other.cut;
  left_out += other.left_out;
  joined += other.joined;
  represented += other.represented;
}

PairWorker::PairWorker(std::size_t thread, const lts::System& system,
                       Follower& follower, PairStore& pairs,
                       const Budget& budget, const Beside& beside)
    : thread_(thread),
      moves_(follower.moves()),
      pairs_(pairs),
      budget_(budget),
      manner_(beside.manner),
      rows_(beside.rows),
      stages_{{{{system, follower, manner_}},
               {{system, follower, manner_}},
               {{system, follower, manner_}}}} {}

void PairWorker::work(PairQueue& queue, std::atomic<bool>& stop_all,
                      const Order& order) {
  const explore::SharedStore::Session session(pairs_.states());
  rest_ = {};
  finishes_ = order.finish;
  const bool is_large = queue.size() >= kLarge;
  while (!stop_all.load(std::memory_order_relaxed)) {
    rest_ = queue.next();
    if (rest_.size() == 0) return;
    if (!work_through(order, is_large)) {
      stop_all.store(true, std::memory_order_relaxed);
      return;
    }
    // Not before the first portion: however often it is time, we get on.
    if (order.pause_at != Budget::Clock::time_point::max() &&
        Budget::Clock::now() >= order.pause_at) {
      stop_all.store(true, std::memory_order_relaxed);
    }
  }
}

// In each round one pair begins, the one before is looked up, and the one
// before that is finished.  All happens in the order of the pairs, as if one
// were finished before the next begins: what a pair leads to does not depend on
// what was kept of others.
bool PairWorker::work_through(const Order& order, bool is_large) {
  const std::size_t behind = is_large ? kStages - 1 : 0;
  const PairRange range = rest_;
  std::size_t end = range.size();
  Stop why = Stop::kNone;
  begun_ = 0;
  for (std::size_t round = 0; round < end + behind; ++round) {
    if (round < end) {
      const std::uint64_t made = count_.transitions + begun_;
      if (order.transitions != 0 && made >= order.transitions) {
        why = Stop::kTransitions;
      } else if (is_spent()) {
        why = Stop::kBudget;
      }
      if (why != Stop::kNone) {
        end = round;
      } else {
        const auto at = static_cast<PairId>(round);
        begin(stages_[round % kStages], range.begin + at * range.stride);
      }
    }
    const std::size_t looked = round - behind / 2;
    if (round >= behind / 2 && looked < end) look(stages_[looked % kStages]);
    if (round < behind || round - behind >= end) continue;
    if (!finish(stages_[(round - behind) % kStages], nullptr) &&
        (stopped_ != Stop::kNone || !order.finish)) {
      return false;
    }
    rest_.begin += rest_.stride;
  }
  return why == Stop::kNone || stop(why);
}

bool PairWorker::expand(PairId pair, std::vector<PairId>* reached) {
  if (is_spent()) return stop(Stop::kBudget);
  begun_ = 0;
  begin(stages_[0], pair);
  look(stages_[0]);
  return finish(stages_[0], reached);
}

bool PairWorker::is_spent() {
  // Each new pair of a state is compared with those that it has: where they
  // are many, a step takes long.
  constexpr std::size_t kMany = 256, kFew = 16;
  const bool is_slow =
      more_pairs_ > kMany * (1 + states_) && more_pairs_ % kFew == 0;
  return is_slow ? budget_.spent_now() : budget_.spent();
}

void PairWorker::begin(Stage& stage, PairId pair) {
  const PairStore::Pair from = pairs_[pair];
  stage.pair = pair;
  stage.result =
      stage.steps.expand(pairs_.states().get(from.state, buffer_), from.set);
  begun_ += stage.steps.successors().size();
  for (std::size_t i = 0; i < stage.steps.size(); ++i) {
    pairs_.states().prefetch(stage.steps.hash(i));
  }
}

void PairWorker::look(const Stage& stage) const {
  for (std::size_t i = 0; i < stage.steps.size(); ++i) {
    pairs_.states().prefetch_match(stage.steps.hash(i));
  }
}

bool PairWorker::finish(Stage& stage, std::vector<PairId>* reached) {
  begun_ -= stage.steps.successors().size();
  const bool is_fine = stage.result == PairSteps::Result::kFine;
  const bool keeps = is_fine || (stage.result == PairSteps::Result::kEmpty &&
                                 manner_.one_by_one);
  // What the watch looks for may be in another pair of the level, and nearer
  // than the step that failed.
  const bool is_passed = stage.result == PairSteps::Result::kEmpty &&
                         manner_.passes_faults && manner_.watch != nullptr;
  bool goes_on = is_fine || is_passed;
  if (keeps && !(keep(stage, reached) && write_row(stage.steps, stage.pair))) {
    // One that there is no room for is expanded again if the search is resumed.
    if (stopped_ != Stop::kNone) return false;
    goes_on = false;  // a goal was found
  }
  count_steps(stage);
  if (!is_fine) {
    note_failure(stage.pair, stage.result);
  } else if (stage.steps.has_fault()) {
    note_failure(stage.pair, PairSteps::Result::kFault);
  }
  return goes_on;
}

void PairWorker::count_steps(const Stage& stage) {
  const lts::Successors& successors = stage.steps.successors();
  const bool is_part =
      stage.result == PairSteps::Result::kEmpty && manner_.one_by_one;
  count_.cut |= stage.steps.cut();
  count_.transitions +=
      is_part ? stage.steps.failure().transition + 1 : successors.size();
  if (!PairStore::is_first(stage.pair)) return;
  count_.system_transitions += successors.size();
  count_.left_out += successors.left_out;
  count_.joined += stage.steps.joined();
}

bool PairWorker::keep(Stage& stage, std::vector<PairId>* reached) {
  const PairSteps& steps = stage.steps;
  row_.clear();
  bool goes_on = true;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps.is_followed(i)) continue;
    const auto result = pairs_.reach(thread_, steps.state(i), steps.hash(i),
                                     steps.set(i), stage.pair, moves_);
    if (result.is_full) return stop(Stop::kFull);
    if (result.is_new_state) {
      ++states_;
      count_.represented += steps.orbit(i);
    } else if (result.pair != kNoPair) {
      ++more_pairs_;
    }
    if (rows_ != nullptr) add_to_row(steps, i, result.state);
    if (result.pair == kNoPair) continue;
    if (reached != nullptr) reached->push_back(result.pair);
    if (!is_goal(steps, i)) continue;
    note_failure(result.pair, PairSteps::Result::kFound);
    goes_on = false;
    if (!finishes_) return false;
  }
  return goes_on;
}

void PairWorker::add_to_row(const PairSteps& steps, std::size_t transition,
                            explore::StateId target) {
  const lts::Label& label = steps.successors().label(transition);
  if (const auto number = manner_.watch->kept(label)) {
    row_.push_back({target, *number});
  }
}

bool PairWorker::write_row(const PairSteps& steps, PairId from) {
  if (rows_ == nullptr) return true;
  if (const auto number = manner_.watch->stays(steps.successors())) {
    row_.push_back({from, *number});
  }
  return rows_->add(thread_, from, row_) || stop(Stop::kFull);
}

bool PairWorker::write_row_again(PairId pair) {
  if (budget_.spent()) return stop(Stop::kBudget);
  const PairStore::Pair from = pairs_[pair];
  PairSteps& steps = stages_[0].steps;
  steps.expand(pairs_.states().get(from.state, buffer_), from.set);
  row_.clear();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps.is_followed(i)) continue;
    add_to_row(steps, i, pairs_.states().find(steps.state(i), steps.hash(i)));
  }
  return write_row(steps, pair);
}

void PairWorker::note_failure(PairId pair, PairSteps::Result what) {
  const Failure failure{pair, what};
  if (!failure_ || comes_before(failure, *failure_, pairs_)) {
    failure_ = failure;
  }
}

bool comes_before(const PairWorker::Failure& a, const PairWorker::Failure& b,
                  const PairStore& pairs) {
  if (a.what != b.what) return a.what < b.what;
  lts::StateBytes first, second;
  const auto x = pairs.states().get(pairs[a.pair].state, first);
  const auto y = pairs.states().get(pairs[b.pair].state, second);
  return std::ranges::lexicographical_compare(x, y);
}

}  // namespace plumb::verify
