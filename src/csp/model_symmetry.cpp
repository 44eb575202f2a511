// SPDX-License-Identifier: Apache-2.0
// What is interchangeable in the processes of a CSP# model.
#include <set>
#include <utility>

#include "csp/model.h"
#include "csp/symmetry.h"

namespace plumb::csp {

namespace {

using States = std::vector<lts::StateBytes>;

// Are the renamings of these states, within one set of names, among them?
bool closed(const NameSymmetry& symmetry, std::size_t set,
            const States& states) {
  std::set<lts::StateBytes> known;
  for (const lts::StateBytes& state : states) {
    known.insert(symmetry.rename(state, {}));
  }
  for (const auto names : symmetry.plan().sets[set].generators()) {
    for (const lts::StateBytes& state : states) {
      if (known.count(symmetry.rename(state, {names, {}})) == 0) return false;
    }
  }
  return true;
}

}  // namespace

// Both sides of a refinement begin with the same values.
Alike Model::alike(const std::vector<ProcessPtr>& references,
                   const std::vector<ExprPtr>& watched,
                   std::optional<std::size_t> valuation,
                   const lts::Reductions& wanted) const {
  Alike found;
  std::optional<SymmetryPlan> plan =
      find_plan(shared_->nodes, references, watched, wanted, found.notes);
  if (!plan) return found;
  std::vector<States> first;
  for (const ProcessPtr& reference : references) {
    const lts::StateBytes root = root_of(*reference).term;
    States& states = first.emplace_back();
    for (std::size_t i = 0; i < shared_->valuations.size(); ++i) {
      if (valuation && i != *valuation) continue;
      states.push_back(shared_->valuations[i]);
      states.back().insert(states.back().end(), root.begin(), root.end());
    }
  }
  // What is forgotten gets the values of the first one, whichever was chosen.
  if (liveness_ != nullptr && shared_->valuations.size() > 1) {
    const lts::StateBytes root = root_of(*references[0]).term;
    lts::StateBytes state = shared_->valuations[0];
    state.insert(state.end(), root.begin(), root.end());
    first.push_back({std::move(state)});
  }
  for (std::size_t set = plan->sets.size(); set-- > 0;) {
    const NameSymmetry symmetry(*plan);
    bool is_right = true;
    for (const States& states : first) {
      is_right = is_right && closed(symmetry, set, states);
    }
    if (is_right) continue;
    found.notes.push_back(plan->sets[set].of_processes
                              ? "process symmetry is off: the first state "
                                "tells indices apart"
                              : "data symmetry is off: the first state tells "
                                "values apart");
    *plan = without(*plan, set);
  }
  if (plan->sets.empty()) return found;
  found.symmetry = std::make_shared<const NameSymmetry>(std::move(*plan));
  return found;
}

}  // namespace plumb::csp
