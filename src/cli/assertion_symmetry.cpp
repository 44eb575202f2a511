// SPDX-License-Identifier: Apache-2.0
#include "cli/assertion_symmetry.h"

#include <fmt/format.h>

#include <utility>

#include "cli/assertion_order.h"
#include "csp/symmetry.h"
#include "lts/permutation_number.h"

namespace plumb::cli {

using csp::AssertionKind;

bool AssertionSymmetry::is_wanted() const {
  return !how_.pat_counts &&
         (how_.reductions.process_symmetry || how_.reductions.data_symmetry);
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
  alike_ = model_.alike(processes, watched(), valuation, how_.reductions);
  if (alike_.symmetry == nullptr) return system;
  for (const std::string& event : events()) {
    if (alike_.symmetry->keeps(event)) continue;
    drop(fmt::format("the formula names '{}'", event));
    return system;
  }
  if (assertion_.kind == AssertionKind::kSatisfies && how_.fairness != "none") {
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

// All events in a text by other names.
std::string renamed(const std::string& text, const csp::NameSymmetry& symmetry,
                    lts::Permutation names) {
  std::string out, word;
  const auto end_word = [&] {
    out += symmetry.renamed(word, names);
    word.clear();
  };
  for (const char c : text) {
    if (c == ' ' || c == ',' || c == '\'') {
      end_word();
      out += c;
    } else {
      word += c;
    }
  }
  end_word();
  return out;
}

// Is the outcome about the last step, or about where it leads?
bool names_last_step(const verify::Outcome& outcome) {
  if (outcome.path->labels.empty()) return false;
  const lts::Label& last = outcome.path->labels.back();
  return last.kind == lts::LabelKind::kEvent &&
         outcome.reason.find(fmt::format("'{}'", last.value.as_text())) !=
             std::string::npos;
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
    outcome.reason = renamed(outcome.reason, symmetry, names);
    for (std::string& detail : outcome.details) {
      detail = renamed(detail, symmetry, names);
    }
    return;
  }
  outcome.answer = check::Answer::kUnknown;
  outcome.reason = "a run by canonical names is none of the whole system";
  outcome.hint = "--no-symmetry --no-data-symmetry does without them";
}

}  // namespace plumb::cli
