// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "assertions/assertions.h"
#include "assertions/atoms.h"
#include "assertions/fair_components.h"
#include "assertions/fair_loop.h"
#include "assertions/pass.h"
#include "assertions/product.h"
#include "assertions/reading_system.h"
#include "assertions/run_graph.h"
#include "assertions/thresholds.h"
#include "ltl/automaton.h"
#include "verify/words.h"

namespace plumb::assertions {
namespace {

using check::Answer;
using explore::StateId;

constexpr const char* kReason = "a run does not satisfy the formula";

// Searches for a prefix that no run can continue to a good one: breadth-first,
// so that it is a shortest one.  Fairness does not matter, since each finite
// run can go on fairly.
class PrefixSearch : public explore::Visitor {
 public:
  PrefixSearch(const lts::System& system, const Temporal& temporal,
               const ltl::Automaton& automaton, const Options& options,
               Budget& budget)
      : system_(system),
        temporal_(temporal),
        atoms_(temporal.atoms),
        reading_(system, automaton, atoms_),
        explorer_(reading_, search_options(false, options), budget) {}

  bool on_transition(StateId, const lts::Label&, StateId to, bool is_new) {
    if (!is_new || !reading_.is_decided(explorer_.state(to))) return true;
    found_ = to;
    return false;
  }

  Outcome run() {
    const auto start = Budget::Clock::now();
    Outcome outcome;
    verify::StopAtFault<PrefixSearch> stop(*this);
    explorer_.run(stop);
    if (found_ != explore::kNoState) {
      report(outcome);
    } else if (stop.found_fault()) {
      report_model_fault(system_, reading_.project(stop.path(explorer_)).path,
                         outcome);
    } else {
      verify::conclude(explorer_, outcome);
    }
    verify::fill_bounds(explorer_, outcome);
    const std::chrono::duration<double> taken = Budget::Clock::now() - start;
    verify::fill_statistics(explorer_, 0, taken.count(), outcome);
    outcome.statistics.pairs = outcome.statistics.states;
    outcome.statistics.method = "bad prefixes";
    return outcome;
  }

 private:
  // Whatever follows the prefix, the formula is false; here its last state is
  // taken to go on for ever.
  void report(Outcome& outcome) {
    auto [path, stays] = reading_.project(explorer_.path_to(found_));
    lts::Lasso lasso{path, path.size()};
    ltl::Word word = atoms_.word_of(lasso);
    if (stays == 0) word.letters.pop_back();
    word.loop_to = word.letters.size() - 1;
    if (!lts::is_run_of(path, system_) ||
        ltl::holds_on(*temporal_.formula, word)) {
      verify::fail("a run satisfies the formula that it was to refute");
    }
    outcome.answer = Answer::kViolated;
    outcome.reason = kReason;
    if (stays == 0) {
      outcome.path = std::move(path);
    } else {
      outcome.lasso = std::move(lasso);
    }
  }

  const lts::System& system_;
  const Temporal& temporal_;
  const Atoms atoms_;
  const ReadingSystem reading_;
  explore::Explorer explorer_;
  StateId found_ = explore::kNoState;
};

// Builds the graph of the system, and searches it for components in which a
// fair run is accepted, now and then and at the end.
class CycleSearch : public explore::Visitor {
 public:
  CycleSearch(const lts::System& system, const Temporal& temporal,
              const ltl::Automaton& automaton, const Options& options,
              Budget& budget)
      : system_(system),
        temporal_(temporal),
        automaton_(automaton),
        budget_(budget),
        atoms_(temporal.atoms),
        pass_(system, false, options, budget),
        graph_(pass_.explorer(), atoms_),
        parties_(system, temporal.fairness) {}

  bool on_state(StateId from, const lts::Successors& out) {
    if (thresholds_.passed(from) && (!look() || found_)) return false;
    return graph_.add_state(from, out);
  }
  bool on_transition(StateId, const lts::Label& label, StateId to,
                     bool is_new) {
    return graph_.add_step(label, to, is_new);
  }

  Outcome run() {
    const bool no_fault = pass_.run(*this);
    // What was explored may have a bad cycle even if it is not all.  But when
    // time or memory is spent, nothing more is begun.
    const bool may_go_on =
        budget_.limit() == Limit::kNone && !graph_.out_of_memory();
    if (!found_ && may_go_on && !look() && no_fault) {
      pass_.give_up(budget_.limit() != Limit::kNone
                        ? budget_.describe_limit()
                        : "there is no more memory");
    }
    Outcome outcome = pass_.finish(graph_.bytes() + bytes_, "components");
    outcome.statistics.pairs = pairs_;
    return outcome;
  }

