// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <utility>

#include "explore/tagging.h"
#include "verify/evidence.h"
#include "verify/outcome.h"
#include "verify/pair_search.h"
#include "verify/search.h"

namespace plumb::verify {
namespace {

Outcome with_shortest(const Question& question, const Options& options,
                      Budget& budget, Outcome found) {
  if (found.answer != check::Answer::kViolated || !found.path ||
      question.reduced == nullptr ||
      options.order == Options::Order::kDepthFirst) {
    return found;
  }
  explore::NoTags nothing;
  PairSearch search(question.system, nothing, {.transitions = kNearby}, budget);
  const auto end = search.run();
  if (end != Search::End::kFault) return not_shortest(std::move(found));
  Outcome shortest = ended(question.system, search, end);
  if (shortest.path->size() >= found.path->size()) return found;
  shortest.statistics = found.statistics;
  return shortest;
}

}  // namespace

// An object is safe if no run of it takes a step that goes wrong.  Faults are
// ends of runs, so that one pass over the states decides.
Outcome check_safe(const Question& question, const Options& options,
                   Budget& budget) {
  const auto start = Budget::Clock::now();
  explore::NoTags nothing;
  const auto search =
      make_search(question, options, nothing, limits_of(options), budget);
  const auto end = search->run();
  Outcome outcome = ended(question.system, *search, end);
  search->add_to(outcome.statistics);
  outcome.statistics.pairs = 0;
  outcome.statistics.sets = 0;
  outcome = with_shortest(question, options, budget, std::move(outcome));
  const std::chrono::duration<double> taken = Budget::Clock::now() - start;
  outcome.statistics.seconds = taken.count();
  return outcome;
}

}  // namespace plumb::verify
