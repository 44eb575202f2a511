// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "assertions/assertions.h"
#include "assertions/refinement.h"

namespace plumb::assertions {
namespace {

// The loop that PAT's published figures come from [LiuEtAl13].  It differs from
// Search in refines.cpp in two points: what was found last is expanded first;
// and a pair that another one has come to stand for is expanded all the same,
// though it is not counted.
class PatSearch : private Refinement {
 public:
  using Refinement::Refinement;

  Outcome run() {
    if (start()) {
      std::vector<PairId> stack = {0};
      while (!stack.empty()) {
        const PairId pair = stack.back();
        stack.pop_back();
        if (!take_steps(pair, stack)) break;
      }
    }
    Outcome outcome = finish("PAT's loop");
    outcome.statistics.states = pairs_.kept();
    return outcome;
  }

 private:
  bool take_steps(PairId pair, std::vector<PairId>& stack) {
    const StateId state = pairs_[pair].state;
    if (!expand(state)) return false;
    if (graph_.has_fault(state)) return report_fault(pair);
    for (auto i = graph_.begin(state); i < graph_.end(state); ++i) {
      ++transitions_;
      SetId next = 0;
      bool is_new = false;
      if (!follow(pair, i, next) ||
          !add(graph_[i].target, next, pair, is_new)) {
        return false;
      }
      if (is_new) stack.push_back(static_cast<PairId>(pairs_.size() - 1));
    }
    return true;
  }
};

}  // namespace

Outcome pat_refines(const lts::System& implementation,
                    const lts::System& specification, const Options& options,
                    Budget& budget) {
  return PatSearch(implementation, specification, options, budget).run();
}

}  // namespace plumb::assertions
