// SPDX-License-Identifier: Apache-2.0
#include "verify/unfold.h"

#include <algorithm>

#include "base/invariant.h"
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

// Numbers things in the order in which they come, then the others.
class InOrder {
 public:
  void note(std::size_t i) {
    if (i >= lts::Permutation::kMost || (seen_ >> i & 1) != 0) return;
    seen_ |= 1u << i;
    order_.push_back(i);
  }
  lts::Permutation renaming() {
    for (std::size_t i = 0; i < lts::Permutation::kMost; ++i) note(i);
    lts::Permutation out;
    for (std::size_t i = 0; i < order_.size(); ++i) out.set(order_[i], i);
    return out;
  }

 private:
  std::uint32_t seen_ = 0;
  std::vector<std::size_t> order_;
};

lts::Path renamed(const lts::Path& path, const lts::Symmetry& symmetry,
                  const lts::Renaming& names) {
  lts::Path out;
  for (const lts::Label& label : path.labels) {
    out.labels.push_back(lts::renamed(label, symmetry.values(), names));
  }
  for (const lts::StateBytes& state : path.states) {
    out.states.push_back(symmetry.rename(state, names));
  }
  return out;
}

// People begin with process 0 and value 1.  Not all processes and values are
// interchangeable, so that this may be no run; then names stay.
lts::Path with_plain_names(lts::Path path, const lts::System& system,
                           const lts::Symmetry& symmetry) {
  InOrder processes, values;
  for (const lts::Label& label : path.labels) {
    processes.note(label.process);
    if (label.kind != lts::LabelKind::kInvoke) continue;
    const auto known = symmetry.values();
    const auto at = std::ranges::find(known, label.value);
    if (at == known.end()) continue;
    values.note(static_cast<std::size_t>(at - known.begin()));
  }
  const lts::Renaming both{processes.renaming(), values.renaming()};
  for (const lts::Renaming& names : {both, lts::Renaming{both.processes, {}},
                                     lts::Renaming{{}, both.values}}) {
    lts::Path other = renamed(path, symmetry, names);
    if (lts::is_run_of(other, system)) return other;
  }
  return path;
}

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
  lts::Path path = std::move(unfolding).path();
  PLUMB_CHECK(path.states.size() == path.labels.size() + 1);
  if (symmetry == nullptr) return path;
  return with_plain_names(std::move(path), system, *symmetry);
}

}  // namespace plumb::verify
