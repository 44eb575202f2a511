// SPDX-License-Identifier: Apache-2.0
// From a failing run to evidence: its history, and a run that reads well.
#pragma once

#include <cstdint>
#include <functional>

#include "base/budget.h"
#include "check/condition.h"
#include "check/verdict.h"
#include "history/history.h"
#include "lts/path.h"
#include "lts/system.h"
#include "spec/specification.h"
#include "verify/specification_graph.h"

namespace plumb::verify {

// The calls of a run.  Processes are called 0, 1, ...; the lines of an
// operation are the numbers of its steps in the run, from 1.
history::History history_of(const lts::Path& path,
                            const SpecificationGraph& graph);

// Do the operations have an order that keeps `order`?  By the general decider
// of level 1, which shares nothing with the search that found them.
check::Answer judge(const history::History& history,
                    const spec::Specification& object, Budget& budget,
                    check::Order order = check::Order::kRealTime);

// How often another process goes on.
std::size_t switches(const lts::Path& path);

// A run with the same steps in another order, still `wanted`, and with fewer
// switches if moving steps of a process together can give that.  The last
// step stays the last.
lts::Path with_fewer_switches(
    const lts::Path& path, const lts::System& system,
    const std::function<bool(const lts::Path&)>& wanted);

}  // namespace plumb::verify
