// SPDX-License-Identifier: Apache-2.0
// Places in the test's code from which on no hook tells what is done.
//
// Found by reading all of its instructions.  Whether a search comes to them is
// seen by watch_visits (code_visits.h).
//
// What of libraries is called is told by library_calls.h.
#pragma once

#include <cstdint>
#include <vector>

namespace plumb::runtime {

enum class Unhooked : std::uint8_t {
  kFunction,  // of the test: it calls no hook, and touches more than its locals
  kAssembly,  // an instruction that compilers leave to hooks
  // A stretch of code without branches that touches more than it announces:
  // assembly, or what compilers forget (GCC: results that are structures).
  kStretch,
};

struct UnhookedPlace {
  std::uintptr_t at = 0;
  Unhooked what = Unhooked::kFunction;
};

// Sorted by place.  After find_objects().
std::vector<UnhookedPlace> find_unhooked();

// May the test's code know how numbers are rounded, which floating-point
// exceptions were raised, or keep something in registers of the old unit?  Not
// if it has no such instruction and calls no function of <cfenv>.  Until
// find_unhooked() has looked it may.
#pragma GCC visibility push(hidden)
extern bool float_state_matters;
#pragma GCC visibility pop

// Does the function that holds this place call hooks?  After find_unhooked().
bool is_hooked(std::uintptr_t pc);
// Does the instruction store, not long after a call, what that may have
// returned, or a whole vector (clang forgets those), or read and write at once
// without a lock?  That is plain.
bool is_plain_for_certain(std::uintptr_t pc);

}  // namespace plumb::runtime
