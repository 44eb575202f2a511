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

class InternalSteps final : public explore::Watch {
 public:
  std::optional<std::uint32_t> kept(const lts::Label& label) const override {
    return label.kind == lts::LabelKind::kInternal
               ? std::optional<std::uint32_t>(0)
               : std::nullopt;
  }
};

// Looks for cycles of internal steps, now and then and at the end.
class DivergenceSearch {
 public:
  DivergenceSearch(const lts::System& system, const Options& options,
                   Budget& budget)
      : budget_(budget),
        rows_(std::max<std::size_t>(options.threads, 1), 1),
        pass_(system,
              {nothing_, &internal_, &rows_, [this] { return pause(); }},
              options, budget) {}

  Outcome run() {
    const bool no_fault = pass_.run() != Pass::End::kFault;
    // Cycles of what was explored before a fault or a limit are cycles; but
    // when time or memory is spent, nothing more is begun.
    const bool may_go_on =
        budget_.limit() == Limit::kNone && start_ == kNoState;
    if (may_go_on && !look() && no_fault) {
      pass_.give_up(budget_.describe_limit());
    }
    if (start_ != kNoState) {
      pass_.decide(Answer::kViolated, "internal steps may go on for ever",
                   lasso());
    }
    return pass_.finish(rows_.bytes(), "cycles of internal steps");
  }

 private:
  bool pause() {
    const std::size_t states = pass_.pairs().pairs().states().size();
    return !thresholds_.passed(states) || (look() && start_ == kNoState);
  }
  // Returns false if the budget is spent.
  bool look() {
    rows_.finish();
    const auto cycles = explore::states_of_cycles(
        rows_, pass_.pairs().pairs().states().end(), any, any, budget_);
    if (!cycles) return false;
    if (!cycles->empty()) start_ = pass_.pairs().nearest_of(*cycles);
    return true;
  }
  lts::Lasso lasso() const;

  Budget& budget_;
  explore::NoTags nothing_;
  const InternalSteps internal_;
  Rows rows_;
  Thresholds thresholds_;
  StateId start_ = kNoState;
  Pass pass_;
};

lts::Lasso DivergenceSearch::lasso() const {
  lts::Lasso lasso;
  lasso.path = pass_.pairs().path_to(start_);
  lasso.back_to = lasso.path.size();
  for (const Rows::Step& step :
       explore::shortest_cycle(rows_, start_, any, any)) {
    const bool is_there =
        lts::extend(lasso.path, pass_.system(), pass_.state(step.target),
                    [](const lts::Label& label) {
                      return label.kind == lts::LabelKind::kInternal;
                    });
    if (!is_there) verify::fail("a step of a cycle is no longer there");
  }
  return lasso;
}

}  // namespace

// The whole graph is needed whatever the order, and breadth-first gives the
// shortest ways into it.
Outcome divergence_free(const lts::System& system, const Options& options,
                        Budget& budget) {
  Options breadth_first = options;
  breadth_first.order = Options::Order::kBreadthFirst;
  return DivergenceSearch(system, breadth_first, budget).run();
}

}  // namespace plumb::assertions
