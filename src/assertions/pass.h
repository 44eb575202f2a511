// SPDX-License-Identifier: Apache-2.0
// One pass over the states of a system, and what came of it.
#pragma once

#include <string>
#include <utility>

#include "base/budget.h"
#include "explore/explorer.h"
#include "lts/path.h"
#include "verify/outcome.h"
#include "verify/safe_search.h"

namespace plumb::assertions {

// A path ends in an error of the model: the answer is `unknown`.
void report_model_fault(const lts::System& system, lts::Path path,
                        verify::Outcome& outcome);

class Pass {
 public:
  Pass(const lts::System& system, bool depth_first,
       const verify::Options& options, Budget& budget)
      : system_(system),
        explorer_(system, {depth_first, options.state_limit}, budget) {}

  // A visitor that has its answer ends the search by itself.  Returns false if
  // a fault did; then the outcome says so.
  template <typename V>
  bool run(V& visitor) {
    verify::StopAtFault<V> stop(visitor);
    explorer_.run(stop);
    if (!stop.found_fault()) return true;
    report_model_fault(system_, stop.path(explorer_), outcome_);
    decided_ = true;
    return false;
  }

  const lts::System& system() const { return system_; }
  const explore::Explorer& explorer() const { return explorer_; }
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
  explore::Explorer explorer_;
  verify::Outcome outcome_;
  bool decided_ = false;
};

}  // namespace plumb::assertions
