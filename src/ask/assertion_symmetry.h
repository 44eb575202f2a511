// SPDX-License-Identifier: Apache-2.0
// The systems of an assertion with one state for all that differ in names.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ask/question.h"
#include "csp/model.h"
#include "csp/symmetry_systems.h"
#include "lts/system.h"
#include "verify/outcome.h"

namespace plumb::ask {

class AssertionSymmetry {
 public:
  // All must last.
  AssertionSymmetry(const csp::Model& model, const csp::Assertion& assertion,
                    const Question& question)
      : model_(model), assertion_(assertion), question_(question) {}

  // What to search instead of the subject's system: itself, if nothing is
  // interchangeable.
  std::shared_ptr<const lts::System> of_subject(
      std::shared_ptr<const lts::System> system,
      std::optional<std::size_t> valuation);
  // Instead of what the subject is to refine; after of_subject().
  std::shared_ptr<const lts::System> of_other(
      std::shared_ptr<const lts::System> system) const;
  // Did of_subject() give another system?
  bool is_used() const { return quotient_ != nullptr; }
  // Makes a run of what of_subject() gave one of the system that it was given.
  void complete(verify::Outcome& outcome) const;
  // Symmetries that are off, and why.
  const std::vector<std::string>& notes() const { return alike_.notes; }

 private:
  bool is_wanted() const;
  std::vector<csp::ExprPtr> watched() const;
  std::vector<std::string> events() const;
  void drop(const std::string& why);

  const csp::Model& model_;
  const csp::Assertion& assertion_;
  const Question& question_;
  csp::Alike alike_;
  std::shared_ptr<const csp::QuotientSystem> quotient_;
};

}  // namespace plumb::ask
