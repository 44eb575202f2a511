// SPDX-License-Identifier: Apache-2.0
#include "check/container_window.h"

#include <algorithm>
#include <utility>

#include "check/decide.h"
#include "check/special.h"
#include "spec/initial.h"

namespace plumb::check {

using history::History;
using history::Operation;

bool ContainerWindow::fits(const spec::Specification& object) {
  const SpecialDecider decide = special_decider_for(object).decide;
  return decide == decide_queue || decide == decide_stack ||
         decide == decide_priority_queue;
}

ContainerWindow::ContainerWindow(const spec::Specification& object,
                                 Budget& budget)
    : object_(object), container_(*container_of(object)), budget_(budget) {}

ContainerWindow::Handle ContainerWindow::invoked(const Operation& operation) {
  Handle handle = static_cast<Handle>(places_.size());
  if (free_.empty()) {
    places_.emplace_back();
  } else {
    handle = free_.back();
    free_.pop_back();
  }
  const auto place = static_cast<std::uint32_t>(operations_.size());
  places_[handle] = place;
  operations_.push_back({operation, handle, End::kOpen,
                         static_cast<std::uint32_t>(events_.size()), 0});
  events_.push_back({place, true});
  ++unjudged_;
  return handle;
}

KeptOperation& ContainerWindow::end(Handle handle, End how) {
  KeptOperation& kept = operations_[places_[handle]];
  kept.end = how;
  kept.ended = static_cast<std::uint32_t>(events_.size());
  free_.push_back(handle);
  return kept;
}

void ContainerWindow::returned(Handle handle, const Operation& operation) {
  if (operation.result == spec::unknown_result()) {
    answer_ = Answer::kUnknown;
    reason_ =
        "a result is not known, and the stream of a container needs all of "
        "them";
    return;
  }
  KeptOperation& kept = end(handle, End::kReturned);
  kept.operation = operation;
  events_.push_back({places_[handle], false});
  ++unjudged_;
}

void ContainerWindow::failed(Handle handle, const Operation& operation) {
  end(handle, End::kFailed).operation = operation;
  ++unjudged_;
}

void ContainerWindow::gave_up(Handle handle) {
  end(handle, End::kGivenUp);
}

// Of the first so many events: what has not returned then is pending.  What
// failed did not happen.
History ContainerWindow::history_of(std::size_t events) const {
  History history;
  std::vector<std::uint32_t> index(operations_.size());
  history::Moment now = 0;
  for (std::size_t i = 0; i < events; ++i) {
    const std::uint32_t place = events_[i].operation;
    const KeptOperation& kept = operations_[place];
    if (kept.end == End::kFailed) continue;
    if (events_[i].begins) {
      index[place] = static_cast<std::uint32_t>(history.size());
      Operation operation = kept.operation;
      operation.result = Value();
      operation.invoked = now++;
      operation.returned = history::kNever;
      operation.process = static_cast<std::uint32_t>(history.size());
      history.operations.push_back(operation);
      history.processes.emplace_back();
    } else {
      Operation& operation = history.operations[index[place]];
      operation.result = kept.operation.result;
      operation.returned = now++;
    }
  }
  return history;
}

void ContainerWindow::judge() {
  if (answer_ != Answer::kHolds || unjudged_ == 0) return;
  const std::size_t judged =
      events_.size() - std::min(unjudged_, events_.size());
  unjudged_ = 0;
  constexpr std::uint64_t kSteps = 2'000'000;
  Budget part = budget_.with_steps(kSteps + 200 * events_.size());
  const Verdict verdict =
      decide(history_of(events_.size()), object_, {}, {}, part);
  answer_ = verdict.answer;
  reason_ = verdict.answer == Answer::kUnknown && budget_.spent_now()
                ? budget_.describe_limit()
                : verdict.reason;
  if (answer_ == Answer::kViolated) {
    blame(judged);
  } else if (answer_ == Answer::kHolds) {
    drop(forgettable(container_, operations_, events_));
    if (operations_.size() > kMostKept) {
      answer_ = Answer::kUnknown;
      reason_ =
          "values repeat, takes were given up, or too much is inside: too much "
          "would have to be kept";
    }
  }
}

// Finds the first event that makes it violated.  More events never mend it.
void ContainerWindow::blame(std::size_t judged) {
  std::size_t low = judged, high = events_.size();
  while (low + 1 < high) {
    const std::size_t middle = low + (high - low) / 2;
    const Verdict verdict =
        decide(history_of(middle), object_, {}, {}, budget_);
    (verdict.answer == Answer::kViolated ? high : low) = middle;
  }
  if (high == 0) high = events_.size();
  last_ = operations_[events_[high - 1].operation].operation;
}

void ContainerWindow::drop(const std::vector<bool>& goes) {
  constexpr std::uint32_t kGone = UINT32_MAX;
  std::vector<std::uint32_t> place(operations_.size(), kGone);
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i < operations_.size(); ++i) {
    if (goes[i]) continue;
    place[i] = static_cast<std::uint32_t>(kept);
    if (operations_[i].end == End::kOpen) {
      places_[operations_[i].handle] = place[i];
    }
    if (kept != i) operations_[kept] = std::move(operations_[i]);
    ++kept;
  }
  operations_.resize(kept);
  std::size_t left = 0;
  for (const KeptEvent& event : events_) {
    if (place[event.operation] == kGone) continue;
    KeptOperation& of = operations_[place[event.operation]];
    (event.begins ? of.invoked : of.ended) = static_cast<std::uint32_t>(left);
    events_[left++] = {place[event.operation], event.begins};
  }
  events_.resize(left);
}

}  // namespace plumb::check
