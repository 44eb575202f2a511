// SPDX-License-Identifier: Apache-2.0
#include "lang/resolve.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/types.h"

namespace plumb::lang {
namespace {

// In the order of the alphabet: a hash table has none that lasts.
template <typename Map>
void append_keys(const Map& map, std::vector<std::string>& keys) {
  const auto begin = static_cast<std::ptrdiff_t>(keys.size());
  for (const auto& entry : map) keys.push_back(entry.first);
  std::sort(keys.begin() + begin, keys.end());
}

}  // namespace

void Names::report_taken(Span span, const std::string& name,
                         const Span& other) {
  diagnostics_.report(
      span, fmt::format("the name '{}' is taken already", name),
      fmt::format("it was declared on line {}; no name may hide another",
                  diagnostics_.source().line(other)));
}

void Names::add_value(const std::string& name, const Symbol& symbol) {
  if (const Symbol* other = value(name)) {
    report_taken(symbol.span, name, other->span);
    return;
  }
  values_.emplace(name, symbol);
  if (symbol.variable != nullptr &&
      symbol.variable->kind != Variable::Kind::kShared) {
    locals_.push_back(name);
  }
}

void Names::add(const Constant& constant) {
  Symbol symbol;
  symbol.constant = &constant;
  symbol.span = constant.span;
  add_value(constant.name, symbol);
}

void Names::add(const Variable& variable) {
  Symbol symbol;
  symbol.variable = &variable;
  symbol.span = variable.span;
  add_value(variable.name, symbol);
}

void Names::add(const Enum& enumeration) {
  if (const Enum* other = this->enumeration(enumeration.name)) {
    report_taken(enumeration.span, enumeration.name, other->span);
  } else {
    enums_.emplace(enumeration.name, &enumeration);
  }
  for (std::size_t i = 0; i < enumeration.members.size(); ++i) {
    Symbol symbol;
    symbol.enumeration = &enumeration;
    symbol.number = static_cast<std::int64_t>(i);
    symbol.span = enumeration.member_spans[i];
    add_value(enumeration.members[i], symbol);
  }
}

void Names::add(const Struct& structure) {
  const Enum* clash = enumeration(structure.name);
  const Struct* other = this->structure(structure.name);
  if (clash != nullptr || other != nullptr) {
    report_taken(structure.span, structure.name,
                 clash != nullptr ? clash->span : other->span);
    return;
  }
  structures_.emplace(structure.name, &structure);
}

void Names::add(const Function& function) {
  if (!function.is_operation && find_builtin(function.name)) {
    diagnostics_.report(function.span,
                        fmt::format("'{}' is built in", function.name),
                        "choose another name for the function");
    return;
  }
  if (const Function* other = this->function(function.name)) {
    report_taken(function.span, function.name, other->span);
    return;
  }
  functions_.emplace(function.name, &function);
}

const Symbol* Names::value(const std::string& name) const {
  const auto found = values_.find(name);
  if (found != values_.end()) return &found->second;
  return outer_ != nullptr ? outer_->value(name) : nullptr;
}

const Struct* Names::structure(const std::string& name) const {
  const auto found = structures_.find(name);
  return found != structures_.end() ? found->second : nullptr;
}

const Enum* Names::enumeration(const std::string& name) const {
  const auto found = enums_.find(name);
  if (found != enums_.end()) return found->second;
  return outer_ != nullptr ? outer_->enumeration(name) : nullptr;
}

const Function* Names::function(const std::string& name) const {
  const auto found = functions_.find(name);
  return found != functions_.end() ? found->second : nullptr;
}

std::vector<std::string> Names::values() const {
  std::vector<std::string> names;
  append_keys(values_, names);
  if (outer_ != nullptr) append_keys(outer_->values_, names);
  return names;
}

std::vector<std::string> Names::types() const {
  std::vector<std::string> names = structures();
  append_keys(enums_, names);
  if (outer_ != nullptr) append_keys(outer_->enums_, names);
  return names;
}

std::vector<std::string> Names::structures() const {
  std::vector<std::string> names;
  append_keys(structures_, names);
  return names;
}

std::vector<std::string> Names::functions() const {
  std::vector<std::string> names;
  append_keys(functions_, names);
  return names;
}

void Names::forget_since(std::size_t mark) {
  for (; locals_.size() > mark; locals_.pop_back()) {
    values_.erase(locals_.back());
  }
}

}  // namespace plumb::lang
