// SPDX-License-Identifier: Apache-2.0
#include "verify/unfold.h"

#include <algorithm>

#include "verify/words.h"

namespace plumb::verify {
namespace {

class Unfolding {
 public:
  Unfolding(const lts::System& system, const lts::Symmetry* symmetry)
      : system_(system), symmetry_(symmetry) {
    path_.states.push_back(system.initial());
  }

  // `names`: what the canonical state calls what the run calls differently.
  void take(const FoldedStep& step, const lts::Renaming& names) {
    std::vector<lts::Label> labels = step.labels;
    lts::StateBytes goal = step.after;
    if (symmetry_ != nullptr) {
      const lts::Renaming back = names.inverse();
      for (lts::Label& label : labels) {
        label = lts::renamed(label, symmetry_->values(), back);
      }
      if (step.is_whole) goal = symmetry_->rename(step.after, back);
    }
    if (!walk(labels, step.is_whole ? &goal : nullptr)) {
      fail("a transition of the search cannot be taken step by step");
    }
  }
  lts::Path path() && { return std::move(path_); }

 private:
  // Where several steps have the same label, one of them leads to the goal.
  bool walk(std::span<const lts::Label> labels, const lts::StateBytes* goal) {
    if (labels.empty()) return goal == nullptr || path_.states.back() == *goal;
    lts::Successors successors;
    system_.successors(path_.states.back(), successors);
    for (std::size_t i = 0; i < successors.size(); ++i) {
      if (successors.label(i) != labels.front()) continue;
      const lts::StateView next = successors.state(i);
      path_.labels.push_back(labels.front());
      path_.states.emplace_back(next.begin(), next.end());
      if (walk(labels.subspan(1), goal)) return true;
      path_.labels.pop_back();
      path_.states.pop_back();
    }
    return false;
  }

  const lts::System& system_;
  const lts::Symmetry* symmetry_;
  lts::Path path_;
};

}  // namespace

lts::Path unfold(const lts::System& system, const lts::Symmetry* symmetry,
                 const lts::Renaming& first,
                 std::span<const FoldedStep> steps) {
  Unfolding unfolding(system, symmetry);
  lts::Renaming names = first;
  for (const FoldedStep& step : steps) {
    unfolding.take(step, names);
    names = names.then(step.renaming);
  }
  return std::move(unfolding).path();
}

}  // namespace plumb::verify