 private:
  // Returns false if the budget or memory is spent.
  bool look() {
    Product product(graph_, automaton_);
    if (!product.build(budget_)) return false;
    pairs_ = product.size();
    bytes_ = product.bytes();
    FairComponents components(product, parties_, temporal_.fairness);
    if (!components.find(budget_)) return false;
    found_ = !components.nearest().empty();
    if (found_) report(product, components.nearest());
    return true;
  }

  void report(const Product& product,
              const std::vector<Product::NodeId>& component) {
    const FairLoop loop =
        fair_loop(product, parties_, temporal_.fairness, component);
    lts::Lasso lasso;
    lasso.path.states.push_back(system_.initial());
    extend(lasso.path, product, product.way_to(component[0]));
    lasso.back_to = lasso.path.size();
    extend(lasso.path, product, loop.steps);
    fold(lasso);
    if (ltl::holds_on(*temporal_.formula, atoms_.word_of(lasso))) {
      verify::fail("a run satisfies the formula that it was to refute");
    }
    if (!loop.is_partial && !is_fair(lasso, system_, temporal_.fairness)) {
      verify::fail("a run that was to be fair is not");
    }
    const bool is_known = actors_are_known(product, component);
    if (loop.is_partial) {
      pass_.outcome().details.push_back(fmt::format(
          "a fair run goes on through all of {} states, not just this cycle",
          component.size()));
    }
    pass_.decide(is_known ? Answer::kViolated : Answer::kUnknown,
                 is_known ? kReason
                          : "it is not known who takes part in some steps, so "
                            "that a run may or may not be fair",
                 std::move(lasso));
  }

  void extend(lts::Path& path, const Product& product,
              const std::vector<Product::Step>& steps) const {
    for (const Product::Step& step : steps) {
      if (step.step == Product::kStays) continue;
      const lts::StateView state =
          pass_.explorer().state(product.state(step.target));
      path.labels.push_back(graph_.label(step.step));
      path.states.emplace_back(state.begin(), state.end());
    }
  }

  // Takes steps off the end as long as the run stays the same: the automaton
  // may have waited for the second time around.
  static void fold(lts::Lasso& lasso) {
    lts::Path& path = lasso.path;
    std::size_t& start = lasso.back_to;
    while (start > 0 && start < path.size() &&
           path.labels[start - 1] == path.labels.back() &&
           path.states[start - 1] == path.states[path.size() - 1]) {
      path.labels.pop_back();
      path.states.pop_back();
      --start;
    }
  }

  bool actors_are_known(const Product& product,
                        const std::vector<Product::NodeId>& component) const {
    if (!is_of_processes(temporal_.fairness)) return true;
    for (const Product::NodeId node : component) {
      const StateId state = product.state(node);
      for (auto i = graph_.row_begin(state); i < graph_.row_end(state); ++i) {
        const lts::Label& label = graph_.label(i);
        if (label.kind != lts::LabelKind::kTerminate &&
            system_.actors(label) == 0) {
          return false;
        }
      }
    }
    return true;
  }

  const lts::System& system_;
  const Temporal& temporal_;
  const ltl::Automaton& automaton_;
  Budget& budget_;
  const Atoms atoms_;
  Pass pass_;
  RunGraph graph_;
  Parties parties_;
  Thresholds thresholds_;
  bool found_ = false;
  std::uint64_t pairs_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

// [VardiWolper86]: is there a run that an automaton for the negation accepts?
Outcome satisfies(const lts::System& system, const Temporal& temporal,
                  const Options& options, Budget& budget) {
  const auto automaton = ltl::translate(*temporal.formula, true, budget);
  Outcome outcome;
  if (!automaton) {
    outcome.reason = budget.describe_limit();
    return outcome;
  }
  if (automaton->is_empty()) {
    outcome.answer = Answer::kHolds;
    outcome.statistics.method = "the formula is always true";
    return outcome;
  }
  if (automaton->is_decided_by_prefixes()) {
    return PrefixSearch(system, temporal, *automaton, options, budget).run();
  }
  return CycleSearch(system, temporal, *automaton, options, budget).run();
}

}  // namespace plumb::assertions
