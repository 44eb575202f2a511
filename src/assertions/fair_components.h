// SPDX-License-Identifier: Apache-2.0
// Components of a product in which a fair run is accepted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assertions/fairness.h"
#include "assertions/product.h"
#include "base/budget.h"

namespace plumb::assertions {

// Finds strongly connected sets of nodes such that the run that takes all
// steps among them, again and again, is accepted and fair:
//
// - every mark is on a step;
// - weak fairness: each party takes part in a step, or is not enabled in some
//   node.  More nodes and steps only help, so that whole components are enough;
// - strong fairness: each party that is enabled in some node takes part in a
//   step.  Where one does not, a fair run must avoid the nodes where it is
//   enabled: what is left is searched again [EmersonLei87];
// - global fairness: each step that a state has in the system is among them.
//   Then the states are a component of the system that nothing leaves
//   [SunEtAl09].
class FairComponents {
 public:
  using NodeId = Product::NodeId;

  FairComponents(const Product& product, Parties& parties, Fairness fairness);

  // Returns false if the budget is spent.
  bool find(Budget& budget);
  // The nodes of the component that begins nearest, sorted; empty: none.
  const std::vector<NodeId>& nearest() const { return nearest_; }

 private:
  struct Frame {
    NodeId node;
    std::uint64_t next;
  };
  enum class Verdict : std::uint8_t { kFair, kNot, kSearchAgain };
  // What steps among the nodes of a component do.
  struct Sum {
    bool has_cycle = false;
    ltl::Automaton::Marks marks = 0;
    std::vector<bool> taken;             // by party
    std::vector<std::uint32_t> enabled;  // by party: in how many nodes
  };

  // Splits the nodes of one region into components.
  bool split(const std::vector<NodeId>& region, Budget& budget);
  bool visit(NodeId first, Budget& budget);
  void open(NodeId node);
  void close(NodeId root);
  bool is_inside(NodeId node) const { return part_[node] == current_; }

  // `nodes` loses those that a fair run must avoid, for kSearchAgain.
  Verdict judge(std::vector<NodeId>& nodes);
  Sum sum_up(const std::vector<NodeId>& nodes);
  Verdict judge_strong(std::vector<NodeId>& nodes, const Sum& sum);
  bool takes_all_steps(const std::vector<NodeId>& nodes) const;

  const Product& product_;
  Parties& parties_;
  const Fairness fairness_;
  // For each node the region or component it is in; numbers are not used again.
  std::vector<std::uint32_t> part_;
  std::uint32_t parts_ = 0, current_ = 0;
  std::vector<std::uint32_t> order_, low_;
  std::uint32_t visits_ = 0;
  std::vector<Frame> frames_;
  std::vector<NodeId> stack_;
  std::vector<std::vector<NodeId>> found_;  // components of a region
  std::vector<NodeId> nearest_;
};

}  // namespace plumb::assertions
