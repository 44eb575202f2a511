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
#include "explore/rows.h"
#include "lts/extend.h"
#include "verify/words.h"

namespace plumb::assertions {
namespace {

using check::Answer;
using explore::kNoState;
using explore::Rows;
using explore::StateId;

bool any(const Rows::Step&) {
  return true;
}

// Keeps the internal steps, and looks for cycles among them now and then.
class DivergenceVisitor : public explore::Visitor {
 public:
  DivergenceVisitor(const explore::Explorer& explorer, Budget& budget)
      : explorer_(explorer), budget_(budget) {}

  bool on_state(StateId from, const lts::Successors&) {
    if (!write_row()) return false;
    if (thresholds_.passed(from) && (!look() || found())) return false;
    state_ = from;
    row_.clear();
    return true;
  }
  bool on_transition(StateId, const lts::Label& label, StateId to, bool) {
    if (label.kind == lts::LabelKind::kInternal) row_.push_back({to, 0});
    return true;
  }
  // After the last state.
  bool write_row() {
    if (state_ != kNoState) out_of_memory_ |= !rows_.add(0, state_, row_);
    state_ = kNoState;
    return !out_of_memory_;
  }

  // Returns false if the budget is spent.
  bool look() {
    rows_.finish();
    const auto cycles =
        explore::states_of_cycles(rows_, explorer_.states(), any, any, budget_);
    if (!cycles) return false;
    const auto nearest = std::ranges::find(*cycles, true);
    if (nearest != cycles->end()) {
      start_ = static_cast<StateId>(nearest - cycles->begin());
    }
    return true;
  }
  bool found() const { return start_ != kNoState; }
  lts::Lasso lasso() const;
  bool out_of_memory() const { return out_of_memory_; }
  std::size_t bytes() const { return rows_.bytes(); }

 private:
  const explore::Explorer& explorer_;
  Budget& budget_;
  Rows rows_{1, 1};
  StateId state_ = kNoState;  // whose row is being written
  std::vector<Rows::Step> row_;
  bool out_of_memory_ = false;
  Thresholds thresholds_;
  StateId start_ = kNoState;
};

lts::Lasso DivergenceVisitor::lasso() const {
  lts::Lasso lasso;
  lasso.path = explorer_.path_to(start_);
  lasso.back_to = lasso.path.size();
  for (const Rows::Step& step :
       explore::shortest_cycle(rows_, start_, any, any)) {
    const bool is_there =
        lts::extend(lasso.path, explorer_.system(),
                    explorer_.state(step.target), [](const lts::Label& label) {
                      return label.kind == lts::LabelKind::kInternal;
                    });
    if (!is_there) verify::fail("a step of a cycle is no longer there");
  }
  return lasso;
}

}  // namespace

Outcome divergence_free(const lts::System& system, const Options& options,
                        Budget& budget) {
  Pass pass(system, false, options, budget);
  DivergenceVisitor visitor(pass.explorer(), budget);
  const bool no_fault = pass.run(visitor);
  visitor.write_row();
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
  return pass.finish(visitor.bytes(), "cycles of internal steps");
}

}  // namespace plumb::assertions
