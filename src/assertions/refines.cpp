// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "assertions/assertions.h"
#include "assertions/refinement.h"

namespace plumb::assertions {
namespace {

// Pairs of a state of the implementation and the set of states that the
// specification may be in after the same trace, breadth-first.  After each
// trace that the implementation has [Roscoe97]:
//
// - traces: the set is not empty;
// - failures: a stable state offers all that some stable member of the set
//   offers, so that it refuses no more;
// - divergences: where the specification diverges, all is allowed; elsewhere
//   the implementation does not.
//
// A pair with a larger set fails no earlier than one with a smaller set: it
// diverges if the smaller one does, allows more events and has more stable
// members.
class Search : private Refinement {
 public:
  Search(const lts::System& implementation, const lts::System& specification,
         Semantics semantics, const Options& options, Budget& budget)
      : Refinement(implementation, specification, options, budget),
        semantics_(semantics) {}

  Outcome run() {
    if (start() && look_at(0)) {
      std::size_t level_end = 0;
      for (PairId pair = 0; pair < pairs_.size(); ++pair) {
        if (pair == level_end) {
          level_end = pairs_.size();
          pairs_.keep_before(static_cast<PairId>(level_end));
        }
        look_ahead(pair);
        if (!pairs_.is_dropped(pair) && !take_steps(pair)) break;
      }
    }
    return finish("antichain");
  }

 private:
  // Other threads expand what the pairs that follow will need: traces their
  // own states, which else were expanded already, those of their steps.
  void look_ahead(PairId now) {
    ahead_ = std::max(ahead_, now);
    if (!graph_.wants(pairs_.size() - ahead_, now)) return;
    for (; ahead_ < pairs_.size() && graph_.has_room_ahead(); ++ahead_) {
      if (pairs_.is_dropped(ahead_)) continue;
      const StateId state = pairs_[ahead_].state;
      if (semantics_ == Semantics::kTraces) {
        graph_.expand_ahead(state, ahead_);
        continue;
      }
      for (auto i = graph_.begin(state);
           i < graph_.end(state) && graph_.has_room_ahead(); ++i) {
        graph_.expand_ahead(graph_[i].target, ahead_);
      }
    }
    graph_.begin_ahead();
  }

  bool take_steps(PairId pair) {
    const auto [state, set] = pairs_[pair];
    if (!expand(state)) return false;
    if (semantics_ == Semantics::kFailuresDivergences) {
      const auto diverges = sets_.diverges(set);
      if (!diverges) return stop(sets_.why());
      if (*diverges) return true;
    }
    if (graph_.has_fault(state)) return report_fault(pair);
    for (auto i = graph_.begin(state); i < graph_.end(state); ++i) {
      ++transitions_;
      SetId next = 0;
      bool is_new = false;
      if (!follow(pair, i, next) ||
          !add(graph_[i].target, next, pair, is_new)) {
        return false;
      }
      if (is_new && !look_at(static_cast<PairId>(pairs_.size() - 1))) {
        return false;
      }
    }
    return true;
  }

  // Failures and divergences of a pair that is new.
  bool look_at(PairId pair) {
    if (semantics_ == Semantics::kTraces) return true;
    const auto [state, set] = pairs_[pair];
    if (!expand(state)) return false;
    if (semantics_ == Semantics::kFailuresDivergences) {
      const auto allowed = sets_.diverges(set);
      if (!allowed) return stop(sets_.why());
      if (*allowed) return true;
      const auto diverges = divergences_.from(state, budget_);
      if (!diverges) {
        return stop(budget_.limit() != Limit::kNone
                        ? budget_.describe_limit()
                        : "there is no more memory");
      }
      if (*diverges) return report_divergence(pair);
    }
    if (!graph_.is_stable(state) || graph_.has_fault(state)) return true;
    return refuses_no_more(state, set) || report_refusal(pair);
  }

  bool refuses_no_more(StateId state, SetId set) {
    offered_.clear();
    for (auto i = graph_.begin(state); i < graph_.end(state); ++i) {
      offered_.push_back(graph_[i].event);
    }
    std::ranges::sort(offered_);
    return std::ranges::any_of(
        sets_.acceptances(set), [this](const auto& acceptance) {
          return std::ranges::includes(offered_, acceptance);
        });
  }

  const Semantics semantics_;
  PairId ahead_ = 0;  // pairs below were looked at for that
  SpecificationSets::EventSet offered_;
};

}  // namespace

Outcome refines(const lts::System& implementation,
                const lts::System& specification, Semantics semantics,
                const Options& options, Budget& budget) {
  return Search(implementation, specification, semantics, options, budget)
      .run();
}

}  // namespace plumb::assertions
