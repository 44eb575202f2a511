// SPDX-License-Identifier: Apache-2.0
// Short ways to write labels, programs and questions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "lts/system.h"
#include "spec/catalogue.h"
#include "support/object_system.h"
#include "verify/outcome.h"

namespace plumb::testing {

inline Value number(std::int64_t n) {
  return Value::integer(n);
}

inline lts::Label label_of(lts::LabelKind kind, std::uint16_t process,
                           std::uint16_t operation, Value value,
                           std::uint32_t edge = 0) {
  lts::Label label;
  label.kind = kind;
  label.process = process;
  label.operation = operation;
  label.value = value;
  label.edge = edge;
  return label;
}
inline lts::Label invoke(std::uint16_t process, std::uint16_t operation,
                         Value argument = {}, std::uint32_t edge = 0) {
  return label_of(lts::LabelKind::kInvoke, process, operation, argument, edge);
}
inline lts::Label returns(std::uint16_t process, std::uint16_t operation,
                          Value result = {}, std::uint32_t edge = 0) {
  return label_of(lts::LabelKind::kReturn, process, operation, result, edge);
}
inline lts::Label internal(std::uint16_t process, std::uint32_t edge,
                           bool marked = false) {
  lts::Label label =
      label_of(lts::LabelKind::kInternal, process, 0, Value(), edge);
  label.marked = marked;
  return label;
}

inline Step act(Act act, bool marked = false) {
  return {.act = act, .marked = marked};
}

// A program whose every operation has the same steps.
inline ObjectProgram program_of(const std::string& object,
                                std::vector<spec::Call> calls,
                                const std::vector<Step>& steps,
                                std::size_t processes = 2,
                                std::size_t calls_each = 1) {
  ObjectProgram program;
  program.object = spec::make(object);
  program.calls = std::move(calls);
  program.steps.assign(program.object->operations().size(), steps);
  program.processes = processes;
  program.calls_each = calls_each;
  return program;
}

inline verify::Question question_of(const ObjectSystem& system) {
  verify::Question question{system, system.program().object.get(), {}, {}};
  question.smaller = [&system](std::size_t processes) {
    ObjectProgram smaller = system.program();
    smaller.processes = processes;
    auto out = std::make_shared<verify::Smaller>();
    out->system = std::make_shared<ObjectSystem>(smaller);
    return out;
  };
  return question;
}

inline verify::Outcome check(const verify::Question& question,
                             verify::Options options = {}) {
  Budget budget;
  return check_linearizable(question, options, budget);
}
inline verify::Outcome check(const verify::Question& question,
                             verify::Options::Method method) {
  verify::Options options;
  options.method = method;
  return check(question, options);
}

}  // namespace plumb::testing
