// SPDX-License-Identifier: Apache-2.0
#include "assertions/fair_loop.h"

#include <algorithm>
#include <deque>

#include "base/flat_table.h"
#include "verify/words.h"

namespace plumb::assertions {
namespace {

using NodeId = Product::NodeId;
using Step = Product::Step;

// More steps than that are not put on one cycle.
constexpr std::size_t kMostGlobalSteps = 300;

class Loop {
 public:
  Loop(const Product& product, Parties& parties, Fairness fairness,
       const std::vector<NodeId>& component)
      : product_(product),
        graph_(product.graph()),
        parties_(parties),
        fairness_(fairness),
        component_(component) {}

  FairLoop make() {
    collect();
    const NodeId start = component_[0];
    at_ = start;
    while (!is_done()) go(kUseful);
    if (at_ != start || loop_.steps.empty()) go(start);
    return std::move(loop_);
  }

 private:
  static constexpr NodeId kUseful = Product::kNone;

  bool is_inside(NodeId node) const {
    return std::ranges::binary_search(component_, node);
  }
  bool is_done() const {
    return marks_ == 0 && taken_.empty() && absent_.empty() && steps_.empty();
  }

  // What is to be done: every mark; a step of each party that has one here; of
  // weak fairness, a node where a party without one is not enabled; of global
  // fairness, every step.
  void collect() {
    marks_ = product_.automaton().marks;
    FlatSet<std::uint32_t> enabled;
    for (const NodeId node : component_) {
      for (auto i = product_.begin(node); i < product_.end(node); ++i) {
        const Step& step = product_[i];
        if (step.step == Product::kStays || !is_inside(step.target)) continue;
        if (fairness_ == Fairness::kStrongGlobal) steps_.insert(step.step);
        parties_.of(graph_.label(step.step),
                    [&](std::uint32_t party) { taken_.insert(party); });
      }
      each_enabled(node, [&](std::uint32_t p) { enabled.insert(p); });
    }
    if (is_weak(fairness_)) {
      for (const std::uint32_t party : enabled) {
        if (!taken_.contains(party)) absent_.insert(party);
      }
    }
    if (steps_.size() > kMostGlobalSteps) {
      steps_.clear();
      loop_.is_partial = true;
    }
  }

  template <typename F>
  void each_enabled(NodeId node, F use) {
    const explore::StateId state = product_.state(node);
    for (auto i = graph_.row_begin(state); i < graph_.row_end(state); ++i) {
      parties_.of(graph_.label(i), use);
    }
  }

  bool is_useful(NodeId from, const Step& step) {
    if ((product_.marks(from, step) & marks_) != 0) return true;
    if (step.step != Product::kStays) {
      if (steps_.contains(step.step)) return true;
      bool found = false;
      parties_.of(graph_.label(step.step), [&](std::uint32_t party) {
        found |= taken_.contains(party);
      });
      if (found) return true;
    }
    return !absent_.empty() && absences(step.target) != 0;
  }

  // How many of absent_ are not enabled there.
  std::size_t absences(NodeId node) {
    FlatSet<std::uint32_t> here;
    each_enabled(node, [&](std::uint32_t party) {
      if (absent_.contains(party)) here.insert(party);
    });
    return absent_.size() - here.size();
  }

  void take(NodeId from, const Step& step) {
    loop_.steps.push_back(step);
    marks_ &= ~product_.marks(from, step);
    if (step.step != Product::kStays) {
      steps_.erase(step.step);
      parties_.of(graph_.label(step.step),
                  [&](std::uint32_t party) { taken_.erase(party); });
    }
    if (!absent_.empty()) {
      FlatSet<std::uint32_t> here;
      each_enabled(step.target, [&](std::uint32_t p) { here.insert(p); });
      absl::erase_if(absent_,
                     [&](std::uint32_t p) { return !here.contains(p); });
    }
    at_ = step.target;
  }

  // By a shortest way to `goal`, or to the next useful step.
  void go(NodeId goal) {
    struct Found {
      NodeId from;
      Step step;
    };
    FlatMap<NodeId, Found> found;
    std::deque<NodeId> queue = {at_};
    Found last{Product::kNone, {}};
    while (last.from == Product::kNone) {
      if (queue.empty()) verify::fail("a component without a fair cycle");
      const NodeId node = queue.front();
      queue.pop_front();
      for (auto i = product_.begin(node); i < product_.end(node); ++i) {
        const Step& step = product_[i];
        if (!is_inside(step.target)) continue;
        if (goal == kUseful ? is_useful(node, step) : step.target == goal) {
          last = {node, step};
          break;
        }
        if (step.target != at_ &&
            found.try_emplace(step.target, Found{node, step}).second) {
          queue.push_back(step.target);
        }
      }
    }
    std::vector<Found> way = {last};
    while (way.back().from != at_) way.push_back(found.at(way.back().from));
    std::ranges::reverse(way);
    for (const Found& step : way) take(step.from, step.step);
  }

  const Product& product_;
  const RunGraph& graph_;
  Parties& parties_;
  const Fairness fairness_;
  const std::vector<NodeId>& component_;
  NodeId at_ = Product::kNone;
  FairLoop loop_;
  ltl::Automaton::Marks marks_ = 0;
  FlatSet<std::uint32_t> taken_, absent_, steps_;
};

}  // namespace

FairLoop fair_loop(const Product& product, Parties& parties, Fairness fairness,
                   const std::vector<NodeId>& component) {
  return Loop(product, parties, fairness, component).make();
}

}  // namespace plumb::assertions
