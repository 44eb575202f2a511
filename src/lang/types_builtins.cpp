// SPDX-License-Identifier: Apache-2.0
// The types of built-in functions.
#include <fmt/format.h>

#include <algorithm>

#include "lang/types.h"
#include "lang/types_expressions.h"

namespace plumb::lang {
namespace {

// How many arguments each takes, in the order of Builtin.
constexpr std::size_t kCounts[] = {3, 6, 2, 2, 2, 2, 2, 1, 1, 2, 2, 2,
                                   1, 1, 1, 1, 2, 3, 2, 2, 1, 1, 1};
static_assert(std::size(kCounts) ==
              static_cast<std::size_t>(Builtin::kClear) + 1);

TypePtr int_type() {
  return simple_type(TypeKind::kInt);
}
TypePtr bool_type() {
  return simple_type(TypeKind::kBool);
}

}  // namespace

TypePtr ExpressionChecker::builtin(Expression& e) {
  const auto count = kCounts[static_cast<std::size_t>(e.builtin)];
  if (!check_count(e, count)) {
    for (const ExpressionPtr& operand : e.operands) check(*operand);
    return simple_type(TypeKind::kError);
  }
  return builtin_type(e);
}

bool ExpressionChecker::check_count(Expression& e, std::size_t wanted) {
  const std::size_t given = e.operands.size();
  if (given == wanted) return true;
  report(e.span,
         fmt::format("'{}' is called with {} argument{}, but it takes {}",
                     e.name, given, given == 1 ? "" : "s",
                     wanted == 0 ? "none" : fmt::format("{}", wanted)));
  return false;
}

void ExpressionChecker::argument(Expression& e, std::size_t i,
                                 const TypePtr& wanted) {
  check_fits(*e.operands[i], wanted, fmt::format("'{}' takes", e.name));
}

TypePtr ExpressionChecker::builtin_type(Expression& e) {
  switch (e.builtin) {
    case Builtin::kCas:
    case Builtin::kFetchAdd:
    case Builtin::kExchange:
      return swap(e);
    case Builtin::kDcas:
      return double_swap(e);
    case Builtin::kAny:
      note_not_in_init(e.span, "any");
      [[fallthrough]];
    case Builtin::kMin:
    case Builtin::kMax:
      argument(e, 0, int_type());
      argument(e, 1, int_type());
      return int_type();
    case Builtin::kIndex:
      argument(e, 0, simple_type(TypeKind::kProcess));
      return int_type();
    case Builtin::kLen:
    case Builtin::kContains:
    case Builtin::kRemove:
    case Builtin::kAnyOf:
    case Builtin::kClear:
    case Builtin::kInsert:
    case Builtin::kSmallest:
      return either_container(e);
    default:
      return sequence(e);
  }
}

// May cas and its like work on argument `i`?
bool ExpressionChecker::atomic_place(Expression& e, std::size_t i) {
  Expression& place = *e.operands[i];
  check(place);
  if (place.type->kind == TypeKind::kError) return false;
  const std::string what =
      fmt::format("but '{}' needs a place in shared memory", e.name);
  if (!check_place(place, what)) return false;
  if (!is_shared(place)) {
    report(place.span, fmt::format("this is a local variable, {}", what),
           "no other process can see a local variable");
    return false;
  }
  if (is_compound(*place.type)) {
    report(place.span,
           fmt::format("'{}' cannot work on {}", e.name, describe(place)),
           "use 'atomic { ... }'");
    return false;
  }
  const bool in_container = place.kind == ExpressionKind::kIndex &&
                            is_container(*place.operands[0]->type);
  if (in_container) {
    report(place.span,
           fmt::format("'{}' cannot work on an element of a container", e.name),
           "use 'atomic { ... }'");
  }
  return !in_container;
}

TypePtr ExpressionChecker::swap(Expression& e) {
  const bool is_place = atomic_place(e, 0);
  const TypePtr type =
      is_place ? e.operands[0]->type : simple_type(TypeKind::kError);
  if (e.builtin == Builtin::kFetchAdd) {
    if (is_place && type->kind != TypeKind::kInt) {
      report(e.operands[0]->span,
             fmt::format("this is {}, but 'fetch_add' needs int",
                         describe(*e.operands[0])));
    }
    argument(e, 1, int_type());
    return int_type();
  }
  const std::string whose =
      fmt::format("the place that '{}' changes is", e.name);
  for (std::size_t i = 1; i < e.operands.size(); ++i) {
    check_fits(*e.operands[i], type, whose);
  }
  if (e.builtin == Builtin::kCas) return bool_type();
  return type->kind == TypeKind::kInt ? int_type() : type;
}

// dcas(place, place, old, old, new, new)
TypePtr ExpressionChecker::double_swap(Expression& e) {
  for (std::size_t i = 0; i < 2; ++i) {
    const TypePtr type = atomic_place(e, i) ? e.operands[i]->type
                                            : simple_type(TypeKind::kError);
    const std::string whose = fmt::format("the {} place that 'dcas' changes is",
                                          i == 0 ? "first" : "second");
    check_fits(*e.operands[i + 2], type, whose);
    check_fits(*e.operands[i + 4], type, whose);
  }
  return bool_type();
}

// The type of the first argument if it is a container of one of these kinds;
// the others are then still to be checked, else all have been.
const Type* ExpressionChecker::container(Expression& e,
                                         std::vector<TypeKind> kinds) {
  Expression& first = *e.operands[0];
  check(first);
  const bool is_one =
      std::find(kinds.begin(), kinds.end(), first.type->kind) != kinds.end();
  if (is_one &&
      check_place(first, fmt::format("but '{}' needs a variable", e.name))) {
    return first.type.get();
  }
  for (std::size_t i = 1; i < e.operands.size(); ++i) check(*e.operands[i]);
  if (is_one || first.type->kind == TypeKind::kError) return nullptr;
  std::string wanted;
  for (const TypeKind kind : kinds) {
    if (!wanted.empty()) wanted += kind == kinds.back() ? " or " : ", ";
    wanted += kind == TypeKind::kSeq   ? "a seq"
              : kind == TypeKind::kSet ? "a set"
                                       : "a map";
  }
  report(first.span, fmt::format("this is {}, but '{}' needs {}",
                                 describe(first), e.name, wanted));
  return nullptr;
}

TypePtr ExpressionChecker::sequence(Expression& e) {
  const Type* seq = container(e, {TypeKind::kSeq});
  if (seq == nullptr) return simple_type(TypeKind::kError);
  const TypePtr nothing = simple_type(TypeKind::kVoid);
  switch (e.builtin) {
    case Builtin::kPushBack:
    case Builtin::kPushFront:
      argument(e, 1, seq->element);
      return nothing;
    case Builtin::kInsertAt:
      argument(e, 1, int_type());
      argument(e, 2, seq->element);
      return nothing;
    case Builtin::kRemoveAt:
      argument(e, 1, int_type());
      return seq->element;
    default:  // pop_back, pop_front, front, back
      return seq->element;
  }
}

// len(v) and contains(v, x) of a value that is a list or a map.
bool ExpressionChecker::looks_into_value(Expression& e) {
  if (e.builtin != Builtin::kLen && e.builtin != Builtin::kContains) {
    return false;
  }
  check(*e.operands[0]);
  return e.operands[0]->type->kind == TypeKind::kValue;
}

TypePtr ExpressionChecker::either_container(Expression& e) {
  if (looks_into_value(e)) {
    if (e.builtin == Builtin::kLen) return int_type();
    argument(e, 1, simple_type(TypeKind::kValue));
    return bool_type();
  }
  std::vector<TypeKind> kinds;
  if (e.builtin != Builtin::kInsert && e.builtin != Builtin::kSmallest &&
      e.builtin != Builtin::kRemove) {
    kinds.push_back(TypeKind::kSeq);
  }
  kinds.push_back(TypeKind::kSet);
  if (e.builtin != Builtin::kInsert && e.builtin != Builtin::kSmallest &&
      e.builtin != Builtin::kAnyOf) {
    kinds.push_back(TypeKind::kMap);
  }
  const Type* type = container(e, std::move(kinds));
  if (type == nullptr) return simple_type(TypeKind::kError);
  switch (e.builtin) {
    case Builtin::kLen:
      return int_type();
    case Builtin::kClear:
      return simple_type(TypeKind::kVoid);
    case Builtin::kAnyOf:
      note_not_in_init(e.span, "any_of");
      return type->element;
    case Builtin::kSmallest:
      if (!is_int(*type->element)) {
        report(e.operands[0]->span,
               fmt::format("this is {}, but 'smallest' needs a set of int",
                           describe(*e.operands[0])));
      }
      return type->element;
    default:  // contains, insert, remove
      argument(e, 1, type->kind == TypeKind::kMap ? type->key : type->element);
      return bool_type();
  }
}

}  // namespace plumb::lang
