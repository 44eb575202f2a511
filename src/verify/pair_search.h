// SPDX-License-Identifier: Apache-2.0
// Walks through a system and lets the specification machine follow.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "explore/tagging.h"
#include "lts/path.h"
#include "lts/system.h"
#include "verify/outcome.h"
#include "verify/pair_saver.h"
#include "verify/pair_store.h"
#include "verify/pair_worker.h"
#include "verify/search.h"
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
// order that does not depend on who was faster, is reported.  A small level is
// left to one thread, so that small systems are searched alike on any machine.
class PairSearch : public Search {
 public:
  // All must last.  `reduced` is `system` with fewer states and steps, or the
  // same; runs are those of `system`.  Throws InputError if the journal is to
  // be resumed and makes no sense.
  PairSearch(const lts::System& system, const lts::System& reduced,
             Tagging& moves, const SearchLimits& limits, Budget& budget);
  PairSearch(const lts::System& system, Tagging& moves,
             const SearchLimits& limits, Budget& budget)
      : PairSearch(system, system, moves, limits, budget) {}
  PairSearch(const PairSearch&) = delete;

  End run() override;
  lts::Path path() const override;
  // The way by which a pair was found.
  lts::Path path_to(PairId pair) const { return path_to(pair, false); }
  const PairStore& pairs() const { return pairs_; }
  // The nearest of these states, the same one whoever was faster; at least one
  // is there.  Requires: each state has one pair.
  explore::StateId nearest_of(const std::vector<bool>& states) const;
  std::string limit() const override;
  std::uint64_t cut() const override { return count().cut; }
  std::uint64_t transitions() const override { return count().transitions; }
  void add_to(Statistics& statistics) const override;

 private:
  bool start();
  // Is the initial pair what is looked for?
  bool starts_at_goal();
  bool resume();  // returns false if the budget was spent on the way
  bool write_rows_again();
  lts::Path path_to(PairId pair, bool has_failed_step) const;
  std::vector<std::uint32_t> depths(std::size_t end) const;
  const lts::Symmetry* symmetry() const {
    return limits_.uses_symmetry ? reduced_.symmetry() : nullptr;
  }
  End breadth_first();
  End depth_first();
  void begin_level(const std::vector<PairRange>& level);
  // Expands the pairs of a level, as long as the limits allow and nothing has
  // to be saved; leaves those that are still to be expanded.
  void work_on(std::vector<PairRange>& level);
  // How a search stands: kComplete if it can go on.
  End standing();
  bool is_stopped() const;  // by a limit
  // Does the specification seem to have no end?
  bool grows() const {
    return limits_.states == 0 && moves_.grows(pairs_.states().size());
  }
  // Of all workers, or null.
  const PairWorker::Failure* first_failure() const;
  void save(const std::vector<PairRange>& to_expand);
  PairWorker::Count count() const;
  FoldedStep step_between(PairId from, PairId to, PairSteps& steps) const;

  const lts::System& system_;
  const lts::System& reduced_;
  Tagging& moves_;
  SearchLimits limits_;
  Budget& budget_;
  mutable Follower follower_;
  PairStore pairs_;
  std::vector<std::unique_ptr<PairWorker>> workers_;  // the first one is ours
  std::unique_ptr<PairSaver> saver_;
  PairWorker::Count before_;  // what was done before the search was resumed
  std::vector<PairRange> resumed_level_;
  bool is_shared_ = false;  // the level is large, and there are several threads
  bool has_complained_ = false;  // that it cannot be saved
  std::uint64_t depth_ = 0;
  End end_ = End::kComplete;
  PairId failed_ = kNoPair;
};

}  // namespace plumb::verify
