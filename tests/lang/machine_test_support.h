// SPDX-License-Identifier: Apache-2.0
// Compiles a model and walks through all its states, the simple way.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/input_error.h"
#include "lang/model.h"
#include "lang/parse.h"
#include "lts/system.h"
#include "report/trace.h"

namespace plumb::lang {

// A model with its tree; the first check unless told otherwise.
struct Compiled {
  std::unique_ptr<Module> module;
  Model model;
};

inline Compiled compiled(const std::string& text, std::size_t check = 0,
                         const Settings& settings = {}) {
  Reading reading = read_model("model.plumb", text);
  for (const InputError& error : reading.errors) {
    ADD_FAILURE() << error.describe();
  }
  Compiled made;
  made.module = std::move(reading.module);
  if (reading.errors.empty()) {
    made.model = compile(*made.module, made.module->checks.at(check), settings);
  }
  return made;
}

// What compile() says against the model; "" if it takes it.
inline std::string complaint(const std::string& text,
                             const Settings& settings = {}) {
  try {
    compiled(text, 0, settings);
  } catch (const InputError& error) {
    return error.describe();
  }
  return "";
}

struct Space {
  std::set<lts::StateBytes> states;
  std::size_t transitions = 0;
  std::set<std::string> faults;
  std::uint64_t waiting = 0, cut = 0;
  std::size_t stuck = 0;          // states without a way on
  std::set<std::string> results;  // "pop -> 1"
  std::set<std::string> calls;    // "0 push 1"
  std::set<std::uint32_t> edges;
};

inline Space explore(const lts::System& system) {
  Space space;
  std::deque<lts::StateBytes> open = {system.initial()};
  space.states.insert(system.initial());
  lts::Successors out;
  while (!open.empty()) {
    const lts::StateBytes state = open.front();
    open.pop_front();
    system.successors(state, out);
    space.transitions += out.size();
    space.waiting |= out.waiting;
    space.cut |= out.cut;
    if (out.size() == 0) ++space.stuck;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const lts::Label& label = out.label(i);
      const std::string& name = system.operations()[label.operation];
      if (label.kind == lts::LabelKind::kFault) {
        space.faults.insert(system.fault(label.fault));
        continue;
      }
      if (label.kind == lts::LabelKind::kReturn) {
        space.results.insert(name + " -> " + label.value.to_string());
      }
      if (label.kind == lts::LabelKind::kInvoke) {
        space.calls.insert(std::to_string(label.process) + " " + name + " " +
                           label.value.to_string());
      }
      space.edges.insert(label.edge);
      const lts::StateView to = out.state(i);
      lts::StateBytes next(to.begin(), to.end());
      if (space.states.insert(next).second) open.push_back(std::move(next));
    }
  }
  return space;
}

inline Space explore(const std::string& text, std::size_t check = 0) {
  const Compiled made = compiled(text, check);
  if (made.model.system == nullptr) return {};
  return explore(*made.model.system);
}

// The steps of the only process, always taking the first way, from its
// invocation to its return: kinds and statements.
inline std::vector<std::string> first_run(const lts::System& system) {
  std::vector<std::string> steps;
  lts::StateBytes state = system.initial();
  lts::Successors out;
  for (;;) {
    system.successors(state, out);
    if (out.size() == 0) return steps;
    const lts::StateView to = out.state(0);
    const lts::StateBytes next(to.begin(), to.end());
    const lts::StepText text = system.explain(state, out.label(0), next);
    std::string step = text.statement;
    for (const lts::Effect& effect : text.effects) {
      step += " | " + report::words_of(effect);
    }
    if (out.label(0).marked) step += " | marked";
    steps.push_back(step);
    if (out.label(0).kind == lts::LabelKind::kReturn ||
        out.label(0).kind == lts::LabelKind::kFault) {
      return steps;
    }
    state = next;
  }
}

inline std::vector<std::string> first_run(const std::string& text) {
  const Compiled made = compiled(text);
  if (made.model.system == nullptr) return {};
  return first_run(*made.model.system);
}

}  // namespace plumb::lang
