// SPDX-License-Identifier: Apache-2.0
// Checks statements.
#include <fmt/format.h>

#include "lang/types.h"
#include "lang/types_object.h"

namespace plumb::lang {
namespace {

class StatementChecker {
 public:
  StatementChecker(const Function* function, const Object& object, Names& names,
                   ExpressionChecker& expressions)
      : function_(function),
        object_(object),
        names_(names),
        expressions_(expressions) {}

  void check(Statement& s);
  void check_end(const Statement& body);

 private:
  void block(Statement& s);
  void declare(Statement& s);
  void assign(Statement& s);
  void evaluate(Statement& s);
  void loop(Statement& s);
  void jump(const Statement& s);
  void give_back(Statement& s);
  void give_abstract(Statement& s);
  void atomic(Statement& s);
  void await(Statement& s);
  void choose(Statement& s);
  void free_cell(Statement& s);
  void linearize(Statement& s);
  void not_in_init(Span span, std::string_view word);
  bool repeats_effects(const Expression& e);

  void report(Span span, std::string what, std::string hint = "") {
    expressions_.report(span, std::move(what), std::move(hint));
  }
  // The first word of a statement.
  Span word(const Statement& s, std::string_view text) const {
    return {s.span.begin, static_cast<std::uint32_t>(text.size())};
  }

