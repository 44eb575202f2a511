// SPDX-License-Identifier: Apache-2.0
#include "csp/text_of.h"

#include <fmt/format.h>

namespace plumb::csp {
namespace {

class TextWriter {
 public:
  explicit TextWriter(const NameText& name) : name_(name) {}

  std::string take() { return std::move(text_); }

  void expression(const Expression& expression) {
    switch (expression.kind) {
      case ExprKind::kInteger:
        text_ += std::to_string(expression.number);
        return;
      case ExprKind::kBoolean:
        text_ += expression.number != 0 ? "true" : "false";
        return;
      case ExprKind::kGlobal:
      case ExprKind::kBound:
      case ExprKind::kLocal:
        text_ += name_ ? name_(expression) : expression.name;
        return;
      case ExprKind::kElement:
        this->expression(*expression.children[0]);
        return list(expression, 1, "[", "][", "]");
      case ExprKind::kRecord:
        return list(expression, 0, "[", ",", "]");
      case ExprKind::kUnary:
        text_ += spelling(expression.op);
        this->expression(*expression.children[0]);
        return;
      case ExprKind::kBinary:
        return list(expression, 0, "(",
                    fmt::format(" {} ", spelling(expression.op)), ")");
      case ExprKind::kAssign:
        return list(expression, 0, "", " = ", "");
      case ExprKind::kStep:
        this->expression(*expression.children[0]);
        text_ += expression.number > 0 ? "++" : "--";
        return;
      case ExprKind::kStatic:
      case ExprKind::kChannel:
      case ExprKind::kNew:
      case ExprKind::kProcesses:
        return call(expression);
      case ExprKind::kMethod:
        this->expression(*expression.children[0]);
        text_ += "." + expression.name;
        return list(expression, 1, "(", ",", ")");
      case ExprKind::kField:
        this->expression(*expression.children[0]);
        text_ += "$" + expression.name;
        return;
      case ExprKind::kBlock:
        return statement(*expression.block);
      case ExprKind::kIndexed:
        text_ += fmt::format("({} ", spelling(expression.op));
        indices(expression.indices);
        this->expression(*expression.children[0]);
        text_ += ")";
        return;
    }
  }

  void statement(const Statement& statement) {
    switch (statement.kind) {
      case StatementKind::kBlock:
        text_ += "{";
        for (const StatementPtr& child : statement.children) {
          if (!text_.ends_with('{')) text_ += " ";
          this->statement(*child);
        }
        text_ += "}";
        return;
      case StatementKind::kDeclare:
        text_ += fmt::format("var #{}", statement.slot);
        if (statement.expression != nullptr) {
          text_ += " = ";
          expression(*statement.expression);
        }
        text_ += ";";
        return;
      case StatementKind::kIf:
      case StatementKind::kWhile:
        text_ += statement.kind == StatementKind::kIf ? "if (" : "while (";
        expression(*statement.expression);
        text_ += ") ";
        this->statement(*statement.children[0]);
        if (statement.children.size() < 2) return;
        text_ += " else ";
        return this->statement(*statement.children[1]);
      case StatementKind::kExpression:
        expression(*statement.expression);
        text_ += ";";
        return;
    }
  }

  void event(const EventName& event) {
    indices(event.indices);
    text_ += event.name.empty() ? "tau" : event.name;
    for (const ExprPtr& field : event.fields) {
      text_ += ".";
      expression(*field);
    }
  }

  void indices(const std::vector<Index>& all) {
    for (const Index& index : all) {
      if (&index != &all[0]) text_ += ";";
      text_ += index.name + ":{";
      if (index.high != nullptr) {
        expression(*index.low);
        text_ += "..";
        expression(*index.high);
      }
      for (const ExprPtr& value : index.values) {
        if (value != index.values[0]) text_ += ",";
        expression(*value);
      }
      text_ += "}";
    }
    if (!all.empty()) text_ += "@";
  }

 private:
  void list(const Expression& expression, std::size_t first,
            std::string_view open, std::string_view between,
            std::string_view close) {
    text_ += open;
    for (std::size_t i = first; i < expression.children.size(); ++i) {
      if (i > first) text_ += between;
      this->expression(*expression.children[i]);
    }
    text_ += close;
  }

  void call(const Expression& expression) {
    if (expression.kind == ExprKind::kProcesses) {
      text_ += "#" + expression.name + "()";
    } else if (expression.kind == ExprKind::kNew) {
      text_ += "new " + expression.name;
      list(expression, 0, "(", ",", ")");
    } else if (expression.kind == ExprKind::kStatic) {
      text_ += "call(" + expression.name;
      list(expression, 0, expression.children.empty() ? "" : ",", ",", ")");
    } else {
      text_ += fmt::format("call({},#{}", expression.name, expression.number);
      const bool is_element = !expression.children.empty();
      list(expression, 0, is_element ? "[" : "", "", is_element ? "])" : ")");
    }
  }

  const NameText& name_;
  std::string text_;
};

}  // namespace

std::string_view spelling(Operator op) {
  switch (op) {
    case Operator::kOr:
      return "||";
    case Operator::kAnd:
      return "&&";
    case Operator::kXor:
      return "xor";
    case Operator::kBitAnd:
      return "&";
    case Operator::kBitOr:
      return "|";
    case Operator::kBitXor:
      return "^";
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
    case Operator::kAdd:
      return "+";
    case Operator::kSubtract:
    case Operator::kNegate:
      return "-";
    case Operator::kMultiply:
      return "*";
    case Operator::kDivide:
      return "/";
    case Operator::kModulo:
      return "%";
    case Operator::kNot:
      return "!";
  }
  return "";
}

std::string text_of(const Expression& expression, const NameText& name) {
  TextWriter writer(name);
  writer.expression(expression);
  return writer.take();
}

std::string text_of(const Statement& statement, const NameText& name) {
  TextWriter writer(name);
  writer.statement(statement);
  return writer.take();
}

std::string text_of(const EventName& event, const NameText& name) {
  TextWriter writer(name);
  writer.event(event);
  return writer.take();
}

}  // namespace plumb::csp
