// SPDX-License-Identifier: Apache-2.0
#include "support/all_histories.h"

#include <array>
#include <optional>
#include <tuple>
#include <utility>

namespace plumb::testing {
namespace {

using history::History;
using history::kNever;
using history::Moment;
using history::Operation;

const Value kOne = Value::integer(1);
const Value kTwo = Value::integer(2);

std::vector<Value> arguments_of(const spec::Signature& signature) {
  if (signature.argument == spec::Argument::kNone) return {Value()};
  if (signature.argument != spec::Argument::kPair) return {kOne, kTwo};
  std::vector<Value> pairs;
  for (const Value first : {Value(), kOne, kTwo}) {
    for (const Value second : {kOne, kTwo}) {
      pairs.push_back(Value::list(std::array{first, second}));
    }
  }
  return pairs;
}

std::vector<Value> results_of(const spec::Signature& signature) {
  switch (signature.result) {
    case spec::Result::kNone:
      return {Value()};
    case spec::Result::kValue:
      return {Value(), kOne, kTwo};
    case spec::Result::kBoolean:
    case spec::Result::kSuccess:
      return {Value::boolean(false), Value::boolean(true)};
    case spec::Result::kInteger:
      return {Value::integer(0), kOne, kTwo};
  }
  return {};
}

// The first of 1 and 2 that `value` mentions.
std::optional<Value> first_mentioned(Value value) {
  if (value == kOne || value == kTwo) return value;
  if (!value.is_list()) return std::nullopt;
  for (const Value item : value.items()) {
    if (const auto found = first_mentioned(item)) return found;
  }
  return std::nullopt;
}

class Generator {
 public:
  Generator(std::uint32_t operations, std::uint32_t processes,
            const std::vector<Choice>& choices,
            const std::function<void(const History&)>& visit)
      : operations_(operations),
        processes_(processes),
        choices_(choices),
        visit_(visit) {}

  void extend(bool mentioned) {
    if (history_.size() == operations_) visit_(history_);
    const auto used = static_cast<std::uint32_t>(running_.size());
    for (std::uint32_t process = 0; process < used; ++process) {
      if (running_[process]) {
        add_return(process, mentioned);
      } else {
        add_invocation(process, mentioned);
      }
    }
    if (used < processes_) add_new_process(mentioned);
  }

 private:
  struct Running {
    std::size_t index;
    const Choice* choice;
  };

  // Would the same kind of event of these processes be out of order?
  bool is_out_of_order(bool is_return, std::uint32_t process) const {
    return last_ && last_is_return_ == is_return && process < *last_;
  }

  // Whether 1 or 2 is mentioned after `value`; nothing if 2 comes first.
  static std::optional<bool> mention(bool mentioned, Value value) {
    const auto first = first_mentioned(value);
    if (!mentioned && first == kTwo) return std::nullopt;
    return mentioned || first.has_value();
  }

  void add_new_process(bool mentioned) {
    running_.emplace_back();
    history_.processes.push_back(
        Value::integer(static_cast<std::int64_t>(history_.processes.size())));
    add_invocation(static_cast<std::uint32_t>(running_.size() - 1), mentioned);
    history_.processes.pop_back();
    running_.pop_back();
  }

  void add_invocation(std::uint32_t process, bool mentioned) {
    if (history_.size() == operations_) return;
    if (is_out_of_order(false, process)) return;
    const auto saved = std::pair(last_, last_is_return_);
    last_ = process;
    last_is_return_ = false;
    for (const Choice& choice : choices_) {
      const auto now = mention(mentioned, choice.call.argument);
      if (!now) continue;
      Operation operation;
      operation.code = choice.call.code;
      operation.argument = choice.call.argument;
      operation.process = process;
      operation.invoked = clock_++;
      running_[process] = Running{history_.size(), &choice};
      history_.operations.push_back(operation);
      extend(*now);
      history_.operations.pop_back();
      running_[process].reset();
      --clock_;
    }
    std::tie(last_, last_is_return_) = saved;
  }

  void add_return(std::uint32_t process, bool mentioned) {
    if (is_out_of_order(true, process)) return;
    const auto saved = std::pair(last_, last_is_return_);
    last_ = process;
    last_is_return_ = true;
    const Running call = *running_[process];
    running_[process].reset();
    for (const Value result : call.choice->results) {
      const auto now = mention(mentioned, result);
      if (!now) continue;
      history_.operations[call.index].returned = clock_++;
      history_.operations[call.index].result = result;
      extend(*now);
      --clock_;
    }
    history_.operations[call.index].returned = kNever;
    history_.operations[call.index].result = Value();
    running_[process] = call;
    std::tie(last_, last_is_return_) = saved;
  }

  const std::uint32_t operations_;
  const std::uint32_t processes_;
  const std::vector<Choice>& choices_;
  const std::function<void(const History&)>& visit_;
  History history_;
  std::vector<std::optional<Running>> running_;  // by process
  Moment clock_ = 0;
  std::optional<std::uint32_t> last_;  // the process of the last event
  bool last_is_return_ = false;
};

}  // namespace

std::vector<Choice> choices_over_two_values(const spec::Specification& object) {
  std::vector<Choice> choices;
  for (std::uint16_t code = 0; code < object.operations().size(); ++code) {
    const spec::Signature& signature = object.operations()[code];
    for (const Value argument : arguments_of(signature)) {
      choices.push_back({{code, argument}, results_of(signature)});
    }
  }
  return choices;
}

void for_all_histories(std::uint32_t operations, std::uint32_t processes,
                       const std::vector<Choice>& choices,
                       const std::function<void(const History&)>& visit) {
  Generator(operations, processes, choices, visit).extend(false);
}

}  // namespace plumb::testing
