// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "assertions/assertions.h"
#include "assertions/pass.h"
#include "assertions/thresholds.h"
#include "explore/components.h"
#include "explore/cycle.h"
#include "explore/graph.h"
#include "verify/words.h"

namespace plumb::assertions {
namespace {

using check::Answer;
using explore::Graph;
using explore::kNoState;
using explore::StateId;

bool any(const Graph::Transition&) {
  return true;
}

// Keeps the internal steps, and looks for cycles among them now and then.
class DivergenceVisitor : public explore::GraphBuilder {
 public:
  DivergenceVisitor(Graph& graph, const explore::Explorer& explorer,
                    Budget& budget)
      : GraphBuilder(graph, true),
        graph_(graph),
        explorer_(explorer),
        budget_(budget) {}

  bool on_state(StateId from, const lts::Successors& out) {
    if (thresholds_.passed(from) && (!look() || found())) return false;
    return GraphBuilder::on_state(from, out);
  }

  // Returns false if the budget is spent.
  bool look() {
    const auto nearest =
        explore::nearest_cycle(graph_, explorer_.states(), any, any, budget_);
    if (nearest) start_ = *nearest;
    return nearest.has_value();
  }
  bool found() const { return start_ != kNoState; }
  lts::Lasso lasso() const;

 private:
  const Graph& graph_;
  const explore::Explorer& explorer_;
  Budget& budget_;
  Thresholds thresholds_;
  StateId start_ = kNoState;
};

lts::Lasso DivergenceVisitor::lasso() const {
  const auto cycle = explore::shortest_cycle(graph_, start_, any, any);
  lts::Lasso lasso;
  lasso.path = explorer_.path_to(start_);
  lasso.back_to = lasso.path.size();
  lts::Successors scratch;
  for (const std::uint64_t number : cycle) {
    const Graph::Transition& step = graph_[number];
    const lts::StateView to = explorer_.state(step.target);
    explorer_.system().successors(lasso.path.states.back(), scratch);
    for (std::size_t i = 0; i < scratch.size(); ++i) {
      if (!step.is_of(scratch.label(i)) ||
          !std::ranges::equal(scratch.state(i), to)) {
        continue;
      }
      lasso.path.labels.push_back(scratch.label(i));
      lasso.path.states.emplace_back(to.begin(), to.end());
      break;
    }
  }
  return lasso;
}

}  // namespace

Outcome divergence_free(const lts::System& system, const Options& options,
                        Budget& budget) {
  Pass pass(system, false, options, budget);
  Graph graph;
  DivergenceVisitor visitor(graph, pass.explorer(), budget);
  const bool no_fault = pass.run(visitor);
  // Cycles of what was explored before a fault or a limit are cycles; but when
  // time or memory is spent, nothing more is begun.
  const bool may_go_on =
      budget.limit() == Limit::kNone && !visitor.out_of_memory();
  if (!visitor.found() && may_go_on && !visitor.look() && no_fault) {
    pass.give_up(budget.describe_limit());
  }
  if (visitor.found()) {
    pass.decide(Answer::kViolated, "internal steps may go on for ever",
                visitor.lasso());
  }
  return pass.finish(graph.bytes(), "cycles of internal steps");
}

}  // namespace plumb::assertions
