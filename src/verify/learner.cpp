// SPDX-License-Identifier: Apache-2.0
#include "verify/learner.h"

#include <algorithm>
#include <utility>

#include "verify/counterexample.h"
#include "verify/pair_search.h"
#include "verify/point_moves.h"

namespace plumb::verify {
namespace {

Policy policy_of(const std::vector<Candidate>& points) {
  Policy policy;
  for (const Candidate& each : points) {
    policy.effects[each.edge].push_back(each.effect);
  }
  return policy;
}

}  // namespace

// Marks are the first guess; where there are none, nothing is.
Learner::Learner(SpecificationGraph& graph, const spec::Specification& object,
                 Budget& budget, std::uint64_t moves)
    : graph_(graph),
      object_(object),
      budget_(budget),
      policy_{.marks = true, .effects = {}},
      moves_left_(moves) {}

Configurations& Learner::configurations(std::size_t processes) {
  auto& entry = configurations_[processes];
  if (!entry) entry = std::make_unique<Configurations>(graph_, processes);
  return *entry;
}

bool Learner::explains(const Policy& policy, const Run& run) {
  PointMoves moves(configurations(run.processes), policy);
  SetId set = moves.initial();
  for (const lts::Label& label : run.labels) {
    if (moves_left_ > 0) --moves_left_;
    set = moves.after(set, label);
    if (set == kEmptySet) return false;
  }
  return true;
}

// A run that has just failed is the most likely to fail again.
bool Learner::explains(const Policy& policy) {
  for (std::size_t i = 0; i < last_first_.size(); ++i) {
    if (explains(policy, runs_[last_first_[i]])) continue;
    const auto failed = last_first_.begin() + static_cast<std::ptrdiff_t>(i);
    std::rotate(last_first_.begin(), failed, failed + 1);
    return false;
  }
  return true;
}

// Each point in turn, the unlikely ones first.  Several next to each other can
// be left out iff they can one by one: with fewer possible points, less is
// explained.  So we try more at once as long as that works.
void Learner::leave_out(std::vector<Candidate>& points) {
  std::size_t size = points.size();
  for (std::size_t at = 0; at < points.size() && !is_spent();) {
    const std::size_t count = std::min(size, points.size() - at);
    std::vector<Candidate> fewer = points;
    const auto first = fewer.begin() + static_cast<std::ptrdiff_t>(at);
    fewer.erase(first, first + static_cast<std::ptrdiff_t>(count));
    if (explains(policy_of(fewer))) {
      points = std::move(fewer);
      size = 2 * count;
    } else if (count > 1) {
      size = count / 2;
    } else {
      ++at;
      size = 1;
    }
  }
}

// A point is made certain if all calls that passed it returned what it then
// gives; then there are fewer ways to follow.
Policy Learner::with_certain_points(const std::vector<Candidate>& points) {
  Policy policy = policy_of(points);
  for (const Candidate& each : points) {
    const auto& effects = policy.effects[each.edge];
    std::vector<Value> results;
    bool own = true, any = false;
    for (const Effect& effect : effects) {
      own = own && effect.whose == Effect::Whose::kOwn;
      any = any || !effect.only;
      if (effect.only) results.push_back(*effect.only);
    }
    if (!own || !effects[0].may) continue;
    if (!any && !all_return(runs_, graph_, each.edge, results)) continue;
    Policy certain = policy;
    certain.effects[each.edge] = {Effect{}};
    if (explains(certain)) policy = std::move(certain);
  }
  return policy;
}

// What is known already teaches nothing: the policy explains this run.  Yet it
// fails in a search that renames values on the way, where it speaks of one of
// them ("if it then returns 1").
bool Learner::learn_from(const lts::System& system, const lts::Path& path) {
  const Run run{system.processes(), path.labels};
  if (std::ranges::find(runs_, run) != runs_.end()) return false;
  last_first_.push_back(runs_.size());
  runs_.push_back(run);
  for (const bool helped : {false, true}) {
    auto points = candidates_of(system, graph_, runs_, helped);
    if (!explains(policy_of(points))) continue;
    leave_out(points);
    policy_ = with_certain_points(points);
    return !is_spent();
  }
  return false;
}

Learner::End Learner::learn(const lts::System& system,
                            const lts::System& reduced, const Limits& limits) {
  std::uint64_t spent = 0;
  for (std::size_t i = 0; i < limits.searches; ++i) {
    if (spent >= limits.transitions) break;
    PointMoves moves(configurations(system.processes()), policy_);
    PairSearch search(system, reduced, moves,
                      {.transitions = limits.transitions_each}, budget_);
    const auto end = search.run();
    spent += search.transitions();
    switch (end) {
      case PairSearch::End::kComplete:
      case PairSearch::End::kTransitions:
        return End::kPassed;
      case PairSearch::End::kLimit:
      case PairSearch::End::kFound:
      case PairSearch::End::kStopped:
        return End::kNone;
      case PairSearch::End::kFault:
        return End::kViolated;
      case PairSearch::End::kEmpty:
        break;
    }
    const lts::Path path = search.path();
    const auto answer = judge(history_of(path, graph_), object_, budget_);
    if (answer == check::Answer::kViolated) return End::kViolated;
    if (!learn_from(system, path)) break;
  }
  return End::kNone;
}

}  // namespace plumb::verify
