// SPDX-License-Identifier: Apache-2.0
#include "support/csp_walker_data.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace plumb::walked {
namespace {

using Kind = WalkedDatum::Kind;

[[noreturn]] void fail(std::string what) {
  throw WalkedFault{std::move(what)};
}

std::int64_t plain(const WalkedDatum& datum) {
  if (!datum.is_plain()) fail("no number: " + text_of(datum));
  return datum.number;
}

// PAT's List forgets its Field when it is copied.
WalkedDatum copied(WalkedDatum datum) {
  if (datum.kind == Kind::kObject && datum.type == "List") datum.number = 0;
  return datum;
}

std::string listed(const WalkedDatum& datum) {
  std::string text = "[";
  for (const WalkedDatum& item : datum.items) {
    if (text.size() > 1) text += ",";
    text += text_of(item);
  }
  return text + "]";
}

}  // namespace

WalkedDatum walked_number(std::int64_t number) {
  WalkedDatum made;
  made.number = static_cast<std::int32_t>(static_cast<std::uint64_t>(number));
  return made;
}

WalkedDatum walked_boolean(bool value) {
  WalkedDatum made;
  made.kind = Kind::kBoolean;
  made.number = value ? 1 : 0;
  return made;
}

std::string text_of(const WalkedDatum& datum) {
  switch (datum.kind) {
    case Kind::kNumber:
      return std::to_string(datum.number);
    case Kind::kBoolean:
      return datum.number != 0 ? "true" : "false";
    case Kind::kArray:
      return listed(datum);
    case Kind::kObject:
      break;
  }
  const bool has_field = datum.number != 0;
  return listed(datum) + (has_field ? "$" + std::to_string(datum.number) : "");
}

std::string key_of(const WalkedDatum& datum) {
  return datum.type + text_of(datum);
}

bool equal_values(const WalkedDatum& left, const WalkedDatum& right) {
  if (left.is_plain() && right.is_plain()) return left.number == right.number;
  if (left.kind != right.kind || left.type != right.type) return false;
  return left.number == right.number &&
         std::equal(left.items.begin(), left.items.end(), right.items.begin(),
                    right.items.end(), equal_values);
}

WalkedDatum& WalkedEvaluation::local(std::int64_t slot) {
  return locals_[slot];
}

const Variable* WalkedEvaluation::variable_of(const Expression& e) const {
  if (e.kind == ExprKind::kElement) return variable_of(*e.children[0]);
  if (e.kind != ExprKind::kGlobal) return nullptr;
  return &module_.variables[static_cast<std::size_t>(e.number)];
}

// Row by row; arrays that were passed on have one dimension.
WalkedDatum& WalkedEvaluation::element(const Expression& e,
                                       WalkedDatum& array) {
  const Variable* variable = variable_of(*e.children[0]);
  std::int64_t index = 0;
  for (std::size_t i = 1; i < e.children.size(); ++i) {
    const std::int64_t next = number(*e.children[i]);
    if (e.children.size() > 2) {
      const std::int64_t size = variable->dimensions[i - 1];
      if (next < 0 || next >= size) fail("index out of bounds");
      index = index * size + next;
    } else {
      index = next;
    }
  }
  if (array.kind != Kind::kArray) fail("no array");
  if (index < 0 || index >= std::ssize(array.items)) {
    fail("index out of bounds");
  }
  return array.items[static_cast<std::size_t>(index)];
}

WalkedDatum& WalkedEvaluation::place(const Expression& e) {
  switch (e.kind) {
    case ExprKind::kGlobal:
      return store_.variables.at(variable_of(e)->name);
    case ExprKind::kLocal:
      return local(e.number);
    case ExprKind::kElement:
      return element(e, place(*e.children[0]));
    default:
      fail("no place");
  }
}

void WalkedEvaluation::check_range(const Variable& variable,
                                   const WalkedDatum& datum) const {
  if (!variable.range) return;
  for (const WalkedDatum& item : datum.items) check_range(variable, item);
  if (!datum.is_plain()) return;
  const Range& range = *variable.range;
  if ((range.low && datum.number < *range.low) ||
      (range.high && datum.number > *range.high)) {
    fail("out of range");
  }
}

