// SPDX-License-Identifier: Apache-2.0
// Places in the test's code from which on no hook tells what is done.
//
// Found by reading all of its instructions.  Whether a search comes to them is
// seen by watch_visits (code_visits.h).
//
// What of libraries is called is told by library_calls.h.
//
// LIMIT: assembly among code that calls hooks, but for locked instructions.
#pragma once

#include <cstdint>
#include <vector>

namespace plumb::runtime {

enum class Unhooked : std::uint8_t {
  kFunction,  // of the test: it calls no hook, and touches more than its locals
  kAssembly,  // an instruction that compilers leave to hooks
};

struct UnhookedPlace {
  std::uintptr_t at = 0;
  Unhooked what = Unhooked::kFunction;
};

// Sorted by place.  After find_objects().
std::vector<UnhookedPlace> find_unhooked();

}  // namespace plumb::runtime
