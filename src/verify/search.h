// SPDX-License-Identifier: Apache-2.0
// What searches of pairs have in common, whatever they keep of the pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/budget.h"
#include "explore/rows.h"
#include "explore/tagging.h"
#include "explore/watch.h"
#include "lts/path.h"
#include "lts/system.h"
#include "verify/outcome.h"
#include "verify/pair_steps.h"

namespace plumb::verify {

using explore::Tag;
using explore::Tagging;

struct SearchLimits {
  Options::Order order = Options::Order::kBreadthFirst;
  std::uint64_t states = 0;        // 0: any number
  std::uint64_t transitions = 0;   // 0: any number
  std::size_t threads = 1;         // breadth-first only
  std::size_t small_level = 4096;  // fewer pairs are for one thread
  Journal* journal = nullptr;      // breadth-first only
  bool is_large = false;           // memory may matter more than time
  // What is looked for, and what gets the transitions that it keeps; null:
  // nothing.  Rows only with an exact store.
  const explore::Watch* watch = nullptr;
  explore::Rows* rows = nullptr;
  // Else states are taken as they come.
  bool uses_symmetry = true;
  // A fault ends the search after its level, breadth-first: what is looked for
  // may be as near.
  bool faults_last = false;
  // Depth-first: the last of the transitions of a pair is taken first, and one
  // that fails leaves those before it.
  bool last_first = false;
  // Asked between two levels, breadth-first and with an exact store: does the
  // search go on?  Null: it does.
  std::function<bool()> goes_on = nullptr;

  PairSteps::Manner manner() const {
    return {
        .watch = watch,
        .uses_symmetry = uses_symmetry,
        .passes_faults = faults_last && order == Options::Order::kBreadthFirst,
        .one_by_one = last_first};
  }
};

// A run that is as near as this, in transitions, is looked for once more
// without reductions, so that a shortest one is shown.
inline constexpr std::uint64_t kNearby = 200'000;

SearchLimits limits_of(const Options& options);

class Search {
 public:
  enum class End : std::uint8_t {
    kComplete,
    kFound,        // what the watch looks for: the run leads there
    kEmpty,        // after the last step no configuration is left
    kFault,        // the last step is a fault
    kLimit,        // see limit()
    kTransitions,  // the limit on transitions
    kStopped,      // SearchLimits::goes_on
  };

  virtual ~Search() = default;

  virtual End run() = 0;
  // kFound, kEmpty, kFault: the run that ends there, or with that step.
  virtual lts::Path path() const = 0;
  // kLimit: "the time limit of 5 s was reached after 1,234 states".
  virtual std::string limit() const = 0;
  // kComplete: what that means, if it does not mean that all was explored.
  virtual std::string meaning() const { return ""; }
  // Bounds that kept steps from being taken, as in PairSteps::cut().
  virtual std::uint64_t cut() const = 0;
  // Work done: those of a state count once for each of its pairs.
  virtual std::uint64_t transitions() const = 0;
  virtual void add_to(Statistics& statistics) const = 0;

 protected:
  // Requires: not kFine.
  static End end_of(PairSteps::Result what);
};

// The search that `options` ask for, of `question.reduced_or_whole()`.  All
// must last.
std::unique_ptr<Search> make_search(const Question& question,
                                    const Options& options, Tagging& moves,
                                    const SearchLimits& limits, Budget& budget);

}  // namespace plumb::verify
