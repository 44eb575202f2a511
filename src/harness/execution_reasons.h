// SPDX-License-Identifier: Apache-2.0
// Why executions do not tell what a search asks, as clauses.
#pragma once

#include <cstdint>
#include <string>

#include "base/budget.h"
#include "harness/loop_cuts.h"
#include "runtime/core.h"

namespace plumb::harness {

inline constexpr const char* kDiverged =
    "the same schedule did not give the same events: the test depends on "
    "something that is not under control";

inline constexpr const char* kDeciders =
    "two deciders do not agree on a history: please report it";

// Threads may go round for ever; or they would, but one more round did not show
// it.
std::string reason_of_circles(LoopCuts::Livelock livelock);
// Files were changed.
std::string reason_of_files(const char* how);
// Of an access of code that no hook tells of.
std::string reason_of_race(const std::string& unseen);
// What a search cannot do.
runtime::Finding unsupported(const std::string& what, std::uintptr_t pc);
// Executions that do not come back are left then: some time after the limit,
// which those who come back look at themselves.
Budget::Clock::time_point latest_end(Budget::Clock::time_point end);

}  // namespace plumb::harness
