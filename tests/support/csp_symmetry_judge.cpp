// SPDX-License-Identifier: Apache-2.0
#include "support/csp_symmetry_judge.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "csp/symmetry_systems.h"

namespace plumb::csp {

namespace {

using States = std::set<lts::StateBytes>;
using Steps = std::vector<std::pair<std::string, lts::StateBytes>>;

// What is shown of a step, by other names, and where it leads to.
Steps steps_of(const lts::System& system, const NameSymmetry& symmetry,
               lts::StateView state, lts::Permutation names) {
  lts::Successors out;
  system.successors(state, out);
  Steps steps;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const lts::Label& label = out.label(i);
    std::string text = std::to_string(static_cast<int>(label.kind)) + " ";
    if (label.kind == lts::LabelKind::kEvent) {
      text += symmetry.renamed(label.value.as_text(), names);
    }
    text += " " + std::to_string(label.fault);
    steps.emplace_back(std::move(text),
                       symmetry.rename(out.state(i), {names, {}}));
  }
  steps.emplace_back("cut " + std::to_string(out.cut), lts::StateBytes());
  std::sort(steps.begin(), steps.end());
  return steps;
}

// Breadth-first, in the order found; too many: all that were found.
std::vector<lts::StateBytes> reached(const lts::System& system,
                                     std::size_t most) {
  std::vector<lts::StateBytes> found = {system.initial()};
  States known(found.begin(), found.end());
  lts::Successors out;
  for (std::size_t at = 0; at < found.size() && found.size() <= most; ++at) {
    const lts::StateBytes state = found[at];
    system.successors(state, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (out.label(i).kind == lts::LabelKind::kFault) continue;
      const lts::StateView to = out.state(i);
      if (known.emplace(to.begin(), to.end()).second) {
        found.emplace_back(to.begin(), to.end());
      }
    }
  }
  return found;
}

class Judge {
 public:
  Judge(const lts::System& system, const NameSymmetry& symmetry)
      : system_(system), symmetry_(symmetry) {}

  SymmetryJudgement run(std::size_t most) {
    const auto states = reached(system_, most);
    said_.states = states.size();
    said_.cut = states.size() > most;
    for (const lts::StateBytes& state : states) {
      if (!look_at(state)) return said_;
    }
    said_.kept = forms_.size();
    if (!said_.cut) compare_quotient(most);
    return said_;
  }

 private:
  bool look_at(const lts::StateBytes& state) {
    lts::StateBytes form = state;
    const lts::Canonical how = symmetry_.canonicalize(form);
    if (symmetry_.rename(state, how.renaming) != form) {
      said_.wrong = "the canonical form is no renaming";
      return false;
    }
    forms_.insert(form);
    for (const NameSet& set : symmetry_.plan().sets) {
      for (const lts::Permutation names : set.generators()) {
        if (!look_at(state, form, names)) return false;
      }
    }
    return true;
  }

  bool look_at(const lts::StateBytes& state, const lts::StateBytes& form,
               lts::Permutation names) {
    lts::StateBytes other = symmetry_.rename(state, {names, {}});
    if (steps_of(system_, symmetry_, state, names) !=
        steps_of(system_, symmetry_, other, {})) {
      said_.wrong = "a renamed state takes other steps";
      return false;
    }
    symmetry_.canonicalize(other);
    if (other != form) ++said_.several;
    return true;
  }

  void compare_quotient(std::size_t most) {
    const auto alias = std::shared_ptr<const lts::System>(
        std::shared_ptr<const lts::System>(), &system_);
    const auto same = std::shared_ptr<const NameSymmetry>(
        std::shared_ptr<const NameSymmetry>(), &symmetry_);
    const auto kept = reached(QuotientSystem(alias, same, false), most);
    for (const lts::StateBytes& state : kept) {
      if (forms_.count(state) == 0) {
        said_.wrong = "the quotient has a state that is no form";
      }
    }
    if (said_.several == 0 && kept.size() != forms_.size()) {
      said_.wrong = "the quotient lacks a form";
    }
  }

  const lts::System& system_;
  const NameSymmetry& symmetry_;
  SymmetryJudgement said_;
  States forms_;
};

}  // namespace

SymmetryJudgement judge_symmetry(const lts::System& system,
                                 const NameSymmetry& symmetry,
                                 std::size_t most_states) {
  return Judge(system, symmetry).run(most_states);
}

}  // namespace plumb::csp
