// SPDX-License-Identifier: Apache-2.0
// Refinement decided by looking at every trace, straight from the definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "history/history.h"
#include "lts/system.h"
#include "spec/specification.h"

namespace plumb::oracle {

struct TraceLimits {
  std::size_t events = 12;     // invocations and returns of a trace
  std::size_t nodes = 20'000;  // (state, trace), in all
};

struct TraceVerdict {
  // The fewest steps after which a trace is not linearizable, or a fault has
  // happened; nothing if there is no such run within the limits.
  std::optional<std::size_t> violated;
  // Did every run stay within the limits?
  bool complete = true;
  // Were all traces of at most so many events seen?
  bool whole = true;
};

// Goes through all runs, by their length; two runs that end in the same state
// with the same trace go on in the same ways, so one of them is followed.
// Each trace is judged by trying all orders of its calls (definition.h).
TraceVerdict check_traces(const lts::System& system,
                          const spec::Specification& object,
                          const TraceLimits& limits = {});

// The same for any condition: does a history satisfy it?
using Judge = std::function<bool(const history::History&)>;
TraceVerdict check_traces(const lts::System& system,
                          const spec::Specification& object,
                          const TraceLimits& limits, const Judge& judge);

}  // namespace plumb::oracle
