// SPDX-License-Identifier: Apache-2.0
// What searches for a refinement have in common.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "assertions/assertions.h"
#include "assertions/divergences.h"
#include "assertions/events.h"
#include "assertions/lazy_graph.h"
#include "assertions/pairs.h"
#include "assertions/pass.h"
#include "assertions/specification_sets.h"
#include "base/budget.h"
#include "lts/path.h"

namespace plumb::assertions {

// States of the implementation with sets of the specification's, and the words
// for what came of them.
class Refinement {
 public:
  Refinement(const lts::System& implementation,
             const lts::System& specification, const Options& options,
             Budget& budget)
      : limit_(options.state_limit),
        budget_(budget),
        graph_(implementation, events_, expander_options(options)),
        sets_(specification, events_, budget, options.state_limit,
              expander_options(options)),
        pairs_(sets_),
        divergences_(graph_) {
    // Both sides are renamed together.
    const lts::Symmetry* symmetry = implementation.symmetry();
    if (symmetry != nullptr && symmetry == specification.symmetry()) {
      graph_.keep_renamings();
    }
  }

 protected:
  using StateId = explore::StateId;

  // All return false if the search is to end; then the outcome says why.
  bool start();
  // A pair that another one stands for is not new.
  bool add(StateId state, SetId set, PairId parent, bool& is_new);
  bool expand(StateId state);
  // The set after a step; reports it if there is none.
  bool follow(PairId pair, std::uint64_t number, SetId& next);

  // Words for the end of a search; all return false.
  bool stop(std::string why);
  bool report_fault(PairId pair);
  bool report_event(PairId pair, std::uint64_t number);
  bool report_refusal(PairId pair);
  bool report_divergence(PairId pair);

  Outcome finish(std::string method);

  const std::uint64_t limit_;
  Budget& budget_;
  Events events_;
  LazyGraph graph_;  // of the implementation
  SpecificationSets sets_;
  Pairs pairs_;
  Divergences divergences_;  // of the implementation
  std::uint64_t transitions_ = 0;
  Outcome outcome_;
  bool decided_ = false;

 private:
  lts::Path path_to(PairId pair) const;
  void extend(lts::Path& path, StateId from, std::uint64_t number) const;
  std::uint64_t step_between(PairId from, PairId to) const;
  bool violated(std::string reason, lts::Lasso lasso);
  verify::EventFailure::Events labels(
      const SpecificationSets::EventSet& events) const;
  void conclude();

  const Budget::Clock::time_point start_ = Budget::Clock::now();
};

}  // namespace plumb::assertions
