// SPDX-License-Identifier: Apache-2.0
// Compares specifications by their sequences of calls and results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/value.h"
#include "spec/specification.h"
#include "verify/outcome.h"

namespace plumb::verify {

// Both have the same operations.  A sequence is one of a specification if each
// beginning of it leads to some state that a history may end in.
struct SpecificationPair {
  const spec::Specification& left;
  const spec::Specification& right;
  std::vector<std::uint16_t> codes;  // of the left one's operations, in `right`
  // For each operation of the left one: the arguments to try.
  std::vector<std::vector<Value>> arguments;
  std::uint32_t operations = 0;  // no longer sequences; 0: of any length
};

struct SpecificationStep {
  spec::Call call;  // of the left specification
  Value result;
};

struct Comparison {
  Outcome outcome;
  // Of a violation: a shortest sequence that the left one has and the right
  // one has not, for its last result alone.
  std::vector<SpecificationStep> sequence;
  // What the right one could have given in place of the last result; nothing
  // if it waits there.
  std::vector<Value> possible;
};

// Decides by an antichain search over pairs of the sets of states that each of
// the two may be in [DeWulfEtAl06].
Comparison check_refines(const SpecificationPair&, const Options&, Budget&);

}  // namespace plumb::verify
