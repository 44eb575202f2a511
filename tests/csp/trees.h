// SPDX-License-Identifier: Apache-2.0
// Trees of expressions and blocks, written by hand.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "csp/ast.h"

namespace plumb::csp::trees {

// Every tree gets a place of its own, so that a test can tell them apart.
inline Span fresh_span() {
  static std::uint32_t next = 0;
  next += 10;
  return {next, 5};
}

inline std::shared_ptr<Expression> make(ExprKind kind,
                                        std::vector<ExprPtr> children = {},
                                        std::int64_t number = 0,
                                        std::string name = "") {
  auto tree = std::make_shared<Expression>();
  tree->kind = kind;
  tree->children = std::move(children);
  tree->number = number;
  tree->name = std::move(name);
  tree->span = fresh_span();
  return tree;
}

inline ExprPtr number(std::int64_t n) {
  return make(ExprKind::kInteger, {}, n);
}
inline ExprPtr boolean(bool b) {
  return make(ExprKind::kBoolean, {}, b);
}
inline ExprPtr global(std::int64_t n) {
  return make(ExprKind::kGlobal, {}, n);
}
inline ExprPtr bound(std::int64_t n) {
  return make(ExprKind::kBound, {}, n);
}
inline ExprPtr local(std::int64_t n) {
  return make(ExprKind::kLocal, {}, n);
}
inline ExprPtr element(ExprPtr array, std::vector<ExprPtr> indices) {
  indices.insert(indices.begin(), std::move(array));
  return make(ExprKind::kElement, std::move(indices));
}
inline ExprPtr record(std::vector<ExprPtr> items) {
  return make(ExprKind::kRecord, std::move(items));
}
inline ExprPtr numbers(const std::vector<int>& items) {
  std::vector<ExprPtr> trees;
  for (const int item : items) trees.push_back(number(item));
  return record(std::move(trees));
}
inline ExprPtr binary(Operator op, ExprPtr left, ExprPtr right) {
  auto tree = make(ExprKind::kBinary, {std::move(left), std::move(right)});
  tree->op = op;
  return tree;
}
inline ExprPtr unary(Operator op, ExprPtr operand) {
  auto tree = make(ExprKind::kUnary, {std::move(operand)});
  tree->op = op;
  return tree;
}
inline ExprPtr assign(ExprPtr place, ExprPtr value) {
  return make(ExprKind::kAssign, {std::move(place), std::move(value)});
}
inline ExprPtr step(ExprPtr place, int by) {
  return make(ExprKind::kStep, {std::move(place)}, by);
}
inline ExprPtr call(std::string name, std::vector<ExprPtr> arguments) {
  return make(ExprKind::kStatic, std::move(arguments), 0, std::move(name));
}
inline ExprPtr method(ExprPtr receiver, std::string name,
                      std::vector<ExprPtr> arguments = {}) {
  arguments.insert(arguments.begin(), std::move(receiver));
  return make(ExprKind::kMethod, std::move(arguments), 0, std::move(name));
}
inline ExprPtr field(ExprPtr receiver, std::string name) {
  return make(ExprKind::kField, {std::move(receiver)}, 0, std::move(name));
}
inline ExprPtr construct(std::string name,
                         std::vector<ExprPtr> arguments = {}) {
  return make(ExprKind::kNew, std::move(arguments), 0, std::move(name));
}
inline ExprPtr channel(std::string function, std::int64_t number,
                       std::vector<ExprPtr> index = {}) {
  return make(ExprKind::kChannel, std::move(index), number,
              std::move(function));
}

inline StatementPtr statement(StatementKind kind, ExprPtr expression,
                              std::vector<StatementPtr> children = {},
                              std::uint32_t slot = 0) {
  auto tree = std::make_shared<Statement>();
  tree->kind = kind;
  tree->slot = slot;
  tree->expression = std::move(expression);
  tree->children = std::move(children);
  tree->span = fresh_span();
  return tree;
}
inline StatementPtr run_of(ExprPtr expression) {
  return statement(StatementKind::kExpression, std::move(expression));
}
inline StatementPtr block(std::vector<StatementPtr> children) {
  return statement(StatementKind::kBlock, nullptr, std::move(children));
}
inline StatementPtr declare(std::uint32_t slot, ExprPtr value) {
  return statement(StatementKind::kDeclare, std::move(value), {}, slot);
}
inline StatementPtr loop(ExprPtr condition, StatementPtr body) {
  return statement(StatementKind::kWhile, std::move(condition),
                   {std::move(body)});
}

inline Variable variable(std::string name, ExprPtr initial = nullptr) {
  Variable result;
  result.name = std::move(name);
  result.initial = std::move(initial);
  result.span = fresh_span();
  return result;
}
inline Variable array(std::string name, std::vector<std::uint32_t> dimensions,
                      ExprPtr initial = nullptr) {
  Variable result = variable(std::move(name), std::move(initial));
  result.dimensions = std::move(dimensions);
  return result;
}
inline Variable object(std::string name, std::string type,
                       ExprPtr initial = nullptr) {
  Variable result = variable(std::move(name), std::move(initial));
  result.type = std::move(type);
  return result;
}
inline Variable ranged(Variable result, int low, int high) {
  result.range = Range{low, high};
  return result;
}

inline void add_channel(Module& module, std::string name,
                        std::uint32_t capacity, std::uint32_t elements = 0) {
  Channel channel;
  channel.name = std::move(name);
  channel.first = module.buffers;
  channel.is_array = elements > 0;
  channel.elements = elements > 0 ? elements : 1;
  channel.capacity = capacity;
  module.buffers += channel.elements;
  module.channels.push_back(std::move(channel));
}

}  // namespace plumb::csp::trees
