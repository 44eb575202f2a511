// SPDX-License-Identifier: Apache-2.0
// Searches of a model in the same way again and again, for comparison.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/budget.h"
#include "lang/model.h"
#include "lts/path.h"
#include "lts/reduction.h"
#include "verify/outcome.h"
#include "verify/pair_search.h"
#include "verify/policy.h"

namespace plumb::testing {

// The text of examples/models/NAME.plumb.
std::string shipped_text(const std::string& name);

// A check of a model, compiled.
class SearchedModel {
 public:
  // The last check of `text`; aborts if there are errors.
  SearchedModel(const std::string& text, const lts::Reductions& reductions);

  struct How {
    bool exact = true;  // else at these points
    verify::Policy policy = {.marks = true, .effects = {}};
    verify::SearchLimits limits = {};
    // Calls of the specification have been met in another order than that in
    // which the search meets them, as after other searches.
    bool in_other_order = false;
    // Of the search alone: the machine may take as long as it likes.
    Budget budget = {};
  };
  struct Found {
    verify::Search::End end{};
    verify::Statistics statistics;
    std::uint64_t work = 0;
    std::optional<lts::Path> path;  // of a failure
  };
  Found search(const How& how) const;

  const lts::System& system() const { return *model_.system; }
  const lts::System& reduced() const { return *reduced_.system; }
  const lang::Model& model() const { return model_; }

 private:
  std::shared_ptr<const lang::Module> module_;
  lang::Model model_;
  lts::Reduced reduced_;
};

}  // namespace plumb::testing
