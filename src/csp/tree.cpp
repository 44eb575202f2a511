// SPDX-License-Identifier: Apache-2.0
// Looks at, compares and changes trees of a CSP# model.
#include "csp/tree.h"

#include <memory>
#include <utility>

namespace plumb::csp {

namespace {

// Every part of a tree becomes a number, a name in quotes or a bracket, so
// that no two trees give one text.
class TreeWriter {
 public:
  std::string take() { return std::move(out_); }

  void number(std::int64_t value) {
    out_ += std::to_string(value);
    out_ += ' ';
  }
  void name(const std::string& text) {
    out_ += std::to_string(text.size());
    out_ += '"';
    out_ += text;
  }

  void write(const ExprPtr& expression) {
    if (expression == nullptr) {
      out_ += '_';
    } else {
      write(*expression);
    }
  }
  void write(const Expression& e) {
    out_ += '(';
    number(static_cast<std::int64_t>(e.kind));
    const bool has_operator = e.kind == ExprKind::kUnary ||
                              e.kind == ExprKind::kBinary ||
                              e.kind == ExprKind::kIndexed;
    number(has_operator ? static_cast<std::int64_t>(e.op) : -1);
    number(e.number);
    if (is_named(e.kind)) name(e.name);
    for (const ExprPtr& child : e.children) write(child);
    for (const Index& index : e.indices) {
      number(index.slot);
      write(index);
    }
    if (e.block != nullptr) write(*e.block);
    out_ += ')';
  }
  void write(const Statement& s) {
    out_ += '{';
    number(static_cast<std::int64_t>(s.kind));
    number(s.slot);
    write(s.expression);
    for (const StatementPtr& child : s.children) write(*child);
    out_ += '}';
  }
  void write(const Index& index) {
    out_ += '@';
    for (const ExprPtr& value : index.values) write(value);
    write(index.low);
    write(index.high);
  }
  void write(const EventName& event) {
    out_ += '<';
    name(event.name);
    for (const Index& index : event.indices) write(index);
    for (const ExprPtr& field : event.fields) write(field);
    out_ += '>';
  }
  void write(const Pattern& pattern) {
    out_ += pattern.slot ? '?' : '=';
    write(pattern.value);
  }
  void write(const Process& p) {
    out_ += '[';
    number(static_cast<std::int64_t>(p.kind));
    for (const EventName& event : p.events) write(event);
    if (p.block != nullptr) write(*p.block);
    write(p.condition);
    for (const ExprPtr& condition : p.conditions) write(condition);
    write_numbers(p);
    for (const ProcessPtr& child : p.children) write(*child);
    out_ += ']';
  }

 private:
  static bool is_named(ExprKind kind) {
    return kind == ExprKind::kStatic || kind == ExprKind::kChannel ||
           kind == ExprKind::kMethod || kind == ExprKind::kField ||
           kind == ExprKind::kNew;
  }
  void write_numbers(const Process& p) {
    number(p.number);
    number(p.channel);
    number(p.unbounded ? 1 : 0);
    out_ += '/';
    for (const ExprPtr& argument : p.arguments) write(argument);
    out_ += '/';
    write(p.channel_index);
    for (const ExprPtr& field : p.fields) write(field);
    for (const Pattern& pattern : p.patterns) write(pattern);
    out_ += '/';
    for (const Index& index : p.indices) write(index);
    write(p.copies);
  }

  std::string out_;
};

}  // namespace

std::string key(const Expression& expression) {
  TreeWriter writer;
  writer.write(expression);
  return writer.take();
}

std::string key(const Statement& statement) {
  TreeWriter writer;
  writer.write(statement);
  return writer.take();
}

std::string key(const Process& process) {
  TreeWriter writer;
  writer.write(process);
  return writer.take();
}

std::string key(const std::vector<EventName>& events) {
  TreeWriter writer;
  for (const EventName& event : events) writer.write(event);
  return writer.take();
}

ExprPtr with_children(const Expression& expression,
                      const std::function<ExprPtr(const ExprPtr&)>& change) {
  auto changed = std::make_shared<Expression>(expression);
  for (ExprPtr& child : changed->children) {
    if (child != nullptr) child = change(child);
  }
  for (Index& index : changed->indices) {
    for (ExprPtr& value : index.values) value = change(value);
    if (index.low != nullptr) index.low = change(index.low);
    if (index.high != nullptr) index.high = change(index.high);
  }
  if (expression.block != nullptr) {
    changed->block = with_expressions(*expression.block, change);
  }
  return changed;
}

StatementPtr with_expressions(
    const Statement& statement,
    const std::function<ExprPtr(const ExprPtr&)>& change) {
  auto changed = std::make_shared<Statement>(statement);
  if (statement.expression != nullptr) {
    changed->expression = change(statement.expression);
  }
  for (StatementPtr& child : changed->children) {
    child = with_expressions(*child, change);
  }
  return changed;
}

namespace {

void visit(const std::vector<Index>& indices,
           const std::function<void(const Expression&)>& look) {
  for (const Index& index : indices) {
    for (const ExprPtr& value : index.values) csp::visit(*value, look);
    if (index.low != nullptr) csp::visit(*index.low, look);
    if (index.high != nullptr) csp::visit(*index.high, look);
  }
}

}  // namespace

void visit(const Expression& expression,
           const std::function<void(const Expression&)>& look) {
  look(expression);
  for (const ExprPtr& child : expression.children) {
    if (child != nullptr) visit(*child, look);
  }
  visit(expression.indices, look);
  if (expression.block != nullptr) visit(*expression.block, look);
}

void visit(const Statement& statement,
           const std::function<void(const Expression&)>& look) {
  if (statement.expression != nullptr) visit(*statement.expression, look);
  for (const StatementPtr& child : statement.children) visit(*child, look);
}

void visit(const Process& process,
           const std::function<void(const Expression&)>& look) {
  const auto see = [&](const ExprPtr& expression) {
    if (expression != nullptr) visit(*expression, look);
  };
  for (const EventName& event : process.events) {
    visit(event.indices, look);
    for (const ExprPtr& field : event.fields) see(field);
  }
  see(process.channel_index);
  for (const ExprPtr& field : process.fields) see(field);
  for (const Pattern& pattern : process.patterns) see(pattern.value);
  see(process.condition);
  for (const ExprPtr& condition : process.conditions) see(condition);
  for (const ExprPtr& argument : process.arguments) see(argument);
  visit(process.indices, look);
  see(process.copies);
  if (process.block != nullptr) visit(*process.block, look);
  for (const ProcessPtr& child : process.children) visit(*child, look);
}

}  // namespace plumb::csp
