// SPDX-License-Identifier: Apache-2.0
// Runs of a system together with runs of an automaton that reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assertions/run_graph.h"
#include "base/budget.h"
#include "base/flat_table.h"
#include "explore/side_table.h"
#include "ltl/automaton.h"

namespace plumb::assertions {

// A node is a state that was expanded or found, and the state of the automaton
// that has read the run up to it, with that state's own letter.  Nodes are
// numbered breadth-first, so that a smaller number is not farther away.
class Product {
 public:
  using NodeId = std::uint32_t;
  static constexpr NodeId kNone = UINT32_MAX;
  // The step of a stuck state to itself.
  static constexpr std::uint32_t kStays = UINT32_MAX;

  struct Step {
    NodeId target;
    std::uint32_t step;  // of the graph
  };

  Product(const RunGraph& graph, const ltl::Automaton& automaton)
      : graph_(graph), automaton_(automaton) {}

  // All nodes and steps.  Returns false if the budget or memory is spent.
  bool build(Budget& budget);

  const RunGraph& graph() const { return graph_; }
  const ltl::Automaton& automaton() const { return automaton_; }
  std::size_t size() const { return nodes_.size(); }
  explore::StateId state(NodeId node) const { return nodes_[node].state; }
  std::uint64_t begin(NodeId node) const { return begins_[node]; }
  std::uint64_t end(NodeId node) const {
    return node + std::size_t{1} < begins_.size() ? begins_[node + 1]
                                                  : steps_.size();
  }
  const Step& operator[](std::uint64_t number) const { return steps_[number]; }
  // All marks that such a step of `node` can have.
  ltl::Automaton::Marks marks(NodeId node, const Step& step) const;
  // The steps of a shortest way to it.
  std::vector<Step> way_to(NodeId node) const;
  std::size_t bytes() const {
    return nodes_.bytes() + begins_.bytes() + steps_.bytes() +
           parents_.bytes() + ids_.size() * 16;
  }

 private:
  struct Node {
    explore::StateId state;
    std::uint32_t automaton;
  };

  bool read(std::uint32_t from, ltl::Letter letter, explore::StateId to,
            std::uint32_t step, NodeId parent);

  const RunGraph& graph_;
  const ltl::Automaton& automaton_;
  FlatMap<std::uint64_t, NodeId> ids_;
  explore::SideTable<Node> nodes_;
  explore::SideTable<NodeId> parents_;
  explore::SideTable<std::uint64_t> begins_;
  explore::SideTable<Step> steps_;
};

}  // namespace plumb::assertions
