// SPDX-License-Identifier: Apache-2.0
#include "lang/types_expressions.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/types.h"

namespace plumb::lang {
namespace {

constexpr std::int64_t kLargestInt = 32767;
constexpr std::string_view kAbstract = "spec.";

TypePtr error_type() {
  return simple_type(TypeKind::kError);
}
bool is_error(const Expression& e) {
  return e.type->kind == TypeKind::kError;
}

std::string_view sign_of(Operator op) {
  switch (op) {
    case Operator::kNot:
      return "!";
    case Operator::kMinus:
    case Operator::kSubtract:
      return "-";
    case Operator::kAdd:
      return "+";
    case Operator::kMultiply:
      return "*";
    case Operator::kDivide:
      return "/";
    case Operator::kRemainder:
      return "%";
    case Operator::kEqual:
      return "==";
    case Operator::kUnequal:
      return "!=";
    case Operator::kLess:
      return "<";
    case Operator::kLessEqual:
      return "<=";
    case Operator::kGreater:
      return ">";
    case Operator::kGreaterEqual:
      return ">=";
    case Operator::kAnd:
      return "&&";
    case Operator::kOr:
      return "||";
  }
  return "";
}

}  // namespace

bool is_place(const Expression& e) {
  switch (e.kind) {
    case ExpressionKind::kName:
      return e.variable != nullptr;
    case ExpressionKind::kField:
      return true;
    case ExpressionKind::kIndex:
      return is_place(*e.operands[0]) &&
             e.operands[0]->type->kind != TypeKind::kValue;
    default:
      return false;
  }
}

bool is_abstract(const Expression& e) {
  if (e.kind == ExpressionKind::kIndex) return is_abstract(*e.operands[0]);
  return e.kind == ExpressionKind::kName && e.name.starts_with(kAbstract);
}

bool is_shared(const Expression& e) {
  switch (e.kind) {
    case ExpressionKind::kName:
      return e.variable != nullptr && !is_abstract(e) &&
             e.variable->kind == Variable::Kind::kShared;
    case ExpressionKind::kField:
      return true;
    case ExpressionKind::kIndex:
      return is_shared(*e.operands[0]);
    default:
      return false;
  }
}

std::string ExpressionChecker::describe(const Expression& e) const {
  return lang::describe(*e.type, source());
}

void ExpressionChecker::check(Expression& e) {
  e.type = type_of(e);
}

void ExpressionChecker::check_fits(Expression& e, const TypePtr& wanted,
                                   std::string_view whose) {
  check(e);
  if (wanted->kind == TypeKind::kError) return;
  if (fits(*e.type, *wanted)) {
    note_copy(e);
    return;
  }
  const bool fills = wanted->kind == TypeKind::kArray && !is_compound(*e.type);
  report(e.span,
         fmt::format("this is {}, but {} {}", describe(e), whose,
                     lang::describe(*wanted, source())),
         fills ? "set the elements one by one, in 'init { ... }' for instance"
               : "");
}

void ExpressionChecker::check_condition(Expression& e) {
  check(e);
  if (fits(*e.type, *simple_type(TypeKind::kBool))) return;
  report(e.span,
         fmt::format("this is {}, but a condition must be bool", describe(e)),
         is_int(*e.type) ? "compare it, as in 'x != 0'" : "");
}

bool ExpressionChecker::note_copy(const Expression& e) {
  if (!is_compound(*e.type) || !is_shared(e) || context.atomic > 0 ||
      context.facts == nullptr) {
    return false;
  }
  const bool is_array = e.type->kind == TypeKind::kArray;
  context.facts->needs_atomic.push_back(
      {e.span,
       fmt::format("a whole {} in shared memory is used in one step",
                   is_array ? "array" : "container"),
       "put the statement into 'atomic { ... }', or go through the elements "
       "one by one"});
  return true;
}

bool ExpressionChecker::check_place(const Expression& e,
                                    std::string_view what) {
  if (is_error(e)) return false;
  if (is_place(e)) return true;
  if (e.constant != nullptr || e.enumeration != nullptr) {
    report(e.span, fmt::format("'{}' is a constant, {}", e.name, what));
  } else {
    report(e.span, fmt::format("this is a value, {}", what),
           "places are variables, fields and elements of arrays");
  }
  return false;
}

TypePtr ExpressionChecker::type_of(Expression& e) {
  switch (e.kind) {
    case ExpressionKind::kInteger:
      return integer(e);
    case ExpressionKind::kBoolean:
      return simple_type(TypeKind::kBool);
    case ExpressionKind::kText:
    case ExpressionKind::kList:
      return literal(e);
    case ExpressionKind::kNull:
      if (!context.in_specification) return simple_type(TypeKind::kNull);
      e.kind = ExpressionKind::kEmpty;  // there are no references here
      return simple_type(TypeKind::kEmpty);
    case ExpressionKind::kEmpty:
      return simple_type(TypeKind::kEmpty);
    case ExpressionKind::kNobody:
      return simple_type(TypeKind::kProcess);
    case ExpressionKind::kSelf:
      return self(e);
    case ExpressionKind::kProcesses:
      return simple_type(TypeKind::kInt);
    case ExpressionKind::kName:
      return name(e);
    case ExpressionKind::kField:
      return field(e);
    case ExpressionKind::kIndex:
      return index(e);
    case ExpressionKind::kUnary:
      return unary(e);
    case ExpressionKind::kBinary:
      return binary(e);
    case ExpressionKind::kConditional:
      return conditional(e);
    case ExpressionKind::kCall:
      return call(e);
    case ExpressionKind::kBuiltin:
      return builtin(e);
    case ExpressionKind::kNew:
      return new_cell(e);
  }
  return error_type();
}

TypePtr ExpressionChecker::integer(const Expression& e) {
  // Of a specification, histories may ask for more.
  if (!context.is_constant && !context.in_specification &&
      e.number > kLargestInt) {
    report(e.span, fmt::format("{} does not fit an int", e.number),
           "an int holds whole numbers from -32767 to 32767");
    return error_type();
  }
  return simple_type(TypeKind::kInt);
}

// A text or a list.
TypePtr ExpressionChecker::literal(Expression& e) {
  const bool is_text = e.kind == ExpressionKind::kText;
  for (const ExpressionPtr& item : e.operands) {
    check_fits(*item, simple_type(TypeKind::kValue), "the items of a list are");
  }
  if (!context.in_specification) {
    report(e.span, is_text ? "unexpected text" : "unexpected list",
           is_text ? "an object has no texts; an enum gives names to values"
                   : "an object has no lists of this kind; 'seq<int>' is one");
    return error_type();
  }
  return simple_type(TypeKind::kValue);
}

void ExpressionChecker::note_not_in_init(Span span, std::string word) {
  if (context.facts != nullptr) {
    context.facts->not_in_init.emplace_back(span, std::move(word));
  }
}

TypePtr ExpressionChecker::self(const Expression& e) {
  if (context.in_specification) {
    report(e.span, "'self' cannot be used in a specification",
           "a specification does not know who calls; give the process as a "
           "parameter");
  }
  note_not_in_init(e.span, "self");
  return simple_type(TypeKind::kProcess);
}

TypePtr ExpressionChecker::abstract_name(Expression& e) {
  if (!context.unknown.insert(e.name).second) return error_type();
  if (context.relation == nullptr) {
    report(e.span, fmt::format("'{}' can be used in a relation only", e.name),
           "elsewhere, an object knows nothing of its specification");
    return error_type();
  }
  const Object* specification = context.relation->specification;
  if (specification == nullptr) {
    report(e.span,
           fmt::format("the state of the built-in '{}' has no variables",
                       context.relation->built_in),
           "return it: 'return ...;'");
    return error_type();
  }
  std::vector<std::string> candidates;
  for (const auto& variable : specification->variables) {
    candidates.push_back("spec." + variable->name);
    if (candidates.back() != e.name) continue;
    context.unknown.erase(e.name);
    e.variable = variable.get();
    return variable->type;
  }
  report(e.span,
         fmt::format("the specification '{}' has no variable '{}'",
                     specification->name, e.name.substr(kAbstract.size())),
         suggestion(e.name, candidates));
  return error_type();
}

TypePtr ExpressionChecker::name(Expression& e) {
  if (e.name.starts_with(kAbstract)) return abstract_name(e);
  const Symbol* symbol = names_.value(e.name);
  if (symbol == nullptr) return unknown_name(e);
  if (symbol->variable != nullptr) {
    e.variable = symbol->variable;
    return e.variable->type;
  }
  if (symbol->constant != nullptr) {
    e.constant = symbol->constant;
    return e.constant->type != nullptr ? e.constant->type : error_type();
  }
  e.enumeration = symbol->enumeration;
  e.number = symbol->number;
  return enumeration_type(*e.enumeration);
}

TypePtr ExpressionChecker::unknown_name(const Expression& e) {
  if (!context.unknown.insert(e.name).second) return error_type();
  if (names_.function(e.name) != nullptr || find_builtin(e.name)) {
    report(e.span, fmt::format("'{}' is a function, not a value", e.name),
           fmt::format("call it: '{}(...)'", e.name));
    return error_type();
  }
  std::vector<std::string> candidates = names_.values();
  for (const char* word :
       {"true", "false", "null", "empty", "self", "nobody", "processes"}) {
    candidates.emplace_back(word);
  }
  report(e.span, fmt::format("unknown name '{}'", e.name),
         suggestion(e.name, candidates));
  return error_type();
}

TypePtr ExpressionChecker::field(Expression& e) {
  check(*e.operands[0]);
  const Expression& base = *e.operands[0];
  const Span span = e.field_spans[0];
  if (is_error(base)) return error_type();
  if (base.type->kind != TypeKind::kReference) {
    report(span, fmt::format("{} has no field '{}'", describe(base), e.name),
           "only structs have fields");
    return error_type();
  }
  e.structure = base.type->structure;
  const auto& fields = e.structure->fields;
  std::vector<std::string> candidates;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    candidates.push_back(fields[i]->name);
    if (fields[i]->name != e.name) continue;
    e.field = i;
    return fields[i]->type;
  }
  report(span, fmt::format("{} has no field '{}'", e.structure->name, e.name),
         suggestion(e.name, candidates));
  return error_type();
}

