// SPDX-License-Identifier: Apache-2.0
#include "lang/history_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "base/input_error.h"
#include "base/map_value.h"
#include "lang/spec_tree.h"
#include "lang/types.h"
#include "spec/notation.h"

namespace plumb::lang {
namespace {

// Does running `s` change a variable of the specification, or call something
// that does?
class WriteFinder {
 public:
  bool writes(const Statement& s) {
    if (s.target != nullptr && is_state(*s.target)) return true;
    for (const auto* e : {s.target.get(), s.value.get()}) {
      if (e != nullptr && writes(*e)) return true;
    }
    for (const auto& variable : s.variables) {
      if (variable->initial != nullptr && writes(*variable->initial)) {
        return true;
      }
    }
    for (const auto* inner : {s.first.get(), s.next.get()}) {
      if (inner != nullptr && writes(*inner)) return true;
    }
    return std::any_of(s.body.begin(), s.body.end(),
                       [&](const auto& inner) { return writes(*inner); });
  }

 private:
  static bool is_state(const Expression& e) {
    if (e.kind == ExpressionKind::kIndex) return is_state(*e.operands[0]);
    return e.kind == ExpressionKind::kName && e.variable != nullptr &&
           e.variable->kind == Variable::Kind::kShared;
  }
  bool writes(const Expression& e) {
    if (e.kind == ExpressionKind::kBuiltin) {
      for (std::size_t i = 0; i < places_changed(e.builtin); ++i) {
        if (is_state(*e.operands[i])) return true;
      }
    }
    if (e.kind == ExpressionKind::kCall && writes(*e.function->body)) {
      return true;
    }
    return std::any_of(e.operands.begin(), e.operands.end(),
                       [&](const auto& part) { return writes(*part); });
  }
};

// Does it say `return empty`, also as one of two values?
bool returns_empty(const Statement& s) {
  const auto is_empty = [](const auto& self, const Expression& e) -> bool {
    if (e.kind == ExpressionKind::kConditional) {
      return self(self, *e.operands[1]) || self(self, *e.operands[2]);
    }
    return e.kind == ExpressionKind::kEmpty;
  };
  if (s.kind == StatementKind::kReturn && s.value != nullptr) {
    return is_empty(is_empty, *s.value);
  }
  return std::any_of(s.body.begin(), s.body.end(),
                     [](const auto& inner) { return returns_empty(*inner); });
}

class HistorySpec final : public spec::Specification, public spec::Notation {
 public:
  HistorySpec(std::shared_ptr<const Module> module, const Object& object,
              ConstantValues constants, std::string name)
      : tree_(std::move(module), object, std::move(constants),
              std::move(name)) {
    for (const Function* function : tree_.operations) describe(*function);
    SpecChoices none;
    SpecWalk walk(tree_, none);
    walk.initialize();
    pack(walk, initial_);
  }

  std::string name() const override { return tree_.name; }
  std::span<const spec::Signature> operations() const override {
    return signatures_;
  }
  spec::State initial() const override { return initial_; }

  void apply(const spec::State& state, const spec::Call& call,
             std::vector<spec::Outcome>& outcomes) const override {
    const std::size_t first = outcomes.size();
    explore(state, call, [&](SpecWalk& walk, Value result) {
      spec::Outcome made{result, {}};
      pack(walk, made.next);
      for (std::size_t i = first; i < outcomes.size(); ++i) {
        if (outcomes[i].result == result && outcomes[i].next == made.next) {
          return;  // different choices came to the same
        }
      }
      outcomes.push_back(std::move(made));
    });
  }

  void step(const spec::State& state, const spec::Call& call,
            std::optional<Value> observed,
            std::vector<spec::State>& next) const override {
    const std::size_t first = next.size();
    explore(state, call, [&](SpecWalk& walk, Value result) {
      if (observed && result != *observed) return;
      spec::State made;
      pack(walk, made);
      if (std::find(next.begin() + static_cast<std::ptrdiff_t>(first),
                    next.end(), made) == next.end()) {
        next.push_back(std::move(made));
      }
    });
  }

  // A result of `empty` alone says nothing.
  bool changes_nothing(const spec::Call& call, Value) const override {
    return signatures_[call.code].reads_only;
  }

