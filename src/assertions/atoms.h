// SPDX-License-Identifier: Apache-2.0
// Which atoms of a formula hold in a state and after a step.
#pragma once

#include <cstddef>
#include <vector>

#include "assertions/assertions.h"
#include "ltl/formula.h"
#include "lts/path.h"

namespace plumb::assertions {

class Atoms {
 public:
  explicit Atoms(const std::vector<Proposition>& propositions)
      : propositions_(propositions) {}

  ltl::Letter of_state(lts::StateView state) const {
    ltl::Letter letter = 0;
    for (std::size_t i = 0; i < propositions_.size(); ++i) {
      const auto& predicate = propositions_[i].in_state;
      if (predicate && predicate(state)) letter |= ltl::Letter{1} << i;
    }
    return letter;
  }
  ltl::Letter of_step(const lts::Label& label) const {
    ltl::Letter letter = 0;
    for (std::size_t i = 0; i < propositions_.size(); ++i) {
      const auto& predicate = propositions_[i].at_step;
      if (predicate && predicate(label)) letter |= ltl::Letter{1} << i;
    }
    return letter;
  }
  // What a run shows: the letter of a state has the step that led there.  A
  // lasso without steps in its cycle stays where it is.
  ltl::Word word_of(const lts::Lasso& lasso) const {
    ltl::Word word;
    const lts::Path& path = lasso.path;
    for (std::size_t i = 0; i < path.states.size(); ++i) {
      word.letters.push_back(of_state(path.states[i]) |
                             (i == 0 ? 0 : of_step(path.labels[i - 1])));
    }
    if (lasso.back_to == path.size()) {
      word.letters.push_back(of_state(path.states.back()));
    }
    word.loop_to = lasso.back_to + 1;
    return word;
  }

 private:
  const std::vector<Proposition>& propositions_;
};

}  // namespace plumb::assertions