  const Function* function_;
  const Object& object_;
  Names& names_;
  ExpressionChecker& expressions_;
  std::size_t loops_ = 0;
};

void StatementChecker::check(Statement& s) {
  switch (s.kind) {
    case StatementKind::kBlock:
      return block(s);
    case StatementKind::kDeclare:
      return declare(s);
    case StatementKind::kAssign:
      return assign(s);
    case StatementKind::kEvaluate:
      return evaluate(s);
    case StatementKind::kIf:
      expressions_.check_condition(*s.value);
      for (const StatementPtr& branch : s.body) block(*branch);
      return;
    case StatementKind::kWhile:
    case StatementKind::kDoWhile:
    case StatementKind::kFor:
      return loop(s);
    case StatementKind::kBreak:
    case StatementKind::kContinue:
      return jump(s);
    case StatementKind::kReturn:
      return give_back(s);
    case StatementKind::kAtomic:
      return atomic(s);
    case StatementKind::kAwait:
      return await(s);
    case StatementKind::kChoose:
      return choose(s);
    case StatementKind::kAssert:
      return expressions_.check_condition(*s.value);
    case StatementKind::kDelete:
      return free_cell(s);
    case StatementKind::kSkip:
      return;
    case StatementKind::kLinearize:
      return linearize(s);
  }
}

// A statement whose declarations end with it; not only a kBlock.
void StatementChecker::block(Statement& s) {
  const std::size_t mark = names_.mark();
  if (s.kind == StatementKind::kBlock) {
    for (const StatementPtr& inner : s.body) check(*inner);
  } else {
    check(s);
  }
  names_.forget_since(mark);
}

void StatementChecker::declare(Statement& s) {
  for (const auto& variable : s.variables) {
    if (variable->type->kind == TypeKind::kVoid) {
      report(variable->span,
             fmt::format("'{}' cannot be 'void'", variable->name),
             "'void' is for what returns nothing");
    }
    if (variable->initial != nullptr) {
      expressions_.check_fits(*variable->initial, variable->type,
                              fmt::format("'{}' is", variable->name));
    }
    names_.add(*variable);
  }
}

void StatementChecker::assign(Statement& s) {
  Expression& target = *s.target;
  expressions_.check(target);
  const bool is_place =
      expressions_.check_place(target, "so it cannot be assigned to");
  if (s.written_as != "=" && is_place && repeats_effects(target)) return;
  const TypePtr wanted = is_place ? target.type : simple_type(TypeKind::kError);
  const bool is_name = target.kind == ExpressionKind::kName;
  expressions_.check_fits(
      *s.value, wanted,
      is_name ? fmt::format("'{}' is", target.name) : "the left side is");
  if (is_place && !is_shared(*s.value)) expressions_.note_copy(target);
}

// `a[f()] += 1` stands for `a[f()] = a[f()] + 1`, which nobody means.
bool StatementChecker::repeats_effects(const Expression& e) {
  const bool is_call =
      e.kind == ExpressionKind::kCall || e.kind == ExpressionKind::kNew ||
      (e.kind == ExpressionKind::kBuiltin && e.builtin != Builtin::kMin &&
       e.builtin != Builtin::kMax && e.builtin != Builtin::kIndex &&
       e.builtin != Builtin::kLen);
  if (is_call) {
    report(e.span, "this would be done twice: once to read, once to write",
           "put its value into a variable first");
    return true;
  }
  for (const ExpressionPtr& operand : e.operands) {
    if (repeats_effects(*operand)) return true;
  }
  return false;
}

void StatementChecker::evaluate(Statement& s) {
  Expression& e = *s.value;
  expressions_.check(e);
  if (e.type->kind == TypeKind::kError || e.kind == ExpressionKind::kCall) {
    return;
  }
  if (e.kind == ExpressionKind::kBuiltin && places_changed(e.builtin) > 0) {
    return;
  }
  const bool is_equality =
      e.kind == ExpressionKind::kBinary && e.op == Operator::kEqual;
  report(e.span, "the value of this expression is not used",
         is_equality ? "did you mean '='?" : "");
}

void StatementChecker::loop(Statement& s) {
  const std::size_t mark = names_.mark();
  if (s.first != nullptr) check(*s.first);
  if (s.value != nullptr) expressions_.check_condition(*s.value);
  if (s.next != nullptr) check(*s.next);
  ++loops_;
  block(*s.body[0]);
  --loops_;
  names_.forget_since(mark);
}

void StatementChecker::jump(const Statement& s) {
  if (loops_ > 0) return;
  report(s.head,
         fmt::format("this '{}' is in no loop",
                     s.kind == StatementKind::kBreak ? "break" : "continue"));
}

// In a relation.
void StatementChecker::give_abstract(Statement& s) {
  RelationContext& relation = *expressions_.context.relation;
  if (s.value == nullptr) {
    if (relation.specification != nullptr) return;
    return report(word(s, "return"), "there is no value here",
                  fmt::format("return a state of '{}'", relation.built_in));
  }
  if (relation.specification != nullptr) {
    expressions_.check(*s.value);
    return report(s.value->span,
                  fmt::format("a relation to '{}' returns nothing, but there "
                              "is a value here",
                              relation.specification->name),
                  "give its variables their values: 'spec.NAME = ...;'");
  }
  if (relation.result != nullptr) {
    return expressions_.check_fits(*s.value, relation.result,
                                   "the relation returns");
  }
  expressions_.check(*s.value);
  relation.result = abstract_type(relation.built_in, *s.value, expressions_);
}

void StatementChecker::give_back(Statement& s) {
  if (expressions_.context.relation != nullptr) return give_abstract(s);
  if (function_ == nullptr) {
    if (s.value != nullptr) expressions_.check(*s.value);
    return report(word(s, "return"), "'init' cannot return",
                  "use 'if' and 'else'");
  }
  const bool is_void = function_->result->kind == TypeKind::kVoid;
  if (s.value == nullptr) {
    if (is_void || function_->result->kind == TypeKind::kError) return;
    return report(
        word(s, "return"),
        fmt::format("'{}' returns {}, but there is no value here",
                    function_->name,
                    describe(*function_->result, expressions_.source())));
  }
  if (!is_void) {
    return expressions_.check_fits(
        *s.value, function_->result,
        fmt::format("'{}' returns", function_->name));
  }
  expressions_.check(*s.value);
  report(s.value->span,
         fmt::format("'{}' returns nothing, but there is a value here",
                     function_->name),
         "write 'return;', or give it another type than 'void'");
}

void StatementChecker::atomic(Statement& s) {
  ++expressions_.context.atomic;
  for (const StatementPtr& inner : s.body) check(*inner);
  --expressions_.context.atomic;
}

void StatementChecker::not_in_init(Span span, std::string_view word) {
  expressions_.context.facts->not_in_init.emplace_back(span, word);
}

void StatementChecker::await(Statement& s) {
  not_in_init(word(s, "await"), "await");
  expressions_.check_condition(*s.value);
  if (expressions_.context.atomic == 0) {
    expressions_.context.facts->awaits.push_back(&s);
  }
}

void StatementChecker::choose(Statement& s) {
  not_in_init(word(s, "choose"), "choose");
  for (const StatementPtr& branch : s.body) check(*branch);
}

void StatementChecker::free_cell(Statement& s) {
  expressions_.check(*s.value);
  if (object_.memory == Memory::kCollected) {
    report(word(s, "delete"), "'delete' needs memory that is managed by hand",
           "add 'memory manual;' or 'memory recycled;' to the object; without "
           "it, cells are collected when nobody can reach them");
  }
  const Type& type = *s.value->type;
  if (type.kind == TypeKind::kError || type.kind == TypeKind::kReference) {
    return;
  }
  report(s.value->span, fmt::format("this is {}, but 'delete' needs a "
                                    "reference to a cell",
                                    expressions_.describe(*s.value)));
}

void StatementChecker::linearize(Statement& s) {
  if (object_.is_specification || function_ == nullptr) {
    report(word(s, "linearize"),
           fmt::format("'linearize' cannot be used in {}",
                       function_ == nullptr ? "'init'" : "a specification"),
           "it marks a step of an object's operation");
  }
  for (const StatementPtr& inner : s.body) check(*inner);
}

void StatementChecker::check_end(const Statement& body) {
  const bool needs_value = function_ != nullptr &&
                           function_->result->kind != TypeKind::kVoid &&
                           function_->result->kind != TypeKind::kError;
  if (!needs_value || !can_end(body)) return;
  report(function_->span,
         fmt::format("'{}' returns {}, but its end can be reached without a "
                     "'return'",
                     function_->name,
                     describe(*function_->result, expressions_.source())));
}

// Does a `break` or `continue` in `s` belong to the loop around `s`?
bool jumps_out(const Statement& s, StatementKind jump) {
  switch (s.kind) {
    case StatementKind::kWhile:
    case StatementKind::kDoWhile:
    case StatementKind::kFor:
      return false;
    default:
      if (s.kind == jump) return true;
      for (const StatementPtr& inner : s.body) {
        if (jumps_out(*inner, jump)) return true;
      }
      return false;
  }
}

bool is_true(const Expression* condition) {
  return condition == nullptr || (condition->kind == ExpressionKind::kBoolean &&
                                  condition->number != 0);
}

bool loop_can_end(const Statement& s) {
  const Statement& body = *s.body[0];
  if (jumps_out(body, StatementKind::kBreak)) return true;
  if (is_true(s.value.get())) return false;
  return s.kind != StatementKind::kDoWhile || can_end(body) ||
         jumps_out(body, StatementKind::kContinue);
}

}  // namespace

bool can_end(const Statement& s) {
  switch (s.kind) {
    case StatementKind::kBreak:
    case StatementKind::kContinue:
    case StatementKind::kReturn:
      return false;
    case StatementKind::kBlock:
    case StatementKind::kAtomic:
    case StatementKind::kLinearize:
      for (const StatementPtr& inner : s.body) {
        if (!can_end(*inner)) return false;
      }
      return true;
    case StatementKind::kIf:
      return s.body.size() < 2 || can_end(*s.body[0]) || can_end(*s.body[1]);
    case StatementKind::kChoose:
      for (const StatementPtr& branch : s.body) {
        if (can_end(*branch)) return true;
      }
      return false;
    case StatementKind::kWhile:
    case StatementKind::kDoWhile:
    case StatementKind::kFor:
      return loop_can_end(s);
    default:
      return true;
  }
}

void check_statements(Statement& body, const Function* function,
                      const Object& object, Names& names,
                      ExpressionChecker& expressions) {
  StatementChecker checker(function, object, names, expressions);
  checker.check(body);
  checker.check_end(body);
}

}  // namespace plumb::lang
