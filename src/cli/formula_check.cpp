// SPDX-License-Identifier: Apache-2.0
#include "cli/formula_check.h"

#include "ltl/parse.h"

namespace plumb::cli {

namespace {

assertions::Fairness fairness_of(const std::string& word) {
  using assertions::Fairness;
  return word == "weak"           ? Fairness::kWeakProcess
         : word == "strong"       ? Fairness::kStrongProcess
         : word == "global"       ? Fairness::kStrongGlobal
         : word == "weak-event"   ? Fairness::kWeakEvent
         : word == "strong-event" ? Fairness::kStrongEvent
                                  : Fairness::kNone;
}

}  // namespace

verify::Outcome decide_formula(const lts::System& system,
                               const AskedFormula& asked,
                               const verify::Options& options, Budget& budget) {
  const ltl::Property property = ltl::parse(asked.source, asked.span);
  assertions::Temporal temporal;
  temporal.formula = property.formula;
  for (const ltl::Atom& atom : property.atoms) {
    temporal.atoms.push_back(asked.meaning(atom));
  }
  temporal.fairness = fairness_of(asked.fairness);
  verify::Outcome outcome =
      assertions::satisfies(system, temporal, options, budget);
  for (const ltl::Remark& remark : property.remarks) {
    outcome.hint += (outcome.hint.empty() ? "" : "; ") + remark.text;
  }
  return outcome;
}

}  // namespace plumb::cli
