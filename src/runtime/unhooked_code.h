// SPDX-License-Identifier: Apache-2.0
// Places in the test's code from which on no hook tells what is done.
//
// Found by reading all of its instructions.  Whether a search comes to them is
// seen by watch_visits (code_visits.h).
//
// LIMIT: what is called through pointers in the C and C++ libraries (virtual
// functions of theirs, &strverscmp), and assembly among code that calls hooks,
// but for locked instructions.
#pragma once

#include <cstdint>
#include <vector>

namespace plumb::runtime {

enum class Unhooked : std::uint8_t {
  kFunction,  // of the test: it calls no hook, and touches more than its locals
  kAssembly,  // an instruction that compilers leave to hooks
  kPlain,     // where a function of the C or C++ library is called
  kLibrary,   // ... of another library of the system
};

struct UnhookedPlace {
  std::uintptr_t at = 0;
  Unhooked what = Unhooked::kFunction;
};

// Sorted by place.  After find_objects().
std::vector<UnhookedPlace> find_unhooked();

}  // namespace plumb::runtime
