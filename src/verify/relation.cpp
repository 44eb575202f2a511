// SPDX-License-Identifier: Apache-2.0
// Is the user's relation a simulation?  Then it proves that an order holds.
//
// All steps of the whole system are looked at: a reduced system leaves out
// states and changes what comes between them, and the obligations are about
// each state that the relation says something of, not about histories.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "verify/evidence.h"
#include "verify/outcome.h"
#include "verify/related_system.h"
#include "verify/relation_failure.h"
#include "verify/relation_moves.h"
#include "verify/search.h"

namespace plumb::verify {
namespace {

using check::Answer;
using check::Order;

class Proof {
 public:
  Proof(const Question& question, const lts::Abstraction& relation, Order order,
        const Options& options, Budget& budget)
      : question_(question),
        relation_(relation),
        is_coupled_(order == Order::kQuiescent),
        options_(options),
        budget_(budget),
        graph_(*question.specification, question.codes, budget),
        system_(question.system, relation,
                is_coupled_ ? RelatedSystem::Where::kReturns
                            : RelatedSystem::Where::kEverywhere) {}

  Outcome decide() {
    Outcome outcome = checked();
    outcome.statistics.method =
        is_coupled_ ? "coupled simulation" : "forward simulation";
    return outcome;
  }

 private:
  Outcome checked() {
    std::vector<std::vector<Value>> states;
    const auto wrong = relation_.relate(question_.system.initial(), states);
    std::vector<AbstractId> first;
    for (const auto& state : states) first.push_back(graph_.state(state));
    const bool has_initial =
        std::ranges::find(first, graph_.initial()) != first.end();
    const RelationFailure failure(question_, relation_, graph_);
    if (wrong || !has_initial) return failure.at_start();

    BusyRecords records(graph_, question_.system.processes(), budget_, first);
    Configurations configurations(graph_, question_.system.processes());
    std::unique_ptr<SetMoves> moves;
    if (is_coupled_) {
      moves = std::make_unique<CoupledMoves>(records, system_, options_.busy,
                                             budget_);
    } else {
      moves = std::make_unique<ForwardMoves>(configurations, system_, budget_);
    }
    const Question asked{system_, question_.specification, question_.codes};
    const auto search =
        make_search(asked, options_, *moves, limits_of(options_), budget_);
    const auto end = search->run();
    Outcome outcome = ended_with(*search, end, *moves, failure, configurations);
    search->add_to(outcome.statistics);
    return outcome;
  }

  Outcome ended_with(const Search& search, Search::End end, SetMoves& moves,
                     const RelationFailure& failure,
                     const Configurations& configurations) {
    if (end == Search::End::kFault) {
      return fault_outcome(question_.system, system_.plain(search.path()));
    }
    if (end == Search::End::kEmpty) {
      const lts::Path path = search.path();
      if (is_coupled_) return failure.of_coupled(system_.plain(path));
      const Budget spent = std::exchange(budget_, Budget::deaf());
      SetId set = moves.initial();
      for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        set = moves.after(set, path.labels[i]);
      }
      budget_ = spent;
      return failure.of_forward(system_.plain(path), configurations,
                                moves.sets()[set]);
    }
    Outcome outcome = ended(question_.system, search, end);
    if (end == Search::End::kComplete) {
      add_busy(search, options_.busy, outcome);
    }
    return outcome;
  }

  const Question& question_;
  const lts::Abstraction& relation_;
  bool is_coupled_;
  const Options& options_;
  Budget& budget_;
  SpecificationGraph graph_;
  RelatedSystem system_;
};

}  // namespace

Outcome check_relation(const Question& question,
                       const lts::Abstraction& relation, Order order,
                       const Options& options, Budget& budget) {
  const auto start = Budget::Clock::now();
  Outcome outcome;
  if (order != Order::kQuiescent && order != Order::kRealTime) {
    outcome.reason =
        "there are no obligations for relations to prove this "
        "order by";
    return outcome;
  }
  outcome = Proof(question, relation, order, options, budget).decide();
  const std::chrono::duration<double> taken = Budget::Clock::now() - start;
  outcome.statistics.seconds = taken.count();
  return outcome;
}

}  // namespace plumb::verify
