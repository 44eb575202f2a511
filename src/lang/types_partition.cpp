// SPDX-License-Identifier: Apache-2.0
// Is a specification a product of independent parts, one for each key?
#include <fmt/format.h>

#include "lang/types.h"
#include "lang/types_object.h"

namespace plumb::lang {
namespace {

// All that an operation may touch is what belongs to its key: `m[key]`,
// contains(m, key), insert(s, key) and remove(m, key), where `key` is the
// parameter and never changes.
class PartitionChecker {
 public:
  PartitionChecker(const Object& object, Diagnostics& diagnostics)
      : object_(object), diagnostics_(diagnostics) {}

  void check(const Function& function) {
    key_ = key_of(function);
    if (key_ == nullptr && function.is_operation) {
      diagnostics_.report(
          function.span,
          fmt::format("'{}' is partitioned by '{}', but '{}' has no such "
                      "parameter",
                      object_.name, object_.partition, function.name),
          "an operation that concerns all keys cannot be judged key by key: "
          "leave 'partition' out");
      return;
    }
    statement(*function.body);
  }

 private:
  const Variable* key_of(const Function& function) const {
    for (const auto& parameter : function.parameters) {
      if (parameter->name == object_.partition) return parameter.get();
    }
    return nullptr;
  }

  bool is_key(const Expression& e) const {
    return e.kind == ExpressionKind::kName && key_ != nullptr &&
           e.variable == key_;
  }

  static bool is_state(const Expression& e) {
    return e.kind == ExpressionKind::kName && e.variable != nullptr &&
           e.variable->kind == Variable::Kind::kShared;
  }

  // Is it the entry of the key in one of the specification's variables?
  bool is_entry(const Expression& e) const {
    if (e.operands.size() < 2) return false;
    const bool names_entry =
        e.kind == ExpressionKind::kIndex
            ? e.operands[0]->type->kind != TypeKind::kSeq
            : e.kind == ExpressionKind::kBuiltin &&
                  (e.builtin == Builtin::kContains ||
                   e.builtin == Builtin::kInsert ||
                   e.builtin == Builtin::kRemove) &&
                  e.operands[0]->type->kind != TypeKind::kSeq;
    return names_entry && is_state(*e.operands[0]) && is_key(*e.operands[1]);
  }

  void expression(const Expression& e) {
    if (is_entry(e)) return;
    if (is_state(e)) {
      diagnostics_.report(
          e.span,
          fmt::format("'{}' is used as a whole, but the specification is "
                      "partitioned by '{}'",
                      e.name, object_.partition),
          fmt::format("an operation may touch what belongs to its key alone, "
                      "as in '{}[{}]'",
                      e.name, object_.partition));
      return;
    }
    if (e.kind == ExpressionKind::kCall) call(e);
    for (const ExpressionPtr& operand : e.operands) expression(*operand);
  }

  // A function that has the key is given the key.
  void call(const Expression& e) {
    if (e.function == nullptr) return;
    const auto& parameters = e.function->parameters;
    for (std::size_t i = 0; i < parameters.size() && i < e.operands.size();
         ++i) {
      if (parameters[i]->name != object_.partition || is_key(*e.operands[i])) {
        continue;
      }
      diagnostics_.report(
          e.operands[i]->span,
          fmt::format("'{}' of '{}' is not the key that the specification is "
                      "partitioned by",
                      object_.partition, e.name));
    }
  }

  void statement(const Statement& s) {
    if (s.target != nullptr) {
      if (is_key(*s.target)) {
        diagnostics_.report(s.target->span,
                            fmt::format("'{}' is changed, but the "
                                        "specification is partitioned by it",
                                        object_.partition));
      }
      expression(*s.target);
    }
    if (s.value != nullptr) expression(*s.value);
    for (const auto& variable : s.variables) {
      if (variable->initial != nullptr) expression(*variable->initial);
    }
    if (s.first != nullptr) statement(*s.first);
    if (s.next != nullptr) statement(*s.next);
    for (const StatementPtr& inner : s.body) statement(*inner);
  }

  const Object& object_;
  Diagnostics& diagnostics_;
  const Variable* key_ = nullptr;
};

}  // namespace

void check_partition(const Object& object, Diagnostics& diagnostics) {
  if (!diagnostics.empty()) return;
  PartitionChecker checker(object, diagnostics);
  for (const auto& function : object.functions) checker.check(*function);
}

}  // namespace plumb::lang
