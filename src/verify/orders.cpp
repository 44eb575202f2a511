// SPDX-License-Identifier: Apache-2.0
// Quiescent consistency, sequential consistency, and both.
#include <chrono>
#include <utility>

#include "verify/evidence.h"
#include "verify/order_moves.h"
#include "verify/outcome.h"
#include "verify/pair_search.h"
#include "verify/search.h"

namespace plumb::verify {
namespace {

using check::Answer;

constexpr std::uint64_t kOrderSteps = 4'000'000;

class OrderDecision {
 public:
  OrderDecision(const Question& question, const Options& options,
                Budget& budget)
      : question_(question),
        options_(options),
        budget_(budget),
        graph_(*question.specification, question.codes, budget) {}

  Outcome decide() {
    BusyRecords records(graph_, question_.system.processes(), budget_);
    OrderMoves moves(records, question_.order, options_.busy, budget_);
    const auto search =
        make_search(question_, options_, moves, limits_of(options_), budget_);
    const auto end = search->run();
    Outcome outcome = decided(*search, end);
    add_never_returns(question_.system, moves, outcome);
    search->add_to(outcome.statistics);
    add_growth(question_.system, moves, outcome);
    outcome.statistics.method = question_.order == check::Order::kProgram
                                    ? "program orders"
                                    : "orders of busy periods";
    return with_shortest(std::move(outcome));
  }

 private:
  Outcome decided(const Search& search, Search::End end) {
    if (end == Search::End::kEmpty) {
      return violation_outcome(question_, search.path(), graph_);
    }
    Outcome outcome = ended(question_.system, search, end);
    if (end == Search::End::kComplete) {
      add_busy(search, options_.busy, outcome);
    }
    return outcome;
  }

  // A reduced system may know a run with few transitions only as one with many
  // steps.
  Outcome with_shortest(Outcome found) {
    if (found.answer != Answer::kViolated || question_.reduced == nullptr ||
        options_.order == Options::Order::kDepthFirst) {
      return found;
    }
    Budget budget = budget_.with_steps(kOrderSteps);
    BusyRecords records(graph_, question_.system.processes(), budget);
    OrderMoves moves(records, question_.order, options_.busy, budget);
    PairSearch search(question_.system, moves, {.transitions = kNearby},
                      budget);
    const auto end = search.run();
    if (end != Search::End::kEmpty && end != Search::End::kFault) {
      return not_shortest(std::move(found));
    }
    Outcome shortest = decided(search, end);
    if (shortest.answer != Answer::kViolated ||
        shortest.path->size() >= found.path->size()) {
      return found;
    }
    shortest.statistics = found.statistics;
    return shortest;
  }

  const Question& question_;
  const Options& options_;
  Budget& budget_;
  SpecificationGraph graph_;
};

}  // namespace

Outcome check_order(const Question& question, check::Order order,
                    const Options& options, Budget& budget) {
  if (order == check::Order::kRealTime) {
    return check_linearizable(question, options, budget);
  }
  const auto start = Budget::Clock::now();
  Question asked = question;
  asked.order = order;
  Outcome outcome = OrderDecision(asked, options, budget).decide();
  const std::chrono::duration<double> taken = Budget::Clock::now() - start;
  outcome.statistics.seconds = taken.count();
  return outcome;
}

}  // namespace plumb::verify
