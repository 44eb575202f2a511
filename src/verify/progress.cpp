// SPDX-License-Identifier: Apache-2.0
#include "verify/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>
#include <vector>

#include "explore/components.h"
#include "explore/cycle.h"
#include "explore/explorer.h"
#include "explore/graph.h"
#include "verify/outcome.h"
#include "verify/safe_search.h"
#include "verify/words.h"

namespace plumb::verify {
namespace {

using explore::Graph;
using explore::kNoState;
using explore::StateId;
using lts::Label;
using lts::LabelKind;

// Looks for deadlocks.  Which calls are pending in a state follows from any
// path to it, as a process is idle or not; all paths must agree.
class DeadlockVisitor : public explore::Visitor {
 public:
  bool on_state(StateId from, const lts::Successors& out) {
    if (from == 0 && pending_.empty() && !pending_.push_back(0)) return false;
    if (out.size() != 0 || out.cut != 0 || pending_[from] == 0) return true;
    stuck_ = from;
    process_ = std::countr_zero((out.waiting & pending_[from]) != 0
                                    ? out.waiting & pending_[from]
                                    : pending_[from]);
    waits_ = out.waiting != 0;
    return false;
  }
  bool on_transition(StateId from, const Label& label, StateId to,
                     bool is_new) {
    const std::uint64_t bit = std::uint64_t{1} << label.process;
    std::uint64_t pending = pending_[from];
    if (label.kind == LabelKind::kInvoke) pending |= bit;
    if (label.kind == LabelKind::kReturn) pending &= ~bit;
    if (is_new) return pending_.push_back(pending);
    if (pending_[to] != pending) fail("a state has different calls pending");
    return true;
  }

  StateId stuck() const { return stuck_; }
  int process() const { return process_; }
  bool waits() const { return waits_; }
  std::size_t bytes() const { return pending_.bytes(); }

 private:
  explore::SideTable<std::uint64_t> pending_;  // a bit for each process
  StateId stuck_ = kNoState;
  int process_ = 0;
  bool waits_ = false;
};

// Builds the graph until somebody waits.
class GraphVisitor : public explore::GraphBuilder {
 public:
  using GraphBuilder::GraphBuilder;

  bool on_state(StateId from, const lts::Successors& out) {
    if (out.waiting != 0) {
      stuck_ = from;
      process_ = std::countr_zero(out.waiting);
      return false;
    }
    return GraphBuilder::on_state(from, out);
  }
  StateId stuck() const { return stuck_; }
  int process() const { return process_; }

 private:
  StateId stuck_ = kNoState;
  int process_ = 0;
};

// Which cycles are bad, of process `process` or, for lock-freedom, of all.
struct BadCycle {
  Progress property;
  std::uint16_t process;

  // A transition that such a cycle may have.
  bool operator()(const Graph::Transition& step) const {
    switch (property) {
      case Progress::kObstructionFree:
        return step.kind() == LabelKind::kInternal && step.process() == process;
      case Progress::kWaitFree:
        return step.kind() == LabelKind::kInternal || step.process() != process;
      default:
        return step.kind() == LabelKind::kInternal;
    }
  }
  // A transition that it must have, once at least.
  bool needs(const Graph::Transition& step) const {
    return property != Progress::kWaitFree || step.process() == process;
  }
};

class ProgressCheck {
 public:
  ProgressCheck(const Question& question, Progress property,
                const Options& options, Budget& budget)
      : system_(question.system),
        property_(property),
        budget_(budget),
        explorer_(question.system, {false, options.state_limit}, budget) {}

  Outcome run();

 private:
  void look_for_deadlocks();
  void look_for_cycles();
  void look_for_nearest_cycle();
  template <typename V>
  void explore(V& visitor);
  void report_stuck(StateId state, int process, bool waits);
  void report_cycle(StateId start, const BadCycle& bad);
  void extend(lts::Path& path, const Graph::Transition& step) const;
  void report(lts::Lasso lasso, std::string reason);