TypePtr ExpressionChecker::index(Expression& e) {
  check(*e.operands[0]);
  const Type& base = *e.operands[0]->type;
  Expression& at = *e.operands[1];
  if (base.kind == TypeKind::kError) {
    check(at);
    return error_type();
  }
  if (base.kind == TypeKind::kArray) {
    index_of_array(e, base);
  } else if (base.kind == TypeKind::kSeq) {
    check_fits(at, simple_type(TypeKind::kInt), "the index of a seq is");
  } else if (base.kind == TypeKind::kMap) {
    check_fits(at, base.key, "the keys of this map are");
  } else if (base.kind == TypeKind::kValue) {
    check_fits(at, simple_type(TypeKind::kValue), "an index is");
    return simple_type(TypeKind::kValue);
  } else {
    check(at);
    report(
        e.operands[0]->span,
        fmt::format("this is {}, which has no elements that '[ ]' could "
                    "give",
                    describe(*e.operands[0])),
        base.kind == TypeKind::kSet ? "use contains(s, v) or any_of(s)" : "");
    return error_type();
  }
  if (!is_place(*e.operands[0])) {
    report(e.operands[0]->span, "only a variable or a field can be indexed",
           "put the value into a variable first");
    return error_type();
  }
  return base.element;
}

void ExpressionChecker::index_of_array(Expression& e, const Type& array) {
  Expression& at = *e.operands[1];
  check(at);
  if (is_error(at)) return;
  if (array.size == nullptr && at.type->kind != TypeKind::kProcess) {
    report(at.span,
           fmt::format("this is {}, but the array is indexed by a process",
                       describe(at)),
           is_int(*at.type) ? "write 'a[self]', or declare it with a size, as "
                              "in 'a[processes]'"
                            : "");
  } else if (array.size != nullptr &&
             !fits(*at.type, *simple_type(TypeKind::kInt))) {
    report(at.span,
           fmt::format("this is {}, but the array is indexed by an int",
                       describe(at)),
           at.type->kind == TypeKind::kProcess
               ? "write index(p), or declare the array as 'a[process]'"
               : "");
  }
}

