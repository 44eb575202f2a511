// SPDX-License-Identifier: Apache-2.0
// Linearizability is refinement of the specification machine: first by
// linearization points, which are one way for the machine to follow, then by
// all ways at once [LiuEtAl13].
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "verify/counterexample.h"
#include "verify/evidence.h"
#include "verify/exact_moves.h"
#include "verify/journal.h"
#include "verify/learner.h"
#include "verify/outcome.h"
#include "verify/pair_search.h"
#include "verify/point_moves.h"
#include "verify/search.h"
#include "verify/words.h"

namespace plumb::verify {
namespace {

using check::Answer;

// How much may be lost on policies that fail on the whole system before the
// exact search begins, which costs more than one such pass.
constexpr std::uint64_t kLostTransitions = 1'000'000;
constexpr int kPasses = 2;
// When so much is lost, and each time that it has doubled, the exact search may
// spend as much: where sets stay small it is done by then.
constexpr std::uint64_t kWorthATry = 200'000;

// Systems with so many transitions of pairs take a moment, unless sets are
// large, which so many steps of the specification machine tell.
constexpr std::uint64_t kAtOnce = 50'000;
constexpr std::uint64_t kMachineSteps = 100'000;
// How many transitions the search for points may take where the answer is
// known, beside those that the answer took.
constexpr std::uint64_t kLeastEffort = 20'000;

class LinearizableDecision {
 public:
  LinearizableDecision(const Question& question, const Options& options,
                       Budget& budget)
      : question_(question),
        system_(question.system),
        reduced_(question.reduced_or_whole()),
        options_(options),
        budget_(budget),
        graph_(*question.specification, question.codes, budget) {}

  Outcome decide() {
    switch (options_.method) {
      case Options::Method::kExact:
        return with_shortest(exactly());
      case Options::Method::kMarks:
        return at_marks();
      case Options::Method::kAuto:
      case Options::Method::kPoints:
        break;
    }
    const bool is_auto = options_.method == Options::Method::kAuto;
    if (is_auto && resumes_exactly()) return with_shortest(exactly());
    if (may_be_exact()) {
      if (auto outcome = at_once()) return with_shortest(*std::move(outcome));
    }
    if (auto outcome = by_points()) return with_shortest(*std::move(outcome));
    if (is_auto) return with_shortest(exactly());
    Outcome outcome;
    outcome.reason = "no linearization points were found";
    return outcome;
  }

 private:
  SearchLimits limits() const {
    SearchLimits limits = limits_of(options_);
    if (effort_) limits.journal = nullptr;
    return limits;
  }
  std::unique_ptr<Search> new_search(SetMoves& moves) {
    return make_search(question_, options_, moves, limits(), budget_);
  }
  Outcome ended(const Search& search, Search::End end) const {
    return verify::ended(system_, search, end);
  }

  // A search that is to be resumed follows the same course again.  That cannot
  // be left to chance: other threads, or less time, lead to other policies.
  bool resumes_exactly() const {
    return options_.journal != nullptr &&
           options_.journal->resumed_course() == ExactMoves::kCourse;
  }
  // Of its own accord, and beside the course of a search that is resumed.
  bool may_be_exact() const {
    return options_.method == Options::Method::kAuto &&
           options_.store == Options::Store::kExact && !effort_ &&
           !resumed_policy();
  }
  std::optional<Policy> resumed_policy() const {
    if (options_.journal == nullptr) return std::nullopt;
    const auto& course = options_.journal->resumed_course();
    return course ? PointMoves::policy_of(*course) : std::nullopt;
  }

  // Small systems are decided before points could be guessed.  If they hold,
  // the points are still worth having, but not at any price.
  std::optional<Outcome> at_once() {
    std::optional<Exact> exact = exactly_within(kAtOnce);
    if (!exact) return std::nullopt;
    if (exact->is_complete) {
      effort_ = kLeastEffort + exact->transitions;
      const auto outcome = by_points();
      if (outcome && outcome->answer == Answer::kViolated) {
        fail("a search for points contradicts the exact one");
      }
      if (outcome && outcome->answer == Answer::kHolds) return outcome;
    }
    return std::move(exact->outcome);
  }

