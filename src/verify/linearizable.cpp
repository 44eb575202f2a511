// SPDX-License-Identifier: Apache-2.0
// Linearizability is refinement of the specification machine: first by
// linearization points, which are one way for the machine to follow, then by
// all ways at once [LiuEtAl13].
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "verify/counterexample.h"
#include "verify/evidence.h"
#include "verify/exact_moves.h"
#include "verify/learner.h"
#include "verify/outcome.h"
#include "verify/pair_search.h"
#include "verify/point_moves.h"

namespace plumb::verify {
namespace {

using check::Answer;

// How much may be lost on policies that fail on the whole system before the
// exact search begins, which costs more than one such pass.
constexpr std::uint64_t kLostTransitions = 1'000'000;
constexpr int kPasses = 2;

class Decision {
 public:
  Decision(const Question& question, const Options& options, Budget& budget)
      : question_(question),
        system_(question.system),
        options_(options),
        budget_(budget),
        graph_(*question.specification, question.codes) {}

  Outcome decide() {
    switch (options_.method) {
      case Options::Method::kExact:
        return exactly();
      case Options::Method::kMarks:
        return at_marks();
      case Options::Method::kAuto:
      case Options::Method::kPoints:
        break;
    }
    if (auto outcome = by_points()) return *std::move(outcome);
    if (options_.method == Options::Method::kAuto) return exactly();
    Outcome outcome;
    outcome.reason = "no linearization points were found";
    return outcome;
  }

 private:
  SearchLimits limits() const {
    return {.order = options_.order, .states = options_.state_limit};
  }

  // What every search can end with but the empty set.
  Outcome ended(const PairSearch& search, PairSearch::End end) {
    switch (end) {
      case PairSearch::End::kComplete:
        return complete_outcome(system_, search.cut());
      case PairSearch::End::kFault:
        return fault_outcome(system_, search.path());
      case PairSearch::End::kEmpty:
      case PairSearch::End::kLimit:
      case PairSearch::End::kTransitions:
        break;
    }
    Outcome outcome;
    outcome.reason = search.limit();
    return outcome;
  }

  Outcome exactly() {
    Configurations configurations(graph_, system_.processes());
    ExactMoves moves(configurations, budget_);
    PairSearch search(system_, moves, limits(), budget_);
    const auto end = search.run();
    Outcome outcome = end == PairSearch::End::kEmpty
                          ? violation_outcome(question_, search.path(), graph_)
                          : ended(search, end);
    search.add_to(outcome.statistics);
    outcome.statistics.method = "antichain";
    return outcome;
  }

  Outcome at_marks() {
    const Policy policy{.marks = true, .effects = {}};
    Configurations configurations(graph_, system_.processes());
    PointMoves moves(configurations, policy);
    PairSearch search(system_, moves, limits(), budget_);
    const auto end = search.run();
    Outcome outcome = end == PairSearch::End::kEmpty
                          ? unexplained(search.path())
                          : ended(search, end);
    if (outcome.answer == Answer::kHolds) add_points(policy, moves, outcome);
    search.add_to(outcome.statistics);
    outcome.statistics.method = "marks";
    return outcome;
  }

  // The marks fail on this run: because it is wrong, or because they are.
  Outcome unexplained(const lts::Path& path) {
    switch (answer_for(path)) {
      case Answer::kViolated:
        return violation_outcome(question_, path, graph_);
      case Answer::kHolds:
        return marks_outcome(question_, path, graph_);
      case Answer::kUnknown:
        break;
    }
    Outcome outcome;
    outcome.reason = budget_.describe_limit();
    return outcome;
  }

  Answer answer_for(const lts::Path& path) {
    return judge(history_of(path, graph_), *question_.specification, budget_);
  }

  // Nothing if no points were found that explain everything.
  std::optional<Outcome> by_points() {
    Learner learner(graph_, *question_.specification, budget_);
    const Learner::Limits learning;
    for (const std::size_t processes : {2u, 3u}) {
      if (!question_.smaller || processes >= system_.processes()) break;
      const auto smaller = question_.smaller(processes);
      if (!smaller) continue;
      const auto end = learner.learn(*smaller, learning);
      if (end == Learner::End::kNone) return std::nullopt;
      if (end == Learner::End::kViolated) break;
    }
    if (options_.order == Options::Order::kDepthFirst) {
      learner.learn(system_, learning);
    }
    std::uint64_t lost = 0;
    for (int pass = 0; pass < kPasses || lost < kLostTransitions; ++pass) {
      PointMoves moves(learner.configurations(system_.processes()),
                       learner.policy());
      PairSearch search(system_, moves, limits(), budget_);
      const auto end = search.run();
      if (end == PairSearch::End::kComplete) {
        return explained(learner, moves, search);
      }
      if (end != PairSearch::End::kEmpty) return given_up(search, end);
      const lts::Path path = search.path();
      if (answer_for(path) == Answer::kViolated) return refuted(search, path);
      // Depth-first runs are too long to learn from.
      if (options_.order == Options::Order::kDepthFirst) break;
      lost += search.transitions();
      if (!learner.learn_from(system_, path)) break;
    }
    return std::nullopt;
  }

  Outcome explained(const Learner& learner, const PointMoves& moves,
                    const PairSearch& search) {
    Outcome outcome = complete_outcome(system_, search.cut());
    search.add_to(outcome.statistics);
    const bool marks_only =
        learner.policy().effects.empty() && !moves.marked().empty();
    outcome.statistics.method = marks_only ? "marks" : "linearization points";
    add_points(learner.policy(), moves, outcome);
    return outcome;
  }

  // A limit, or a fault.
  Outcome given_up(const PairSearch& search, PairSearch::End end) {
    Outcome outcome = ended(search, end);
    search.add_to(outcome.statistics);
    outcome.statistics.method = "linearization points";
    return outcome;
  }

  // A run that no order explains ends the search for points.  Whatever the
  // points, a breadth-first search finds a shortest one: shorter ones that are
  // wrong would fail as well.
  Outcome refuted(const PairSearch& search, const lts::Path& path) {
    Outcome outcome = violation_outcome(question_, path, graph_);
    search.add_to(outcome.statistics);
    outcome.statistics.method = "refuted history";
    return outcome;
  }

  void add_points(const Policy& policy, const PointMoves& moves,
                  Outcome& outcome) {
    for (std::size_t i = 0; i < moves.marked().size(); ++i) {
      if (!moves.marked()[i]) continue;
      outcome.points.push_back(point(static_cast<std::uint32_t>(i), Effect{}));
    }
    for (const auto& [edge, effects] : policy.effects) {
      for (const Effect& effect : effects) {
        outcome.points.push_back(point(edge, effect));
      }
    }
  }

  Point point(std::uint32_t edge, const Effect& effect) {
    Point point;
    point.edge = system_.edge(edge);
    point.may = effect.may;
    point.by_other = effect.whose != Effect::Whose::kOwn;
    point.before = effect.whose == Effect::Whose::kOthersBefore;
    point.operation = point.by_other ? effect.operation : point.edge.operation;
    if (effect.only) point.only_if = effect.only->to_string();
    return point;
  }

  const Question& question_;
  const lts::System& system_;
  const Options& options_;
  Budget& budget_;
  SpecificationGraph graph_;
};

}  // namespace

Outcome check_linearizable(const Question& question, const Options& options,
                           Budget& budget) {
  const auto start = std::chrono::steady_clock::now();
  Decision decision(question, options, budget);
  Outcome outcome = decision.decide();
  outcome.statistics.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return outcome;
}

}  // namespace plumb::verify
