// SPDX-License-Identifier: Apache-2.0
// Whether the runs of a model satisfy a formula.
#pragma once

#include <functional>

#include "assertions/assertions.h"
#include "base/budget.h"
#include "ltl/formula.h"
#include "lts/system.h"
#include "text/source.h"
#include "verify/outcome.h"

namespace plumb::ask {

// What an atom of a formula means.  Throws InputError.
using AtomMeaning = std::function<assertions::Proposition(const ltl::Atom&)>;

struct AskedFormula {
  const text::Source& source;
  text::Span span;  // of the formula
  AtomMeaning meaning;
  assertions::Fairness fairness = assertions::Fairness::kNone;
};

// Whether each run of the system satisfies a formula.  Throws InputError.
verify::Outcome decide_formula(const lts::System& system,
                               const AskedFormula& asked,
                               const verify::Options& options, Budget& budget);

}  // namespace plumb::ask
