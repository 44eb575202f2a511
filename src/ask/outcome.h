// SPDX-License-Identifier: Apache-2.0
// What came of a question: events, values and runs, for others to put in words.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/value.h"
#include "check/excess.h"
#include "check/explain.h"
#include "lts/system.h"
#include "spec/specification.h"
#include "verify/outcome.h"
#include "verify/refines.h"

namespace plumb::ask {

// What the left specification does and the right one does not.
struct Refutation {
  spec::SpecificationPtr left;
  std::string left_text, right_text;  // as the user wrote them
  std::vector<verify::SpecificationStep> sequence;
  std::vector<Value> possible;  // what the right one could do at the last step
};

struct Outcome {
  verify::Outcome found;
  // What the path or the lasso is a run of; null if none is to be shown.
  std::shared_ptr<const lts::System> system;
  // What the object is compared with, before a condition relaxes it; null: with
  // nothing.
  spec::SpecificationPtr specification;
  std::vector<std::string> operations;  // of the system
  std::string bounds;                   // of the model, all of them
  std::vector<std::string> notes;       // reductions that are off, and why
  bool by_windows = false;  // quasi factors by a construction that is not exact
  std::optional<check::Explanation> explanation;  // of a history
  std::optional<check::Excess> excess;            // quasi conditions only
  std::optional<Refutation> refutation;
};

}  // namespace plumb::ask