void WalkedEvaluation::check_assigned(const Expression& to,
                                      const WalkedDatum& datum) const {
  const bool is_array = datum.kind == Kind::kArray;
  if (to.kind == ExprKind::kElement && is_array) fail("array in an array");
  const Variable* variable = variable_of(to);
  if (variable == nullptr) return;
  if (to.kind == ExprKind::kGlobal && !variable->dimensions.empty() &&
      !is_array) {
    fail("an array becomes a number");
  }
  check_range(*variable, datum);
}

std::int64_t WalkedEvaluation::number(const Expression& e) {
  return plain(value(e));
}

WalkedDatum WalkedEvaluation::value(const Expression& e) {
  switch (e.kind) {
    case ExprKind::kInteger:
      return walked_number(e.number);
    case ExprKind::kBoolean:
      return walked_boolean(e.number != 0);
    case ExprKind::kGlobal:
    case ExprKind::kLocal:
      return copied(place(e));
    case ExprKind::kBound:
      fail("a name without a value: " + e.name);
    case ExprKind::kElement: {
      WalkedDatum array = value(*e.children[0]);
      return copied(element(e, array));
    }
    case ExprKind::kRecord: {
      WalkedDatum made;
      made.kind = Kind::kArray;
      for (const ExprPtr& child : e.children) {
        made.items.push_back(value(*child));
        if (made.items.back().kind == Kind::kArray) fail("array in an array");
      }
      return made;
    }
    case ExprKind::kUnary:
      return unary(e);
    case ExprKind::kBinary:
      return binary(e);
    case ExprKind::kAssign:
    case ExprKind::kStep:
      return assign(e);
    case ExprKind::kStatic:
      return function(e);
    case ExprKind::kChannel:
      return channel(e);
    case ExprKind::kMethod:
      return method(e);
    case ExprKind::kField:
      return field(e);
    case ExprKind::kNew: {
      WalkedDatum made;
      made.kind = Kind::kObject;
      made.type = e.name;
      // Only literals of substituted objects have contents.
      for (const ExprPtr& child : e.children) {
        made.items.push_back(value(*child));
      }
      return made;
    }
    case ExprKind::kProcesses:
      return walked_number(counter_(static_cast<std::uint32_t>(e.number)));
    case ExprKind::kBlock:
      return last_value(*e.block);
    case ExprKind::kIndexed:
      return walked_boolean(indexed(e, 0));
  }
  fail("no expression");
}

WalkedDatum WalkedEvaluation::unary(const Expression& e) {
  const std::int64_t operand = number(*e.children[0]);
  return e.op == Operator::kNot ? walked_boolean(operand == 0)
                                : walked_number(-operand);
}

WalkedDatum WalkedEvaluation::binary(const Expression& e) {
  const Expression &left = *e.children[0], &right = *e.children[1];
  switch (e.op) {
    case Operator::kOr:
      return walked_boolean(holds(left) || holds(right));
    case Operator::kAnd:
      return walked_boolean(holds(left) && holds(right));
    case Operator::kXor: {
      const bool first = holds(left);
      return walked_boolean(first != holds(right));
    }
    case Operator::kEqual:
    case Operator::kUnequal: {
      const WalkedDatum first = value(left);
      const bool same = equal_values(first, value(right));
      return walked_boolean(same == (e.op == Operator::kEqual));
    }
    default:
      break;
  }
  const WalkedDatum first = value(left), second = value(right);
  WalkedDatum made = arithmetic(e.op, plain(first), plain(second));
  const bool is_bitwise = e.op == Operator::kBitAnd ||
                          e.op == Operator::kBitOr || e.op == Operator::kBitXor;
  if (is_bitwise && first.kind == Kind::kBoolean &&
      second.kind == Kind::kBoolean) {
    made.kind = Kind::kBoolean;
  }
  return made;
}