TypePtr ExpressionChecker::unary(Expression& e) {
  const bool is_not = e.op == Operator::kNot;
  const TypePtr wanted = simple_type(is_not ? TypeKind::kBool : TypeKind::kInt);
  Expression& operand = *e.operands[0];
  check(operand);
  const bool is_value = !is_not && operand.type->kind == TypeKind::kValue;
  if (!is_error(operand) && !is_value && operand.type->kind != wanted->kind) {
    report(operand.span,
           fmt::format("this is {}, but '{}' needs {}", describe(operand),
                       sign_of(e.op), is_not ? "bool" : "int"),
           is_not && is_int(*operand.type) ? "compare it, as in 'x == 0'" : "");
  }
  return wanted;
}

TypePtr ExpressionChecker::binary(Expression& e) {
  if (e.op == Operator::kEqual || e.op == Operator::kUnequal) {
    return equality(e);
  }
  const bool is_logical = e.op == Operator::kAnd || e.op == Operator::kOr;
  const TypePtr wanted =
      simple_type(is_logical ? TypeKind::kBool : TypeKind::kInt);
  bool reported = false, has_value = false;
  for (const ExpressionPtr& operand : e.operands) {
    check(*operand);
    const bool is_value =
        !is_logical && operand->type->kind == TypeKind::kValue;
    has_value |= is_value;
    const bool is_right =
        is_error(*operand) || is_value || operand->type->kind == wanted->kind;
    if (is_right || std::exchange(reported, true)) continue;
    report(operand->span,
           fmt::format("this is {}, but '{}' needs {}", describe(*operand),
                       sign_of(e.op), is_logical ? "bool" : "int"));
  }
  // Texts and lists can be joined.
  if (has_value && e.op == Operator::kAdd) {
    return simple_type(TypeKind::kValue);
  }
  const bool is_comparison =
      e.op == Operator::kLess || e.op == Operator::kLessEqual ||
      e.op == Operator::kGreater || e.op == Operator::kGreaterEqual;
  return simple_type(is_logical || is_comparison ? TypeKind::kBool
                                                 : TypeKind::kInt);
}

