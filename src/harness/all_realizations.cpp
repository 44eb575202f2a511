// SPDX-License-Identifier: Apache-2.0
#include "harness/all_realizations.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <bit>
#include <cstddef>

namespace plumb::harness {

namespace {

using check::Answer;
using check::Order;
using check::StateId;

constexpr std::uint64_t configuration(CallMask taken, StateId state) {
  return std::uint64_t{taken} << 32 | state;
}
constexpr CallMask taken_of(std::uint64_t configuration) {
  return static_cast<CallMask>(configuration >> 32);
}
constexpr StateId state_of(std::uint64_t configuration) {
  return static_cast<StateId>(configuration);
}

}  // namespace

AllRealizations::AllRealizations(const SeenCalls& calls, const Needs& needs,
                                 Order order, check::Transitions& transitions,
                                 Budget& budget)
    : transitions_(transitions),
      labels_(calls, transitions_),
      needs_(needs),
      order_(order),
      budget_(budget) {
  overlap_.size = needs.size;
  overlap_.judged = all_calls(needs.size);
}

Answer AllRealizations::answer() {
  std::vector<StateId> states = {transitions_.initial()};
  const std::size_t count = labels_.first.size() - labels_.first_is_pending;
  for (std::size_t i = 0; i < count; ++i) {
    follow(transitions_, labels_.first[i], states);
  }
  Configurations now;
  for (const StateId state : states) now.push_back(configuration(0, state));
  const bool fine = order_ == Order::kRealTime ? walk_real_time(0, 0, now)
                                               : walk_quiescent(0, now);
  if (spent_) return Answer::kUnknown;
  return fine ? Answer::kHolds : Answer::kViolated;
}

// False: overlap_ is a realization that nothing explains, or the budget is
// spent.  An empty set goes on to some end, for a witness.
bool AllRealizations::walk_real_time(CallMask invoked, CallMask returned,
                                     const Configurations& now) {
  if (!is_new(invoked, now)) return true;
  const MinimalSets next = next_needs(needs_, invoked, returned);
  if (next.empty()) {
    invoke(all_calls(needs_.size) & ~invoked, returned);
    return ends_well(now, needs_.pending);
  }
  for (const CallMask need : next) {
    invoke(need, returned);
    const CallMask after = returning(needs_, invoked | need);
    const CallMask open = (invoked | need) & ~returned;
    Configurations then = advance(now, open, after & ~returned);
    for (Configuration& one : then) {
      one = configuration(taken_of(one) & ~after, state_of(one));
    }
    if (!walk_real_time(invoked | need, after, then)) return false;
  }
  return true;
}

bool AllRealizations::walk_quiescent(CallMask done, const Configurations& now) {
  if (!is_new(done, now)) return true;
  const MinimalSets next = next_busy_periods(needs_, done);
  if (next.empty()) {
    overlap_.judged = done;
    return ends_well(now, 0);
  }
  for (const CallMask busy : next) {
    invoke(busy, done);
    Configurations then = advance(now, busy, busy);
    for (Configuration& one : then) one = state_of(one);
    if (!walk_quiescent(done | busy, then)) return false;
  }
  return true;
}

// What was invoked tells what has returned.
bool AllRealizations::is_new(CallMask invoked, const Configurations& now) {
  if (budget_.spent()) spent_ = true;
  if (spent_) return true;  // and every walk ends in ends_well(), badly
  row_.assign(1, invoked);
  row_.insert(row_.end(), now.begin(), now.end());
  std::uint32_t& number = known_[row_];
  return std::exchange(number, 1) == 0;
}

void AllRealizations::invoke(CallMask calls, CallMask returned) {
  for_each_call(calls,
                [&](std::size_t i) { overlap_.preceding[i] = returned; });
}

// A call that need not have taken effect before these returns may as well take
// effect later: it is still under way.  So we stop when the last of `required`
// took effect, and have fewer configurations that can do as much.
AllRealizations::Configurations AllRealizations::advance(
    const Configurations& now, CallMask open, CallMask required) {
  Configurations out;
  Configurations left = now;
  absl::flat_hash_set<Configuration> seen(now.begin(), now.end());
  while (!left.empty() && !spent_) {
    if (budget_.spent()) spent_ = true;
    const Configuration one = left.back();
    left.pop_back();
    const CallMask taken = taken_of(one);
    if (contains(taken, required)) {
      out.push_back(one);
      continue;
    }
    for_each_call(open & ~taken, [&](std::size_t i) {
      if (!may_take(i, taken, open)) return;
      for (const StateId state :
           transitions_.next(state_of(one), labels_.threads[i])) {
        const Configuration next = configuration(taken | mask_of(i), state);
        if (seen.insert(next).second) left.push_back(next);
      }
    });
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Only one order asks for more than what was invoked and has returned.
bool AllRealizations::may_take(std::size_t call, CallMask taken,
                               CallMask open) const {
  return order_ != Order::kQuiescentAndProgram ||
         contains(taken, needs_.program[call] & open);
}

// Can the calls after the threads give what they gave?  Pending ones take
// effect at any time, or never.
bool AllRealizations::ends_well(const Configurations& now, CallMask open) {
  if (spent_) return false;
  const auto with_pending = [&](const Configurations& from) {
    absl::flat_hash_set<Configuration> all(from.begin(), from.end());
    Configurations left = from;
    while (!left.empty()) {
      const Configuration one = left.back();
      left.pop_back();
      for_each_call(open & ~taken_of(one), [&](std::size_t i) {
        for (const StateId state :
             transitions_.next(state_of(one), labels_.threads[i])) {
          const auto next = configuration(taken_of(one) | mask_of(i), state);
          if (all.insert(next).second) left.push_back(next);
        }
      });
    }
    return Configurations(all.begin(), all.end());
  };
  Configurations last = with_pending(now);
  const bool judged = overlap_.judged == all_calls(overlap_.size);
  for (std::size_t i = 0; judged && i < labels_.after.size(); ++i) {
    const bool optional =
        i + 1 == labels_.after.size() && labels_.after_is_pending;
    Configurations next = optional ? last : Configurations();
    for (const Configuration one : last) {
      for (const StateId state :
           transitions_.next(state_of(one), labels_.after[i])) {
        next.push_back(configuration(taken_of(one), state));
      }
    }
    last = with_pending(next);
  }
  return std::any_of(last.begin(), last.end(), [&](Configuration one) {
    std::vector<check::LabelId> pending;
    for_each_call(open & ~taken_of(one), [&](std::size_t i) {
      pending.push_back(labels_.threads[i]);
    });
    return transitions_.may_end(state_of(one), pending);
  });
}

}  // namespace plumb::harness