WalkedDatum WalkedEvaluation::arithmetic(Operator op, std::int64_t left,
                                         std::int64_t right) {
  switch (op) {
    case Operator::kBitAnd:
      return walked_number(left & right);
    case Operator::kBitOr:
      return walked_number(left | right);
    case Operator::kBitXor:
      return walked_number(left ^ right);
    case Operator::kLess:
      return walked_boolean(left < right);
    case Operator::kLessEqual:
      return walked_boolean(left <= right);
    case Operator::kGreater:
      return walked_boolean(left > right);
    case Operator::kGreaterEqual:
      return walked_boolean(left >= right);
    case Operator::kAdd:
      return walked_number(left + right);
    case Operator::kSubtract:
      return walked_number(left - right);
    case Operator::kMultiply:
      return walked_number(left * right);
    case Operator::kDivide:
      if (right == 0) fail("division by zero");
      if (left / right > std::numeric_limits<std::int32_t>::max()) {
        fail("overflow");
      }
      return walked_number(left / right);
    case Operator::kModulo:
      if (right == 0) fail("division by zero");
      return walked_number((left % right + std::abs(right)) % std::abs(right));
    default:
      fail("no operator");
  }
}

WalkedDatum WalkedEvaluation::assign(const Expression& e) {
  const Expression& to = *e.children[0];
  if (to.kind == ExprKind::kField) {
    WalkedDatum& object = place(*to.children[0]);
    if (object.type != "List") fail("no such field");
    object.number = e.kind == ExprKind::kStep ? object.number + e.number
                                              : number(*e.children[1]);
    return walked_number(object.number);
  }
  if (e.kind == ExprKind::kStep) {
    const WalkedDatum made = walked_number(plain(place(to)) + e.number);
    check_assigned(to, made);
    place(to) = made;
    return made;
  }
  // The place is found before the value is; the value may change it.
  if (to.kind == ExprKind::kElement) {
    Expression fixed = to;
    for (std::size_t i = 1; i < fixed.children.size(); ++i) {
      auto literal = std::make_shared<Expression>();
      literal->number = number(*to.children[i]);
      fixed.children[i] = std::move(literal);
    }
    const WalkedDatum made = value(*e.children[1]);
    check_assigned(fixed, made);
    return place(fixed) = made;
  }
  const WalkedDatum made = value(*e.children[1]);
  check_assigned(to, made);
  return place(to) = made;
}

WalkedDatum WalkedEvaluation::channel(const Expression& e) {
  const Channel& asked = module_.channels[static_cast<std::size_t>(e.number)];
  const std::int64_t index = e.children.empty() ? 0 : number(*e.children[0]);
  if (index < 0 || index >= asked.elements) fail("index out of bounds");
  const auto& buffer =
      store_.buffers[asked.first + static_cast<std::size_t>(index)];
  if (e.name == "cfull") return walked_boolean(buffer.size() == asked.capacity);
  if (e.name == "cempty") return walked_boolean(buffer.empty());
  if (e.name == "ccount") return walked_number(std::ssize(buffer));
  if (e.name == "csize") return walked_number(asked.capacity);
  if (buffer.empty()) fail("cpeek of an empty channel");
  if (buffer[0].size() == 1) return buffer[0][0];
  WalkedDatum made;
  made.kind = Kind::kArray;
  made.items = buffer[0];
  return made;
}

WalkedDatum WalkedEvaluation::method(const Expression& e) {
  std::vector<WalkedDatum> arguments;
  for (std::size_t i = 1; i < e.children.size(); ++i) {
    arguments.push_back(value(*e.children[i]));
  }
  const Expression& receiver = *e.children[0];
  const bool is_place = receiver.kind == ExprKind::kGlobal ||
                        receiver.kind == ExprKind::kLocal ||
                        receiver.kind == ExprKind::kElement;
  if (is_place) return call_method(place(receiver), e.name, arguments);
  WalkedDatum object = value(receiver);
  return call_method(object, e.name, arguments);
}

