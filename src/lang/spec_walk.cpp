// SPDX-License-Identifier: Apache-2.0
// Runs a specification: statements, places, operators.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/input_error.h"
#include "base/map_value.h"
#include "lang/spec_tree.h"
#include "lang/types.h"

namespace plumb::lang {
namespace {

// So many statements and turns of loops: an operation that takes more is
// taken not to end.
constexpr std::size_t kMostWalked = 20'000'000;

// A function that was called within an expression has to wait.
struct Blocked {};

}  // namespace

SpecWalk::SpecWalk(const SpecTree& tree, SpecChoices& choices)
    : places(tree.places.size()),
      tree_(tree),
      choices_(choices),
      fuel_(kMostWalked) {}

void SpecWalk::fault(Span span, const std::string& what) const {
  throw InputError(
      tree_.source.place(span),
      fmt::format("the specification '{}' goes wrong: {}", tree_.name, what));
}

void SpecWalk::burn(Span span) {
  if (fuel_-- == 0) fault(span, "this does not come to an end");
}

void SpecWalk::initialize() {
  for (const auto& variable : tree_.object.variables) {
    place(*variable) = tree_.first(*variable->type);
    if (variable->initial != nullptr) {
      set(place(*variable), *variable->type, *variable->initial);
    }
  }
  if (tree_.object.init != nullptr) statement(*tree_.object.init);
}

bool SpecWalk::run(const Function& function) {
  try {
    result_types_ = {function.result.get()};
    const Flow flow = statement(*function.body);
    if (flow == Flow::kBlocked) return false;
    if (flow != Flow::kReturn && function.result->kind != TypeKind::kVoid) {
      fault(function.span, "no result is returned");
    }
    return true;
  } catch (const Blocked&) {
    return false;
  }
}

// ---- values and types

bool SpecWalk::fits(const SpecTree& tree, const Type& type, Value value) {
  switch (type.kind) {
    case TypeKind::kBool:
      return value.is_boolean();
    case TypeKind::kInt: {
      if (value.is_null()) return type.low == nullptr;
      const auto number = to_integer(value);
      if (!number || type.low == nullptr) return number.has_value();
      const SpecTree::Bounds& range = tree.bounds.at(&type);
      return *number >= range.low && *number <= range.high;
    }
    case TypeKind::kEnum: {
      const auto& members = type.enumeration->members;
      return value.is_text() && std::find(members.begin(), members.end(),
                                          value.as_text()) != members.end();
    }
    case TypeKind::kProcess:
      return value.is_null() || value.is_integer();
    case TypeKind::kSeq:
      return value.is_list() &&
             std::all_of(
                 value.items().begin(), value.items().end(),
                 [&](Value item) { return fits(tree, *type.element, item); });
    default:
      return true;
  }
}

Value SpecWalk::fit(const Type& type, Value value, Span span) {
  if (type.kind != TypeKind::kInt || fits(tree_, type, value)) return value;
  fault(span, type.low == nullptr
                  ? fmt::format("{} is no int", value.to_string())
                  : fmt::format("{} is out of range", value.to_string()));
}

std::int64_t SpecWalk::number(Value value, Span span) {
  if (const auto number = to_integer(value)) return *number;
  fault(span, fmt::format("{} is no number",
                          value.is_null() ? "'empty'" : value.to_string()));
}

// ---- places

// The element of an array.
Stored& SpecWalk::part(const Expression& e) {
  const std::int64_t at = number(*e.operands[1]);
  Stored& array = located(*e.operands[0]);
  if (at < 0 || static_cast<std::size_t>(at) >= array.parts.size()) {
    fault(e.span, fmt::format("the index {} is out of range", at));
  }
  return array.parts[static_cast<std::size_t>(at)];
}

Stored& SpecWalk::located(const Expression& e) {
  return e.kind == ExpressionKind::kName ? place(*e.variable) : part(e);
}

Stored SpecWalk::whole(const Expression& e) {
  return e.kind == ExpressionKind::kCall ? call(e) : located(e);
}

void SpecWalk::set(Stored& at, const Type& type, const Expression& e) {
  if (is_compound(type)) {
    const Stored made = whole(e);
    at = made;  // which leaves the elements of arrays where they are
  } else {
    at.value = fit(type, value(e), e.span);
  }
}

void SpecWalk::assign(const Expression& target, const Expression& e) {
  const bool in_container = target.kind == ExpressionKind::kIndex &&
                            is_container(*target.operands[0]->type);
  if (!in_container) {
    // What is assigned may call what changes the place.
    Stored made;
    set(made, *target.type, e);
    located(target) = made;
    return;
  }
  const Type& type = *target.operands[0]->type;
  const Value made = fit(*type.element, value(e), e.span);
  if (type.kind == TypeKind::kSeq) {
    std::vector<Value>& items = located(*target.operands[0]).items;
    items[index(target, items, 0)] = made;
    return;
  }
  const Value key =
      fit(*type.key, value(*target.operands[1]), target.operands[1]->span);
  std::vector<Value>& items = located(*target.operands[0]).items;
  const std::size_t at = find_sorted(items, 2, key);
  if (at < items.size() && items[at] == key) {
    items[at + 1] = made;
  } else {
    const std::array entry = {key, made};
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(at), entry.begin(),
                 entry.end());
  }
}

