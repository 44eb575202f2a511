// SPDX-License-Identifier: Apache-2.0
#include "harness/explainer.h"

#include <algorithm>

namespace plumb::harness {

namespace {

using check::LabelId;
using check::StateId;
using check::Transitions;

// Who needs more should ask check::decide(), which is cleverer.
constexpr std::size_t kMostExplained = 20'000;

void add_labels(const std::vector<SeenCall>& calls, Transitions& transitions,
                std::vector<LabelId>& out) {
  out.reserve(calls.size());
  for (const SeenCall& one : calls) {
    out.push_back(transitions.label(one.call, one.result));
  }
}

bool last_is_pending(const std::vector<SeenCall>& calls) {
  return !calls.empty() && !calls.back().result;
}

}  // namespace

LabelledCalls::LabelledCalls(const SeenCalls& calls, Transitions& transitions)
    : first_is_pending(last_is_pending(calls.first)),
      after_is_pending(last_is_pending(calls.after)),
      pending(0) {
  add_labels(calls.first, transitions, first);
  add_labels(calls.threads, transitions, threads);
  add_labels(calls.after, transitions, after);
  for (std::size_t i = 0; i < calls.threads.size(); ++i) {
    if (!calls.threads[i].result) pending |= mask_of(i);
  }
}

void follow(Transitions& transitions, LabelId label,
            std::vector<StateId>& states) {
  std::vector<StateId> next;
  for (const StateId state : states) {
    const auto found = transitions.next(state, label);
    next.insert(next.end(), found.begin(), found.end());
  }
  std::sort(next.begin(), next.end());
  next.erase(std::unique(next.begin(), next.end()), next.end());
  states = std::move(next);
}

// The search of [WingGong93] with the memory of [Lowe17], on masks.
bool Explainer::explains(const SeenCalls& calls, const Overlap& overlap,
                         const std::array<CallMask, kMaxCalls>* also,
                         Transitions& transitions) {
  transitions_ = &transitions;
  const LabelledCalls labels(calls, transitions);
  labels_ = &labels;
  overlap_ = &overlap;
  also_ = also;
  visited_.clear();
  steps_left_ = kMostExplained;
  std::vector<StateId> states = {transitions_->initial()};
  const std::size_t count = labels.first.size() - labels.first_is_pending;
  for (std::size_t i = 0; i < count; ++i) {
    follow(*transitions_, labels.first[i], states);
  }
  return std::any_of(states.begin(), states.end(),
                     [&](StateId state) { return extend(0, state); });
}

bool Explainer::extend(CallMask taken, StateId state) {
  if (steps_left_ == 0) return false;
  --steps_left_;
  if (!visited_.insert(std::uint64_t{taken} << 32 | state).second) return false;
  const CallMask left = overlap_->judged & ~taken;
  if (contains(labels_->pending, left) && ends_well(taken, state)) return true;
  for (CallMask rest = left; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(rest));
    if (!may_take(i, taken)) continue;
    // A copy: going on changes what the span refers to.
    const auto found = transitions_->next(state, labels_->threads[i]);
    const absl::InlinedVector<StateId, 4> next(found.begin(), found.end());
    for (const StateId one : next) {
      if (extend(taken | mask_of(i), one)) return true;
    }
  }
  return false;
}

bool Explainer::may_take(std::size_t call, CallMask taken) const {
  CallMask earlier = overlap_->preceding[call];
  if (also_ != nullptr) earlier |= (*also_)[call];
  return contains(taken, earlier & ~labels_->pending);
}

// Can the calls after the threads give what they gave?  They are not judged if
// a thread's call keeps the object busy for ever.
bool Explainer::ends_well(CallMask taken, StateId state) {
  std::vector<StateId> states = {state};
  if (overlap_->judged == all_calls(overlap_->size)) {
    const std::size_t count = labels_->after.size() - labels_->after_is_pending;
    for (std::size_t i = 0; i < count; ++i) {
      follow(*transitions_, labels_->after[i], states);
    }
  }
  std::vector<LabelId> pending;
  for (CallMask rest = overlap_->judged & ~taken; rest != 0; rest &= rest - 1) {
    pending.push_back(
        labels_->threads[static_cast<std::size_t>(std::countr_zero(rest))]);
  }
  return std::any_of(states.begin(), states.end(), [&](StateId one) {
    return transitions_->may_end(one, pending);
  });
}

}  // namespace plumb::harness
