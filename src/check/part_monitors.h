// SPDX-License-Identifier: Apache-2.0
// A monitor for each independent part of an object: of a set, each value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/flat_table.h"
#include "check/monitor.h"
#include "check/verdict.h"
#include "spec/specification.h"

namespace plumb::check {

// A history is linearizable iff it is for each part [HerlihyWing90, theorem on
// locality].  Of a part that nobody uses at the moment only its state is kept,
// and of one that is as it was at first, nothing.
class PartMonitors {
 public:
  using Handle = std::uint32_t;

  // `object` and `budget` outlive it.  `split`: is it judged part by part?
  PartMonitors(const spec::Specification& object, bool split,
               std::size_t most_configurations, Budget& budget);

  // Nothing if the answer is not kHolds, or if that makes it unknown.
  std::optional<Handle> invoked(const spec::Call& call);
  // Each ends what invoked() gave the handle for.
  void returned(Handle handle, Value result);
  void failed(Handle handle);
  void gave_up(Handle handle);

  Answer answer() const { return answer_; }
  const std::string& reason() const { return reason_; }  // of kUnknown
  std::size_t parts() const { return parts_.size(); }

 private:
  struct Part {
    std::unique_ptr<Monitor> monitor;  // null: nothing is in flight
    spec::State state;                 // then
  };
  struct InFlight {
    Value part;
    Monitor::Slot slot;
  };

  Monitor& wake(Part& part);
  void look(Value name, Part& part);
  void end(Handle handle, const auto& how);

  const spec::Specification& object_;
  const bool split_;
  const std::size_t most_configurations_;
  Budget& budget_;
  FlatMap<Value, Part> parts_;
  std::vector<InFlight> in_flight_;
  std::vector<Handle> free_;
  std::vector<std::unique_ptr<Monitor>> idle_;  // to be used again
  Answer answer_ = Answer::kHolds;
  std::string reason_;
};

}  // namespace plumb::check
