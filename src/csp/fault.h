// SPDX-License-Identifier: Apache-2.0
// What goes wrong when a model runs: a kind, a place and words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/source.h"

namespace plumb::csp {

// The kinds are few and fixed, so that (kind, place) numbers every fault that
// a model can have before it runs: see Program::fault_sites().
enum class FaultKind : std::uint8_t {
  kIndex,     // of an array, a container or an array of channels
  kRange,     // a write outside of the variable's range
  kDivision,  // by zero
  kOverflow,  // the one quotient that 32 bits cannot hold
  kLoop,      // a `while` that goes on for too long
  kType,      // a number where an array is needed, and so on
  kEmpty,     // Pop of an empty stack, cpeek of an empty channel, ...
  kKey,       // GetValue of a key that is not there
  kMemory,    // no free node in an EntryList
  kArgument,  // a value that a method cannot take
};
inline constexpr std::uint8_t kFaultKinds = 10;

// "index out of bounds": the same words for every fault of the kind.
std::string_view words(FaultKind kind);

// Thrown while a model runs; `detail` says which values ("5 is not in 0..2")
// and so differs from state to state, what words() says does not.
struct RuntimeFault {
  FaultKind kind = FaultKind::kType;
  std::string detail;
  text::Span span = {};  // of the innermost expression

  std::string message() const;  // words and detail
};

}  // namespace plumb::csp