  std::optional<Value> part(const spec::Call& call) const override {
    if (tree_.object.partition.empty()) return std::nullopt;
    const auto& parameters = tree_.operations[call.code]->parameters;
    if (parameters.size() == 1) return call.argument;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i]->name == tree_.object.partition) {
        return call.argument.items()[i];
      }
    }
    return std::nullopt;
  }
  bool parts_are_objects() const override {
    return !tree_.object.partition.empty();
  }

  Value taken(std::uint16_t code, Value argument) const override;
  Value given(std::uint16_t code, Value result) const override;

  std::string describe(const spec::State& state) const override {
    SpecChoices none;
    SpecWalk walk(tree_, none);
    unpack(state, walk);
    std::string text;
    for (std::size_t i = 0; i < tree_.object.variables.size(); ++i) {
      const Variable& variable = *tree_.object.variables[i];
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", variable.name,
                          text_of(*variable.type, walk.places[i]));
    }
    return text;
  }

 private:
  void describe(const Function& function);

  template <typename Take>
  void explore(const spec::State& state, const spec::Call& call,
               const Take& take) const {
    const Function& function = *tree_.operations[call.code];
    SpecChoices choices;
    do {
      choices.restart();
      SpecWalk walk(tree_, choices);
      unpack(state, walk);
      pass(function, call.argument, walk);
      if (walk.run(function))
        take(walk, value_of(*function.result, walk.result()));
    } while (choices.next());
  }

  // ---- states: the variables one behind the other, before the items of a
  // container their number

  static void pack(const Type& type, const Stored& datum, spec::State& state) {
    if (type.kind == TypeKind::kArray) {
      for (const Stored& part : datum.parts) pack(*type.element, part, state);
    } else if (is_container(type)) {
      state.push_back(
          Value::integer(static_cast<std::int64_t>(datum.items.size())));
      state.insert(state.end(), datum.items.begin(), datum.items.end());
    } else {
      state.push_back(datum.value);
    }
  }
  void pack(const SpecWalk& walk, spec::State& state) const {
    for (std::size_t i = 0; i < tree_.object.variables.size(); ++i) {
      pack(*tree_.object.variables[i]->type, walk.places[i], state);
    }
  }

  void unpack(const Type& type, const spec::State& state, std::size_t& at,
              Stored& datum) const {
    if (type.kind == TypeKind::kArray) {
      datum.parts.resize(tree_.bounds.at(&type).size);
      for (Stored& part : datum.parts) unpack(*type.element, state, at, part);
    } else if (is_container(type)) {
      const auto count = static_cast<std::size_t>(state[at++].as_integer());
      datum.items.assign(
          state.begin() + static_cast<std::ptrdiff_t>(at),
          state.begin() + static_cast<std::ptrdiff_t>(at + count));
      at += count;
    } else {
      datum.value = state[at++];
    }
  }
  void unpack(const spec::State& state, SpecWalk& walk) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < tree_.object.variables.size(); ++i) {
      unpack(*tree_.object.variables[i]->type, state, at, walk.places[i]);
    }
  }

  // ---- arguments and results

  // Requires: `argument` is what taken() gave.
  void pass(const Function& function, Value argument, SpecWalk& walk) const {
    const auto& parameters = function.parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Value one = parameters.size() == 1 ? argument
                        : argument.is_list() && i < argument.items().size()
                            ? argument.items()[i]
                            : Value();
      require_fits(function, *parameters[i], one);
      Stored& at = walk.places[tree_.places.at(parameters[i].get())];
      if (parameters[i]->type->kind == TypeKind::kSeq) {
        at.items.assign(one.items().begin(), one.items().end());
      } else {
        at.value = one;
      }
    }
  }

  void require_fits(const Function& function, const Variable& parameter,
                    Value value) const {
    if (SpecWalk::fits(tree_, *parameter.type, value)) return;
    throw InputError(
        fmt::format("'{}' of '{}' is {}, but it is given {}", parameter.name,
                    function.name,
                    lang::describe(*parameter.type, tree_.source),
                    value.to_string()),
        parameter.type->kind == TypeKind::kInt && parameter.type->low == nullptr
            ? "declare it as 'value' if it can be anything"
            : "");
  }

  static Value value_of(const Type& type, const Stored& datum) {
    switch (type.kind) {
      case TypeKind::kVoid:
        return Value();
      case TypeKind::kArray: {
        std::vector<Value> items;
        for (const Stored& part : datum.parts) {
          items.push_back(value_of(*type.element, part));
        }
        return Value::list(items);
      }
      case TypeKind::kSeq:
      case TypeKind::kSet:
        return Value::list(datum.items);
      case TypeKind::kMap:
        return map_of(datum.items);
      default:
        return datum.value;
    }
  }

  static std::string text_of(const Type& type, const Stored& datum) {
    if (type.kind == TypeKind::kSet) {
      std::string text = Value::list(datum.items).to_string();
      text.front() = '{';
      text.back() = '}';
      return text;
    }
    return value_of(type, datum).to_string();
  }

  SpecTree tree_;
  std::vector<spec::Signature> signatures_;
  spec::State initial_;
};

