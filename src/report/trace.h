// SPDX-License-Identifier: Apache-2.0
// A run of a model as plain data: what a counterexample shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/value.h"
#include "lts/path.h"
#include "lts/system.h"
#include "report/cell_names.h"

namespace plumb::report {

struct TraceStep {
  lts::LabelKind kind = lts::LabelKind::kInternal;
  bool marked = false;
  std::size_t process = 0;
  std::string operation;
  Value value;
  std::size_t line = 0;   // 0: there is none
  std::string statement;  // "Node t = top;"
  std::vector<lts::Effect> effects;
  std::string fault;                 // kFault: what went wrong
  std::vector<lts::Variable> state;  // after the step
};

struct Trace {
  // Which check of which model: enough to walk it again.
  std::string file;
  std::size_t line = 0;  // 0: the check came from the command line
  std::string check;     // "treiber linearizable with 2 processes, values 1"
  std::map<std::string, std::int64_t> constants;  // --set

  std::string reason;
  std::size_t processes = 0;
  std::vector<lts::Variable> initial;
  std::vector<TraceStep> steps;

  // A lasso: after the last step it goes on for ever from the state in front
  // of step `back_to` (0-based); steps.size() means that nothing happens any
  // more.
  std::optional<std::size_t> back_to;
  std::optional<std::size_t> stuck;  // who makes no progress
  // Who waits for ever; nothing if nobody in particular.
  std::optional<std::size_t> waiting;
};

// "read top = #1", "top: null -> #1", "#2: freed".
std::string words_of(const lts::Effect& effect);
// All of a step, with commas between.
std::string words_of(const std::vector<lts::Effect>& effects);

// The variables of a state, each with a name of its own.
std::vector<lts::Variable> describe_state(const lts::System& system,
                                          lts::StateView state,
                                          CellNames& names);

// How a step reads, given what cells are called before it; afterwards, `names`
// is that of the state after it.
TraceStep describe_step(const lts::System& system, lts::StateView before,
                        const lts::Label& label, lts::StateView after,
                        CellNames& names);

// Fills `initial`, `processes`, `steps` and, for a lasso, its last three
// fields.
void describe_path(const lts::System& system, const lts::Path& path,
                   Trace& trace);
void describe_lasso(const lts::System& system, const lts::Lasso& lasso,
                    Trace& trace);

}  // namespace plumb::report
