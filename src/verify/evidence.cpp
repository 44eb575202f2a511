// SPDX-License-Identifier: Apache-2.0
#include "verify/evidence.h"

#include <fmt/format.h>

#include <utility>

#include "verify/counterexample.h"
#include "verify/point_moves.h"
#include "verify/words.h"

namespace plumb::verify {

using check::Answer;

Outcome not_shortest(Outcome found) {
  found.details.push_back(
      "there may be a shorter run: this one was found with reductions");
  return found;
}

namespace {

// "'enq', 'deq'": what never returns.  (With tight calls, a call that cannot
// get on is none.)
std::string never_returning(const lts::System& system, const SetMoves& moves) {
  std::string names;
  for (std::size_t i = 0; i < system.operations().size() && i < 64; ++i) {
    if ((moves.returned() >> i & 1) != 0) continue;
    names += (names.empty() ? "'" : ", '") + system.operations()[i] + "'";
  }
  return names;
}

std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 40;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

}  // namespace

void add_never_returns(const lts::System& system, const SetMoves& moves,
                       Outcome& outcome) {
  if (outcome.answer != Answer::kHolds) return;
  const std::string names = never_returning(system, moves);
  if (names.empty()) return;
  if (!outcome.hint.empty()) outcome.hint += "; ";
  outcome.hint +=
      "no call of " + names + " ever returns, so that nothing was judged of it";
}

void add_growth(const lts::System& system, const SetMoves& moves,
                Outcome& outcome) {
  constexpr std::size_t kMany = 1'000, kTimes = 100;
  const SpecificationGraph& graph = moves.graph();
  if (outcome.answer != Answer::kUnknown || !outcome.hint.empty() ||
      graph.size() < kMany ||
      graph.size() < kTimes * outcome.statistics.states) {
    return;
  }
  const auto last = static_cast<AbstractId>(graph.size() - 1);
  outcome.hint = fmt::format(
      "the specification had {} states by then, the last of them {}, the "
      "object {}: is it one without a bound? Write 'queue(2)', say, or '3 "
      "operations'; with a --state-limit the search goes on",
      with_commas(graph.size()),
      shortened(graph.object().describe(graph.state_of(last))),
      with_commas(outcome.statistics.states));
  const std::string names = never_returning(system, moves);
  if (names.empty()) return;
  outcome.hint += "; no call of " + names + " has returned";
}

std::uint64_t pending_after(std::span<const lts::Label> labels) {
  std::uint64_t pending = 0;
  for (const lts::Label& label : labels) {
    const std::uint64_t bit = std::uint64_t{1} << label.process;
    if (label.kind == lts::LabelKind::kInvoke) pending |= bit;
    if (label.kind == lts::LabelKind::kReturn) pending &= ~bit;
  }
  return pending;
}

Outcome complete_outcome(const lts::System& system, std::uint64_t cut) {
  Outcome outcome;
  outcome.answer = Answer::kHolds;
  const auto bounds = system.bounds();
  for (std::size_t i = 0; i < bounds.size() && i < 64; ++i) {
    if ((cut >> i & 1) == 0) continue;
    outcome.bounds_met.push_back(bounds[i].text);
    if (bounds[i].by_user || outcome.answer == Answer::kUnknown) continue;
    outcome.answer = Answer::kUnknown;
    outcome.reason = "the bound of " + bounds[i].text + " was reached";
    outcome.hint = bounds[i].hint;
  }
  return outcome;
}

void add_busy(const Search& search, const Busy& busy, Outcome& outcome) {
  if ((search.cut() & explore::kCutByTags) == 0) return;
  const std::string text = fmt::format("{} operation{} in a busy period",
                                       busy.most, busy.most == 1 ? "" : "s");
  outcome.bounds_met.push_back(text);
  if (busy.by_user || outcome.answer != Answer::kHolds) return;
  outcome.answer = Answer::kUnknown;
  outcome.reason = "the bound of " + text + " was reached";
  outcome.hint =
      "write 'busy N' for a bound of your own, which is part of the verdict";
}

Outcome ended(const lts::System& system, const Search& search,
              Search::End end) {
  Outcome outcome;
  switch (end) {
    case Search::End::kComplete:
      outcome = complete_outcome(system, search.cut());
      if (outcome.answer == Answer::kHolds && !search.meaning().empty()) {
        outcome.answer = Answer::kUnknown;
        outcome.reason = search.meaning();
      }
      return outcome;
    case Search::End::kFault:
      return fault_outcome(system, search.path());
    case Search::End::kFound:
    case Search::End::kEmpty:
    case Search::End::kLimit:
    case Search::End::kTransitions:
    case Search::End::kStopped:
      break;
  }
  outcome.reason = search.limit();
  return outcome;
}

void require_run(const lts::Path& path, const lts::System& system) {
  if (!lts::is_run_of(path, system)) {
    fail("a counterexample is no run of the system");
  }
}

namespace {

// "'push' of process 1 returns 2, but gives 1 at its mark".
std::string what_marks_say(const Question& question, const lts::Path& path,
                           SpecificationGraph& graph) {
  Configurations configurations(graph, question.system.processes());
  const Policy policy{.marks = true, .effects = {}};
  PointMoves moves(configurations, policy);
  SetId set = moves.initial();
  for (std::size_t i = 0; i + 1 < path.labels.size(); ++i) {
    set = moves.after(set, path.labels[i]);
  }
  const lts::Label& last = path.labels.back();
  const std::string call =
      fmt::format("'{}' of process {}",
                  question.system.operations()[last.operation], last.process);
  std::string given;
  for (const ConfigurationId c : moves.sets()[set]) {
    const Status status = configurations.status(c, last.process);
    if (!status.is_done()) {
      return call + " returns, but has not taken effect at a mark";
    }
    if (!given.empty()) given += " or ";
    given += graph.result_value(status.result()).to_string();
  }
  return fmt::format("{} returns {}, but gives {} at its mark", call,
                     graph.observed(last).to_string(), given);
}

}  // namespace

Outcome fault_outcome(const lts::System& system, const lts::Path& path) {
  const std::uint16_t fault = path.labels.back().fault;
  Outcome outcome;
  outcome.answer = Answer::kViolated;
  outcome.reason = system.fault(fault);
  outcome.path =
      with_fewer_switches(path, system, [](const lts::Path&) { return true; });
  require_run(*outcome.path, system);
  return outcome;
}

Outcome violation_outcome(const Question& question, const lts::Path& path,
                          const SpecificationGraph& graph) {
  Budget unlimited;
  const auto refuted = [&](const lts::Path& run) {
    return judge(history_of(run, graph), *question.specification, unlimited,
                 question.order) == Answer::kViolated;
  };
  Outcome outcome;
  outcome.path = with_fewer_switches(path, question.system, refuted);
  require_run(*outcome.path, question.system);
  outcome.history = history_of(*outcome.path, graph);
  const Answer answer = judge(*outcome.history, *question.specification,
                              unlimited, question.order);
  if (answer == Answer::kHolds) {
    fail("a counterexample has calls that can be put into an order");
  }
  outcome.answer = answer;  // unknown: interrupted
  outcome.reason = answer == Answer::kViolated
                       ? "no order of the calls explains them"
                       : unlimited.describe_limit();
  return outcome;
}

Outcome marks_outcome(const Question& question, const lts::Path& path,
                      SpecificationGraph& graph) {
  Outcome outcome;
  outcome.answer = Answer::kViolated;
  outcome.reason = what_marks_say(question, path, graph);
  outcome.hint =
      "the marks may be wrong: the calls of this run can be put into an "
      "order; a check of 'linearizable' without 'at marks' decides";
  outcome.path = path;
  require_run(path, question.system);
  return outcome;
}

}  // namespace plumb::verify
