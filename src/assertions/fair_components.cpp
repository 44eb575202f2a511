// SPDX-License-Identifier: Apache-2.0
#include "assertions/fair_components.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace plumb::assertions {

FairComponents::FairComponents(const Product& product, Parties& parties,
                               Fairness fairness)
    : product_(product),
      parties_(parties),
      fairness_(fairness),
      part_(product.size(), 0),
      order_(product.size(), 0),
      low_(product.size(), 0) {}

bool FairComponents::find(Budget& budget) {
  std::vector<std::vector<NodeId>> regions(1);
  regions[0].resize(product_.size());
  std::iota(regions[0].begin(), regions[0].end(), NodeId{0});
  while (!regions.empty()) {
    const std::vector<NodeId> region = std::move(regions.back());
    regions.pop_back();
    if (!split(region, budget)) return false;
    for (auto& component : found_) {
      if (budget.spent()) return false;
      const Verdict verdict = judge(component);
      if (verdict == Verdict::kSearchAgain) {
        regions.push_back(std::move(component));
      } else if (verdict == Verdict::kFair) {
        std::ranges::sort(component);
        if (nearest_.empty() || component[0] < nearest_[0]) {
          nearest_ = std::move(component);
        }
      }
    }
  }
  return true;
}

// [Tarjan72], with a stack of our own.
bool FairComponents::split(const std::vector<NodeId>& region, Budget& budget) {
  found_.clear();
  current_ = ++parts_;
  for (const NodeId node : region) {
    part_[node] = current_;
    order_[node] = 0;
  }
  visits_ = 0;
  for (const NodeId node : region) {
    if (order_[node] == 0 && !visit(node, budget)) return false;
  }
  return true;
}

void FairComponents::open(NodeId node) {
  order_[node] = low_[node] = ++visits_;
  stack_.push_back(node);
  frames_.push_back({node, product_.begin(node)});
}

// A node leaves the current region when its component is complete.
bool FairComponents::visit(NodeId first, Budget& budget) {
  open(first);
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    const NodeId node = frame.node;
    if (frame.next < product_.end(node)) {
      const NodeId target = product_[frame.next++].target;
      if (!is_inside(target)) continue;
      if (order_[target] != 0) {
        low_[node] = std::min(low_[node], order_[target]);
        continue;
      }
      if (budget.spent()) return false;
      open(target);
      continue;
    }
    frames_.pop_back();
    if (!frames_.empty()) {
      auto& low = low_[frames_.back().node];
      low = std::min(low, low_[node]);
    }
    if (low_[node] == order_[node]) close(node);
  }
  return true;
}

void FairComponents::close(NodeId root) {
  auto& component = found_.emplace_back();
  const std::uint32_t own = ++parts_;
  while (true) {
    const NodeId node = stack_.back();
    stack_.pop_back();
    part_[node] = own;
    component.push_back(node);
    if (node == root) return;
  }
}

FairComponents::Sum FairComponents::sum_up(const std::vector<NodeId>& nodes) {
  Sum sum;
  std::vector<NodeId> counted_at;  // by party: the node that counted last
  const RunGraph& graph = product_.graph();
  for (const NodeId node : nodes) {
    const explore::StateId state = product_.state(node);
    for (auto i = product_.begin(node); i < product_.end(node); ++i) {
      const Product::Step& step = product_[i];
      if (part_[step.target] != part_[node]) continue;
      sum.has_cycle = true;
      sum.marks |= product_.marks(node, step);
      if (step.step == Product::kStays) continue;
      parties_.of(graph.label(step.step), [&](std::uint32_t party) {
        if (party >= sum.taken.size()) sum.taken.resize(party + 1);
        sum.taken[party] = true;
      });
    }
    if (fairness_ == Fairness::kNone) continue;
    for (auto i = graph.row_begin(state); i < graph.row_end(state); ++i) {
      parties_.of(graph.label(i), [&](std::uint32_t party) {
        if (party >= sum.enabled.size()) {
          sum.enabled.resize(party + 1);
          counted_at.resize(party + 1, Product::kNone);
        }
        if (counted_at[party] == node) return;
        counted_at[party] = node;
        ++sum.enabled[party];
      });
    }
  }
  sum.taken.resize(parties_.count());
  sum.enabled.resize(parties_.count());
  return sum;
}

FairComponents::Verdict FairComponents::judge(std::vector<NodeId>& nodes) {
  const Sum sum = sum_up(nodes);
  if (!sum.has_cycle || sum.marks != product_.automaton().marks) {
    return Verdict::kNot;
  }
  if (is_strong(fairness_)) return judge_strong(nodes, sum);
  bool is_fair = true;
  if (fairness_ == Fairness::kStrongGlobal) {
    is_fair = takes_all_steps(nodes);
  } else if (is_weak(fairness_)) {
    for (std::size_t party = 0; party < sum.taken.size(); ++party) {
      is_fair &= sum.taken[party] || sum.enabled[party] < nodes.size();
    }
  }
  return is_fair ? Verdict::kFair : Verdict::kNot;
}

FairComponents::Verdict FairComponents::judge_strong(std::vector<NodeId>& nodes,
                                                     const Sum& sum) {
  const RunGraph& graph = product_.graph();
  const auto removed = std::erase_if(nodes, [&](NodeId node) {
    bool must_go = false;
    const explore::StateId state = product_.state(node);
    for (auto i = graph.row_begin(state); i < graph.row_end(state); ++i) {
      parties_.of(graph.label(i),
                  [&](std::uint32_t party) { must_go |= !sum.taken[party]; });
    }
    return must_go;
  });
  if (removed == 0) return Verdict::kFair;
  return nodes.empty() ? Verdict::kNot : Verdict::kSearchAgain;
}

bool FairComponents::takes_all_steps(const std::vector<NodeId>& nodes) const {
  const RunGraph& graph = product_.graph();
  std::vector<std::uint32_t> taken;
  std::vector<explore::StateId> states;
  for (const NodeId node : nodes) {
    states.push_back(product_.state(node));
    for (auto i = product_.begin(node); i < product_.end(node); ++i) {
      const Product::Step& step = product_[i];
      if (step.step != Product::kStays && part_[step.target] == part_[node]) {
        taken.push_back(step.step);
      }
    }
  }
  for (auto* list : {&taken, &states}) {
    std::ranges::sort(*list);
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  std::uint64_t all = 0;
  for (const explore::StateId state : states) {
    all += graph.row_end(state) - graph.row_begin(state);
  }
  return all == taken.size();
}

}  // namespace plumb::assertions
