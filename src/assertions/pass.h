// SPDX-License-Identifier: Apache-2.0
// One search of a system, and what came of it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/budget.h"
#include "explore/rows.h"
#include "explore/tagging.h"
#include "explore/watch.h"
#include "lts/path.h"
#include "verify/outcome.h"
#include "verify/pair_search.h"

namespace plumb::assertions {

// A path ends in an error of the model: the answer is `unknown`.
void report_model_fault(const lts::System& system, lts::Path path,
                        verify::Outcome& outcome);

class Pass {
 public:
  using End = verify::Search::End;

  // What the search keeps beside states, looks for and writes down; see
  // verify::SearchLimits.  All must last.
  struct Aim {
    explore::Tagging& tags;
    const explore::Watch* watch = nullptr;
    explore::Rows* rows = nullptr;
    std::function<bool()> goes_on = nullptr;
  };
  // Throws InputError if the store that is asked for keeps too little.
  Pass(const lts::System& system, const Aim& aim,
       const verify::Options& options, Budget& budget);

  // Whatever is found comes before a fault that is as near.  Then the outcome
  // says so, until something else is decided.
  End run();

  const lts::System& system() const { return system_; }
  const verify::Search& search() const { return *search_; }
  // Requires: an exact store, which rows need.
  const verify::PairSearch& pairs() const { return *pairs_; }
  lts::StateView state(explore::StateId id) const {
    return pairs_->pairs().states().get(id, buffer_);
  }
  verify::Outcome& outcome() { return outcome_; }
  // Both abort if the path is not a run of the system.
  void decide(check::Answer answer, std::string reason, lts::Path path);
  void decide(check::Answer answer, std::string reason, lts::Lasso lasso);
  // A clause that says why nothing is known.
  void give_up(std::string reason);
  // Without an answer so far, all is well if all was explored.
  verify::Outcome finish(std::size_t more_bytes, std::string method);

 private:
  const lts::System& system_;
  const Budget::Clock::time_point start_ = Budget::Clock::now();
  std::unique_ptr<verify::Search> search_;
  const verify::PairSearch* pairs_ = nullptr;  // search_, if it is one
  mutable lts::StateBytes buffer_;
  End end_ = End::kComplete;
  verify::Outcome outcome_;
  bool decided_ = false;
};

}  // namespace plumb::assertions
