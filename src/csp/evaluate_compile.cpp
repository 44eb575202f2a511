// SPDX-License-Identifier: Apache-2.0
// Flattens expressions and blocks.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "csp/evaluate.h"
#include "csp/instruction.h"

namespace plumb::csp {

namespace {

class Compiler {
 public:
  explicit Compiler(const Layout& layout) : layout_(layout) {}

  std::uint32_t expression(const Expression& tree);
  std::uint32_t statement(const Statement& tree);
  Code finish(std::uint32_t root) {
    code_.root = root;
    return std::move(code_);
  }

 private:
  std::uint32_t add(Opcode opcode, Span span, std::uint32_t a = 0,
                    std::uint32_t b = 0, std::uint32_t c = 0) {
    code_.instructions.push_back({opcode, 0, a, b, c, span});
    return static_cast<std::uint32_t>(code_.instructions.size() - 1);
  }
  std::uint32_t add_number(Opcode opcode, Span span, std::int64_t number) {
    const std::uint32_t at = add(opcode, span);
    // A literal beyond 32 bits wraps, as all arithmetic does.
    code_.instructions[at].number = static_cast<std::int32_t>(number);
    return at;
  }
  std::uint32_t fail(Span span, std::string why) {
    code_.reasons.push_back(std::move(why));
    return add(Opcode::kFail, span,
               static_cast<std::uint32_t>(code_.reasons.size() - 1));
  }
  std::uint32_t add_list(const std::vector<std::uint32_t>& list) {
    const auto first = static_cast<std::uint32_t>(code_.lists.size());
    code_.lists.insert(code_.lists.end(), list.begin(), list.end());
    return first;
  }
  std::vector<std::uint32_t> expressions(const std::vector<ExprPtr>& trees,
                                         std::size_t from = 0) {
    std::vector<std::uint32_t> result;
    for (std::size_t i = from; i < trees.size(); ++i) {
      result.push_back(expression(*trees[i]));
    }
    return result;
  }
  // opcode(a, list of the trees).
  std::uint32_t add_with(Opcode opcode, const Expression& tree,
                         std::uint32_t a) {
    const auto list = expressions(tree.children);
    return add(opcode, tree.span, a, add_list(list),
               static_cast<std::uint32_t>(list.size()));
  }
  const Instruction& at(std::uint32_t i) const { return code_.instructions[i]; }
  bool is_number(std::uint32_t i) const {
    return at(i).opcode == Opcode::kInteger || at(i).opcode == Opcode::kBoolean;
  }
  bool is_global(std::uint32_t i) const;

  std::uint32_t global(const Expression& tree);
  std::uint32_t local(const Expression& tree);
  std::uint32_t element(const Expression& tree);
  std::uint32_t element_of_global(const Expression& tree);
  std::uint32_t record(const Expression& tree);
  std::uint32_t operation(const Expression& tree);
  std::uint32_t assign(const Expression& tree);
  std::uint32_t method(const Expression& tree);
  std::uint32_t field(const Expression& tree);
  std::uint32_t function(const Expression& tree);
  std::uint32_t channel(const Expression& tree);
  std::uint32_t construct(const Expression& tree);
  std::uint32_t indexed(const Expression& tree);
  std::uint32_t folded(std::uint32_t instruction);
  void use_local(std::uint32_t slot) {
    code_.locals = std::max(code_.locals, slot + 1);
  }

