// SPDX-License-Identifier: Apache-2.0
// Expressions of the tree walker.
#include <algorithm>
#include <utility>

#include "support/tree_walker_call.h"

namespace plumb::lang {
namespace {

Datum datum_of(std::int64_t number) {
  return {number, {}};
}

}  // namespace

WalkedCall::WalkedPlace WalkedCall::place(const Expression& expression) {
  WalkedPlace made;
  made.type = expression.type;
  if (expression.kind == ExpressionKind::kName) {
    const auto& variables = walker_.object().variables;
    made.variable = expression.variable;
    made.type = expression.variable->type;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (variables[i].get() != expression.variable) continue;
      made.base = WalkedPlace::Base::kShared;
      made.index = i;
    }
  } else if (expression.kind == ExpressionKind::kField) {
    made.base = WalkedPlace::Base::kCell;
    made.cell = value(*expression.operands[0]).number;
    made.index = expression.field;
    made.type = expression.structure->fields[expression.field]->type;
  } else {
    made = place(*expression.operands[0]);
    const TypePtr whole = made.type;
    Datum index = value(*expression.operands[1]);
    if (whole->kind == TypeKind::kArray) index.number = number(index);
    made.path.emplace_back(whole, index);
    made.type = whole->element;
  }
  return made;
}

std::int64_t WalkedCall::number(const Datum& datum) const {
  if (datum.number == kEmptyDatum) walk_fault("'empty' is no number in");
  return datum.number;
}

Datum WalkedCall::fit(const Type& type, const Datum& datum) const {
  if (type.kind != TypeKind::kInt) return datum;
  std::int64_t low, high;
  const bool ranged = walker_.range(type, low, high);
  if (datum.number == kEmptyDatum && !ranged) return datum;
  if (datum.number < low || datum.number > high) {
    if (!ranged) throw WalkCut();
    walk_fault("value out of range in");
  }
  return datum;
}

Datum WalkedCall::value(const Expression& expression) {
  switch (expression.kind) {
    case ExpressionKind::kInteger:
    case ExpressionKind::kBoolean:
      return datum_of(expression.number);
    case ExpressionKind::kText:
    case ExpressionKind::kList:
      break;  // in specifications only
    case ExpressionKind::kNull:
      return datum_of(0);
    case ExpressionKind::kEmpty:
      return datum_of(kEmptyDatum);
    case ExpressionKind::kNobody:
      return datum_of(-1);
    case ExpressionKind::kSelf:
      return datum_of(process_);
    case ExpressionKind::kProcesses:
      return datum_of(walker_.constants().processes);
    case ExpressionKind::kName:
      if (expression.constant != nullptr) {
        return datum_of(walker_.constants().values.at(expression.constant));
      }
      if (expression.enumeration != nullptr) {
        return datum_of(expression.number);
      }
      return read(place(expression));
    case ExpressionKind::kField:
    case ExpressionKind::kIndex:
      return read(place(expression));
    case ExpressionKind::kUnary:
      if (expression.op == Operator::kNot) {
        return datum_of(value(*expression.operands[0]).number == 0 ? 1 : 0);
      }
      return datum_of(-number(value(*expression.operands[0])));
    case ExpressionKind::kBinary:
      return binary(expression);
    case ExpressionKind::kConditional:
      return condition(*expression.operands[0])
                 ? value(*expression.operands[1])
                 : value(*expression.operands[2]);
    case ExpressionKind::kCall:
      return call(expression);
    case ExpressionKind::kBuiltin:
      return builtin(expression);
    case ExpressionKind::kNew:
      return make_cell(expression);
  }
  return {};
}

Datum WalkedCall::binary(const Expression& expression) {
  const Operator op = expression.op;
  if (op == Operator::kAnd || op == Operator::kOr) {
    return datum_of(condition(expression) ? 1 : 0);
  }
  const Datum left = value(*expression.operands[0]);
  const Datum right = value(*expression.operands[1]);
  if (op == Operator::kEqual) return datum_of(left == right ? 1 : 0);
  if (op == Operator::kUnequal) return datum_of(left != right ? 1 : 0);
  const std::int64_t x = number(left);
  const std::int64_t y = number(right);
  switch (op) {
    case Operator::kAdd:
      return datum_of(x + y);
    case Operator::kSubtract:
      return datum_of(x - y);
    case Operator::kMultiply:
      return datum_of(x * y);
    case Operator::kDivide:
      if (y == 0) walk_fault("division by zero in");
      return datum_of(x / y);
    case Operator::kRemainder:
      if (y == 0) walk_fault("division by zero in");
      return datum_of(x % y);
    case Operator::kLess:
      return datum_of(x < y ? 1 : 0);
    case Operator::kLessEqual:
      return datum_of(x <= y ? 1 : 0);
    case Operator::kGreater:
      return datum_of(x > y ? 1 : 0);
    default:
      return datum_of(x >= y ? 1 : 0);
  }
}

