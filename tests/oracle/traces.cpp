// SPDX-License-Identifier: Apache-2.0
#include "oracle/traces.h"

#include <deque>
#include <map>
#include <set>
#include <utility>

#include "check/condition.h"
#include "history/history.h"
#include "oracle/definition.h"

namespace plumb::oracle {
namespace {

using lts::LabelKind;

struct Event {
  LabelKind kind;
  std::uint16_t process, operation;
  std::uint64_t value;

  friend auto operator<=>(const Event&, const Event&) = default;
};
using Trace = std::vector<Event>;

history::History to_history(const Trace& trace,
                            const spec::Specification& object) {
  history::History history;
  std::map<std::uint16_t, std::size_t> last;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const Event& event = trace[i];
    const auto now = static_cast<history::Moment>(i);
    if (event.kind == LabelKind::kInvoke) {
      last[event.process] = history.operations.size();
      history::Operation operation;
      operation.argument = Value::from_word(event.value);
      operation.invoked = now;
      operation.process = event.process;
      operation.code = event.operation;
      history.operations.push_back(operation);
    } else {
      history::Operation& operation = history.operations[last[event.process]];
      operation.returned = now;
      const auto kind = object.operations()[operation.code].result;
      if (kind != spec::Result::kNone) {
        operation.result = Value::from_word(event.value);
      }
    }
    while (history.processes.size() <= event.process) {
      history.processes.push_back(
          Value::integer(static_cast<std::int64_t>(history.processes.size())));
    }
  }
  return history;
}

struct Node {
  lts::StateBytes state;
  Trace trace;
  std::size_t steps = 0;
};

}  // namespace

TraceVerdict check_traces(const lts::System& system,
                          const spec::Specification& object,
                          const TraceLimits& limits) {
  return check_traces(system, object, limits,
                      [&](const history::History& history) {
                        return holds(history, object, check::Condition{});
                      });
}

TraceVerdict check_traces(const lts::System& system,
                          const spec::Specification& object,
                          const TraceLimits& limits, const Judge& judge) {
  TraceVerdict verdict;
  std::set<std::pair<lts::StateBytes, Trace>> seen;
  std::map<Trace, bool> judged;
  std::deque<Node> queue = {{system.initial(), {}, 0}};
  seen.insert({queue.front().state, {}});
  lts::Successors successors;
  for (; !queue.empty(); queue.pop_front()) {
    const Node& node = queue.front();
    system.successors(node.state, successors);
    for (std::size_t i = 0; i < successors.size(); ++i) {
      const lts::Label& label = successors.label(i);
      const lts::StateView bytes = successors.state(i);
      Node next{{bytes.begin(), bytes.end()}, node.trace, node.steps + 1};
      if (label.kind == LabelKind::kFault) {
        verdict.violated = next.steps;
        return verdict;
      }
      if (label.kind != LabelKind::kInternal) {
        next.trace.push_back(
            {label.kind, label.process, label.operation, label.value.word()});
        const auto [entry, is_new] = judged.try_emplace(next.trace, false);
        if (is_new) {
          entry->second = judge(to_history(next.trace, object));
        }
        if (!entry->second) {
          verdict.violated = next.steps;
          return verdict;
        }
      }
      const bool full = seen.size() > limits.nodes;
      if (full) verdict.whole = false;
      if (next.trace.size() > limits.events || full) {
        verdict.complete = false;
      } else if (seen.insert({next.state, next.trace}).second) {
        queue.push_back(std::move(next));
      }
    }
  }
  return verdict;
}

}  // namespace plumb::oracle
