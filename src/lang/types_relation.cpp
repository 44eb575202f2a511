// SPDX-License-Identifier: Apache-2.0
// Relations: what the states of an object stand for.
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <functional>
#include <optional>

#include "lang/types.h"
#include "lang/types_object.h"
#include "spec/catalogue.h"

namespace plumb::lang {
namespace {

// Calls `visit` with all statements and expressions of `s`, outer ones first;
// either may be null.
using Visit = std::function<void(const Statement*, const Expression*)>;

void walk(const Expression& e, const Visit& visit) {
  visit(nullptr, &e);
  for (const ExpressionPtr& operand : e.operands) walk(*operand, visit);
}

void walk(const Statement& s, const Visit& visit) {
  visit(&s, nullptr);
  if (s.target != nullptr) walk(*s.target, visit);
  if (s.value != nullptr) walk(*s.value, visit);
  if (s.first != nullptr) walk(*s.first, visit);
  if (s.next != nullptr) walk(*s.next, visit);
  for (const auto& variable : s.variables) {
    if (variable->initial != nullptr) walk(*variable->initial, visit);
  }
  for (const StatementPtr& inner : s.body) walk(*inner, visit);
}

// Something that a relation may not do: "this changes 'top'".
struct Offence {
  Span span;
  std::string what;
};

std::string changes(const Expression& place, const Source& source) {
  return fmt::format("changes '{}'", source.text(place.span));
}

std::optional<Offence> offence_of(const Expression& e, const Source& source) {
  if (e.kind == ExpressionKind::kSelf) return Offence{e.span, "uses 'self'"};
  if (e.kind == ExpressionKind::kNew) return Offence{e.span, "uses 'new'"};
  if (e.kind != ExpressionKind::kBuiltin) return std::nullopt;
  const std::size_t changed = places_changed(e.builtin);
  for (std::size_t i = 0; i < changed && i < e.operands.size(); ++i) {
    if (is_shared(*e.operands[i])) {
      return Offence{e.operands[i]->span, changes(*e.operands[i], source)};
    }
  }
  return std::nullopt;
}

std::optional<Offence> offence_of(const Statement& s, const Source& source) {
  switch (s.kind) {
    case StatementKind::kAssign:
      if (!is_shared(*s.target)) return std::nullopt;
      return Offence{s.target->span, changes(*s.target, source)};
    case StatementKind::kDelete:
      return Offence{s.head, "uses 'delete'"};
    case StatementKind::kLinearize:
      return Offence{s.head, "uses 'linearize'"};
    default:
      return std::nullopt;
  }
}

// The first of a function and of all that it calls.
std::optional<Offence> offence_in(const Function& function,
                                  const Source& source,
                                  absl::flat_hash_set<const Function*>& seen) {
  std::optional<Offence> found;
  if (!seen.insert(&function).second) return found;
  walk(*function.body, [&](const Statement* s, const Expression* e) {
    if (found) return;
    found = s != nullptr ? offence_of(*s, source) : offence_of(*e, source);
    if (found || e == nullptr || e->function == nullptr) return;
    found = offence_in(*e->function, source, seen);
  });
  return found;
}

void check_effects(const Function& relation, ExpressionChecker& expressions) {
  const Source& source = expressions.source();
  const std::string hint =
      "a relation looks at a state; it may have variables of its own";
  absl::flat_hash_set<const Function*> seen;
  walk(*relation.body, [&](const Statement* s, const Expression* e) {
    const auto found =
        s != nullptr ? offence_of(*s, source) : offence_of(*e, source);
    if (found) {
      return expressions.report(found->span, "the relation " + found->what,
                                hint);
    }
    if (e == nullptr || e->function == nullptr) return;
    if (const auto inner = offence_in(*e->function, source, seen)) {
      expressions.report(
          e->span,
          fmt::format("the relation cannot call '{}', which {} on line {}",
                      e->function->name, inner->what, source.line(inner->span)),
          hint);
    }
  });
}

enum class Natural : std::uint8_t { kSeq, kSet, kMap, kInt, kBool, kValue };

Natural natural_type(std::string_view built_in) {
  if (built_in == "set") return Natural::kSet;
  if (built_in == "map") return Natural::kMap;
  if (built_in == "counter" || built_in == "snzi") return Natural::kInt;
  if (built_in == "mutex") return Natural::kBool;
  if (built_in == "register") return Natural::kValue;
  return Natural::kSeq;
}

std::string_view words_for(Natural natural) {
  switch (natural) {
    case Natural::kSeq:
      return "a seq of values";
    case Natural::kSet:
      return "a set of values";
    case Natural::kMap:
      return "a map of values";
    case Natural::kInt:
      return "int";
    case Natural::kBool:
      return "bool";
    case Natural::kValue:
      break;
  }
  return "a value";
}

bool is_natural(const Type& type, Natural natural) {
  switch (natural) {
    case Natural::kSeq:
      return type.kind == TypeKind::kSeq && is_plain(*type.element);
    case Natural::kSet:
      return type.kind == TypeKind::kSet && is_plain(*type.element);
    case Natural::kMap:
      return type.kind == TypeKind::kMap && is_plain(*type.element) &&
             is_plain(*type.key);
    case Natural::kInt:
      return type.kind == TypeKind::kInt;
    case Natural::kBool:
      return type.kind == TypeKind::kBool;
    case Natural::kValue:
      break;
  }
  return is_plain(type) || type.kind == TypeKind::kEmpty;
}

}  // namespace

std::vector<std::string> called_in(const Statement& body) {
  std::vector<std::string> names;
  walk(body, [&](const Statement*, const Expression* e) {
    if (e != nullptr && e->kind == ExpressionKind::kCall) {
      names.push_back(e->name);
    }
  });
  return names;
}

TypePtr abstract_type(const std::string& built_in, const Expression& value,
                      ExpressionChecker& expressions) {
  const Type& type = *value.type;
  if (type.kind == TypeKind::kError) return value.type;
  const Natural natural = natural_type(built_in);
  if (!is_natural(type, natural)) {
    expressions.report(
        value.span,
        fmt::format("this is {}, but a state of '{}' is {}",
                    expressions.describe(value), built_in, words_for(natural)));
    return simple_type(TypeKind::kError);
  }
  const bool is_int =
      type.kind == TypeKind::kInt || type.kind == TypeKind::kEmpty;
  return is_int ? simple_type(TypeKind::kInt) : value.type;
}

void check_relation(Object& object, Names& names,
                    ExpressionChecker& expressions) {
  Function& relation = *object.relation;
  relation.result = simple_type(TypeKind::kVoid);
  if (object.implements.empty()) {
    return expressions.report(
        relation.span,
        fmt::format("'{}' implements no specification, so its states stand "
                    "for nothing",
                    object.name),
        fmt::format("write 'object {} implements ...'", object.name));
  }
  RelationContext context;
  context.specification = object.specification;
  if (object.specification == nullptr) {
    try {
      context.built_in = spec::parse_name(object.implements).entry->name;
    } catch (const InputError&) {
      return;  // reported already
    }
  }
  Facts facts;
  expressions.context.atomic = 1;
  expressions.context.facts = &facts;
  expressions.context.relation = &context;
  expressions.context.unknown.clear();
  check_statements(*relation.body, &relation, object, names, expressions);
  expressions.context.relation = nullptr;
  expressions.context.facts = nullptr;
  expressions.context.atomic = 0;
  check_effects(relation, expressions);
  if (context.specification != nullptr) return;
  const bool is_missing = context.result == nullptr;
  relation.result = is_missing ? simple_type(TypeKind::kError) : context.result;
  if (is_missing ||
      (can_end(*relation.body) && relation.result->kind != TypeKind::kError)) {
    expressions.report(
        relation.span,
        is_missing
            ? "this relation returns nothing"
            : "the end of this relation can be reached without a 'return'",
        fmt::format("return {}, a state of '{}'",
                    words_for(natural_type(context.built_in)),
                    context.built_in));
  }
}

}  // namespace plumb::lang
