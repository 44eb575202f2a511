// SPDX-License-Identifier: Apache-2.0
// The graph of a small CSP# model, written out, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "csp/model.h"
#include "csp/read.h"
#include "lts/system.h"

namespace plumb::csp {

inline std::shared_ptr<const Module> module_of(const std::string& text) {
  ReadResult read = read_module("small.csp", text, {});
  for (const InputError& error : read.errors) {
    ADD_FAILURE() << error.describe();
  }
  return read.module;
}

// P(arguments), for the process of that name.
inline Process reference_to(const Module& module, const std::string& name) {
  Process reference;
  reference.kind = ProcessKind::kReference;
  for (std::size_t i = 0; i < module.processes.size(); ++i) {
    if (module.processes[i].name == name) {
      reference.number = static_cast<std::uint32_t>(i);
      return reference;
    }
  }
  ADD_FAILURE() << "no process " << name;
  return reference;
}

// "0 a.1 2": from state 0 to state 2, by the event a.1; states are numbered
// breadth-first.  Internal steps by what is shown for them, "tick" is
// termination; a fault has no state behind it.
struct SmallGraph {
  std::vector<std::string> lines;
  std::vector<lts::StateBytes> states;
  std::size_t transitions = 0;
  std::size_t stuck = 0;  // states without a step
  bool cut = false;       // there is more

  // All labels of steps from a state.
  std::vector<std::string> labels(std::size_t from) const {
    std::vector<std::string> found;
    const std::string begin = std::to_string(from) + " ";
    for (const std::string& line : lines) {
      if (line.compare(0, begin.size(), begin) != 0) continue;
      found.push_back(
          line.substr(begin.size(), line.rfind(' ') - begin.size()));
    }
    return found;
  }
};

inline std::string text_of_label(const lts::System& system,
                                 const lts::Label& label) {
  switch (label.kind) {
    case lts::LabelKind::kEvent:
      return std::string(label.value.as_text());
    case lts::LabelKind::kTerminate:
      return "tick";
    case lts::LabelKind::kFault:
      return "fault: " + system.fault(label.fault);
    default:
      return system.edge(label.edge).statement;
  }
}

inline SmallGraph graph_of(const lts::System& system,
                           std::size_t most = 100'000) {
  SmallGraph graph;
  std::map<lts::StateBytes, std::size_t> numbers;
  const auto number = [&](lts::StateView state) {
    lts::StateBytes bytes(state.begin(), state.end());
    const auto [found, is_new] = numbers.emplace(bytes, numbers.size());
    if (is_new) graph.states.push_back(std::move(bytes));
    return found->second;
  };
  number(system.initial());
  lts::Successors out;
  for (std::size_t i = 0; i < graph.states.size(); ++i) {
    graph.cut = graph.states.size() > most;
    if (graph.cut) break;
    system.successors(lts::StateBytes(graph.states[i]), out);
    graph.transitions += out.size();
    if (out.size() == 0) ++graph.stuck;
    for (std::size_t j = 0; j < out.size(); ++j) {
      std::string line =
          std::to_string(i) + " " + text_of_label(system, out.label(j));
      if (out.label(j).kind != lts::LabelKind::kFault) {
        line += " " + std::to_string(number(out.state(j)));
      } else {
        line += " -";
      }
      graph.lines.push_back(std::move(line));
    }
  }
  return graph;
}

// Of the process P of the model.
inline SmallGraph graph_of(const std::string& text,
                           const ModelOptions& options = {}) {
  const std::shared_ptr<const Module> module = module_of(text);
  if (module == nullptr) return {};
  const Model model(module, options);
  return graph_of(*model.system(reference_to(*module, "P")));
}

using Lines = std::vector<std::string>;

}  // namespace plumb::csp
