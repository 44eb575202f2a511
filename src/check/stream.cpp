// SPDX-License-Identifier: Apache-2.0
#include "check/stream.h"

#include <algorithm>
#include <utility>

#include "base/input_error.h"
#include "check/transformed.h"

namespace plumb::check {
namespace {

using history::EventType;
using history::Operation;

// Of a monitor beside a window, and what tells which of them to keep.
constexpr std::size_t kFewConfigurations = 200;
constexpr std::size_t kEnough = 1000;  // operations

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
                   ContainerWindow::fits(object)),
      splits_(!condition.relaxed()),
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
    Watched& made = watched_.back();
    made.monitor = std::make_unique<PartMonitors>(
        *object_, splits_,
        has_windows_ ? kFewConfigurations : Monitor::kMostConfigurations,
        budget_);
    if (has_windows_) {
      made.window = std::make_unique<ContainerWindow>(*object_, budget_);
    }
  }
  Watched& watched = watched_[part];
  watched.part.key = key;
  ++watched.part.operations;
  ++watched.part.open;
  if (watched.monitor == nullptr && watched.window == nullptr) return;
  if (slot >= watched.monitored.size()) {
    watched.monitored.resize(slot + 1);
    watched.kept.resize(slot + 1);
  }
  if (watched.window != nullptr) {
    watched.kept[slot] = watched.window->invoked(operation);
  }
  if (watched.monitor == nullptr) return;
  if (quiescent_) return hold(watched.busy, slot, operation);
  begin(watched, slot, operation);
}

void Stream::begin(Watched& watched, std::uint32_t slot,
                   const Operation& operation) {
  const auto given = watched.monitor->invoked(operation.call());
  if (given) watched.monitored[slot] = *given;
  look(watched, operation);
}

void Stream::end_in_window(Watched& watched, std::uint32_t slot,
                           const Operation& operation, EventType how) {
  ContainerWindow& window = *watched.window;
  const ContainerWindow::Handle handle = watched.kept[slot];
  if (how == EventType::kOk) {
    window.returned(handle, operation);
  } else if (how == EventType::kFail) {
    window.failed(handle, operation);
  } else {
    window.gave_up(handle);
  }
}

void Stream::completed(std::uint32_t part, std::uint32_t slot,
                       const Operation& operation, EventType how) {
  Watched& watched = watched_[part];
  if (how != EventType::kInfo) --watched.part.open;
  if (how == EventType::kFail) --watched.part.operations;
  if (watched.window != nullptr) {
    end_in_window(watched, slot, operation, how);
  }
  if (watched.monitor != nullptr && !quiescent_) {
    end(watched, watched.monitored[slot], operation, how);
  }
  if (watched.window != nullptr && watched.window->is_due()) {
    look_at_window(watched);
  }
  if (!quiescent_ || watched.monitor == nullptr) return;
  Busy& busy = watched.busy;
  if (busy.for_ever) return;
  Held& held = busy.held[busy.places[slot] - busy.judged];
  held.operation = operation;
  held.how = how;
  held.ended = ++busy.events;
  judge_what_is_quiet(watched);
}

void Stream::end(Watched& watched, PartMonitors::Handle handle,
                 const Operation& operation, EventType how) {
  if (how == EventType::kOk) {
    watched.monitor->returned(handle, operation.result);
  } else if (how == EventType::kFail) {
    watched.monitor->failed(handle);
  } else {
    watched.monitor->gave_up(handle);
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
  std::vector<PartMonitors::Handle> handles;
  for (const Held& held : period) {
    const auto given = watched.monitor->invoked(held.operation.call());
    handles.push_back(given.value_or(0));
    look(watched, held.operation);
    if (watched.monitor == nullptr) return;
  }
  for (std::size_t i = 0; i < period.size(); ++i) {
    end(watched, handles[i], period[i].operation, period[i].how);
    if (watched.monitor == nullptr) return;
  }
}

void Stream::waiting() {
  for (Watched& watched : watched_) {
    if (watched.window != nullptr) look_at_window(watched);
  }
}

// Which of the two goes on?  A window that forgets little costs more and more;
// one that forgets costs less than a monitor.
void Stream::look_at_window(Watched& watched) {
  ContainerWindow& window = *watched.window;
  const std::size_t before = window.size();
  window.judge();
  if (window.answer() == Answer::kViolated) {
    const Operation last = window.last();
    return tell(watched, Answer::kViolated, "", last);
  }
  if (watched.monitor == nullptr) {
    if (window.answer() == Answer::kHolds) return;
    const std::string reason = window.reason();
    return tell(watched, Answer::kUnknown, reason, window.last());
  }
  if (window.answer() == Answer::kUnknown ||
      (before >= kEnough && window.size() > before / 2)) {
    watched.window.reset();
  } else if (before >= kEnough) {
    watched.monitor.reset();
  }
}

void Stream::look(Watched& watched, const Operation& operation) {
  const Answer answer = watched.monitor->answer();
  if (answer == Answer::kHolds) return;
  const std::string reason = watched.monitor->reason();
  if (answer == Answer::kUnknown && watched.window != nullptr) {
    watched.monitor.reset();
    return;
  }
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
  watched.monitored.clear();
  watched.kept.clear();
  watched.busy = {};
  tell_(watched.part);
}

}  // namespace plumb::check