  const Layout& layout_;
  std::optional<Valuation> scratch_;  // for folding; nothing of it is read
  Code code_;
};

// Is it, or an element or field of it, part of the valuation?
bool Compiler::is_global(std::uint32_t i) const {
  const Instruction& place = at(i);
  switch (place.opcode) {
    case Opcode::kScalar:
    case Opcode::kWhole:
    case Opcode::kElement:
    case Opcode::kTable:
      return true;
    case Opcode::kField:
      return is_global(place.b);
    default:
      return false;
  }
}

std::uint32_t Compiler::expression(const Expression& tree) {
  switch (tree.kind) {
    case ExprKind::kInteger:
      return add_number(Opcode::kInteger, tree.span, tree.number);
    case ExprKind::kBoolean:
      return add_number(Opcode::kBoolean, tree.span, tree.number != 0);
    case ExprKind::kGlobal:
      return global(tree);
    case ExprKind::kBound:
      return add(Opcode::kBound, tree.span,
                 static_cast<std::uint32_t>(tree.number));
    case ExprKind::kLocal:
      return local(tree);
    case ExprKind::kElement:
      return element(tree);
    case ExprKind::kRecord:
      return record(tree);
    case ExprKind::kUnary:
    case ExprKind::kBinary:
      return operation(tree);
    case ExprKind::kAssign:
    case ExprKind::kStep:
      return assign(tree);
    case ExprKind::kStatic:
      return function(tree);
    case ExprKind::kChannel:
      return channel(tree);
    case ExprKind::kMethod:
      return method(tree);
    case ExprKind::kField:
      return field(tree);
    case ExprKind::kNew:
      return construct(tree);
    case ExprKind::kProcesses:
      return add(Opcode::kProcesses, tree.span,
                 static_cast<std::uint32_t>(tree.number));
    case ExprKind::kBlock:
      return statement(*tree.block);
    case ExprKind::kIndexed:
      return indexed(tree);
  }
  return fail(tree.span, "");
}

std::uint32_t Compiler::global(const Expression& tree) {
  const auto variable = static_cast<std::uint32_t>(tree.number);
  const Layout::Entry& entry = layout_.variables()[variable];
  return entry.is_array
             ? add(Opcode::kWhole, tree.span, variable)
             : add(Opcode::kScalar, tree.span, entry.first, variable);
}

std::uint32_t Compiler::local(const Expression& tree) {
  const auto slot = static_cast<std::uint32_t>(tree.number);
  use_local(slot);
  return add(Opcode::kLocal, tree.span, slot);
}

std::uint32_t Compiler::element(const Expression& tree) {
  if (tree.children[0]->kind == ExprKind::kGlobal) {
    return element_of_global(tree);
  }
  if (tree.children.size() != 2) {
    return fail(tree.span, "a value that is an array has one index only");
  }
  const std::uint32_t array = expression(*tree.children[0]);
  return add(Opcode::kItem, tree.span, array, expression(*tree.children[1]));
}

// One index counts all elements; one for each dimension must be within it.
// PAT checks the element's number alone, so that m[0][5] may be m[1][2].
std::uint32_t Compiler::element_of_global(const Expression& tree) {
  const auto variable = static_cast<std::uint32_t>(tree.children[0]->number);
  const auto list = expressions(tree.children, 1);
  if (list.size() == 1) {
    return add(Opcode::kElement, tree.span, variable, list[0]);
  }
  const Layout::Entry& entry = layout_.variables()[variable];
  if (list.size() != entry.dimensions.size()) {
    return fail(tree.span, "'" + entry.name + "' has not so many dimensions");
  }
  return add(Opcode::kTable, tree.span, variable, add_list(list),
             static_cast<std::uint32_t>(list.size()));
}

std::uint32_t Compiler::record(const Expression& tree) {
  const auto list = expressions(tree.children);
  if (!std::all_of(list.begin(), list.end(),
                   [&](std::uint32_t i) { return is_number(i); })) {
    return add(Opcode::kRecord, tree.span, 0, add_list(list),
               static_cast<std::uint32_t>(list.size()));
  }
  Datum::Items items;
  for (const std::uint32_t i : list) {
    items.push_back(at(i).opcode == Opcode::kBoolean
                        ? Datum::boolean(at(i).number != 0)
                        : Datum::integer(at(i).number));
  }
  code_.constants.push_back(Datum::array(std::move(items)));
  return add(Opcode::kConstant, tree.span,
             static_cast<std::uint32_t>(code_.constants.size() - 1));
}

Opcode opcode_of(Operator op) {
  const auto offset = static_cast<int>(op) - static_cast<int>(Operator::kOr);
  return static_cast<Opcode>(static_cast<int>(Opcode::kOr) + offset);
}
static_assert(static_cast<int>(Opcode::kNot) - static_cast<int>(Opcode::kOr) ==
              static_cast<int>(Operator::kNot) -
                  static_cast<int>(Operator::kOr));
static_assert(static_cast<int>(Opcode::kAdd) - static_cast<int>(Opcode::kOr) ==
              static_cast<int>(Operator::kAdd) -
                  static_cast<int>(Operator::kOr));

std::uint32_t Compiler::operation(const Expression& tree) {
  const std::uint32_t left = expression(*tree.children[0]);
  const std::uint32_t right =
      tree.children.size() > 1 ? expression(*tree.children[1]) : left;
  const std::uint32_t made = add(opcode_of(tree.op), tree.span, left, right);
  return is_number(left) && is_number(right) ? folded(made) : made;
}

// Replaces an operation on constants by its value, unless that is a fault: it
// must not happen before the operation is reached.
std::uint32_t Compiler::folded(std::uint32_t instruction) {
  Code small;
  small.instructions = {at(at(instruction).a), at(at(instruction).b),
                        at(instruction)};
  small.instructions[2].a = 0;
  small.instructions[2].b = 1;
  small.root = 2;
  if (!scratch_) scratch_.emplace(layout_);
  Context context{*scratch_};
  try {
    const Datum value = evaluate(
        Program(std::make_shared<const Code>(std::move(small))), context);
    return add_number(value.is_boolean() ? Opcode::kBoolean : Opcode::kInteger,
                      at(instruction).span, value.number());
  } catch (const RuntimeFault&) {
    return instruction;
  }
}

std::uint32_t Compiler::assign(const Expression& tree) {
  const std::uint32_t place = expression(*tree.children[0]);
  const Opcode kind = at(place).opcode;
  if (kind == Opcode::kBound) {
    return fail(tree.span, "parameters and inputs cannot be assigned");
  }
  const bool is_place =
      is_global(place) || kind == Opcode::kLocal ||
      (kind == Opcode::kItem && at(at(place).a).opcode == Opcode::kLocal) ||
      kind == Opcode::kField;
  if (!is_place) return fail(tree.span, "only variables can be assigned");
  code_.writes |= is_global(place);
  if (tree.kind == ExprKind::kStep) {
    const std::uint32_t made = add(Opcode::kStep, tree.span, place);
    code_.instructions[made].number = static_cast<std::int32_t>(tree.number);
    return made;
  }
  return add(Opcode::kAssign, tree.span, place, expression(*tree.children[1]));
}

std::uint32_t Compiler::method(const Expression& tree) {
  MethodTable table;
  table.name = tree.name;
  bool changes = false;
  for (const ClassInfo& type : classes()) {
    const MethodInfo* info = find_method(type, tree.name);
    // The resolver counts arguments if it knows the class; else it shows here.
    if (info != nullptr && info->arguments + 1u != tree.children.size()) {
      info = nullptr;
    }
    table.of_class[static_cast<std::size_t>(type.id)] = info;
    changes |= info != nullptr && info->changes;
  }
  const auto number = static_cast<std::uint32_t>(code_.methods.size());
  code_.methods.push_back(std::move(table));
  const std::uint32_t made = add_with(Opcode::kMethod, tree, number);
  code_.writes |= changes && is_global(code_.lists[at(made).b]);
  return made;
}

std::uint32_t Compiler::field(const Expression& tree) {
  FieldTable table;
  table.name = tree.name;
  for (const ClassInfo& type : classes()) {
    table.of_class[static_cast<std::size_t>(type.id)] =
        find_field(type, tree.name);
  }
  const auto number = static_cast<std::uint32_t>(code_.fields.size());
  code_.fields.push_back(std::move(table));
  return add(Opcode::kField, tree.span, number, expression(*tree.children[0]));
}

std::uint32_t Compiler::function(const Expression& tree) {
  const StaticInfo* info = find_static(tree.name);
  if (info == nullptr || info->arguments != tree.children.size()) {
    return fail(tree.span, "there is no function '" + tree.name + "' of " +
                               std::to_string(tree.children.size()) +
                               " arguments");
  }
  code_.functions.push_back(info);
  return add_with(Opcode::kStatic, tree,
                  static_cast<std::uint32_t>(code_.functions.size() - 1));
}

std::uint32_t Compiler::channel(const Expression& tree) {
  const auto function = find_channel_function(tree.name);
  if (!function) return fail(tree.span, "there is no '" + tree.name + "'");
  const std::uint32_t index =
      tree.children.empty() ? kAbsent : expression(*tree.children[0]);
  return add(Opcode::kChannel, tree.span, static_cast<std::uint32_t>(*function),
             static_cast<std::uint32_t>(tree.number), index);
}

std::uint32_t Compiler::construct(const Expression& tree) {
  const ClassInfo* type = find_class(tree.name);
  if (type == nullptr) {
    return fail(tree.span, "there is no class '" + tree.name + "'");
  }
  if (!tree.children.empty() &&
      tree.children.size() != type->constructor_arguments) {
    return fail(tree.span, "'new " + tree.name + "' takes " +
                               std::to_string(type->constructor_arguments) +
                               " arguments");
  }
  return add_with(Opcode::kNew, tree, static_cast<std::uint32_t>(type->id));
}

std::uint32_t Compiler::indexed(const Expression& tree) {
  std::vector<std::uint32_t> list;
  for (const Index& index : tree.indices) {
    use_local(index.slot);
    list.push_back(index.slot);
    if (index.low != nullptr) {
      list.push_back(kAbsent);
      list.push_back(expression(*index.low));
      list.push_back(expression(*index.high));
    } else {
      list.push_back(static_cast<std::uint32_t>(index.values.size()));
      const auto values = expressions(index.values);
      list.insert(list.end(), values.begin(), values.end());
    }
  }
  const std::uint32_t body = expression(*tree.children[0]);
  const std::uint32_t made =
      add(Opcode::kIndexed, tree.span, body, add_list(list),
          static_cast<std::uint32_t>(list.size()));
  code_.instructions[made].number =
      static_cast<std::int32_t>(opcode_of(tree.op));
  return made;
}

std::uint32_t Compiler::statement(const Statement& tree) {
  switch (tree.kind) {
    case StatementKind::kBlock: {
      std::vector<std::uint32_t> list;
      for (const StatementPtr& child : tree.children) {
        list.push_back(statement(*child));
      }
      return add(Opcode::kBlock, tree.span, 0, add_list(list),
                 static_cast<std::uint32_t>(list.size()));
    }
    case StatementKind::kDeclare: {
      use_local(tree.slot);
      const std::uint32_t value =
          tree.expression ? expression(*tree.expression)
                          : add_number(Opcode::kInteger, tree.span, 0);
      return add(Opcode::kDeclare, tree.span, tree.slot, value);
    }
    case StatementKind::kIf: {
      const std::uint32_t condition = expression(*tree.expression);
      const std::uint32_t then = statement(*tree.children[0]);
      const std::uint32_t otherwise =
          tree.children.size() > 1 ? statement(*tree.children[1]) : kAbsent;
      return add(Opcode::kIf, tree.span, condition, then, otherwise);
    }
    case StatementKind::kWhile: {
      const std::uint32_t condition = expression(*tree.expression);
      return add(Opcode::kWhile, tree.span, condition,
                 statement(*tree.children[0]));
    }
    case StatementKind::kExpression:
      return expression(*tree.expression);
  }
  return fail(tree.span, "");
}

}  // namespace

Program compile(const Expression& expression, const Layout& layout) {
  Compiler compiler(layout);
  const std::uint32_t root = compiler.expression(expression);
  return Program(std::make_shared<const Code>(compiler.finish(root)));
}

Program compile(const Statement& statement, const Layout& layout) {
  Compiler compiler(layout);
  const std::uint32_t root = compiler.statement(statement);
  return Program(std::make_shared<const Code>(compiler.finish(root)));
}

}  // namespace plumb::csp