// ---- expressions

Value SpecWalk::value(const Expression& e) {
  switch (e.kind) {
    case ExpressionKind::kInteger:
      return Value::integer(e.number);
    case ExpressionKind::kBoolean:
      return Value::boolean(e.number != 0);
    case ExpressionKind::kText:
      return tree_.text(e);
    case ExpressionKind::kList: {
      std::vector<Value> items;
      for (const ExpressionPtr& item : e.operands) {
        items.push_back(value(*item));
      }
      return Value::list(items);
    }
    case ExpressionKind::kName:
      return named(e);
    case ExpressionKind::kIndex:
      return indexed(e);
    case ExpressionKind::kUnary:
      return unary(e);
    case ExpressionKind::kBinary:
      return binary(e);
    case ExpressionKind::kConditional:
      return value(*e.operands[condition(*e.operands[0]) ? 1 : 2]);
    case ExpressionKind::kCall:
      return call(e).value;
    case ExpressionKind::kBuiltin:
      return builtin(e);
    default:
      return Value();  // empty, nobody; there is nothing else
  }
}

Value SpecWalk::named(const Expression& e) {
  if (e.variable != nullptr) return place(*e.variable).value;
  if (e.enumeration != nullptr) {
    return Value::text(
        e.enumeration->members[static_cast<std::size_t>(e.number)]);
  }
  const std::int64_t number = tree_.constants.values.at(e.constant);
  return e.type->kind == TypeKind::kBool ? Value::boolean(number != 0)
                                         : Value::integer(number);
}

Value SpecWalk::indexed(const Expression& e) {
  const Type& type = *e.operands[0]->type;
  if (type.kind == TypeKind::kArray) return part(e).value;
  if (type.kind == TypeKind::kValue) {
    const Value whole = value(*e.operands[0]);
    return item_of(whole, value(*e.operands[1]), e.span);
  }
  const std::vector<Value>& items = located(*e.operands[0]).items;
  if (type.kind == TypeKind::kSeq) return items[index(e, items, 0)];
  const Value at = value(*e.operands[1]);
  const std::size_t found = find_sorted(items, 2, at);
  if (found == items.size() || items[found] != at) {
    fault(e.span, fmt::format("the key {} is absent", at.to_string()));
  }
  return items[found + 1];
}

// Of a value that is a list or a map.
Value SpecWalk::item_of(Value whole, Value at, Span span) {
  if (whole.is_list()) {
    const auto items = whole.items();
    const std::int64_t i = number(at, span);
    if (i >= 0 && static_cast<std::size_t>(i) < items.size()) {
      return items[static_cast<std::size_t>(i)];
    }
  } else if (is_map(whole)) {
    const auto items = keys_and_values(whole);
    for (std::size_t i = 0; i < items.size(); i += 2) {
      if (items[i] == at) return items[i + 1];
    }
  }
  fault(span, fmt::format("{} has no {}", whole.to_string(), at.to_string()));
}

Value SpecWalk::unary(const Expression& e) {
  if (e.op == Operator::kNot) {
    return Value::boolean(!condition(*e.operands[0]));
  }
  std::int64_t made = 0;
  if (__builtin_sub_overflow(std::int64_t{0}, number(*e.operands[0]), &made)) {
    fault(e.span, "the number is too large");
  }
  return Value::integer(made);
}

Value SpecWalk::binary(const Expression& e) {
  if (e.op == Operator::kAnd || e.op == Operator::kOr) {
    const bool left = condition(*e.operands[0]);
    if (left == (e.op == Operator::kOr)) return Value::boolean(left);
    return Value::boolean(condition(*e.operands[1]));
  }
  if ((e.op == Operator::kEqual || e.op == Operator::kUnequal) &&
      is_compound(*e.operands[0]->type)) {
    const auto same = [](const auto& self, const Stored& a,
                         const Stored& b) -> bool {
      return a.value == b.value && a.items == b.items &&
             std::ranges::equal(a.parts, b.parts,
                                [&](const Stored& x, const Stored& y) {
                                  return self(self, x, y);
                                });
    };
    const Stored left = whole(*e.operands[0]);
    const Stored right = whole(*e.operands[1]);
    return Value::boolean(same(same, left, right) ==
                          (e.op == Operator::kEqual));
  }
  const Value left = value(*e.operands[0]);
  const Value right = value(*e.operands[1]);
  switch (e.op) {
    case Operator::kEqual:
      return Value::boolean(left == right);
    case Operator::kUnequal:
      return Value::boolean(left != right);
    case Operator::kLess:
      return Value::boolean(less(e, left, right));
    case Operator::kLessEqual:
      return Value::boolean(!less(e, right, left));
    case Operator::kGreater:
      return Value::boolean(less(e, right, left));
    case Operator::kGreaterEqual:
      return Value::boolean(!less(e, left, right));
    default:
      return sum(e, left, right);
  }
}