  const lts::System& system_;
  const Progress property_;
  Budget& budget_;
  explore::Explorer explorer_;
  Graph graph_;
  std::size_t more_bytes_ = 0;
  Outcome outcome_;
  bool decided_ = false;
};

template <typename V>
void ProgressCheck::explore(V& visitor) {
  StopAtFault<V> stop(visitor);
  explorer_.run(stop);
  if (!stop.found_fault()) return;
  report_fault(system_, stop.path(explorer_), outcome_);
  decided_ = true;
}

void ProgressCheck::report(lts::Lasso lasso, std::string reason) {
  if (!violates(lasso, property_, system_)) {
    fail("the run found does not violate the progress property");
  }
  outcome_.answer = check::Answer::kViolated;
  outcome_.reason = std::move(reason);
  outcome_.lasso = std::move(lasso);
  decided_ = true;
}

void ProgressCheck::report_stuck(StateId state, int process, bool waits) {
  lts::Lasso lasso;
  lasso.path = explorer_.path_to(state);
  lasso.back_to = lasso.path.size();
  lasso.process = static_cast<std::size_t>(process);
  lasso.waits = waits;
  report(std::move(lasso),
         property_ == Progress::kDeadlockFree
             ? "calls are pending and no process can take a step"
             : fmt::format("process {} may wait for ever", process));
}

// The graph has no values; the label is found by expanding the state again.
void ProgressCheck::extend(lts::Path& path,
                           const Graph::Transition& step) const {
  lts::Successors out;
  system_.successors(path.states.back(), out);
  const lts::StateView target = explorer_.state(step.target);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (step.is_of(out.label(i)) && std::ranges::equal(out.state(i), target)) {
      path.labels.push_back(out.label(i));
      path.states.emplace_back(target.begin(), target.end());
      return;
    }
  }
  fail("a transition of the graph is not one of the system");
}

void ProgressCheck::report_cycle(StateId start, const BadCycle& bad) {
  const auto cycle = explore::shortest_cycle(
      graph_, start, bad,
      [&bad](const Graph::Transition& step) { return bad.needs(step); });
  if (cycle.empty()) fail("a component without a cycle");
  lts::Lasso lasso;
  lasso.path = explorer_.path_to(start);
  lasso.back_to = lasso.path.size();
  for (const std::uint64_t step : cycle) extend(lasso.path, graph_[step]);
  lasso.process = property_ == Progress::kLockFree
                      ? graph_[cycle.front()].process()
                      : bad.process;
  std::string reason;
  switch (property_) {
    case Progress::kWaitFree:
      reason = fmt::format(
          "process {} may take steps for ever without returning", bad.process);
      break;
    case Progress::kObstructionFree:
      reason = fmt::format(
          "process {}, running alone, may take steps for ever without "
          "returning",
          bad.process);
      break;
    default:
      reason =
          "calls are pending, and steps may go on for ever without any "
          "return";
  }
  report(std::move(lasso), std::move(reason));
}

// Of the bad cycles of all processes, the one that begins nearest.
void ProgressCheck::look_for_nearest_cycle() {
  const std::size_t rounds =
      property_ == Progress::kLockFree ? 1 : system_.processes();
  StateId nearest = kNoState;
  BadCycle bad{property_, 0};
  for (std::size_t process = 0; process < rounds; ++process) {
    const BadCycle own{property_, static_cast<std::uint16_t>(process)};
    const auto start = explore::nearest_cycle(
        graph_, explorer_.states(), own,
        [&own](const Graph::Transition& step) { return own.needs(step); },
        budget_);
    if (!start) {
      outcome_.reason = budget_.describe_limit();
      decided_ = true;  // as unknown, if no cycle was found before
      break;
    }
    if (*start < nearest) {
      nearest = *start;
      bad = own;
    }
  }
  if (nearest != kNoState) report_cycle(nearest, bad);
}

void ProgressCheck::look_for_cycles() {
  const bool internal_only = property_ != Progress::kWaitFree;
  GraphVisitor visitor(graph_, internal_only);
  explore(visitor);
  more_bytes_ = graph_.bytes();
  if (decided_) return;
  if (visitor.stuck() != kNoState) {
    return report_stuck(visitor.stuck(), visitor.process(), true);
  }
  // What was explored may have a bad cycle even if it is not all.  But when
  // time or memory is spent, nothing more is begun.
  if (budget_.limit() != Limit::kNone || visitor.out_of_memory()) return;
  look_for_nearest_cycle();
}

void ProgressCheck::look_for_deadlocks() {
  DeadlockVisitor visitor;
  explore(visitor);
  more_bytes_ = visitor.bytes();
  if (!decided_ && visitor.stuck() != kNoState) {
    report_stuck(visitor.stuck(), visitor.process(), visitor.waits());
  }
}

Outcome ProgressCheck::run() {
  const auto start = Budget::Clock::now();
  if (property_ == Progress::kDeadlockFree) {
    look_for_deadlocks();
  } else {
    look_for_cycles();
  }
  if (!decided_) conclude(explorer_, outcome_);
  fill_bounds(explorer_, outcome_);
  const std::chrono::duration<double> taken = Budget::Clock::now() - start;
  fill_statistics(explorer_, more_bytes_, taken.count(), outcome_);
  return std::move(outcome_);
}

}  // namespace

// The whole graph is needed whatever Options::order says, and breadth-first
// gives the shortest ways into it.
Outcome check_progress(const Question& question, Progress property,
                       const Options& options, Budget& budget) {
  return ProgressCheck(question, property, options, budget).run();
}

}  // namespace plumb::verify
