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
      steps_(system, follower, beside.manner) {}

void PairWorker::work(PairQueue& queue, std::atomic<bool>& stop_all,
                      const Order& order) {
  const explore::SharedStore::Session session(pairs_.states());
  rest_ = {};
  finishes_ = order.finish;
  while (!stop_all.load(std::memory_order_relaxed)) {
    rest_ = queue.next();
    if (rest_.size() == 0) return;
    for (; rest_.begin < rest_.end; rest_.begin += rest_.stride) {
      if (order.transitions != 0 && count_.transitions >= order.transitions) {
        stop(Stop::kTransitions);
      } else if (expand(rest_.begin) ||
                 (stopped_ == Stop::kNone && order.finish)) {
        continue;
      }
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

bool PairWorker::expand(PairId pair, std::vector<PairId>* reached) {
  // Each new pair of a state is compared with those that it has: where they
  // are many, a step takes long.
  constexpr std::size_t kMany = 256, kFew = 16;
  const bool is_slow =
      more_pairs_ > kMany * (1 + states_) && more_pairs_ % kFew == 0;
  if (is_slow ? budget_.spent_now() : budget_.spent()) {
    return stop(Stop::kBudget);
  }
  const PairStore::Pair from = pairs_[pair];
  const auto result =
      steps_.expand(pairs_.states().get(from.state, buffer_), from.set);
  const bool is_fine = result == PairSteps::Result::kFine;
  const bool keeps =
      is_fine || (result == PairSteps::Result::kEmpty && manner_.one_by_one);
  // What the watch looks for may be in another pair of the level, and nearer
  // than the step that failed.
  const bool is_passed = result == PairSteps::Result::kEmpty &&
                         manner_.passes_faults && manner_.watch != nullptr;
  bool goes_on = is_fine || is_passed;
  if (keeps && !(keep(pair, reached) && write_row(pair))) {
    // One that there is no room for is expanded again if the search is resumed.
    if (stopped_ != Stop::kNone) return false;
    goes_on = false;  // a goal was found
  }
  count_steps(pair, result);
  if (!is_fine) {
    note_failure(pair, result);
  } else if (steps_.has_fault()) {
    note_failure(pair, PairSteps::Result::kFault);
  }
  return goes_on;
}

void PairWorker::count_steps(PairId pair, PairSteps::Result result) {
  const lts::Successors& successors = steps_.successors();
  const bool is_part =
      result == PairSteps::Result::kEmpty && manner_.one_by_one;
  count_.cut |= steps_.cut();
  count_.transitions +=
      is_part ? steps_.failure().transition + 1 : successors.size();
  if (!PairStore::is_first(pair)) return;
  count_.system_transitions += successors.size();
  count_.left_out += successors.left_out;
  count_.joined += steps_.joined();
}

// In stages, each for all transitions, so that what the next stage needs has
// come from memory by then.
bool PairWorker::keep(PairId from, std::vector<PairId>* reached) {
  explore::SharedStore& states = pairs_.states();
  const std::size_t count = steps_.size();
  for (std::size_t i = 0; i < count; ++i) states.prefetch(steps_.hash(i));
  for (std::size_t i = 0; i < count; ++i) {
    states.prefetch_match(steps_.hash(i));
  }
  row_.clear();
  bool goes_on = true;
  for (std::size_t i = 0; i < count; ++i) {
    if (!steps_.is_followed(i)) continue;
    const auto result = pairs_.reach(thread_, steps_.state(i), steps_.hash(i),
                                     steps_.set(i), from, moves_);
    if (result.is_full) return stop(Stop::kFull);
    if (result.is_new_state) {
      ++states_;
      count_.represented += steps_.orbit(i);
    } else if (result.pair != kNoPair) {
      ++more_pairs_;
    }
    if (rows_ != nullptr) add_to_row(i, result.state);
    if (result.pair == kNoPair) continue;
    if (reached != nullptr) reached->push_back(result.pair);
    if (!is_goal(i)) continue;
    note_failure(result.pair, PairSteps::Result::kFound);
    goes_on = false;
    if (!finishes_) return false;
  }
  return goes_on;
}

void PairWorker::add_to_row(std::size_t transition, explore::StateId target) {
  const lts::Label& label = steps_.successors().label(transition);
  if (const auto number = manner_.watch->kept(label)) {
    row_.push_back({target, *number});
  }
}

bool PairWorker::write_row(PairId from) {
  if (rows_ == nullptr) return true;
  if (const auto number = manner_.watch->stays(steps_.successors())) {
    row_.push_back({from, *number});
  }
  return rows_->add(thread_, from, row_) || stop(Stop::kFull);
}

bool PairWorker::write_row_again(PairId pair) {
  if (budget_.spent()) return stop(Stop::kBudget);
  const PairStore::Pair from = pairs_[pair];
  steps_.expand(pairs_.states().get(from.state, buffer_), from.set);
  row_.clear();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!steps_.is_followed(i)) continue;
    add_to_row(i, pairs_.states().find(steps_.state(i), steps_.hash(i)));
  }
  return write_row(pair);
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