  // Nothing if more transitions are needed.
  struct Exact {
    Outcome outcome;
    bool is_complete = false;
    std::uint64_t transitions = 0;
  };
  std::optional<Exact> exactly_within(std::uint64_t transitions) {
    Configurations configurations(graph_, system_.processes());
    Budget budget = budget_.with_steps(transitions / kAtOnce * kMachineSteps);
    ExactMoves moves(configurations, budget);
    SearchLimits few = limits();
    few.transitions = transitions;
    few.threads = 1;
    few.journal = nullptr;
    few.is_large = false;
    PairSearch search(system_, reduced_, moves, few, budget);
    const auto end = search.run();
    if (end == Search::End::kTransitions ||
        (end == Search::End::kLimit && budget.limit() == Limit::kSteps)) {
      return std::nullopt;
    }
    Exact exact{decided(search, end), end == Search::End::kComplete,
                search.transitions()};
    add_never_returns(system_, moves, exact.outcome);
    add_growth(system_, moves, exact.outcome);
    return exact;
  }

  // A reduced system may know a run with few transitions only as one with many
  // steps.  The whole system has a shortest one; if that is near, it is shown.
  Outcome with_shortest(Outcome found) {
    if (found.answer != Answer::kViolated || question_.reduced == nullptr ||
        options_.order == Options::Order::kDepthFirst) {
      return found;
    }
    Configurations configurations(graph_, system_.processes());
    Budget budget = budget_.with_steps(10 * kMachineSteps);
    ExactMoves moves(configurations, budget);
    PairSearch search(system_, moves, {.transitions = kNearby}, budget);
    const auto end = search.run();
    if (end != Search::End::kEmpty && end != Search::End::kFault) {
      return not_shortest(std::move(found));
    }
    Outcome shortest = decided(search, end);
    if (shortest.path->size() >= found.path->size()) return found;
    shortest.statistics = found.statistics;
    return shortest;
  }

  Outcome exactly() {
    Configurations configurations(graph_, system_.processes());
    ExactMoves moves(configurations, budget_);
    const auto search = new_search(moves);
    const auto end = search->run();
    Outcome outcome = decided(*search, end);
    add_never_returns(system_, moves, outcome);
    add_growth(system_, moves, outcome);
    return outcome;
  }

  Outcome decided(const Search& search, Search::End end) {
    Outcome outcome = end == Search::End::kEmpty
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
    const auto search = new_search(moves);
    const auto end = search->run();
    Outcome outcome = end == Search::End::kEmpty ? unexplained(search->path())
                                                 : ended(*search, end);
    if (outcome.answer == Answer::kHolds) add_points(policy, moves, outcome);
    add_never_returns(system_, moves, outcome);
    search->add_to(outcome.statistics);
    add_growth(system_, moves, outcome);
    outcome.statistics.method = "marks";
    return at_nearest_mark(policy, std::move(outcome));
  }

  // As with_shortest(), for what is wrong with the marks.
  Outcome at_nearest_mark(const Policy& policy, Outcome found) {
    if (found.answer != Answer::kViolated || question_.reduced == nullptr ||
        options_.order == Options::Order::kDepthFirst) {
      return found;
    }
    Configurations configurations(graph_, system_.processes());
    PointMoves moves(configurations, policy);
    Budget budget = budget_;  // the limit may be near, the answer is there
    PairSearch search(system_, moves, {.transitions = kNearby}, budget);
    const auto end = search.run();
    if (end != Search::End::kEmpty && end != Search::End::kFault) {
      return not_shortest(std::move(found));
    }
    if (search.path().size() >= found.path->size()) return found;
    Outcome shortest = end == Search::End::kEmpty ? unexplained(search.path())
                                                  : ended(search, end);
    if (shortest.answer != Answer::kViolated) return found;
    shortest.statistics = found.statistics;
    return shortest;
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
    Learner learner(graph_, *question_.specification, budget_,
                    effort_.value_or(Learner::kMoves));
    if (const auto policy = resumed_policy()) {
      Learner follower(graph_, *question_.specification, budget_);
      follower.adopt(*policy);
      if (auto outcome = pass(follower).outcome) return outcome;
    }
    if (!learn_on_smaller(learner)) return std::nullopt;
    std::uint64_t lost = 0;
    std::uint64_t next_try = kWorthATry;
    const std::uint64_t most = effort_.value_or(kLostTransitions);
    for (int tried = 0; tried < kPasses || lost < most; ++tried) {
      Pass failed = pass(learner);
      if (failed.outcome) return std::move(failed.outcome);
      // Depth-first runs are too long to learn from.
      if (options_.order == Options::Order::kDepthFirst) break;
      lost += failed.transitions;
      if (may_be_exact() && lost >= next_try) {
        if (auto exact = exactly_within(lost)) return std::move(exact->outcome);
        next_try = 2 * lost;
      }
      if (!learner.learn_from(system_, failed.path)) break;
    }
    return std::nullopt;
  }

