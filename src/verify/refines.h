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

// Both have the same operations.  Neither may have states that no history can
// end in: a relaxed object for models drops them itself.
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

// Decides by an antichain search over pairs of a state of the left one and
// the set of states that the right one may be in [DeWulfEtAl06].
Comparison check_refines(const SpecificationPair&, const Options&, Budget&);

}  // namespace plumb::verify
