// SPDX-License-Identifier: Apache-2.0
// A search that keeps a few bits of each pair that it has reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/budget.h"
#include "explore/fingerprint_set.h"
#include "explore/parent_log.h"
#include "explore/state_queue.h"
#include "explore/tagging.h"
#include "lts/path.h"
#include "lts/system.h"
#include "verify/outcome.h"
#include "verify/pair_steps.h"
#include "verify/search.h"
#include "verify/unfold.h"

namespace plumb::verify {

struct LossyTable {
  // kCompact or kBitstate.
  Options::Store kind = Options::Store::kCompact;
  std::size_t bytes = std::size_t{1} << 30;  // kBitstate; else it grows
  // For tests: how many bits of a fingerprint count (kCompact), and another
  // hash function for each number.
  unsigned bits = 64;
  std::uint64_t salt = 0;
};

// Explores pairs (state of the system, set of configurations), breadth-first.
// A pair that was reached is known by a fingerprint, which is a hash of it;
// only those that wait for their turn are kept whole.  How each was reached is
// kept as the number of a transition, and a run is made by taking them again.
//
// What goes wrong here does go wrong.  If nothing does, that is no proof: a
// new pair may have been taken for a known one and left out, with all that
// would have come from it.  omission() says how likely it is that a violation
// was overlooked by that.  As in [SternDill95], but level by level:
//
//   Let q[0], q[1], ..., q[m] be the pairs of a run with as few transitions
//   as any that ends with something wrong; it goes wrong from q[m].  Suppose
//   that q[0] ... q[j-1] were expanded, each q[i] when the pairs at depth i
//   were.  Then q[j] was looked up while depth j - 1 was expanded, and never
//   before, because it is not reached in fewer transitions.  If it was not
//   taken for a known one then, it was expanded at depth j, and so on: the
//   search ends at q[m], or there is a first q[j] that was mistaken, at its
//   first look-up, while depth j - 1 was expanded.
//
//   Let p[d] be the share of all fingerprints that count as known when depth
//   d has been expanded.  At its first look-up nothing in the table depends on
//   the fingerprint of q[j], which is as likely to be one value as another,
//   so that it is mistaken with a probability of at most p[j-1].  The sum of
//   these, p[0] + ... + p[D] with the last depth D, is omission().
//
// In exact terms, because this sum depends on chance as well: whatever x is,
// a search overlooks a violation and says omission() <= x with a probability
// of at most x.  For the sum is known step by step: we may stop to watch
// before it exceeds x, and up to there the mistakes expected are at most x.
//
// All this takes the hash for a random function, which it is not; tests
// compare it with one.
//
// Sets are not compared (a harder one does not make others needless), because
// the sets of a state are not kept.
class LossySearch : public Search {
 public:
  // As for PairSearch.  Requires: breadth-first order.
  LossySearch(const lts::System& system, const lts::System& reduced,
              Tagging& moves, const SearchLimits& limits, Budget& budget,
              const LossyTable& table);
  LossySearch(const lts::System& system, Tagging& moves,
              const SearchLimits& limits, Budget& budget,
              const LossyTable& table)
      : LossySearch(system, system, moves, limits, budget, table) {}
  LossySearch(const LossySearch&) = delete;

  End run() override;

  // At most this is the probability that a violation was overlooked, or, if
  // one was found, a shorter one.
  double omission() const;
  // kComplete: "no violation found; one was overlooked with a probability of
  // at most 2.3e-12".
  std::string meaning() const override;

  // As for PairSearch.
  lts::Path path() const override;
  std::string limit() const override;
  std::uint64_t cut() const override { return cut_; }
  std::uint64_t transitions() const override { return transitions_; }
  // States cannot be told from pairs: both are the number of pairs.
  void add_to(Statistics& statistics) const override;

 private:
  bool start();
  bool expand();
  bool next_level();
  // What was found, or the step that failed, is at this pair.
  bool note(std::uint64_t pair, End end);
  bool reach(std::size_t transition);
  bool keep(lts::StateView state, Tag set);
  bool stop(End end) {
    end_ = end;
    return false;
  }
  const lts::Symmetry* symmetry() const {
    return limits_.uses_symmetry ? reduced_.symmetry() : nullptr;
  }
  std::uint64_t fingerprint(std::uint64_t hash, Tag set) const;

  const lts::System& system_;
  const lts::System& reduced_;
  Tagging& moves_;
  SearchLimits limits_;
  Budget& budget_;
  std::uint64_t salt_;
  std::unique_ptr<explore::FingerprintSet> known_;
  explore::StateQueue queue_;
  explore::ParentLog log_;  // pairs are numbered in the order of the queue
  mutable Follower follower_;
  PairSteps steps_;

  std::uint64_t reached_ = 0, expanded_ = 0;  // pairs
  std::uint64_t next_level_ = 1;  // the number of the first pair of it
  std::uint64_t depth_ = 0;
  double omission_ = 0;  // of the depths that have been expanded
  std::uint64_t transitions_ = 0;
  std::uint64_t cut_ = 0;
  std::uint64_t left_out_ = 0, joined_ = 0;
  std::uint64_t state_bytes_ = 0;
  double represented_ = 0;
  End end_ = End::kComplete;
  bool is_full_ = false;  // the limit on states
  std::uint64_t failed_at_ = 0;
  FoldedStep failed_;     // from there
  bool is_last_ = false;  // the search ends with the level
};

// "2.4e-12" for 2.31e-12: two digits, rounded up.
std::string rounded_up(double probability);

}  // namespace plumb::verify