  // Returns false if no points were found.
  bool learn_on_smaller(Learner& learner) {
    Learner::Limits learning;
    if (effort_) learning.transitions = *effort_;
    for (const std::size_t processes : {2u, 3u}) {
      if (!question_.smaller || processes >= system_.processes()) break;
      const auto smaller = question_.smaller(processes);
      if (!smaller) continue;
      const auto end = learner.learn(*smaller->system,
                                     smaller->reduced_or_whole(), learning);
      if (end == Learner::End::kNone) return false;
      if (end == Learner::End::kViolated) break;
    }
    if (options_.order == Options::Order::kDepthFirst) {
      learner.learn(system_, reduced_, learning);
    }
    return true;
  }

  // A search of the whole system with the present policy.
  struct Pass {
    std::optional<Outcome> outcome;  // nothing: the policy fails,
    lts::Path path;                  // on this run,
    std::uint64_t transitions = 0;   // after so much work
  };
  Pass pass(Learner& learner) {
    PointMoves moves(learner.configurations(system_.processes()),
                     learner.policy());
    const auto search = new_search(moves);
    const auto end = search->run();
    Pass pass;
    pass.transitions = search->transitions();
    if (end == Search::End::kComplete) {
      pass.outcome = explained(learner, moves, *search);
    } else if (end != Search::End::kEmpty) {
      pass.outcome = given_up(moves, *search, end);
    } else {
      pass.path = search->path();
      if (answer_for(pass.path) == Answer::kViolated) {
        pass.outcome = refuted(*search, pass.path);
      }
    }
    return pass;
  }

  Outcome explained(const Learner& learner, const PointMoves& moves,
                    const Search& search) {
    Outcome outcome = ended(search, Search::End::kComplete);
    search.add_to(outcome.statistics);
    const bool marks_only =
        learner.policy().effects.empty() && !moves.marked().empty();
    outcome.statistics.method = marks_only ? "marks" : "linearization points";
    add_points(learner.policy(), moves, outcome);
    add_never_returns(system_, moves, outcome);
    return outcome;
  }

  // A limit, or a fault.
  Outcome given_up(const SetMoves& moves, const Search& search,
                   Search::End end) {
    Outcome outcome = ended(search, end);
    search.add_to(outcome.statistics);
    add_growth(system_, moves, outcome);
    outcome.statistics.method = "linearization points";
    return outcome;
  }

  // A run that no order explains ends the search for points.  Whatever the
  // points, a breadth-first search finds a shortest one: shorter ones that are
  // wrong would fail as well.
  Outcome refuted(const Search& search, const lts::Path& path) {
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
    if (effect.only) {
      point.only_if = effect.only->to_string();
      if (stands_for_others(*effect.only)) {
        point.only_if += ", or another value that is treated alike";
      }
    }
    return point;
  }

  // With data symmetry one value stands for all of its kind.
  bool stands_for_others(Value value) const {
    const lts::Symmetry* const symmetry = reduced_.symmetry();
    if (symmetry == nullptr) return false;
    const auto values = symmetry->values();
    return values.size() > 1 &&
           std::find(values.begin(), values.end(), value) != values.end();
  }

  const Question& question_;
  const lts::System& system_;
  const lts::System& reduced_;
  const Options& options_;
  Budget& budget_;
  SpecificationGraph graph_;
  // If the answer is known: how much points are worth.
  std::optional<std::uint64_t> effort_;
};

}  // namespace

Outcome check_linearizable(const Question& question, const Options& options,
                           Budget& budget) {
  const auto start = std::chrono::steady_clock::now();
  LinearizableDecision decision(question, options, budget);
  Outcome outcome = decision.decide();
  outcome.statistics.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return outcome;
}

}  // namespace plumb::verify