TypePtr ExpressionChecker::equality(Expression& e) {
  Expression &left = *e.operands[0], &right = *e.operands[1];
  check(left);
  check(right);
  if (comparable(*left.type, *right.type)) {
    if (!note_copy(left)) note_copy(right);
  } else {
    report(right.span, fmt::format("{} cannot be compared with {}",
                                   describe(left), describe(right)));
  }
  return simple_type(TypeKind::kBool);
}

TypePtr ExpressionChecker::conditional(Expression& e) {
  check_condition(*e.operands[0]);
  Expression &yes = *e.operands[1], &no = *e.operands[2];
  check(yes);
  check(no);
  if (is_error(yes) || is_error(no)) return error_type();
  if (is_compound(*yes.type) || yes.type->kind == TypeKind::kVoid ||
      !comparable(*yes.type, *no.type)) {
    report(no.span, fmt::format("'?' cannot choose between {} and {}",
                                describe(yes), describe(no)));
    return error_type();
  }
  const TypePtr general = fits(*yes.type, *no.type) ? no.type : yes.type;
  return general->kind == TypeKind::kInt ? simple_type(TypeKind::kInt)
                                         : general;
}

TypePtr ExpressionChecker::call(Expression& e) {
  e.function = names_.function(e.name);
  if (e.function == nullptr) return unknown_function(e);
  if (e.function->is_operation || context.facts == nullptr) {
    return refused_call(e);
  }
  check_count(e, e.function->parameters.size());
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    if (i >= e.function->parameters.size()) {
      check(*e.operands[i]);
      continue;
    }
    const Variable& parameter = *e.function->parameters[i];
    check_fits(*e.operands[i], parameter.type,
               fmt::format("'{}' of '{}' is", parameter.name, e.name));
  }
  context.facts->calls.push_back({e.function, e.span, context.atomic > 0});
  return e.function->result;
}

