// SPDX-License-Identifier: Apache-2.0
#include "ask/formula.h"

#include "ltl/parse.h"

namespace plumb::ask {

verify::Outcome decide_formula(const lts::System& system,
                               const AskedFormula& asked,
                               const verify::Options& options, Budget& budget) {
  const ltl::Property property = ltl::parse(asked.source, asked.span);
  assertions::Temporal temporal;
  temporal.formula = property.formula;
  for (const ltl::Atom& atom : property.atoms) {
    temporal.atoms.push_back(asked.meaning(atom));
  }
  temporal.fairness = asked.fairness;
  verify::Outcome outcome =
      assertions::satisfies(system, temporal, options, budget);
  for (const ltl::Remark& remark : property.remarks) {
    outcome.hint += (outcome.hint.empty() ? "" : "; ") + remark.text;
  }
  return outcome;
}

}  // namespace plumb::ask
