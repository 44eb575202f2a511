// SPDX-License-Identifier: Apache-2.0
#include "check/stream.h"

#include <algorithm>
#include <utility>

#include "base/input_error.h"
#include "check/transformed.h"
#include "spec/built_in.h"

namespace plumb::check {
namespace {

using history::EventType;
using history::Operation;

spec::SpecificationPtr followed(const spec::Specification& object,
                                const Condition& condition) {
  if (condition.says_quasi()) {
    throw InputError(
        "--follow cannot judge quasi conditions",
        "what they allow depends on values still to come; out_of_order(...), "
        "late(...) and stuttering(...) can be followed");
  }
  if (condition.order != Order::kRealTime &&
      condition.order != Order::kQuiescent) {
    throw InputError("--follow cannot judge sequential consistency",
                     "what a process does late may explain what others saw "
                     "early: it is decided in the end only");
  }
  return without_transformations(object, condition).object;
}

}  // namespace

Stream::Stream(const spec::Specification& object, const Condition& condition,
               Budget& budget, Tell tell)
    : object_(followed(object, condition)),
      quiescent_(condition.order == Order::kQuiescent),
      has_windows_(!quiescent_ && !condition.relaxed() &&
                   dynamic_cast<const spec::BuiltIn*>(&object) != nullptr &&
                   object.name() == "queue"),
      budget_(budget),
      tell_(std::move(tell)) {}

std::vector<Stream::Part> Stream::parts() const {
  std::vector<Part> parts;
  for (const Watched& watched : watched_) parts.push_back(watched.part);
  return parts;
}

void Stream::invoked(std::uint32_t part, Value key, std::uint32_t slot,
                     const Operation& operation) {
  while (part >= watched_.size()) {
    watched_.emplace_back();
    if (has_windows_) {
      watched_.back().window = std::make_unique<QueueWindow>(*object_, budget_);
    } else {
      watched_.back().monitor = std::make_unique<Monitor>(*object_, budget_);
    }
  }
  Watched& watched = watched_[part];
  watched.part.key = key;
  ++watched.part.operations;
  ++watched.part.open;
  if (watched.monitor == nullptr && watched.window == nullptr) return;
  if (slot >= watched.slots.size()) {
    watched.slots.resize(slot + 1);
  }
  if (watched.window != nullptr) {
    watched.slots[slot] = watched.window->invoked(operation);
    return;
  }
  if (quiescent_) return hold(watched.busy, slot, operation);
  begin(watched, slot, operation);
}

void Stream::begin(Watched& watched, std::uint32_t slot,
                   const Operation& operation) {
  const auto given = watched.monitor->invoked(operation.call());
  if (given) watched.slots[slot] = *given;
  look(watched, operation);
}

void Stream::completed(std::uint32_t part, std::uint32_t slot,
                       const Operation& operation, EventType how) {
  Watched& watched = watched_[part];
  if (how != EventType::kInfo) --watched.part.open;
  if (how == EventType::kFail) --watched.part.operations;
  if (watched.window != nullptr) {
    if (how == EventType::kOk) {
      watched.window->returned(watched.slots[slot], operation);
    } else if (how == EventType::kFail) {
      watched.window->failed(watched.slots[slot], operation);
    } else {
      watched.window->gave_up(watched.slots[slot]);
    }
    if (watched.window->is_due()) look_at_window(watched);
    return;
  }
  if (watched.monitor == nullptr) return;
  if (!quiescent_) {
    return end(watched, static_cast<Monitor::Slot>(watched.slots[slot]),
               operation, how);
  }
  Busy& busy = watched.busy;
  if (busy.for_ever) return;
  Held& held = busy.held[busy.places[slot] - busy.judged];
  held.operation = operation;
  held.how = how;
  held.ended = ++busy.events;
  judge_what_is_quiet(watched);
}

void Stream::end(Watched& watched, Monitor::Slot slot,
                 const Operation& operation, EventType how) {
  if (how == EventType::kOk) {
    watched.monitor->returned(slot, operation.result);
  } else if (how == EventType::kFail) {
    watched.monitor->failed(slot);
  } else {
    watched.monitor->gave_up(slot);
  }
  look(watched, operation);
}

void Stream::hold(Busy& busy, std::uint32_t slot, const Operation& operation) {
  if (busy.for_ever) return;
  if (slot >= busy.places.size()) busy.places.resize(slot + 1);
  busy.places[slot] = busy.judged + busy.held.size();
  busy.held.push_back({operation, EventType::kMissing, ++busy.events, 0});
}

// Goes on from where something had not ended yet.
void Stream::judge_what_is_quiet(Watched& watched) {
  Busy& busy = watched.busy;
  while (watched.monitor != nullptr) {
    const bool is_all = busy.seen == busy.held.size();
    if (busy.seen > 0 &&
        (is_all || busy.held[busy.seen].began > busy.last_end)) {
      judge_busy_period(watched);
      continue;
    }
    if (is_all) return;
    const Held& next = busy.held[busy.seen];
    if (next.how == EventType::kMissing) return;
    if (next.how == EventType::kInfo) {
      // It is in flight for ever: no later moment is quiescent.
      busy.for_ever = true;
      busy.held.clear();
      return;
    }
    if (next.how == EventType::kOk) {
      busy.last_end = std::max(busy.last_end, next.ended);
    }
    ++busy.seen;
  }
}

// All that happened between two quiescent moments may have happened in any
// order: as if all had begun before any of it ended.
void Stream::judge_busy_period(Watched& watched) {
  Busy& busy = watched.busy;
  std::vector<Held> period;
  for (; busy.seen > 0; --busy.seen, ++busy.judged) {
    if (busy.held.front().how == EventType::kOk) {
      period.push_back(std::move(busy.held.front()));
    }
    busy.held.pop_front();
  }
  busy.last_end = 0;
  std::vector<Monitor::Slot> slots;
  for (const Held& held : period) {
    const auto given = watched.monitor->invoked(held.operation.call());
    slots.push_back(given.value_or(0));
    look(watched, held.operation);
    if (watched.monitor == nullptr) return;
  }
  for (std::size_t i = 0; i < period.size(); ++i) {
    end(watched, slots[i], period[i].operation, period[i].how);
    if (watched.monitor == nullptr) return;
  }
}

void Stream::waiting() {
  for (Watched& watched : watched_) {
    if (watched.window != nullptr) look_at_window(watched);
  }
}

void Stream::look_at_window(Watched& watched) {
  QueueWindow& window = *watched.window;
  window.judge();
  if (window.answer() == Answer::kHolds) return;
  const Operation last = window.last();
  const std::string reason = window.reason();
  tell(watched, window.answer(), reason, last);
}

void Stream::look(Watched& watched, const Operation& operation) {
  const Answer answer = watched.monitor->answer();
  if (answer == Answer::kHolds) return;
  const std::string reason = watched.monitor->reason();
  tell(watched, answer, reason, operation);
}

void Stream::tell(Watched& watched, Answer answer, const std::string& reason,
                  const Operation& operation) {
  watched.part.answer = answer;
  watched.part.reason = reason;
  watched.part.last = operation;
  watched.part.line =
      operation.returned_line > 0 ? operation.returned_line : operation.line;
  watched.monitor.reset();
  watched.window.reset();
  watched.slots.clear();
  watched.busy = {};
  tell_(watched.part);
}

}  // namespace plumb::check