WalkedDatum WalkedEvaluation::field(const Expression& e) {
  const Expression& receiver = *e.children[0];
  if (receiver.kind == ExprKind::kNew) return walked_number(0);
  const WalkedDatum& object = place(receiver);
  if (object.type != "List") fail("no such field");
  return walked_number(object.number);
}

WalkedDatum WalkedEvaluation::function(const Expression& e) {
  const WalkedDatum array = value(*e.children[0]);
  if (array.kind != Kind::kArray) fail("no array");
  if (e.name == "ArrayLength") return walked_number(std::ssize(array.items));
  if (e.name == "IsArrayEmpty") return walked_boolean(array.items.empty());
  const auto less = [](const WalkedDatum& left, const WalkedDatum& right) {
    return plain(left) < plain(right);
  };
  if (array.items.empty()) fail("no element");
  if (e.name == "ArrayMax") {
    return *std::max_element(array.items.begin(), array.items.end(), less);
  }
  if (e.name == "ArrayMin") {
    return *std::min_element(array.items.begin(), array.items.end(), less);
  }
  fail("a function that the walker has not: " + e.name);
}

bool WalkedEvaluation::indexed(const Expression& e, std::size_t level) {
  if (level == e.indices.size()) return holds(*e.children[0]);
  const Index& index = e.indices[level];
  std::vector<std::int64_t> values;
  for (const ExprPtr& each : index.values) values.push_back(number(*each));
  if (index.high != nullptr) {
    const std::int64_t high = number(*index.high);
    for (auto x = number(*index.low); x <= high; ++x) values.push_back(x);
  }
  bool result = e.op == Operator::kAnd;
  for (const std::int64_t x : values) {
    local(index.slot) = walked_number(x);
    const bool one = indexed(e, level + 1);
    if (e.op == Operator::kXor) {
      result = result != one;
    } else {
      result = one;
      if (one == (e.op == Operator::kOr)) break;
    }
  }
  return result;
}

void WalkedEvaluation::run(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kBlock:
      for (const StatementPtr& child : statement.children) run(*child);
      return;
    case StatementKind::kDeclare:
      local(statement.slot) = statement.expression == nullptr
                                  ? WalkedDatum()
                                  : value(*statement.expression);
      return;
    case StatementKind::kIf:
      if (holds(*statement.expression)) {
        run(*statement.children[0]);
      } else if (statement.children.size() > 1) {
        run(*statement.children[1]);
      }
      return;
    case StatementKind::kWhile:
      while (holds(*statement.expression)) {
        if (++rounds_ > 1'000'000) fail("a loop without end");
        run(*statement.children[0]);
      }
      return;
    case StatementKind::kExpression:
      value(*statement.expression);
  }
}

WalkedDatum WalkedEvaluation::last_value(const Statement& statement) {
  if (statement.kind == StatementKind::kExpression) {
    return value(*statement.expression);
  }
  if (statement.kind == StatementKind::kIf) {
    const bool first = holds(*statement.expression);
    if (!first && statement.children.size() < 2) fail("no value");
    return last_value(*statement.children[first ? 0 : 1]);
  }
  const auto& all = statement.children;
  if (statement.kind != StatementKind::kBlock || all.empty()) fail("no value");
  for (std::size_t i = 0; i + 1 < all.size(); ++i) run(*all[i]);
  return last_value(*all.back());
}

void WalkedEvaluation::declare(const Variable& variable) {
  WalkedDatum made;
  if (!variable.type.empty()) {
    made.kind = Kind::kObject;
    made.type = variable.type;
  }
  std::size_t elements = 1;
  for (const std::uint32_t size : variable.dimensions) elements *= size;
  if (!variable.dimensions.empty()) {
    WalkedDatum array;
    array.kind = Kind::kArray;
    array.items.assign(elements, made);
    made = std::move(array);
  }
  if (variable.initial != nullptr) made = value(*variable.initial);
  if (!variable.any) check_range(variable, made);
  store_.variables[variable.name] = std::move(made);
}

}  // namespace plumb::walked
