// SPDX-License-Identifier: Apache-2.0
#include "check/part_monitors.h"

#include <utility>

namespace plumb::check {

PartMonitors::PartMonitors(const spec::Specification& object, bool split,
                           std::size_t most_configurations, Budget& budget)
    : object_(object),
      split_(split),
      most_configurations_(most_configurations),
      budget_(budget) {}

Monitor& PartMonitors::wake(Part& part) {
  if (part.monitor != nullptr) return *part.monitor;
  if (idle_.empty()) {
    part.monitor =
        std::make_unique<Monitor>(object_, budget_, most_configurations_);
  } else {
    part.monitor = std::move(idle_.back());
    idle_.pop_back();
  }
  part.monitor->begin_with(std::move(part.state));
  return *part.monitor;
}

std::optional<PartMonitors::Handle> PartMonitors::invoked(
    const spec::Call& call) {
  if (answer_ != Answer::kHolds) return std::nullopt;
  const Value name = split_ ? object_.part(call).value_or(Value()) : Value();
  const auto [entry, is_new] = parts_.try_emplace(name);
  Part& part = entry->second;
  if (is_new) part.state = object_.initial();
  const auto slot = wake(part).invoked(call);
  if (!slot) {
    answer_ = part.monitor->answer();
    reason_ = part.monitor->reason();
    return std::nullopt;
  }
  Handle handle = static_cast<Handle>(in_flight_.size());
  if (free_.empty()) {
    in_flight_.emplace_back();
  } else {
    handle = free_.back();
    free_.pop_back();
  }
  in_flight_[handle] = {name, *slot};
  return handle;
}

void PartMonitors::end(Handle handle, const auto& how) {
  if (answer_ != Answer::kHolds) return;
  const auto [name, slot] = in_flight_[handle];
  free_.push_back(handle);
  Part& part = parts_.find(name)->second;
  how(*part.monitor, slot);
  answer_ = part.monitor->answer();
  reason_ = part.monitor->reason();
  if (answer_ == Answer::kHolds && split_) look(name, part);
}

// Is it at rest?
void PartMonitors::look(Value name, Part& part) {
  auto state = part.monitor->only_state();
  if (!state) return;
  idle_.push_back(std::move(part.monitor));
  if (*state == object_.initial()) {
    parts_.erase(name);
  } else {
    part.state = std::move(*state);
  }
}

void PartMonitors::returned(Handle handle, Value result) {
  end(handle, [&](Monitor& monitor, Monitor::Slot slot) {
    monitor.returned(slot, result);
  });
}

void PartMonitors::failed(Handle handle) {
  end(handle,
      [](Monitor& monitor, Monitor::Slot slot) { monitor.failed(slot); });
}

void PartMonitors::gave_up(Handle handle) {
  end(handle,
      [](Monitor& monitor, Monitor::Slot slot) { monitor.gave_up(slot); });
}

}  // namespace plumb::check
