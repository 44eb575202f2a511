// SPDX-License-Identifier: Apache-2.0
#include "lang/user_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/input_error.h"
#include "lang/client.h"
#include "lang/compile.h"
#include "lang/machine.h"
#include "lang/program_text.h"
#include "lang/symmetry_data.h"
#include "lang/symmetry_flow.h"
#include "lang/symmetry_regions.h"
#include "spec/forwarding.h"

namespace plumb::lang {
namespace {

// Bytes of the state in one word of spec::State.
constexpr std::size_t kBytesInWord = 7;

class UserSpec final : public spec::Specification {
 public:
  UserSpec(Program program, std::string name)
      : program_(std::move(program)),
        name_(std::move(name)),
        id_(Machine::next_id()) {
    for (const OperationCode& operation : program_.operations) {
      spec::Signature signature;
      signature.name = operation.name;
      const std::size_t count = operation.parameters.size();
      signature.argument = count == 0   ? spec::Argument::kNone
                           : count == 2 ? spec::Argument::kPair
                                        : spec::Argument::kValue;
      if (operation.result != nullptr) {
        signature.result = operation.result->kind == ShapeKind::kBool
                               ? spec::Result::kBoolean
                               : spec::Result::kValue;
        // `empty` is what a take returns that found nothing.
        signature.takes = operation.result->kind == ShapeKind::kInt &&
                          operation.result->range.empty;
      }
      signatures_.push_back(signature);
    }
    make_initial();
    const Flow flow(program_);
    data_ = find_data(program_, flow);
    Namings namings(flow.facts().size(), Naming::kNothing);
    for (std::size_t node = 0; node < namings.size(); ++node) {
      if (data_.is_data[node]) namings[node] = Naming::kValue;
    }
    region_ = std::move(find_regions(program_, flow, namings).variables);
  }

  std::string name() const override { return name_; }
  std::span<const spec::Signature> operations() const override {
    return signatures_;
  }
  spec::State initial() const override { return initial_; }

  void apply(const spec::State& state, const spec::Call& call,
             std::vector<spec::Outcome>& outcomes) const override {
    const OperationCode& operation = program_.operations[call.code];
    Machine& machine = Machine::of_thread(id_, program_);
    const std::size_t first = outcomes.size();
    machine.forget_choices();
    do {
      unpack(state, machine.state());
      pass(operation, call.argument, machine);
      const Stop stop = machine.run(operation.entry, false);
      if (stop == Stop::kBlocked) continue;
      if (stop != Stop::kReturn) fail(machine, stop);
      spec::Outcome& outcome = outcomes.emplace_back();
      outcome.result = result(operation, machine);
      pack(machine.state(), outcome.next);
      drop_repeated(outcomes, first);
    } while (machine.next_choices());
  }

  // Nothing is known of what operations do, also if they return `empty`.
  bool changes_nothing(const spec::Call&, Value) const override {
    return false;
  }

  // The first state must not tell values apart either.
  std::vector<Value> interchangeable(
      std::span<const Value> values) const override {
    if (data_.obstacle || program_.has_heap()) return {};
    std::vector<std::int32_t> numbers;
    for (const Value value : values) {
      if (!value.is_integer()) continue;
      numbers.push_back(static_cast<std::int32_t>(value.as_integer()));
    }
    std::vector<std::uint8_t> bytes(program_.heap + kBytesInWord);
    unpack(initial_, bytes.data());
    for (const bool sorted : {false, true}) {
      for_each_value(region_, bytes.data(), 0, sorted,
                     [&](std::int32_t number) { std::erase(numbers, number); });
    }
    std::optional<Obstacle> obstacle;
    std::vector<Value> left;
    for (const std::int32_t number : alike(data_, numbers, obstacle)) {
      left.push_back(Value::integer(number));
    }
    return left;
  }

  spec::State renamed(const spec::State& state, std::span<const Value> from,
                      std::span<const Value> to) const override {
    std::vector<std::int32_t> numbers;
    lts::Renaming renaming;
    for (std::size_t i = 0; i < from.size(); ++i) {
      numbers.push_back(static_cast<std::int32_t>(from[i].as_integer()));
      const auto at = std::find(from.begin(), from.end(), to[i]);
      renaming.values.set(i, static_cast<std::size_t>(at - from.begin()));
    }
    const ValueNumbers values(std::move(numbers));
    std::vector<std::uint8_t> bytes(program_.heap + kBytesInWord);
    unpack(state, bytes.data());
    rename_region(region_, bytes.data(), {0, values, renaming});
    spec::State made;
    pack(bytes.data(), made);
    return made;
  }

  std::string describe(const spec::State& state) const override {
    std::vector<std::uint8_t> bytes(program_.heap + kBytesInWord);
    unpack(state, bytes.data());
    std::string text;
    for (const VariableLayout& variable : program_.variables) {
      text += fmt::format(
          "{}{} = {}", text.empty() ? "" : ", ", variable.name,
          content_text(*variable.shape, bytes.data() + variable.offset));
    }
    return text;
  }

 private:
  void make_initial() {
    Machine machine(program_);
    for (const VariableLayout& variable : program_.variables) {
      store_default(*variable.shape, machine.state() + variable.offset);
    }
    const Stop stop = machine.run(program_.init, false);
    if (stop != Stop::kReturn) fail(machine, stop);
    pack(machine.state(), initial_);
  }

  void pack(const std::uint8_t* bytes, spec::State& state) const {
    state = pack_variables({bytes, program_.heap});
  }

