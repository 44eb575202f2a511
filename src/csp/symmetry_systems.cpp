// SPDX-License-Identifier: Apache-2.0
// A CSP# process with one state for all that differ in names only.
#include "csp/symmetry_systems.h"

#include <algorithm>
#include <utility>

#include "lts/permutation_number.h"

namespace plumb::csp {

namespace {

using lts::LabelKind;

lts::StateBytes copy_of(lts::StateView state) {
  return {state.begin(), state.end()};
}

// Of one thread, which is never inside twice: systems of this file do not
// stand in each other.
lts::Successors& scratch_of_thread() {
  thread_local lts::Successors scratch;
  return scratch;
}

bool is_visible(const lts::Label& label) {
  return label.kind == LabelKind::kEvent || label.kind == LabelKind::kTerminate;
}

// Is there another step with the same name that leads elsewhere?
bool has_rival(const lts::Successors& steps, std::size_t i) {
  const lts::Label& label = steps.label(i);
  if (!is_visible(label)) return false;
  for (std::size_t j = 0; j < steps.size(); ++j) {
    const lts::Label& other = steps.label(j);
    if (j != i && other.kind == label.kind && other.value == label.value &&
        !std::ranges::equal(steps.state(i), steps.state(j))) {
      return true;
    }
  }
  return false;
}

}  // namespace

lts::StateBytes OrderedSystem::initial() const {
  return names().rename(inner().initial(), {});
}

void OrderedSystem::successors(lts::StateView state,
                               lts::Successors& out) const {
  lts::Successors& steps = scratch_of_thread();
  inner().successors(state, steps);
  out.clear();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    out.add(steps.label(i), names().rename(steps.state(i), {}));
  }
  out.cut = steps.cut;
  out.left_out = steps.left_out;
}

lts::StateBytes QuotientSystem::initial() const {
  lts::StateBytes state = inner().initial();
  names().canonicalize(state);
  return state;
}

bool QuotientSystem::tells_renamings() const {
  return names().plan().names <= lts::kMostNumbered;
}

void QuotientSystem::successors(lts::StateView state,
                                lts::Successors& out) const {
  lts::Successors& steps = scratch_of_thread();
  inner().successors(state, steps);
  out.clear();
  const bool tells = tells_renamings();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    lts::Label label = steps.label(i);
    if (label.kind == LabelKind::kFault ||
        (tells_apart_ && has_rival(steps, i))) {
      out.add(label, steps.state(i));
      continue;
    }
    lts::StateBytes to = copy_of(steps.state(i));
    const lts::Canonical how = names().canonicalize(to);
    if (tells) label.operation = lts::number_of(how.renaming.processes);
    out.add(label, to);
  }
  out.cut = steps.cut;
  out.left_out = steps.left_out;
}

std::optional<lts::Permutation> QuotientSystem::renaming_of(
    lts::StateView from, const lts::Label& label, lts::StateView to) const {
  lts::Successors steps;
  inner().successors(from, steps);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    lts::Label own = steps.label(i);
    if (own.kind == LabelKind::kFault ||
        (tells_apart_ && has_rival(steps, i))) {
      if (own == label && std::ranges::equal(steps.state(i), to)) {
        return lts::Permutation();
      }
      continue;
    }
    lts::StateBytes state = copy_of(steps.state(i));
    const lts::Canonical how = names().canonicalize(state);
    if (tells_renamings()) {
      own.operation = lts::number_of(how.renaming.processes);
    }
    if (own == label && std::ranges::equal(state, to)) {
      return how.renaming.processes;
    }
  }
  return std::nullopt;
}

// A run of the inner system, step by step, beside one of the quotient: the
// state at hand is the quotient's by the names `names_`.
class QuotientSystem::Walk {
 public:
  Walk(const QuotientSystem& system, lts::Permutation names)
      : system_(system), names_(names) {
    path_.states.push_back(system.inner().initial());
  }

  bool go(const lts::Path& path, std::size_t i, lts::Permutation renaming) {
    const lts::Label& label = path.labels[i];
    const lts::Permutation next = renaming.inverse().then(names_);
    const NameSymmetry& symmetry = system_.names();
    const lts::StateBytes wanted =
        symmetry.rename(path.states[i + 1], {next, {}});
    const std::string text =
        label.kind == LabelKind::kEvent
            ? symmetry.renamed(label.value.as_text(), names_)
            : "";
    system_.inner().successors(path_.states.back(), steps_);
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      const lts::Label& own = steps_.label(s);
      if (own.kind != label.kind || own.fault != label.fault) continue;
      if (own.kind == LabelKind::kEvent && own.value.as_text() != text) {
        continue;
      }
      if (symmetry.rename(steps_.state(s), {}) != wanted) continue;
      path_.labels.push_back(own);
      path_.states.push_back(copy_of(steps_.state(s)));
      names_ = next;
      return true;
    }
    return false;
  }

  const lts::Path& path() const { return path_; }

 private:
  const QuotientSystem& system_;
  lts::Permutation names_;
  lts::Path path_;
  lts::Successors steps_;
};

std::optional<lts::Path> QuotientSystem::unfold(const lts::Path& path,
                                                std::size_t same,
                                                lts::Permutation more) const {
  std::vector<lts::Permutation> renamings;
  lts::Permutation all;  // from the names of a state to those of the first
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto renaming =
        renaming_of(path.states[i], path.labels[i], path.states[i + 1]);
    if (!renaming) return std::nullopt;
    renamings.push_back(*renaming);
    if (i < same) all = renaming->inverse().then(all);
  }
  // No renaming changes the first state, so that any may be the first.
  Walk walk(*this, all.inverse().then(more));
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (!walk.go(path, i, renamings[i])) return std::nullopt;
  }
  return walk.path();
}

std::optional<lts::Lasso> QuotientSystem::unfold(const lts::Lasso& lasso,
                                                 lts::Permutation more) const {
  // LIMIT: of steps of a loop that is unfolded.
  constexpr std::size_t kMostSteps = 100'000;
  const lts::Path& path = lasso.path;
  std::vector<lts::Permutation> renamings;
  Walk walk(*this, more);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto renaming =
        renaming_of(path.states[i], path.labels[i], path.states[i + 1]);
    if (!renaming || !walk.go(path, i, *renaming)) return std::nullopt;
    renamings.push_back(*renaming);
  }
  const std::size_t length = path.size() - lasso.back_to;
  if (length == 0) return lts::Lasso{walk.path(), path.size()};
  while (walk.path().size() < kMostSteps) {
    const auto& states = walk.path().states;
    for (std::size_t at = lasso.back_to; at + 1 < states.size(); at += length) {
      if (states[at] == states.back()) return lts::Lasso{walk.path(), at};
    }
    for (std::size_t i = lasso.back_to; i < path.size(); ++i) {
      if (!walk.go(path, i, renamings[i])) return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace plumb::csp
