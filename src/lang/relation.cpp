// SPDX-License-Identifier: Apache-2.0
#include "lang/relation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "lang/client.h"
#include "lang/machine.h"
#include "lang/program_text.h"
#include "lang/user_spec.h"
#include "spec/catalogue.h"

namespace plumb::lang {
namespace {

using AbstractState = std::vector<Value>;

// The state of a built-in specification that a value stands for.
class BuiltInStates {
 public:
  explicit BuiltInStates(const std::string& implements)
      : name_(spec::parse_name(implements).entry->name),
        object_(spec::make(name_)) {}

  // Returns why the value stands for none, if so.
  std::optional<std::string> add(Value value, AbstractState& state) const {
    if (name_ == "queue" || name_ == "stack" || name_ == "deque") {
      const auto items = value.items();
      state.assign(items.begin(), items.end());
    } else if (value.is_list()) {
      put_all(value, state);
    } else {
      const bool counts = name_ == "counter" || name_ == "snzi";
      if (counts && (!value.is_integer() || value.as_integer() < 0)) {
        return fmt::format("{} is no state of '{}'", value.to_string(), name_);
      }
      state = {value};
    }
    return std::nullopt;
  }

 private:
  // By the specification's own puts, which see to the order of its states.
  void put_all(Value items, AbstractState& out) const {
    std::vector<spec::State> states = {object_->initial()};
    for (const Value item : items.items()) {
      std::vector<spec::State> next;
      object_->step(states.front(), {0, item}, std::nullopt, next);
      states = std::move(next);
    }
    out.assign(states.front().begin(), states.front().end());
  }

  std::string name_;
  spec::SpecificationPtr object_;
};

class Relation final : public lts::Abstraction {
 public:
  Relation(RelationCode code, const Object& object)
      : code_(std::move(code)), id_(Machine::next_id()) {
    if (object.specification == nullptr) built_in_.emplace(object.implements);
  }

  std::optional<std::string> relate(
      lts::StateView state,
      std::vector<AbstractState>& abstract_states) const override {
    const Program& program = code_.program;
    Machine& machine = Machine::of_thread(id_, program);
    const std::size_t first = abstract_states.size();
    machine.forget_choices();
    do {
      machine.load_state(state);
      const Stop stop = machine.run(program.operations[0].entry, false);
      if (stop == Stop::kBlocked) continue;
      if (stop != Stop::kReturn) return why_not(machine, stop);
      AbstractState made;
      if (auto problem = read(machine, made)) return problem;
      const bool is_known =
          std::find(
              abstract_states.begin() + static_cast<std::ptrdiff_t>(first),
              abstract_states.end(), made) != abstract_states.end();
      if (!is_known) abstract_states.push_back(std::move(made));
    } while (machine.next_choices());
    return std::nullopt;
  }

 private:
  std::optional<std::string> read(Machine& machine, AbstractState& out) const {
    if (!built_in_) {
      read_variables(machine, out);
      return std::nullopt;
    }
    const OperationCode& operation = code_.program.operations[0];
    const Value value = operation.result->is_number()
                            ? value_of(*operation.result,
                                       machine.reg(operation.result_register))
                            : value_of(*operation.result,
                                       machine.block(operation.result_block));
    auto problem = built_in_->add(value, out);
    if (problem) *problem = "the relation goes wrong: " + *problem;
    return problem;
  }

  void read_variables(Machine& machine, AbstractState& out) const {
    std::vector<std::uint8_t> bytes;
    for (const RelationCode::Variable& variable : code_.variables) {
      const std::size_t at = bytes.size();
      bytes.resize(at + variable.shape->size);
      if (variable.shape->is_number()) {
        store_number(*variable.shape, bytes.data() + at,
                     machine.reg(variable.reg));
      } else {
        std::memcpy(bytes.data() + at, machine.block(variable.block),
                    variable.shape->size);
      }
    }
    const spec::State packed = pack_variables(bytes);
    out.assign(packed.begin(), packed.end());
  }

  std::string why_not(const Machine& machine, Stop stop) const {
    const Program& program = code_.program;
    if (stop == Stop::kCut) {
      return fmt::format("the relation needs more than {} on line {}",
                         program.layouts->bounds[machine.bound].text,
                         program.source->line(program.spans[machine.at]));
    }
    return "the relation goes wrong: " +
           fault_text(program, machine.at, machine.fault);
  }

  RelationCode code_;
  std::uint64_t id_;
  std::optional<BuiltInStates> built_in_;
};

}  // namespace

std::shared_ptr<const lts::Abstraction> make_relation(
    const Object& object, const Surroundings& around, const Program& whole) {
  return std::make_shared<Relation>(compile_relation(object, around, whole),
                                    object);
}

}  // namespace plumb::lang