  void unpack(const spec::State& state, std::uint8_t* bytes) const {
    for (std::size_t i = 0; i < program_.heap; i += kBytesInWord) {
      std::int64_t word = state[i / kBytesInWord].as_integer();
      const std::size_t end =
          std::min<std::size_t>(i + kBytesInWord, program_.heap);
      for (std::size_t k = i; k < end; ++k) {
        bytes[k] = static_cast<std::uint8_t>(word);
        word >>= 8;
      }
    }
  }

  void pass(const OperationCode& operation, Value argument,
            Machine& machine) const {
    const std::size_t count = operation.parameters.size();
    for (std::size_t i = 0; i < count; ++i) {
      Value one = argument;
      if (count > 1) {
        one = argument.is_list() && i < argument.items().size()
                  ? argument.items()[i]
                  : Value();
      }
      const Parameter& parameter = operation.parameters[i];
      const auto number = number_of(*parameter.shape, one);
      if (!number) {
        throw InputError(
            program_.source->place(operation.span),
            fmt::format("'{}' of '{}' takes no {}", operation.name, name_,
                        one.to_string()),
            fmt::format("give '{}' a larger range", parameter.name));
      }
      machine.reg(parameter.reg) = *number;
    }
  }

  Value result(const OperationCode& operation, Machine& machine) const {
    if (operation.result == nullptr) return Value();
    if (operation.result->is_number()) {
      return value_of(*operation.result,
                      machine.reg(operation.result_register));
    }
    return value_of(*operation.result, machine.block(operation.result_block));
  }

  // Different choices may come to the same.
  static void drop_repeated(std::vector<spec::Outcome>& outcomes,
                            std::size_t first) {
    const spec::Outcome& last = outcomes.back();
    for (std::size_t i = first; i + 1 < outcomes.size(); ++i) {
      if (outcomes[i].result == last.result && outcomes[i].next == last.next) {
        outcomes.pop_back();
        return;
      }
    }
  }

  [[noreturn]] void fail(const Machine& machine, Stop stop) const {
    const Place place = program_.source->place(program_.spans[machine.at]);
    if (stop == Stop::kCut) {
      const lts::Bound& bound = program_.layouts->bounds[machine.bound];
      throw InputError(place,
                       fmt::format("the specification '{}' needs more than {}",
                                   name_, bound.text),
                       bound.hint);
    }
    throw InputError(
        place, fmt::format("the specification '{}' goes wrong: {}", name_,
                           fault_text(program_, machine.at, machine.fault)));
  }

  Program program_;
  std::string name_;
  std::uint64_t id_;
  std::vector<spec::Signature> signatures_;
  spec::State initial_;
  DataClasses data_;
  Region region_;
};

class Forgetful final : public spec::Forwarding {
 public:
  Forgetful(spec::SpecificationPtr object, const std::vector<bool>& forget)
      : Forwarding(std::move(object)), forget_(forget) {
    const auto signatures = object_->operations();
    signatures_.assign(signatures.begin(), signatures.end());
    for (std::size_t i = 0; i < signatures_.size(); ++i) {
      if (!forget_[i]) continue;
      signatures_[i].result = spec::Result::kNone;
      signatures_[i].takes = false;
      signatures_[i].meaning = "";
    }
  }

  std::span<const spec::Signature> operations() const override {
    return signatures_;
  }

  void apply(const spec::State& state, const spec::Call& call,
             std::vector<spec::Outcome>& outcomes) const override {
    const std::size_t first = outcomes.size();
    object_->apply(state, call, outcomes);
    if (!forget_[call.code]) return;
    for (std::size_t i = first; i < outcomes.size(); ++i) {
      outcomes[i].result = Value();
    }
  }

  void step(const spec::State& state, const spec::Call& call,
            std::optional<Value> observed,
            std::vector<spec::State>& next) const override {
    if (forget_[call.code]) observed.reset();
    object_->step(state, call, observed, next);
  }

  bool changes_nothing(const spec::Call& call, Value observed) const override {
    if (forget_[call.code]) return signatures_[call.code].reads_only;
    return object_->changes_nothing(call, observed);
  }
  bool has_turns(std::uint16_t code) const override {
    return !forget_[code] && object_->has_turns(code);
  }

 private:
  std::vector<bool> forget_;
  std::vector<spec::Signature> signatures_;
};

}  // namespace

spec::SpecificationPtr make_user_spec(std::shared_ptr<const Source> source,
                                      const Object& object,
                                      const ConstantValues& constants,
                                      std::string name) {
  Surroundings around;
  around.constants = constants;
  return std::make_shared<UserSpec>(
      compile_object(std::move(source), object, around), std::move(name));
}

spec::State pack_variables(std::span<const std::uint8_t> bytes) {
  spec::State state;
  for (std::size_t i = 0; i < bytes.size(); i += kBytesInWord) {
    const std::size_t end = std::min(i + kBytesInWord, bytes.size());
    std::int64_t word = 0;
    for (std::size_t k = end; k-- > i;) word = word << 8 | bytes[k];
    state.push_back(Value::integer(word));
  }
  return state;
}

spec::SpecificationPtr forget_results(spec::SpecificationPtr object,
                                      const std::vector<bool>& forget) {
  if (std::find(forget.begin(), forget.end(), true) == forget.end()) {
    return object;
  }
  return std::make_shared<Forgetful>(std::move(object), forget);
}

}  // namespace plumb::lang
