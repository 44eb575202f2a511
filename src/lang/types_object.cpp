// SPDX-License-Identifier: Apache-2.0
#include "lang/types_object.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/types.h"

namespace plumb::lang {
void ObjectChecker::check() {
  declare();
  check_constants(object_.constants, names_, diagnostics_);
  resolve_types();
  for (const auto& structure : object_.structs) check_fields(*structure);
  check_variables();
  for (const auto& function : object_.functions) check_signature(*function);
  if (object_.init != nullptr) check_init();
  for (const auto& function : object_.functions) check_body(*function);
  check_calls(object_, facts_, init_facts_, diagnostics_);
  if (!object_.partition.empty()) check_partition(object_, diagnostics_);
  check_roles();
}

void ObjectChecker::declare() {
  for (const auto& parameter : object_.parameters) names_.add(*parameter);
  for (const auto& constant : object_.constants) names_.add(*constant);
  for (const auto& enumeration : object_.enums) names_.add(*enumeration);
  for (const auto& structure : object_.structs) names_.add(*structure);
  for (const auto& function : object_.functions) names_.add(*function);
  for (const auto& variable : object_.variables) names_.add(*variable);
}

void ObjectChecker::resolve_types() {
  for (TypeUse& use : types_) resolve(use);
}

void ObjectChecker::resolve(TypeUse& use) {
  if (!use.name.empty()) resolve_name(use);
  if (use.low != nullptr) {
    expressions_.check_constant(*use.low, TypeKind::kInt, "a range is of");
    expressions_.check_constant(*use.high, TypeKind::kInt, "a range is of");
  }
  if (use.size != nullptr) {
    expressions_.check_constant(*use.size, TypeKind::kInt, "a size is");
  }
  if (is_container(*use.type)) check_container(use);
  if (use.type->kind == TypeKind::kArray &&
      use.type->element->kind == TypeKind::kVoid) {
    diagnostics_.report(use.span, "an array of 'void' holds nothing");
  }
}

void ObjectChecker::resolve_name(TypeUse& use) {
  if (const Struct* structure = names_.structure(use.name)) {
    use.type->kind = TypeKind::kReference;
    use.type->structure = structure;
    return;
  }
  if (const Enum* enumeration = names_.enumeration(use.name)) {
    use.type->kind = TypeKind::kEnum;
    use.type->enumeration = enumeration;
    return;
  }
  if (use.name == "value" && object_.is_specification) {
    use.type->kind = TypeKind::kValue;
    return;
  }
  if (!expressions_.context.unknown.insert("type " + use.name).second) return;
  const bool is_container =
      use.name == "seq" || use.name == "set" || use.name == "map";
  std::vector<std::string> candidates = names_.types();
  candidates.insert(candidates.end(), words().begin(), words().end());
  diagnostics_.report(
      use.span, fmt::format("unknown type '{}'", use.name),
      is_container ? fmt::format("say what it holds, as in '{}<{}int>'",
                                 use.name, use.name == "map" ? "int, " : "")
                   : suggestion(use.name, candidates));
}

void ObjectChecker::check_container(const TypeUse& use) {
  const std::string_view what = use.type->kind == TypeKind::kSeq   ? "seq"
                                : use.type->kind == TypeKind::kSet ? "set"
                                                                   : "map";
  check_part(*use.type->element, what, use.span);
  const Type* unique = use.type->kind == TypeKind::kSet
                           ? use.type->element.get()
                           : use.type->key.get();
  if (use.type->kind == TypeKind::kMap) check_part(*unique, what, use.span);
  if (use.type->kind == TypeKind::kSeq ||
      unique->kind != TypeKind::kReference) {
    return;
  }
  diagnostics_.report(
      use.span,
      use.type->kind == TypeKind::kSet
          ? "a set cannot hold references"
          : "the keys of a map cannot be references",
      "cells have no order and no name that lasts; use a key that is a value");
}

void ObjectChecker::check_part(const Type& part, std::string_view what,
                               Span span) {
  if (is_plain(part) || part.kind == TypeKind::kReference) return;
  diagnostics_.report(span,
                      fmt::format("a {} cannot hold {}", what,
                                  describe(part, diagnostics_.source())),
                      "it holds int, bool, enums, processes or references");
}

void ObjectChecker::check_no_void(const Variable& variable) {
  if (variable.type->kind != TypeKind::kVoid) return;
  diagnostics_.report(variable.span,
                      fmt::format("'{}' cannot be 'void'", variable.name),
                      "'void' is for what returns nothing");
}

void ObjectChecker::check_fields(const Struct& structure) {
  absl::flat_hash_map<std::string, Span> seen;
  for (const auto& field : structure.fields) {
    const auto [other, is_new] = seen.emplace(field->name, field->span);
    if (!is_new) {
      diagnostics_.report(field->span,
                          fmt::format("'{}' has a second field '{}'",
                                      structure.name, field->name));
    }
    check_no_void(*field);
    if (field->initial == nullptr) continue;
    expressions_.check_fits(*field->initial, field->type,
                            fmt::format("'{}' is", field->name));
    check_literal(*field->initial);
  }
}

// The initial value of a field: constant, or one of the words for a value.
void ObjectChecker::check_literal(const Expression& e) {
  switch (e.kind) {
    case ExpressionKind::kNull:
    case ExpressionKind::kEmpty:
    case ExpressionKind::kNobody:
      return;
    default:
      if (e.enumeration == nullptr) expressions_.is_constant(e);
  }
}

void ObjectChecker::check_variables() {
  for (const auto& variable : object_.variables) {
    check_no_void(*variable);
    if (variable->initial == nullptr) continue;
    expressions_.check_fits(*variable->initial, variable->type,
                            fmt::format("'{}' is", variable->name));
    check_initial(*variable->initial, *variable);
  }
}

void ObjectChecker::check_initial(const Expression& e,
                                  const Variable& variable) {
  const bool is_effect =
      e.kind == ExpressionKind::kSelf ||
      (e.kind == ExpressionKind::kBuiltin && e.builtin != Builtin::kMin &&
       e.builtin != Builtin::kMax);
  const bool is_later =
      e.variable != nullptr && e.variable->span.begin >= variable.span.begin;
  if (is_effect || is_later) {
    diagnostics_.report(
        e.span,
        is_later
            ? fmt::format("'{}' is not yet there when '{}' gets its "
                          "initial value",
                          e.name, variable.name)
            : fmt::format("'{}' cannot be used in the initial value of "
                          "'{}'",
                          e.kind == ExpressionKind::kSelf ? "self" : e.name,
                          variable.name),
        "constants, earlier variables and 'new' can be used");
    return;
  }
  for (const ExpressionPtr& operand : e.operands) {
    check_initial(*operand, variable);
  }
}

// Histories have such arguments; clients of models do not.
bool ObjectChecker::is_list_of_values(const Type& type) const {
  return object_.is_specification && type.kind == TypeKind::kSeq;
}

void ObjectChecker::check_signature(const Function& function) {
  for (const auto& parameter : function.parameters) {
    check_no_void(*parameter);
    if (!function.is_operation || is_plain(*parameter->type) ||
        is_list_of_values(*parameter->type) ||
        parameter->type->kind == TypeKind::kVoid) {
      continue;
    }
    diagnostics_.report(
        parameter->span,
        fmt::format("the operation '{}' cannot take {}", function.name,
                    describe(*parameter->type, diagnostics_.source())),
        "clients call operations with int, bool, enums and processes; mark a "
        "helper with 'function'");
  }
  const Type& result = *function.result;
  const bool is_list =
      (result.kind == TypeKind::kArray && is_plain(*result.element)) ||
      (object_.is_specification && is_container(result));
  if (function.is_operation && !is_plain(result) && !is_list &&
      result.kind != TypeKind::kVoid) {
    diagnostics_.report(
        function.span,
        fmt::format("the operation '{}' cannot return {}", function.name,
                    describe(result, diagnostics_.source())),
        "operations return int, bool, enums, processes or arrays of these; "
        "mark a helper with 'function'");
  }
}

void ObjectChecker::check_body(const Function& function) {
  ExpressionChecker::Context& context = expressions_.context;
  context.atomic = object_.is_specification ? 1 : 0;
  context.facts = &facts_[&function];
  context.unknown.clear();
  const std::size_t mark = names_.mark();
  for (const auto& parameter : function.parameters) names_.add(*parameter);
  check_statements(*function.body, &function, object_, names_, expressions_);
  names_.forget_since(mark);
  context.facts = nullptr;
}

void ObjectChecker::check_init() {
  ExpressionChecker::Context& context = expressions_.context;
  context.atomic = 1;
  context.in_init = true;
  context.facts = &init_facts_;
  context.unknown.clear();
  check_statements(*object_.init, nullptr, object_, names_, expressions_);
  context.in_init = false;
  context.facts = nullptr;
}

void ObjectChecker::check_roles() {
  std::vector<std::string> operations;
  for (const auto& function : object_.functions) {
    if (function->is_operation) operations.push_back(function->name);
  }
  absl::flat_hash_map<std::string, Span> seen;
  for (std::size_t i = 0; i < object_.roles.size(); ++i) {
    const Role& role = object_.roles[i];
    if (!seen.emplace(role.name, role.span).second) {
      diagnostics_.report(
          role.span, fmt::format("there is a second role '{}'", role.name));
    }
    if (role.count != nullptr) {
      expressions_.check_constant(*role.count, TypeKind::kInt,
                                  "a number of processes is");
    } else if (i + 1 < object_.roles.size()) {
      diagnostics_.report(role.span, "the role of the 'others' is not the last",
                          "roles take processes in the order written");
    }
    for (std::size_t k = 0; k < role.operations.size(); ++k) {
      const std::string& name = role.operations[k];
      if (std::find(operations.begin(), operations.end(), name) !=
          operations.end()) {
        continue;
      }
      diagnostics_.report(
          role.operation_spans[k],
          fmt::format("'{}' has no operation '{}'", object_.name, name),
          suggestion(name, operations));
    }
  }
}

}  // namespace plumb::lang