bool SpecWalk::less(const Expression& e, Value left, Value right) {
  const bool comparable = (left.is_number() && right.is_number()) ||
                          (left.is_text() && right.is_text());
  if (!comparable) {
    fault(e.span, fmt::format("{} and {} have no order", left.to_string(),
                              right.to_string()));
  }
  return compare(left, right) < 0;
}

Value SpecWalk::sum(const Expression& e, Value left, Value right) {
  if (e.op == Operator::kAdd && left.is_text() && right.is_text()) {
    return Value::text(std::string(left.as_text()) +
                       std::string(right.as_text()));
  }
  if (e.op == Operator::kAdd && left.is_list() && right.is_list()) {
    std::vector<Value> items(left.items().begin(), left.items().end());
    items.insert(items.end(), right.items().begin(), right.items().end());
    return Value::list(items);
  }
  const std::int64_t x = number(left, e.operands[0]->span);
  const std::int64_t y = number(right, e.operands[1]->span);
  std::int64_t made = 0;
  bool overflows = false;
  switch (e.op) {
    case Operator::kAdd:
      overflows = __builtin_add_overflow(x, y, &made);
      break;
    case Operator::kSubtract:
      overflows = __builtin_sub_overflow(x, y, &made);
      break;
    case Operator::kMultiply:
      overflows = __builtin_mul_overflow(x, y, &made);
      break;
    default:
      if (y == 0) fault(e.span, "division by zero");
      if (y == -1) {  // the one quotient that can be too large
        overflows = e.op == Operator::kDivide &&
                    __builtin_sub_overflow(std::int64_t{0}, x, &made);
      } else {
        made = e.op == Operator::kDivide ? x / y : x % y;
      }
  }
  if (overflows) fault(e.span, "the number is too large");
  return Value::integer(made);
}

Stored SpecWalk::call(const Expression& e) {
  const Function& function = *e.function;
  std::vector<Stored> given(e.operands.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    set(given[i], *function.parameters[i]->type, *e.operands[i]);
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    place(*function.parameters[i]) = given[i];
  }
  result_ = {};
  result_types_.push_back(function.result.get());
  const Flow flow = statement(*function.body);
  result_types_.pop_back();
  if (flow == Flow::kBlocked) throw Blocked{};
  if (flow != Flow::kReturn && function.result->kind != TypeKind::kVoid) {
    fault(e.span, "no result is returned");
  }
  return std::move(result_);
}

// ---- statements

SpecWalk::Flow SpecWalk::statements(const std::vector<StatementPtr>& all) {
  for (const StatementPtr& one : all) {
    const Flow flow = statement(*one);
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

SpecWalk::Flow SpecWalk::statement(const Statement& s) {
  burn(s.head);
  switch (s.kind) {
    case StatementKind::kBlock:
    case StatementKind::kAtomic:
      return statements(s.body);
    case StatementKind::kDeclare:
      for (const auto& variable : s.variables) {
        Stored made = tree_.first(*variable->type);
        if (variable->initial != nullptr) {
          set(made, *variable->type, *variable->initial);
        }
        place(*variable) = made;
      }
      return Flow::kNext;
    case StatementKind::kAssign:
      assign(*s.target, *s.value);
      return Flow::kNext;
    case StatementKind::kEvaluate:
      if (s.value->kind == ExpressionKind::kCall) {
        call(*s.value);
      } else {
        value(*s.value);
      }
      return Flow::kNext;
    case StatementKind::kIf:
      if (condition(*s.value)) return statement(*s.body[0]);
      return s.body.size() > 1 ? statement(*s.body[1]) : Flow::kNext;
    case StatementKind::kWhile:
    case StatementKind::kDoWhile:
    case StatementKind::kFor:
      return loop(s);
    case StatementKind::kBreak:
      return Flow::kBreak;
    case StatementKind::kContinue:
      return Flow::kContinue;
    case StatementKind::kReturn:
      if (s.value != nullptr) {
        Stored made;
        set(made, *result_types_.back(), *s.value);
        result_ = std::move(made);
      }
      return Flow::kReturn;
    case StatementKind::kAwait:
      return condition(*s.value) ? Flow::kNext : Flow::kBlocked;
    case StatementKind::kChoose:
      return statement(*s.body[choices_.choose(s.body.size())]);
    case StatementKind::kAssert:
      if (!condition(*s.value)) fault(s.span, "the assertion fails");
      return Flow::kNext;
    default:
      return Flow::kNext;  // skip; specifications have nothing else
  }
}

SpecWalk::Flow SpecWalk::loop(const Statement& s) {
  if (s.first != nullptr) statement(*s.first);
  bool looks = s.kind != StatementKind::kDoWhile;
  for (;;) {
    burn(s.head);
    if (looks && s.value != nullptr && !condition(*s.value)) {
      return Flow::kNext;
    }
    looks = true;
    const Flow flow = statement(*s.body[0]);
    if (flow == Flow::kBreak) return Flow::kNext;
    if (flow == Flow::kReturn || flow == Flow::kBlocked) return flow;
    if (s.next != nullptr) statement(*s.next);
  }
}

}  // namespace plumb::lang
