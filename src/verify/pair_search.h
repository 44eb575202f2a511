// SPDX-License-Identifier: Apache-2.0
// Walks through a system and lets the specification machine follow.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "lts/path.h"
#include "lts/system.h"
#include "verify/outcome.h"
#include "verify/pair_saver.h"
#include "verify/pair_store.h"
#include "verify/pair_worker.h"
#include "verify/search.h"
#include "verify/set_moves.h"
#include "verify/unfold.h"

namespace plumb::verify {

// Explores pairs (state of the system, set of configurations).  A pair is left
// out if its state was reached before with a harder set: whatever goes wrong
// from it goes wrong from there too, with the same steps.
//
// Breadth-first the first failure has the fewest transitions.  For let R be
// any failing run, (s, K) the pair after its first k transitions.  By
// induction on k, some pair (s, K') with K' harder than K is reached in at
// most k transitions: the next pair of R has a set that is no harder than the
// one which the same transition leads to from (s, K'), and if that one is left
// out, or put aside by a still harder one of the same number of transitions,
// another one takes its place that was reached earlier or at the same time.
// So the search fails in at most as many transitions as R.
//
// With several threads the same holds, because they work on one level at a
// time and finish it even if something fails: then what fails first, in an
// order that does not depend on who was faster, is reported.
class PairSearch : public Search {
 public:
  // All must last.  `reduced` is `system` with fewer states and steps, or the
  // same; runs are those of `system`.  Throws InputError if the journal is to
  // be resumed and makes no sense.
  PairSearch(const lts::System& system, const lts::System& reduced,
             SetMoves& moves, const SearchLimits& limits, Budget& budget);
  PairSearch(const lts::System& system, SetMoves& moves,
             const SearchLimits& limits, Budget& budget)
      : PairSearch(system, system, moves, limits, budget) {}
  PairSearch(const PairSearch&) = delete;

  End run() override;
  lts::Path path() const override;
  std::string limit() const override;
  std::uint64_t cut() const override { return count_.cut; }
  std::uint64_t transitions() const override { return count_.transitions; }
  void add_to(Statistics& statistics) const override;

 private:
  bool start();
  bool resume();  // returns false if the budget was spent on the way
  End breadth_first();
  End depth_first();
  // Expands the pairs of a level, as long as the limits allow and nothing has
  // to be saved; leaves those that are still to be expanded.
  void work_on(std::vector<PairRange>& level);
  // How a search stands: kComplete if it can go on.
  End standing();
  bool is_stopped() const;  // by a limit
  // Does the specification seem to have no end?
  bool grows() const;
  // Of all workers, or null.
  const PairWorker::Failure* first_failure() const;
  void save(const std::vector<PairRange>& to_expand);
  PairWorker::Count count() const;
  FoldedStep step_between(PairId from, PairId to, PairSteps& steps) const;

  const lts::System& system_;
  const lts::System& reduced_;
  SetMoves& moves_;
  SearchLimits limits_;
  Budget& budget_;
  std::size_t known_;  // states of the specification, before this search
  mutable Follower follower_;
  PairStore pairs_;
  std::vector<std::unique_ptr<PairWorker>> workers_;  // the first one is ours
  std::unique_ptr<PairSaver> saver_;
  PairWorker::Count before_;  // what was done before the search was resumed
  PairWorker::Count count_;
  std::vector<PairRange> resumed_level_;
  std::uint64_t depth_ = 0;
  End end_ = End::kComplete;
  PairId failed_ = kNoPair;
};

}  // namespace plumb::verify