// A cell that a failing cas was to put somewhere stays private only if the
// outcome of the cas is looked at right here.
bool WalkedCall::condition(const Expression& expression) {
  if (expression.kind == ExpressionKind::kUnary) {
    return !condition(*expression.operands[0]);
  }
  if (expression.kind == ExpressionKind::kBinary &&
      expression.op == Operator::kAnd) {
    return condition(*expression.operands[0]) &&
           condition(*expression.operands[1]);
  }
  if (expression.kind == ExpressionKind::kBinary &&
      expression.op == Operator::kOr) {
    return condition(*expression.operands[0]) ||
           condition(*expression.operands[1]);
  }
  if (expression.kind == ExpressionKind::kBuiltin &&
      (expression.builtin == Builtin::kCas ||
       expression.builtin == Builtin::kDcas)) {
    return cas(expression, true);
  }
  return value(expression).number != 0;
}

bool WalkedCall::cas(const Expression& expression, bool direct) {
  const std::size_t count = expression.builtin == Builtin::kCas ? 1 : 2;
  std::vector<WalkedPlace> places;
  std::vector<Datum> old_values, new_values;
  for (std::size_t i = 0; i < count; ++i) {
    places.push_back(place(*expression.operands[i]));
  }
  for (std::size_t i = 0; i < count; ++i) {
    old_values.push_back(value(*expression.operands[count + i]));
  }
  for (std::size_t i = 0; i < count; ++i) {
    new_values.push_back(value(*expression.operands[2 * count + i]));
  }
  if (count == 1) {
    begin_access(places[0]);
  } else {
    boundary();
  }
  const Datum done = event([&] {
    bool equal = true;
    for (std::size_t i = 0; i < count && equal; ++i) {
      equal = locate(places[i]) == old_values[i];
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (equal || !direct) escape(*places[i].type, new_values[i]);
      if (!equal) continue;
      locate(places[i]) = fit(*places[i].type, new_values[i]);
    }
    return datum_of(equal ? 1 : 0);
  });
  return done.number != 0;
}

Datum WalkedCall::builtin(const Expression& expression) {
  switch (expression.builtin) {
    case Builtin::kCas:
    case Builtin::kDcas:
      return datum_of(cas(expression, false) ? 1 : 0);
    case Builtin::kFetchAdd:
    case Builtin::kExchange: {
      const WalkedPlace at = place(*expression.operands[0]);
      const Datum given = value(*expression.operands[1]);
      const bool adds = expression.builtin == Builtin::kFetchAdd;
      if (adds) number(given);
      begin_access(at);
      return event([&] {
        Datum& found = locate(at);
        const Datum before = found;
        const Datum next =
            adds ? datum_of(number(before) + given.number) : given;
        const Datum fitting = fit(*at.type, next);
        escape(*at.type, fitting);
        found = fitting;
        return before;
      });
    }
    case Builtin::kMin:
    case Builtin::kMax:
    case Builtin::kAny: {
      const Datum left = value(*expression.operands[0]);
      const Datum right = value(*expression.operands[1]);
      const std::int64_t x = number(left);
      const std::int64_t y = number(right);
      if (expression.builtin == Builtin::kMin) return datum_of(std::min(x, y));
      if (expression.builtin == Builtin::kMax) return datum_of(std::max(x, y));
      return event([&] {
        if (x > y) walk_fault("value out of range in");
        const auto count = static_cast<std::size_t>(y - x + 1);
        return datum_of(x + static_cast<std::int64_t>(choices_.choose(count)));
      });
    }
    case Builtin::kIndex:
      return value(*expression.operands[0]);
    default:
      return container(expression);
  }
}

Datum WalkedCall::container(const Expression& expression) {
  const WalkedPlace at = place(*expression.operands[0]);
  const Type& type = *at.type;
  const bool adds = expression.builtin == Builtin::kPushBack ||
                    expression.builtin == Builtin::kPushFront ||
                    expression.builtin == Builtin::kInsert;
  std::vector<Datum> given;
  for (std::size_t i = 1; i < expression.operands.size(); ++i) {
    given.push_back(value(*expression.operands[i]));
    if (adds || i == 2) given.back() = fit(*type.element, given.back());
  }
  begin_access(at);
  const auto effect = [&] {
    return change_container(expression, locate(at), type, given);
  };
  // A choice is remembered even where the container is local.
  if (at.base == WalkedPlace::Base::kLocal &&
      expression.builtin != Builtin::kAnyOf) {
    return effect();
  }
  return event(effect);
}

