// SPDX-License-Identifier: Apache-2.0
// Walks through a system and lets the specification machine follow.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/budget.h"
#include "explore/state_store.h"
#include "lts/path.h"
#include "lts/system.h"
#include "verify/outcome.h"
#include "verify/pair_table.h"
#include "verify/set_moves.h"

namespace plumb::verify {

struct SearchLimits {
  Options::Order order = Options::Order::kBreadthFirst;
  std::uint64_t states = 0;       // 0: any number
  std::uint64_t transitions = 0;  // 0: any number
};

// Explores pairs (state of the system, set of configurations).  A pair is left
// out if its state was reached before with a harder set: whatever goes wrong
// from it goes wrong from there too, with the same steps.
//
// Breadth-first the first failure has the fewest steps.  For let R be any
// failing run, (s, K) the pair after its first k steps.  By induction on k,
// some pair (s, K') with K' harder than K is reached in at most k steps: the
// next pair of R has a set that is no harder than the one which the same step
// leads to from (s, K'), and if that one is left out, or put aside by a still
// harder one of the same number of steps, another one takes its place that
// was reached earlier or at the same time.  So the search fails in at most as
// many steps as R.
class PairSearch {
 public:
  enum class End : std::uint8_t {
    kComplete,
    kEmpty,        // after the last step no configuration is left
    kFault,        // the last step is a fault
    kLimit,        // see limit()
    kTransitions,  // the limit on transitions
  };

  // All must last.
  PairSearch(const lts::System& system, SetMoves& moves,
             const SearchLimits& limits, Budget& budget);
  PairSearch(const PairSearch&) = delete;

  End run();

  // kEmpty, kFault: the run that ends with that step.
  lts::Path path() const;
  // kLimit: "the time limit of 5 s was reached after 1,234 states".
  std::string limit() const;
  // Bounds that kept steps from being taken, as in Successors::cut.
  std::uint64_t cut() const { return cut_; }
  // Work done: those of a state count once for each of its pairs.
  std::uint64_t transitions() const { return transitions_; }
  void add_to(Statistics& statistics) const;

 private:
  // One transition of the state that is being expanded.
  struct Target {
    SetId set;
    ClassId number;  // of the label
    std::uint64_t hash;
    explore::StateStore::Inserted inserted;
  };

  End breadth_first();
  End depth_first();
  bool expand(PairId pair);
  bool follow(PairId pair);
  bool insert();
  bool reach(PairId from, const Target& target);
  bool is_known(PairId from, const Target& target);
  bool stop(End end) {
    end_ = end;
    return false;
  }
  bool fail_at(PairId pair, std::size_t step, End end) {
    failed_ = pair;
    failed_step_ = step;
    return stop(end);
  }
  std::size_t step_between(PairId from, PairId to,
                           lts::Successors& successors) const;

  const lts::System& system_;
  SetMoves& moves_;
  SearchLimits limits_;
  Budget& budget_;
  explore::StateStore store_;
  PairTable pairs_;
  lts::Successors successors_;
  std::vector<Target> targets_;
  std::vector<PairId> reached_;  // depth-first: by the pair being expanded

  // Breadth-first: pairs from here on are not expanded yet and have as many
  // steps as the one that is being reached.
  PairId next_level_ = 0;
  std::uint64_t depth_ = 0;
  std::uint64_t transitions_ = 0;
  std::uint64_t system_transitions_ = 0;  // those of each state once
  std::uint64_t cut_ = 0;
  End end_ = End::kComplete;
  PairId failed_ = kNoPair;
  std::size_t failed_step_ = 0;
};

}  // namespace plumb::verify
