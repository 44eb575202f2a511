// SPDX-License-Identifier: Apache-2.0
// The graph of a system, with what a formula sees of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assertions/atoms.h"
#include "assertions/labels.h"
#include "explore/explorer.h"
#include "explore/graph.h"
#include "explore/side_table.h"
#include "ltl/formula.h"

namespace plumb::assertions {

// Built during a breadth-first search; rows are those of the states expanded.
//
// LIMIT: 2^23 - 1 different labels, and 2^32 - 1 transitions; beyond that it
// counts as out of memory.
class RunGraph {
 public:
  using StateId = explore::StateId;

  RunGraph(const explore::Explorer& explorer, const Atoms& atoms)
      : explorer_(explorer), atoms_(atoms) {}

  // All return false if there is no more room.
  bool add_state(StateId state, const lts::Successors& out) {
    if (state == 0 &&
        !letters_.push_back(atoms_.of_state(explorer_.state(0)))) {
      return fail();
    }
    const bool is_stuck = out.size() == 0 && out.cut == 0;
    return (graph_.start_row() && stuck_.push_back(is_stuck)) || fail();
  }
  bool add_step(const lts::Label& label, StateId to, bool is_new) {
    if (is_new && !letters_.push_back(atoms_.of_state(explorer_.state(to)))) {
      return fail();
    }
    const std::uint32_t number = labels_.number(label);
    if (number == step_letters_.size()) {
      step_letters_.push_back(atoms_.of_step(label));
    }
    lts::Label packed;
    packed.kind = label.kind;
    packed.edge = number;
    const bool fits =
        number < kMostLabels && graph_.transitions() < UINT32_MAX - 1;
    return (fits && graph_.add(packed, to)) || fail();
  }
  bool out_of_memory() const { return out_of_memory_; }

  const explore::Explorer& explorer() const { return explorer_; }
  std::size_t expanded() const { return graph_.rows(); }
  bool is_expanded(StateId state) const { return state < graph_.rows(); }
  bool is_stuck(StateId state) const { return stuck_[state]; }
  std::uint64_t row_begin(StateId state) const {
    return graph_.row_begin(state);
  }
  std::uint64_t row_end(StateId state) const { return graph_.row_end(state); }
  StateId target(std::uint64_t step) const { return graph_[step].target; }
  const lts::Label& label(std::uint64_t step) const {
    return labels_[graph_[step].edge()];
  }
  ltl::Letter letter(StateId state) const { return letters_[state]; }
  // Of a step's target, just after that step.
  ltl::Letter letter_after(std::uint64_t step) const {
    return letters_[graph_[step].target] | step_letters_[graph_[step].edge()];
  }
  std::size_t bytes() const {
    return graph_.bytes() + letters_.bytes() + stuck_.bytes();
  }

 private:
  static constexpr std::uint32_t kMostLabels = (1u << 23) - 1;

  bool fail() {
    out_of_memory_ = true;
    return false;
  }

  const explore::Explorer& explorer_;
  const Atoms& atoms_;
  explore::Graph graph_;
  explore::SideTable<ltl::Letter> letters_;  // of all states found
  explore::SideTable<bool> stuck_;           // of those expanded
  Labels labels_;
  std::vector<ltl::Letter> step_letters_;  // by label
  bool out_of_memory_ = false;
};

}  // namespace plumb::assertions