Datum WalkedCall::change_container(const Expression& expression, Datum& at,
                                   const Type& type,
                                   const std::vector<Datum>& given) {
  std::vector<Datum>& items = at.items;
  const std::size_t size = items.size();
  const auto take = [&](std::size_t i) {
    const Datum taken = items[i];
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
    return taken;
  };
  const auto put = [&](std::size_t i, const Datum& datum) {
    if (size == walker_.capacity(type)) throw WalkCut{};
    escape(*type.element, datum);
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(i), datum);
    return Datum{};
  };
  const auto find = [&] {
    std::size_t i = 0;
    while (i < size && (type.kind == TypeKind::kMap ? items[i].items[0]
                                                    : items[i]) != given[0]) {
      ++i;
    }
    return i;
  };
  const auto index = [&](std::size_t end) {
    const std::int64_t i = number(given[0]);
    if (i < 0 || static_cast<std::size_t>(i) >= end) {
      walk_fault("index out of range in");
    }
    return static_cast<std::size_t>(i);
  };
  switch (expression.builtin) {
    case Builtin::kLen:
      return datum_of(static_cast<std::int64_t>(size));
    case Builtin::kClear:
      items.clear();
      return {};
    case Builtin::kContains:
      return datum_of(find() < size ? 1 : 0);
    case Builtin::kPushBack:
      return put(size, given[0]);
    case Builtin::kPushFront:
      return put(0, given[0]);
    case Builtin::kInsertAt:
      return put(index(size + 1), given[1]);
    case Builtin::kRemoveAt:
      return take(index(size));
    case Builtin::kInsert: {
      if (find() < size) return datum_of(0);
      put(0, given[0]);
      std::sort(items.begin(), items.end());
      return datum_of(1);
    }
    case Builtin::kRemove: {
      const std::size_t i = find();
      if (i < size) take(i);
      return datum_of(i < size ? 1 : 0);
    }
    default:
      return take_from(expression.builtin, items);
  }
}

Datum WalkedCall::take_from(Builtin builtin, std::vector<Datum>& items) {
  if (items.empty()) walk_fault("nothing to take in");
  Datum taken = items.front();  // front, smallest
  if (builtin == Builtin::kBack || builtin == Builtin::kPopBack) {
    taken = items.back();
  }
  if (builtin == Builtin::kAnyOf) taken = items[choices_.choose(items.size())];
  if (builtin == Builtin::kPopBack) items.pop_back();
  if (builtin == Builtin::kPopFront) items.erase(items.begin());
  return taken;
}

Datum WalkedCall::make_cell(const Expression& expression) {
  const Struct& structure = *expression.structure;
  std::vector<Datum> given;
  for (std::size_t i = 0; i < expression.operands.size(); ++i) {
    const Type& type = *structure.fields[expression.field_indices[i]]->type;
    given.push_back(fit(type, value(*expression.operands[i])));
  }
  const bool frees = walker_.object().memory != Memory::kCollected;
  if (frees) boundary();
  return event([&] {
    std::vector<std::int64_t> freed = {0};
    for (const auto& [name, cell] : state_.cells) {
      if (cell.freed && cell.structure == &structure) freed.push_back(name);
    }
    std::int64_t name = freed[choices_.choose(freed.size())];
    if (name == 0) name = state_.next_cell++;
    WalkedCell& cell = state_.cells[name];
    cell = {&structure, {}, frees ? -1 : process_, false};
    for (const auto& field : structure.fields) {
      cell.fields.push_back(field->initial ? value(*field->initial)
                                           : walker_.default_of(*field->type));
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::size_t field = expression.field_indices[i];
      escape(*structure.fields[field]->type, given[i]);
      state_.cells[name].fields[field] = given[i];
    }
    return datum_of(name);
  });
}

Datum WalkedCall::call(const Expression& expression) {
  const Function& function = *expression.function;
  Locals inner;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Variable& parameter = *function.parameters[i];
    inner[&parameter] = fit(*parameter.type, value(*expression.operands[i]));
  }
  locals_.push_back(std::move(inner));
  result_types_.push_back(function.result.get());
  const Flow flow = statement(*function.body);
  if (flow != Flow::kReturn && function.result->kind != TypeKind::kVoid) {
    walk_fault("no result is returned by");
  }
  result_types_.pop_back();
  locals_.pop_back();
  return result_;
}

}  // namespace plumb::lang