TypePtr ExpressionChecker::refused_call(Expression& e) {
  for (const ExpressionPtr& operand : e.operands) check(*operand);
  if (e.function->is_operation) {
    report(e.span,
           fmt::format("'{}' is an operation: only clients call it", e.name),
           "put what both need into a 'function'");
    return error_type();
  }
  if (context.is_constant) return e.function->result;  // reported as such
  report(e.span, fmt::format("'{}' cannot be called here", e.name),
         "set the variable in 'init { ... }'");
  return error_type();
}

TypePtr ExpressionChecker::unknown_function(Expression& e) {
  for (const ExpressionPtr& operand : e.operands) check(*operand);
  if (!context.unknown.insert(e.name + "()").second) return error_type();
  const Span span{e.span.begin, static_cast<std::uint32_t>(e.name.size())};
  if (names_.value(e.name) != nullptr) {
    report(span, fmt::format("'{}' is not a function", e.name));
    return error_type();
  }
  std::vector<std::string> candidates = names_.functions();
  candidates.insert(candidates.end(), builtin_names().begin(),
                    builtin_names().end());
  report(span, fmt::format("unknown function '{}'", e.name),
         suggestion(e.name, candidates));
  return error_type();
}

TypePtr ExpressionChecker::new_cell(Expression& e) {
  e.structure = names_.structure(e.name);
  e.field_indices.assign(e.fields.size(), 0);
  if (e.structure == nullptr) {
    for (const ExpressionPtr& operand : e.operands) check(*operand);
    report(e.span, fmt::format("unknown struct '{}'", e.name),
           suggestion(e.name, names_.structures()));
    return error_type();
  }
  for (std::size_t i = 0; i < e.fields.size(); ++i) new_field(e, i);
  return reference_to(*e.structure);
}

void ExpressionChecker::new_field(Expression& e, std::size_t i) {
  const auto& fields = e.structure->fields;
  const auto found =
      std::find_if(fields.begin(), fields.end(),
                   [&](const auto& f) { return f->name == e.fields[i]; });
  if (found == fields.end()) {
    std::vector<std::string> candidates;
    for (const auto& field : fields) candidates.push_back(field->name);
    report(e.field_spans[i],
           fmt::format("{} has no field '{}'", e.name, e.fields[i]),
           suggestion(e.fields[i], candidates));
    return check(*e.operands[i]);
  }
  const auto before = e.fields.begin() + static_cast<std::ptrdiff_t>(i);
  if (std::find(e.fields.begin(), before, e.fields[i]) != before) {
    report(e.field_spans[i],
           fmt::format("the field '{}' is given twice", e.fields[i]));
  }
  e.field_indices[i] = static_cast<std::size_t>(found - fields.begin());
  check_fits(*e.operands[i], (*found)->type,
             fmt::format("the field '{}' is", e.fields[i]));
}

void ExpressionChecker::check_constant(Expression& e, TypeKind wanted,
                                       std::string_view whose) {
  const bool outer = context.is_constant;
  context.is_constant = true;
  check_fits(e, simple_type(wanted), whose);
  context.is_constant = outer;
  is_constant(e);
}

bool ExpressionChecker::is_constant(const Expression& e) {
  if (is_error(e)) return false;
  switch (e.kind) {
    case ExpressionKind::kInteger:
    case ExpressionKind::kBoolean:
    case ExpressionKind::kProcesses:
      return true;
    case ExpressionKind::kName:
      if (e.constant != nullptr) return true;
      break;
    case ExpressionKind::kUnary:
    case ExpressionKind::kBinary:
    case ExpressionKind::kConditional:
      return std::all_of(e.operands.begin(), e.operands.end(),
                         [&](const auto& part) { return is_constant(*part); });
    case ExpressionKind::kBuiltin:
      if (e.builtin == Builtin::kMin || e.builtin == Builtin::kMax) {
        return std::all_of(
            e.operands.begin(), e.operands.end(),
            [&](const auto& part) { return is_constant(*part); });
      }
      break;
    default:
      break;
  }
  report(e.span, "this is not constant",
         "numbers, constants, 'processes', operators, min and max are");
  return false;
}

}  // namespace plumb::lang
