// SPDX-License-Identifier: Apache-2.0
#include "explore/write_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/escaped_text.h"

namespace plumb::explore {
namespace {

using lts::Label;
using lts::LabelKind;

// Text on its way to a stream, in large pieces.
class Output {
 public:
  explicit Output(std::ostream& out) : out_(out) {}
  ~Output() { flush(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  template <typename... Arguments>
  void print(fmt::format_string<Arguments...> format,
             Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format,
                   std::forward<Arguments>(arguments)...);
    if (text_.size() >= kPiece) flush();
  }

 private:
  static constexpr std::size_t kPiece = 1 << 16;

  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  std::ostream& out_;
  fmt::memory_buffer text_;
};

// Calls `use(from, label, to)` for all transitions from states below `states`
// to such states; `to` is kNoState for faults.
template <typename Use>
Written for_each_transition(const Reached& reached, std::uint64_t states,
                            Budget& budget, Use use) {
  Written written;
  written.states = states;
  lts::Successors out;
  for (std::uint64_t at = 0; at < states; ++at) {
    if (budget.spent()) {
      written.finished = false;
      return written;
    }
    const auto from = static_cast<StateId>(at);
    reached.system.successors(reached.states[from], out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Label& label = out.label(i);
      const bool is_fault = label.kind == LabelKind::kFault;
      const StateId to =
          is_fault ? kNoState : reached.states.find(out.state(i));
      if (!is_fault && to >= states) {
        ++written.left_out;
        continue;
      }
      ++written.transitions;
      use(from, label, to);
    }
  }
  return written;
}

// Nothing can be escaped inside the quotes of .aut, and no reader expects
// line ends there.
std::string without_quotes(std::string text) {
  std::ranges::replace(text, '"', '\'');
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// At most `characters` of it; a character of several bytes is not cut.
std::string shortened(std::string text, std::size_t characters) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool starts = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (starts && ++count > characters) return text.substr(0, at) + "...";
  }
  return text;
}

std::string state_text(const Reached& reached, StateId state,
                       std::size_t characters) {
  std::string text = fmt::format("{}", state);
  for (const auto& variable : reached.system.describe(reached.states[state])) {
    text += fmt::format("\n{} = {}", variable.name, variable.value);
  }
  return with_escapes(shortened(std::move(text), characters));
}

// Its name, as people write it: a text has no quotes around it.
std::string event_text(const Label& label) {
  return label.value.is_text() ? std::string(label.value.as_text())
                               : label.value.to_string();
}

std::string step_text(const lts::System& system, const Label& label) {
  if (label.kind == LabelKind::kInternal) {
    const lts::Edge edge = system.edge(label.edge);
    std::string text = fmt::format("{}: ", label.process);
    if (edge.line != 0) text += fmt::format("line {}, ", edge.line);
    text += edge.statement;
    if (!edge.outcome.empty()) text += ", " + edge.outcome;
    return with_escapes(text);
  }
  const std::string value =
      label.value.is_null() ? "" : label.value.to_string();
  switch (label.kind) {
    case LabelKind::kEvent:
    case LabelKind::kTerminate:
      return with_escapes(label_text(system, label));
    case LabelKind::kInvoke:
      return with_escapes(fmt::format("{}: {}({})", label.process,
                                      system.operations()[label.operation],
                                      value));
    case LabelKind::kReturn:
      return with_escapes(fmt::format("{}: return {}", label.process, value));
    default:
      return with_escapes(
          fmt::format("{}: {}", label.process, system.fault(label.fault)));
  }
}

}  // namespace

std::string label_text(const lts::System& system, const Label& label) {
  if (label.kind == LabelKind::kTerminate) return "terminate";
  if (label.kind == LabelKind::kEvent) return event_text(label);
  if (label.kind == LabelKind::kFault) {
    return fmt::format("fault.{}.{}", label.process, system.fault(label.fault));
  }
  std::string text = fmt::format(
      "{}_{}.{}", system.operations()[label.operation],
      label.kind == LabelKind::kInvoke ? "inv" : "ret", label.process);
  if (!label.value.is_null()) text += "." + label.value.to_string();
  return text;
}

Reached::Reached(const lts::System& of, std::uint64_t limit, Budget& budget)
    : system(of),
      states({.limit = limit == 0 || limit > kNoState
                           ? kNoState
                           : static_cast<StateId>(limit),
              .has_entries = false}) {
  states.insert(system.initial());
  lts::Successors out;
  for (StateId from = 0; from < states.size(); ++from) {
    if (budget.spent()) {
      why_not_all = budget.describe_limit();
      return;
    }
    system.successors(states[from], out);
    transitions += out.size();
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (out.label(i).kind == LabelKind::kFault) {
        ++faults;
      } else if (states.insert(out.state(i)).id == kNoState) {
        why_not_all =
            states.size() == limit
                ? fmt::format("the limit of {} states was reached", limit)
                : states.why_full();
        return;
      }
    }
  }
}

Written write_aut(const Reached& reached, std::ostream& out, Budget& budget,
                  const AutOptions& options) {
  const std::uint64_t states = reached.states.size();
  // The first line says how many transitions there are.
  std::uint64_t transitions = reached.transitions;
  bool has_faults = reached.faults != 0;
  if (!reached.why_not_all.empty()) {
    const Written counted =
        for_each_transition(reached, states, budget,
                            [&has_faults](StateId, const Label&, StateId to) {
                              has_faults |= to == kNoState;
                            });
    if (!counted.finished) return counted;
    transitions = counted.transitions;
  }
  Output output(out);
  output.print("des (0, {}, {})\n", transitions, states + (has_faults ? 1 : 0));
  return for_each_transition(
      reached, states, budget,
      [&](StateId from, const Label& label, StateId to) {
        const std::uint64_t target = to == kNoState ? states : to;
        if (label.kind == LabelKind::kInternal) {
          output.print("({}, {}, {})\n", from, options.internal, target);
        } else {
          output.print("({}, \"{}\", {})\n", from,
                       without_quotes(label_text(reached.system, label)),
                       target);
        }
      });
}

Written write_dot(const Reached& reached, std::ostream& out, Budget& budget,
                  const DotOptions& options) {
  const std::uint64_t all = reached.states.size();
  const std::uint64_t states = std::min(all, options.states);
  Output output(out);
  output.print("digraph states {{\n  node [shape=box];\n");
  for (std::uint64_t at = 0; at < states; ++at) {
    const auto state = static_cast<StateId>(at);
    output.print("  {} [label=\"{}\"{}];\n", state,
                 state_text(reached, state, options.characters),
                 at == 0 ? ", peripheries=2" : "");
  }
  std::uint64_t faults = 0;
  const Written written = for_each_transition(
      reached, states, budget,
      [&](StateId from, const Label& label, StateId to) {
        const std::string text = step_text(reached.system, label);
        if (to == kNoState) {
          output.print("  fault{} [label=\"fault\", shape=octagon];\n", faults);
          output.print("  {} -> fault{} [label=\"{}\"];\n", from, faults++,
                       text);
        } else {
          output.print("  {} -> {} [label=\"{}\"];\n", from, to, text);
        }
      });
  if (states < all) {
    output.print(
        "  more [label=\"{} more states are not shown\", "
        "shape=plaintext];\n",
        all - states);
  }
  output.print("}}\n");
  return written;
}

}  // namespace plumb::explore
