// SPDX-License-Identifier: Apache-2.0
#include "lang/spec_tree.h"

#include <algorithm>
#include <utility>

#include "base/input_error.h"
#include "lang/types.h"

namespace plumb::lang {

SpecTree::SpecTree(std::shared_ptr<const Module> file,
                   const Object& specification, ConstantValues values,
                   std::string words)
    : module(std::move(file)),
      object(specification),
      source(*module->source),
      constants(std::move(values)),
      name(std::move(words)) {
  for (const auto& variable : object.variables) add(*variable);
  if (object.init != nullptr) add(*object.init);
  for (const auto& function : object.functions) {
    if (function->is_operation) operations.push_back(function.get());
    for (const auto& parameter : function->parameters) add(*parameter);
    add(*function->result, function->span);
    add(*function->body);
  }
}

void SpecTree::add(const Variable& variable) {
  places.emplace(&variable, places.size());
  add(*variable.type, variable.span);
  if (variable.initial != nullptr) add(*variable.initial);
}

void SpecTree::add(const Type& type, Span span) {
  const auto bound = [&](const auto& e) {
    return evaluate(*e, constants, source);
  };
  Bounds made;
  for (const auto& e : {type.low, type.high, type.size}) {
    if (e != nullptr) add(*e);
  }
  if (type.low != nullptr) {
    made.low = bound(type.low);
    made.high = bound(type.high);
    if (made.low > made.high) {
      throw InputError(source.place(span), "this range is empty",
                       "write the smaller number first");
    }
  }
  if (type.kind == TypeKind::kArray) {
    if (type.size == nullptr) {
      throw InputError(source.place(span),
                       "a history does not say how many processes there are",
                       "use a map: 'map<process, ...>'");
    }
    const std::int64_t size = bound(type.size);
    if (size <= 0) {
      throw InputError(source.place(span), "this array has no elements");
    }
    made.size = static_cast<std::size_t>(size);
  }
  bounds.emplace(&type, made);
  if (type.element != nullptr) add(*type.element, span);
  if (type.key != nullptr) add(*type.key, span);
}

void SpecTree::add(const Statement& statement) {
  for (const auto& variable : statement.variables) add(*variable);
  for (const auto* e : {statement.target.get(), statement.value.get()}) {
    if (e != nullptr) add(*e);
  }
  for (const auto* s : {statement.first.get(), statement.next.get()}) {
    if (s != nullptr) add(*s);
  }
  for (const StatementPtr& inner : statement.body) add(*inner);
}

void SpecTree::add(const Expression& expression) {
  if (expression.kind == ExpressionKind::kText) {
    texts.emplace(&expression, Value::text(expression.name));
  }
  if (expression.constant != nullptr && expression.constant->value != nullptr) {
    add(*expression.constant->value);
  }
  if (expression.kind == ExpressionKind::kProcesses) {
    throw InputError(source.place(expression.span),
                     "a history does not say how many processes there are",
                     "make it a parameter of the specification");
  }
  for (const ExpressionPtr& operand : expression.operands) add(*operand);
}

Stored SpecTree::first(const Type& type) const {
  Stored made;
  switch (type.kind) {
    case TypeKind::kBool:
      made.value = Value::boolean(false);
      break;
    case TypeKind::kInt:
    case TypeKind::kValue: {
      const Bounds& range = bounds.at(&type);
      made.value =
          Value::integer(std::clamp<std::int64_t>(0, range.low, range.high));
      break;
    }
    case TypeKind::kEnum:
      made.value = Value::text(type.enumeration->members.front());
      break;
    case TypeKind::kArray:
      made.parts.assign(bounds.at(&type).size, first(*type.element));
      break;
    default:
      break;  // nobody, no items
  }
  return made;
}

std::size_t SpecChoices::choose(std::size_t count) {
  if (count == 1) return 0;
  if (at_ == made_.size()) made_.push_back({0, count});
  return made_[at_++].taken;
}

bool SpecChoices::next() {
  while (!made_.empty() && made_.back().taken + 1 == made_.back().count) {
    made_.pop_back();
  }
  if (made_.empty()) return false;
  ++made_.back().taken;
  return true;
}

std::size_t find_sorted(const std::vector<Value>& items, std::size_t stride,
                        Value key) {
  std::size_t low = 0, high = items.size() / stride;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (compare(items[middle * stride], key) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low * stride;
}

}  // namespace plumb::lang
