// SPDX-License-Identifier: Apache-2.0
#include "ask/assertion_symmetry.h"

#include <fmt/format.h>

#include <utility>

#include "ask/visible_steps.h"
#include "csp/symmetry.h"
#include "lts/permutation_number.h"

namespace plumb::ask {

using csp::AssertionKind;

bool AssertionSymmetry::is_wanted() const {
  return !question_.pat_counts && (question_.reductions.process_symmetry ||
                                   question_.reductions.data_symmetry);
}

// What the assertion asks of states.
std::vector<csp::ExprPtr> AssertionSymmetry::watched() const {
  const csp::Module& module = model_.module();
  std::vector<csp::ExprPtr> all;
  if (assertion_.kind == AssertionKind::kReaches) {
    all.push_back(module.propositions[assertion_.proposition].expression);
    if (assertion_.measure != nullptr) all.push_back(assertion_.measure);
  }
  if (assertion_.kind != AssertionKind::kSatisfies) return all;
  for (const ltl::Atom& atom : formula_of(module, assertion_).atoms) {
    if (const auto found = proposition_of(module, atom)) {
      all.push_back(module.propositions[*found].expression);
    }
  }
  return all;
}

// What the assertion's formula says of steps.
std::vector<std::string> AssertionSymmetry::events() const {
  const csp::Module& module = model_.module();
  std::vector<std::string> all;
  if (assertion_.kind != AssertionKind::kSatisfies) return all;
  for (const ltl::Atom& atom : formula_of(module, assertion_).atoms) {
    if (!proposition_of(module, atom)) all.push_back(atom.text);
  }
  return all;
}

void AssertionSymmetry::drop(const std::string& why) {
  alike_.symmetry = nullptr;
  alike_.notes.push_back("process symmetry is off: " + why);
}

std::shared_ptr<const lts::System> AssertionSymmetry::of_subject(
    std::shared_ptr<const lts::System> system,
    std::optional<std::size_t> valuation) {
  quotient_ = nullptr;
  alike_ = {};
  if (!is_wanted()) return system;
  std::vector<csp::ProcessPtr> processes = {assertion_.subject};
  if (assertion_.other != nullptr) processes.push_back(assertion_.other);
  alike_ = model_.alike(processes, watched(), valuation, question_.reductions);
  if (alike_.symmetry == nullptr) return system;
  for (const std::string& event : events()) {
    if (alike_.symmetry->keeps(event)) continue;
    drop(fmt::format("the formula names '{}'", event));
    return system;
  }
  if (question_.property == Property::kSatisfies &&
      question_.fairness.value_or(assertions::Fairness::kNone) !=
          assertions::Fairness::kNone) {
    drop("fairness tells processes apart");
    return system;
  }
  auto made = std::make_shared<csp::QuotientSystem>(
      system, alike_.symmetry,
      assertion_.kind == AssertionKind::kDeterministic);
  if (assertion_.kind == AssertionKind::kRefines && !made->tells_renamings()) {
    drop(fmt::format("refinement can rename no more than {} indices",
                     lts::kMostNumbered));
    return system;
  }
  quotient_ = made;
  return made;
}

std::shared_ptr<const lts::System> AssertionSymmetry::of_other(
    std::shared_ptr<const lts::System> system) const {
  if (quotient_ == nullptr) return system;
  return std::make_shared<csp::OrderedSystem>(std::move(system),
                                              alike_.symmetry);
}

namespace {

void rename(verify::EventFailure::Events& events,
            const csp::NameSymmetry& symmetry, lts::Permutation names) {
  for (lts::Label& event : events) {
    if (event.kind != lts::LabelKind::kEvent) continue;
    event.value = Value::text(
        symmetry.renamed(std::string(event.value.as_text()), names));
  }
}

void rename(verify::EventFailure& failure, const csp::NameSymmetry& symmetry,
            lts::Permutation names) {
  rename(failure.events, symmetry, names);
  rename(failure.offered, symmetry, names);
  for (auto& events : failure.accepted) rename(events, symmetry, names);
}

// Is the outcome about the last step, or about where it leads?
bool names_last_step(const verify::Outcome& outcome) {
  return outcome.failure && outcome.failure->is_of_last_step() &&
         outcome.path->labels.back().kind == lts::LabelKind::kEvent;
}

}  // namespace

// People like runs that begin with the first process; what is said about the
// run goes by the same names.
void AssertionSymmetry::complete(verify::Outcome& outcome) const {
  if (quotient_ == nullptr) return;
  const csp::NameSymmetry& symmetry = *alike_.symmetry;
  lts::Permutation names;
  if (outcome.lasso) {
    auto run = quotient_->unfold(*outcome.lasso);
    if (run) names = symmetry.by_first_use(run->path.labels);
    if (run) outcome.lasso = quotient_->unfold(*outcome.lasso, names);
    if (!run) outcome.lasso.reset();
  } else if (outcome.path) {
    const std::size_t same =
        outcome.path->size() - (names_last_step(outcome) ? 1 : 0);
    auto run = quotient_->unfold(*outcome.path, same);
    if (run) names = symmetry.by_first_use(run->labels);
    if (run) outcome.path = quotient_->unfold(*outcome.path, same, names);
    if (!run) outcome.path.reset();
  } else {
    return;
  }
  if (outcome.lasso || outcome.path) {
    if (outcome.failure) rename(*outcome.failure, symmetry, names);
    return;
  }
  outcome.answer = check::Answer::kUnknown;
  outcome.reason = "a run by canonical names is none of the whole system";
  outcome.hint = "--no-symmetry --no-data-symmetry does without them";
}

}  // namespace plumb::ask
