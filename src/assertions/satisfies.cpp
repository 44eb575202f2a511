// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
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

// A prefix that no run can continue to a good one.
class BadPrefix final : public explore::Watch {
 public:
  explicit BadPrefix(const ReadingSystem& reading) : reading_(reading) {}
  bool is_goal(lts::StateView state, explore::Tag) const override {
    return reading_.is_decided(state);
  }

 private:
  const ReadingSystem& reading_;
};

// Searches breadth-first, so that it is a shortest one.  Fairness does not
// matter, since each finite run can go on fairly.
class PrefixSearch {
 public:
  PrefixSearch(const lts::System& system, const Temporal& temporal,
               const ltl::Automaton& automaton, const Options& options,
               Budget& budget)
      : system_(system),
        temporal_(temporal),
        atoms_(temporal.atoms),
        reading_(system, automaton, atoms_),
        bad_(reading_),
        pass_(reading_, {nothing_, &bad_}, options, budget) {}

  Outcome run() {
    const Pass::End end = pass_.run();
    Outcome outcome = pass_.finish(0, "bad prefixes");
    outcome.statistics.pairs = outcome.statistics.states;
    if (end == Pass::End::kFound) {
      report(outcome);
    } else if (end == Pass::End::kFault) {
      report_model_fault(system_, reading_.project(*outcome.path).path,
                         outcome);
    }
    return outcome;
  }

 private:
  // Whatever follows the prefix, the formula is false; here its last state is
  // taken to go on for ever.
  void report(Outcome& outcome) {
    auto [path, stays] = reading_.project(pass_.search().path());
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
  const BadPrefix bad_;
  explore::NoTags nothing_;
  Pass pass_;
};

// Builds the graph of the system, and searches it for components in which a
// fair run is accepted, now and then and at the end.
class CycleSearch {
 public:
  CycleSearch(const lts::System& system, const Temporal& temporal,
              const ltl::Automaton& automaton, const Options& options,
              Budget& budget)
      : system_(system),
        temporal_(temporal),
        automaton_(automaton),
        budget_(budget),
        atoms_(temporal.atoms),
        rows_(std::max<std::size_t>(options.threads, 1), 0),
        pass_(system, {nothing_, &steps_, &rows_, [this] { return pause(); }},
              options, budget),
        parties_(system, temporal.fairness) {}

  Outcome run() {
    const bool no_fault = pass_.run() != Pass::End::kFault;
    // What was explored may have a bad cycle even if it is not all.  But when
    // time or memory is spent, nothing more is begun.
    const bool may_go_on = !found_ && budget_.limit() == Limit::kNone;
    if (may_go_on && !look() && no_fault) {
      pass_.give_up(budget_.limit() != Limit::kNone
                        ? budget_.describe_limit()
                        : "there is no more memory");
    }
    Outcome outcome = pass_.finish(rows_.bytes() + bytes_, "components");
    outcome.statistics.pairs = pairs_;
    return outcome;
  }

 private:
  bool pause() {
    const std::size_t states = pass_.pairs().pairs().states().size();
    return !thresholds_.passed(states) || (look() && !found_);
  }
  // Returns false if the budget or memory is spent.
  bool look() {
    rows_.finish();
    RunGraph graph(atoms_);
    if (!graph.build(pass_, rows_, steps_)) return false;
    Product product(graph, automaton_);
    if (!product.build(budget_)) return false;
    pairs_ = product.size();
    bytes_ = graph.bytes() + product.bytes();
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
      const lts::StateView state = pass_.state(product.state(step.target));
      path.labels.push_back(product.graph().label(step.step));
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
    const RunGraph& graph = product.graph();
    for (const Product::NodeId node : component) {
      const StateId state = product.state(node);
      for (auto i = graph.row_begin(state); i < graph.row_end(state); ++i) {
        const lts::Label& label = graph.label(i);
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
  explore::NoTags nothing_;
  const RunSteps steps_;
  explore::Rows rows_;
  Pass pass_;
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
  Options breadth_first = options;
  breadth_first.order = Options::Order::kBreadthFirst;
  if (automaton->is_decided_by_prefixes()) {
    return PrefixSearch(system, temporal, *automaton, breadth_first, budget)
        .run();
  }
  return CycleSearch(system, temporal, *automaton, breadth_first, budget).run();
}

}  // namespace plumb::assertions
