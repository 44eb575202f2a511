// SPDX-License-Identifier: Apache-2.0
#include "assertions/run_graph.h"

#include <algorithm>

namespace plumb::assertions {

std::vector<lts::Label> RunSteps::labels() const {
  std::vector<lts::Label> labels;
  for (const Key& key : numbers_.keys()) labels.push_back(key.label);
  return labels;
}

bool RunGraph::build(const Pass& pass, const explore::Rows& rows,
                     const RunSteps& steps) {
  labels_ = steps.labels();
  step_letters_.clear();
  for (const lts::Label& label : labels_) {
    step_letters_.push_back(atoms_.of_step(label));
  }
  const explore::SharedStore& states = pass.pairs().pairs().states();
  explore::StoreMark mark;
  for (const auto& [begin, end] : states.added_since(mark)) {
    // Ids that no state has come before.
    while (letters_.size() < begin) {
      if (!letters_.push_back(0) || !stuck_.push_back(false) ||
          !starts_.push_back(steps_.size())) {
        return false;
      }
    }
    for (StateId state = begin; state < end; ++state) {
      if (!letters_.push_back(atoms_.of_state(pass.state(state))) ||
          !add_row(state, rows)) {
        return false;
      }
    }
  }
  // There may have been no room for the first one.
  return !letters_.empty() && starts_.push_back(steps_.size());
}

bool RunGraph::add_row(StateId state, const explore::Rows& rows) {
  if (!starts_.push_back(steps_.size())) return false;
  bool is_stuck = false;
  explore::Rows::Cursor row = rows[state];
  for (explore::Rows::Step step; rows.next(row, step);) {
    if (step.number == RunSteps::kStays) {
      is_stuck = true;
      continue;
    }
    --step.number;
    if (steps_.size() >= UINT32_MAX - 1 || !steps_.push_back(step)) {
      return false;
    }
  }
  return stuck_.push_back(is_stuck);
}

}  // namespace plumb::assertions
