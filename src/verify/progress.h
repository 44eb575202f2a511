// SPDX-License-Identifier: Apache-2.0
// Progress properties: what must not happen for ever.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lts/path.h"
#include "lts/system.h"

namespace plumb::verify {

// The definitions, on runs of the system under any schedule at all.  A
// process in Successors::waiting spins: it takes steps that change nothing.
//
// kDeadlockFree    no reachable state has a call pending and no transition.
//                  A state whose steps a bound cuts off is not a deadlock;
//                  nor is one where idle processes can still call.
// kLockFree        no infinite run has, from some point on, steps of pending
//                  calls but no return: somebody always completes
//                  [HerlihyShavit08, sec. 3.8].  An infinite run without
//                  returns has finitely many invocations, so this is: no
//                  cycle of internal steps, and nobody waits.
// kWaitFree        no infinite run has infinitely many steps of one process
//                  and no return of it, whatever the others do
//                  [Herlihy91, HerlihyShavit08, sec. 3.7].
// kObstructionFree no process that runs alone from some point on takes
//                  infinitely many steps without a return
//                  [HerlihyLuchangcoMoir03].
//
// Example: a test-and-set lock is none of the last three, as whoever waits
// may do so for ever; the cas loop of a counter is lock-free, since a cas
// fails only if another succeeded, but not wait-free.
enum class Progress : std::uint8_t {
  kDeadlockFree,
  kLockFree,
  kWaitFree,
  kObstructionFree,
};

// By its name in the language: "lock_free".
std::optional<Progress> progress_named(const std::string& name);

// Processes with a call pending after these steps, from the initial state on.
std::uint64_t pending_after(std::span<const lts::Label> labels);

// Is `lasso` a run of the system that violates the property?  Looks at each
// step anew; `pending` calls are read off the labels.
bool violates(const lts::Lasso& lasso, Progress property,
              const lts::System& system);

}  // namespace plumb::verify
