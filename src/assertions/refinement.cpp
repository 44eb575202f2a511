// SPDX-License-Identifier: Apache-2.0
#include "assertions/refinement.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "assertions/pass.h"
#include "verify/words.h"

namespace plumb::assertions {

using check::Answer;
using verify::EventFailure;

namespace {

// The first bound that cut a search, or the first one of ours.
std::optional<lts::Bound> bound_met(const LazyGraph& graph, bool users_too) {
  const auto bounds = graph.system().bounds();
  for (std::size_t b = 0; b < bounds.size() && b < 64; ++b) {
    if ((graph.cut() >> b & 1) == 0) continue;
    if (users_too || !bounds[b].by_user) return bounds[b];
  }
  return std::nullopt;
}

}  // namespace

bool Refinement::stop(std::string why) {
  decided_ = true;
  outcome_.answer = Answer::kUnknown;
  outcome_.reason = std::move(why);
  return false;
}

bool Refinement::start() {
  if (!graph_.start()) return stop("there is no more memory");
  const SetId set = sets_.initial();
  if (set == SpecificationSets::kStopped) return stop(sets_.why());
  bool is_new = false;
  return add(0, set, Pairs::kNone, is_new);
}

bool Refinement::add(StateId state, SetId set, PairId parent, bool& is_new) {
  const auto added = pairs_.add(state, set, parent);
  is_new = added == Pairs::Added::kNew;
  if (added == Pairs::Added::kNoRoom) return stop("there is no more memory");
  if (limit_ != 0 && pairs_.size() > limit_) {
    return stop(fmt::format("the limit of {} states was reached", limit_));
  }
  return true;
}

bool Refinement::expand(StateId state) {
  if (budget_.spent()) return stop(budget_.describe_limit());
  return graph_.expand(state) || stop("there is no more memory");
}

bool Refinement::follow(PairId pair, std::uint64_t number, SetId& next) {
  next = pairs_[pair].set;
  const EventId event = graph_[number].event;
  if (event != Events::kTau) next = sets_.step(next, event);
  if (next != SpecificationSets::kStopped) {
    next = sets_.renamed(next, graph_.renaming(number));
  }
  if (next == SpecificationSets::kStopped) return stop(sets_.why());
  return next != SpecificationSets::kEmpty || report_event(pair, number);
}

// The first step that leads from one pair to the other.
std::uint64_t Refinement::step_between(PairId from, PairId to) const {
  const auto [state, set] = pairs_[from];
  for (auto i = graph_.begin(state); i < graph_.end(state); ++i) {
    if (graph_[i].target != pairs_[to].state) continue;
    const EventId event = graph_[i].event;
    const SetId next =
        event == Events::kTau ? set : sets_.known_step(set, event);
    if (sets_.known_renamed(next, graph_.renaming(i)) == pairs_[to].set) {
      return i;
    }
  }
  verify::fail("a pair does not follow from its parent");
}

void Refinement::extend(lts::Path& path, StateId from,
                        std::uint64_t number) const {
  const lts::StateView to = graph_.state(graph_[number].target);
  path.labels.push_back(graph_.label(from, number));
  path.states.emplace_back(to.begin(), to.end());
}

lts::Path Refinement::path_to(PairId pair) const {
  std::vector<PairId> way;
  for (PairId at = pair; at != Pairs::kNone; at = pairs_.parent(at)) {
    way.push_back(at);
  }
  std::ranges::reverse(way);
  lts::Path path;
  path.states.push_back(graph_.system().initial());
  for (std::size_t i = 1; i < way.size(); ++i) {
    extend(path, pairs_[way[i - 1]].state, step_between(way[i - 1], way[i]));
  }
  return path;
}

EventFailure::Events Refinement::labels(
    const SpecificationSets::EventSet& events) const {
  EventFailure::Events out;
  for (const EventId event : events) out.push_back(events_[event]);
  return out;
}

bool Refinement::violated(std::string reason, lts::Lasso lasso) {
  if (!lts::is_run_of(lasso.path, graph_.system())) {
    verify::fail("the evidence is not a run of the implementation");
  }
  // Beyond its bound the specification may allow what it does not seem to.
  if (const auto bound = bound_met(sets_.graph(), true)) {
    outcome_.hint = bound->hint;
    outcome_.failure.reset();
    return stop(fmt::format("the specification's bound of {} was reached",
                            bound->text));
  }
  decided_ = true;
  outcome_.answer = Answer::kViolated;
  outcome_.reason = std::move(reason);
  if (lasso.back_to < lasso.path.size()) {
    outcome_.lasso = std::move(lasso);
  } else {
    outcome_.path = std::move(lasso.path);
  }
  return false;
}

bool Refinement::report_fault(PairId pair) {
  lts::Path path = path_to(pair);
  LazyGraph::Fault fault = graph_.fault(pairs_[pair].state);
  path.labels.push_back(fault.label);
  path.states.push_back(std::move(fault.after));
  report_model_fault(graph_.system(), std::move(path), outcome_);
  decided_ = true;
  return false;
}

bool Refinement::report_event(PairId pair, std::uint64_t number) {
  lts::Path path = path_to(pair);
  extend(path, pairs_[pair].state, number);
  const std::size_t size = path.size();
  outcome_.failure = {EventFailure::Kind::kNotAllowed,
                      {events_[graph_[number].event]},
                      labels(sets_.possible(pairs_[pair].set))};
  return violated("", {std::move(path), size});
}

bool Refinement::report_refusal(PairId pair) {
  const auto [state, set] = pairs_[pair];
  SpecificationSets::EventSet offered, refused;
  for (auto i = graph_.begin(state); i < graph_.end(state); ++i) {
    offered.push_back(graph_[i].event);
  }
  std::ranges::sort(offered);
  EventFailure failure{EventFailure::Kind::kRefused, {}, labels(offered)};
  for (const auto& acceptance : sets_.acceptances(set)) {
    std::ranges::set_difference(acceptance, offered,
                                std::back_inserter(refused));
    failure.accepted.push_back(labels(acceptance));
  }
  failure.events = labels(refused);
  outcome_.failure = std::move(failure);
  lts::Path path = path_to(pair);
  const std::size_t size = path.size();
  return violated("", {std::move(path), size});
}

bool Refinement::report_divergence(PairId pair) {
  lts::Lasso lasso;
  lasso.path = path_to(pair);
  const auto way = divergences_.way(pairs_[pair].state);
  lasso.back_to = lasso.path.size() + way.before_cycle;
  StateId at = pairs_[pair].state;
  for (const std::uint64_t step : way.steps) {
    extend(lasso.path, at, step);
    at = graph_[step].target;
  }
  return violated(
      "the implementation may take internal steps for ever, the specification "
      "may not",
      std::move(lasso));
}

// All pairs were looked at, but for what lies beyond bounds.
void Refinement::conclude() {
  outcome_.answer = Answer::kHolds;
  const auto bound = bound_met(graph_, false);
  if (!bound) return;
  outcome_.answer = Answer::kUnknown;
  outcome_.reason = fmt::format("the bound of {} was reached", bound->text);
  outcome_.hint = bound->hint;
}

Outcome Refinement::finish(std::string method) {
  if (!decided_) conclude();
  const auto bounds = graph_.system().bounds();
  for (std::size_t b = 0; b < bounds.size() && b < 64; ++b) {
    if (graph_.cut() >> b & 1) outcome_.bounds_met.push_back(bounds[b].text);
  }
  verify::Statistics& figures = outcome_.statistics;
  figures.states = graph_.states();
  figures.transitions = transitions_;
  figures.left_out = graph_.left_out();
  figures.pairs = pairs_.size();
  figures.sets = sets_.size();
  figures.specification_states = sets_.graph().states();
  figures.store_bytes =
      graph_.bytes() + sets_.bytes() + pairs_.bytes() + divergences_.bytes();
  figures.state_bytes =
      graph_.state_bytes() / std::max<std::size_t>(graph_.states(), 1);
  const std::chrono::duration<double> taken = Budget::Clock::now() - start_;
  figures.seconds = taken.count();
  figures.method = std::move(method);
  return std::move(outcome_);
}

}  // namespace plumb::assertions