void HistorySpec::describe(const Function& function) {
  const Type& result = *function.result;
  spec::Signature made;
  made.name = function.name;
  made.argument = function.parameters.empty() ? spec::Argument::kNone
                                              : spec::Argument::kValue;
  made.result = result.kind == TypeKind::kVoid   ? spec::Result::kNone
                : result.kind == TypeKind::kBool ? spec::Result::kBoolean
                                                 : spec::Result::kValue;
  made.reads_only = !WriteFinder().writes(*function.body);
  made.takes =
      !made.reads_only && is_plain(result) && returns_empty(*function.body);
  signatures_.push_back(made);
}

Value HistorySpec::taken(std::uint16_t code, Value argument) const {
  const Function& function = *tree_.operations[code];
  const auto& parameters = function.parameters;
  if (parameters.empty()) return Value();
  if (parameters.size() == 1) {
    require_fits(function, *parameters[0], argument);
    return argument;
  }
  std::vector<Value> items;
  if (argument.is_list()) {
    items.assign(argument.items().begin(), argument.items().end());
  } else if (is_map(argument)) {
    const auto given = keys_and_values(argument);
    for (const auto& parameter : parameters) {
      for (std::size_t i = 0; i < given.size(); i += 2) {
        if (given[i].is_text() && given[i].as_text() == parameter->name) {
          items.push_back(given[i + 1]);
          break;
        }
      }
    }
    if (given.size() != 2 * parameters.size()) items.clear();
  }
  if (items.size() != parameters.size()) {
    std::string names;
    for (const auto& parameter : parameters) {
      names += (names.empty() ? "" : ", ") + parameter->name;
    }
    throw InputError(
        fmt::format("'{}' takes {} arguments ({}), but the value is {}",
                    function.name, parameters.size(), names,
                    argument.to_string()),
        "give a list of them, or a map with these names");
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    require_fits(function, *parameters[i], items[i]);
  }
  return Value::list(items);
}

// Sets have no order, and the keys of JSON's maps are always texts.
Value HistorySpec::given(std::uint16_t code, Value result) const {
  const Type& type = *tree_.operations[code]->result;
  if (type.kind == TypeKind::kSet && result.is_list()) {
    std::vector<Value> items(result.items().begin(), result.items().end());
    std::sort(items.begin(), items.end(),
              [](Value a, Value b) { return compare(a, b) < 0; });
    return Value::list(items);
  }
  if (type.kind != TypeKind::kMap || !is_map(result) ||
      type.key->kind != TypeKind::kInt) {
    return result;
  }
  std::vector<Value> items;
  const auto old = keys_and_values(result);
  for (std::size_t i = 0; i < old.size(); i += 2) {
    Value key = old[i];
    if (key.is_text()) {
      const std::string_view digits = key.as_text();
      std::int64_t number = 0;
      const char* const end = digits.data() + digits.size();
      const auto [stop, error] = std::from_chars(digits.data(), end, number);
      if (error == std::errc() && stop == end) key = Value::integer(number);
    }
    const std::size_t at = find_sorted(items, 2, key);
    const std::array entry = {key, old[i + 1]};
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(at), entry.begin(),
                 entry.end());
  }
  return map_of(items);
}

}  // namespace

spec::SpecificationPtr make_history_spec(std::shared_ptr<const Module> module,
                                         const Object& object,
                                         ConstantValues constants,
                                         std::string name) {
  return std::make_shared<HistorySpec>(std::move(module), object,
                                       std::move(constants), std::move(name));
}

}  // namespace plumb::lang
