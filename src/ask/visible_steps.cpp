// SPDX-License-Identifier: Apache-2.0
#include "ask/visible_steps.h"

#include <memory>
#include <utility>

#include "ltl/stutter.h"

namespace plumb::ask {

namespace {

using csp::AssertionKind;
using Events = csp::Observed::Events;

bool is_fair(const Question& question) {
  return question.fairness.value_or(assertions::Fairness::kNone) !=
         assertions::Fairness::kNone;
}

// An event is true just after it, and no longer after any other step; so steps
// that nobody sees are letters without atoms.  A proposition keeps its value.
std::optional<csp::Observed> observed_by_formula(
    const csp::Module& module, const csp::Assertion& assertion,
    const Question& question, std::string& why) {
  if (is_fair(question)) {
    why = "fairness is about all steps";
    return std::nullopt;
  }
  const ltl::Property property = formula_of(module, assertion);
  csp::Observed observed{Events::kNamed, {}};
  for (const ltl::Atom& atom : property.atoms) {
    if (!proposition_of(module, atom)) observed.names.push_back(atom.text);
  }
  if (observed.names.empty()) {
    if (ltl::ignores_repetition(*property.formula)) return observed;
    why = "the formula has an 'X'";
  } else if (observed.names.size() < property.atoms.size()) {
    why = "the formula has events and propositions";
  } else if (ltl::ignores_empty_letters(*property.formula)) {
    return observed;
  } else {
    why = "the formula may tell what comes right after an event";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> proposition_of(const csp::Module& module,
                                            const ltl::Atom& atom) {
  for (std::uint32_t i = 0; i < module.propositions.size(); ++i) {
    if (!atom.quoted && module.propositions[i].name == atom.text) return i;
  }
  return std::nullopt;
}

ltl::Property formula_of(const csp::Module& module,
                         const csp::Assertion& assertion) {
  return ltl::parse(*module.source, assertion.formula_span);
}

csp::Watched watched_by(const csp::Module& module,
                        const csp::Assertion& assertion) {
  csp::Watched watched;
  if (assertion.kind == AssertionKind::kReaches) {
    watched.propositions = {assertion.proposition};
    if (assertion.measure) watched.expressions = {assertion.measure};
  }
  if (assertion.kind == AssertionKind::kDeterministic) {
    // States that differ only in what nobody reads again are two.
    for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
      auto variable = std::make_shared<csp::Expression>();
      variable->kind = csp::ExprKind::kGlobal;
      variable->number = i;
      watched.expressions.push_back(std::move(variable));
    }
  }
  if (assertion.kind != AssertionKind::kSatisfies) return watched;
  for (const ltl::Atom& atom : formula_of(module, assertion).atoms) {
    if (const auto found = proposition_of(module, atom)) {
      watched.propositions.push_back(*found);
    }
  }
  return watched;
}

std::optional<csp::Observed> observed_by(const csp::Module& module,
                                         const csp::Assertion& assertion,
                                         const Question& question,
                                         std::vector<std::string>& notes) {
  if (question.pat_counts || question.reductions.partial_order ==
                                 lts::Reductions::PartialOrder::kNone) {
    return std::nullopt;
  }
  switch (assertion.kind) {
    case AssertionKind::kDeadlockFree:
    case AssertionKind::kNonterminating:
      return csp::Observed{Events::kNone, {}};
    case AssertionKind::kReaches:
      // The nearest of the best states is looked for among all of them.
      if (assertion.extreme != csp::Extreme::kNone) return std::nullopt;
      return csp::Observed{Events::kNone, {}};
    case AssertionKind::kDivergenceFree:
    case AssertionKind::kRefines:
      return csp::Observed{Events::kAll, {}};
    case AssertionKind::kDeterministic:
      return std::nullopt;  // it is about states, not about runs
    case AssertionKind::kSatisfies:
      break;
  }
  std::string why;
  const auto observed = observed_by_formula(module, assertion, question, why);
  if (!observed) notes.push_back("partial order reduction is off: " + why);
  return observed;
}

}  // namespace plumb::ask
