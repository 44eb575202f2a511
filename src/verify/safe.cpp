// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <utility>

#include "explore/explorer.h"
#include "verify/outcome.h"
#include "verify/safe_search.h"

namespace plumb::verify {

// An object is safe if no run of it takes a step that goes wrong.  Faults are
// ends of runs, so that one pass over the states decides.
Outcome check_safe(const Question& question, const Options& options,
                   Budget& budget) {
  const auto start = Budget::Clock::now();
  explore::SearchOptions search;
  search.depth_first = options.order == Options::Order::kDepthFirst;
  search.state_limit = options.state_limit;
  explore::Explorer explorer(question.system, search, budget);
  explore::Visitor nothing;
  StopAtFault<explore::Visitor> visitor(nothing);
  explorer.run(visitor);

  Outcome outcome;
  if (visitor.found_fault()) {
    report_fault(question.system, visitor.path(explorer), outcome);
  } else {
    conclude(explorer, outcome);
  }
  fill_bounds(explorer, outcome);
  const std::chrono::duration<double> taken = Budget::Clock::now() - start;
  fill_statistics(explorer, 0, taken.count(), outcome);
  return outcome;
}

}  // namespace plumb::verify
