// SPDX-License-Identifier: Apache-2.0
// Expressions.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "csp/constants.h"
#include "csp/resolve.h"
#include "csp/resolve_depth.h"

namespace plumb::csp {

using syntax::Term;
using syntax::TermKind;

// Counts nodes that another tree brings along.
void Resolver::count(std::size_t nodes, std::size_t height, Span span) {
  nodes_ += nodes;
  deepest_ = std::max(deepest_, depth_ + height);
  if (nodes_ > kMostNodes) {
    report(span,
           "the model becomes too large when macros and indices are unfolded",
           fmt::format("at most {} nodes are allowed", kMostNodes));
    throw TooLarge();
  }
  if (depth_ + height > kDeepestTree) {
    report(span, "this is nested too deeply when macros are unfolded",
           fmt::format("at most {} levels are allowed", kDeepestTree));
    throw TooLarge();
  }
}

std::shared_ptr<Expression> Resolver::make(ExprKind kind, Span span) {
  count(1, 0, span);
  auto made = std::make_shared<Expression>();
  made->kind = kind;
  made->span = span;
  return made;
}

ExprPtr Resolver::number(std::int64_t number, Span span) {
  auto made = make(ExprKind::kInteger, span);
  made->number = number;
  return made;
}

// An expression that is evaluated by itself: its locals are its own.
ExprPtr Resolver::root(const Term& written) {
  locals_ = 0;
  ExprPtr made = term(written);
  most_locals_ = std::max(most_locals_, locals_);
  return made;
}

ExprPtr Resolver::term(const Term& term) {
  const Deeper deeper(*this, term.span);
  switch (term.kind) {
    case TermKind::kInteger:
      return number(term.number, term.span);
    case TermKind::kBoolean: {
      auto made = make(ExprKind::kBoolean, term.span);
      made->number = term.number;
      return made;
    }
    case TermKind::kName:
      return name(term);
    case TermKind::kElement:
      return element(term);
    case TermKind::kRecord:
      return record(term);
    case TermKind::kUnary:
      return unary(term);
    case TermKind::kBinary:
      return binary(term);
    case TermKind::kAssign:
    case TermKind::kStep:
      return assign(term);
    case TermKind::kCall:
      return call(term);
    case TermKind::kMethod:
      return method(term);
    case TermKind::kField:
      return field(term);
    case TermKind::kNew:
      return new_object(term);
    case TermKind::kProcesses:
      return processes(term);
    case TermKind::kIndexed:
      return indexed(term);
    case TermKind::kCopies:
    case TermKind::kUpTo:
      break;  // in records alone
    case TermKind::kBlock: {
      auto made = make(ExprKind::kBlock, term.span);
      made->block = statement(*term.block);
      return made;
    }
  }
  return bad(term.span);
}

const Resolver::Binding* Resolver::find(const std::string& name) const {
  for (auto it = scope_.rbegin(); it != scope_.rend(); ++it) {
    if (it->name == name) return &*it;
  }
  return nullptr;
}

std::vector<std::string> Resolver::names() const {
  std::vector<std::string> all;
  for (const Binding& binding : scope_) all.push_back(binding.name);
  for (const auto& [name, symbol] : values_) all.push_back(name);
  std::sort(all.begin(), all.end());
  return all;
}

void Resolver::report_unknown(const syntax::Name& name) {
  std::string hint = text::suggestion(name.text, names());
  const bool was_bound =
      std::find(left_.begin(), left_.end(), name.text) != left_.end();
  if (was_bound) {
    hint =
        "the name is known only in what follows '->' there; ';' binds looser "
        "than '->', so parentheses may help: 'c?x -> (P(); Q(x))'";
  } else if (processes_.contains(name.text)) {
    hint = "it is a process; how many of them there are is '#define n #P();'";
  } else if (hint.empty() && !unfolding_.empty()) {
    hint = "a macro knows its parameters and what is declared outside";
  } else if (hint.empty()) {
    hint = fmt::format("declare it with 'var {};'", name.text);
  }
  report(name.span, fmt::format("'{}' is not defined", name.text), hint);
}

ExprPtr Resolver::bound(const Binding& binding, Span span) {
  if (binding.role == Role::kArgument) {
    if (binding.is_channel) {
      report(span, fmt::format("'{}' is a channel, not a value", binding.name));
      return bad(span);
    }
    count(binding.nodes, binding.height, span);
    return binding.value;
  }
  const bool is_local =
      binding.role == Role::kLocal || binding.role == Role::kUnknown;
  auto made = make(is_local ? ExprKind::kLocal : ExprKind::kBound, span);
  made->number = binding.slot;
  made->name = binding.name;
  return made;
}

ExprPtr Resolver::name(const Term& term) {
  if (const Binding* binding = find(term.name.text)) {
    return bound(*binding, term.span);
  }
  const auto found = values_.find(term.name.text);
  if (found == values_.end()) {
    report_unknown(term.name);
    return bad(term.span);
  }
  const Symbol& symbol = found->second;
  switch (symbol.kind) {
    case Kind::kConstant:
      return number(symbol.number, term.span);
    case Kind::kMacro:
      return unfold_macro(symbol.index, term);
    case Kind::kChannel:
      report(term.span,
             fmt::format("'{}' is a channel, not a value", term.name.text),
             fmt::format("what it holds is told by 'call(ccount, {})' and the "
                         "like",
                         term.name.text));
      return bad(term.span);
    case Kind::kVariable:
      break;
  }
  if (symbol.index >= variables_known_) {
    report(term.span,
           fmt::format("'{}' is declared further down", term.name.text),
           "initial values are made in the order of the declarations");
  }
  auto made = make(ExprKind::kGlobal, term.span);
  made->number = static_cast<std::int64_t>(symbol.index);
  made->name = term.name.text;
  return made;
}

ExprPtr Resolver::unary(const Term& term) {
  ExprPtr operand = this->term(*term.children[0]);
  if (term.op == Operator::kNegate && operand->kind == ExprKind::kInteger) {
    return number(-operand->number, term.span);
  }
  auto made = make(ExprKind::kUnary, term.span);
  made->op = term.op;
  made->children.push_back(std::move(operand));
  return made;
}

ExprPtr Resolver::binary(const Term& term) {
  auto made = make(ExprKind::kBinary, term.span);
  made->op = term.op;
  made->children.push_back(this->term(*term.children[0]));
  made->children.push_back(this->term(*term.children[1]));
  return made;
}

ExprPtr Resolver::element(const Term& term) {
  const Term& array = *term.children[0];
  const std::size_t given = term.children.size() - 1;
  const Binding* local = find(array.name.text);
  if (local != nullptr && local->dimensions.size() > 1 &&
      local->dimensions.size() == given) {
    return flattened(term, *local);
  }
  auto made = make(ExprKind::kElement, term.span);
  made->children.push_back(this->term(array));
  const Expression& base = *made->children[0];
  std::size_t wanted = 1;
  if (base.kind == ExprKind::kGlobal) {
    const auto index = static_cast<std::size_t>(base.number);
    wanted =
        std::max<std::size_t>(written_.variables[index].dimensions.size(), 1);
  } else if (local != nullptr && local->role == Role::kLocal) {
    wanted = std::max<std::size_t>(local->dimensions.size(), 1);
  } else if (base.kind != ExprKind::kBound && base.kind != ExprKind::kLocal) {
    report(array.span, fmt::format("'{}' is not an array", array.name.text));
  }
  if (given != wanted) {
    report(term.span,
           fmt::format("'{}' has {} dimension{}, but {} are given",
                       array.name.text, wanted, wanted == 1 ? "" : "s", given),
           "an array that was received or passed on is used with one index");
  }
  for (std::size_t i = 1; i < term.children.size(); ++i) {
    made->children.push_back(this->term(*term.children[i]));
  }
  return made;
}

// Arrays of blocks have no dimensions when they run: m[i][j] is m[i * n + j].
ExprPtr Resolver::flattened(const Term& term, const Binding& local) {
  const std::vector<std::int64_t> dimensions = local.dimensions;
  auto made = make(ExprKind::kElement, term.span);
  made->children.push_back(this->term(*term.children[0]));
  ExprPtr index = this->term(*term.children[1]);
  for (std::size_t i = 1; i < dimensions.size(); ++i) {
    auto product = make(ExprKind::kBinary, term.span);
    product->op = Operator::kMultiply;
    product->children = {std::move(index), number(dimensions[i], term.span)};
    auto sum = make(ExprKind::kBinary, term.span);
    sum->op = Operator::kAdd;
    sum->children = {std::move(product), this->term(*term.children[i + 1])};
    index = std::move(sum);
  }
  made->children.push_back(std::move(index));
  return made;
}

ExprPtr Resolver::record(const Term& term) {
  auto made = make(ExprKind::kRecord, term.span);
  for (const syntax::TermPtr& child : term.children) {
    record_element(*child, *made);
    if (made->children.size() <= static_cast<std::size_t>(kMostElements)) {
      continue;
    }
    report(term.span,
           fmt::format("an array has at most {} elements", kMostElements));
    break;
  }
  return made;
}

void Resolver::record_element(const Term& term, Expression& made) {
  if (term.kind != TermKind::kCopies && term.kind != TermKind::kUpTo) {
    made.children.push_back(this->term(term));
    return;
  }
  if (term.kind == TermKind::kCopies) {
    const std::uint32_t copies =
        bounded(*term.children[1], "the number of copies", 0, kMostElements);
    const ExprPtr value = this->term(*term.children[0]);
    count(copies, 0, term.span);
    made.children.insert(made.children.end(), copies, value);
    return;
  }
  const auto from = whole(*term.children[0], "the first element");
  const auto to = whole(*term.children[1], "the last element");
  if (!from || !to) return;
  if (std::abs(*to - *from) >= kMostElements) {
    report(term.span,
           fmt::format("an array has at most {} elements", kMostElements));
    return;
  }
  for (std::int64_t i = *from;; i += *from < *to ? 1 : -1) {
    made.children.push_back(number(i, term.span));
    if (i == *to) break;
  }
}

ExprPtr Resolver::assign(const Term& term) {
  const Term& place = *term.children[0];
  const bool is_step = term.kind == TermKind::kStep;
  auto made = make(is_step ? ExprKind::kStep : ExprKind::kAssign, term.span);
  made->number = term.number;
  if (!may_assign_ && !unfolding_.empty()) {
    report(use_,
           fmt::format("'{}' changes variables, which cannot be done "
                       "here",
                       written_.macros[unfolding_[0]].name.text),
           "use it in the block of an event");
    return bad(term.span);
  }
  if (!may_assign_) {
    report(term.span, "nothing can be assigned here",
           is_step ? "put it into the block of an event: 'e{x++} -> P'"
                   : "did you mean '=='? Assignments stand in the block of an "
                     "event: 'e{x = 1} -> P'");
    return bad(term.span);
  }
  ExprPtr target = this->term(place);
  if (!may_be_assigned(*target, place)) refuse_assignment(place);
  made->children.push_back(std::move(target));
  if (!is_step) made->children.push_back(this->term(*term.children[1]));
  return made;
}

bool Resolver::may_be_assigned(const Expression& place, const Term& written) {
  switch (place.kind) {
    case ExprKind::kGlobal:
    case ExprKind::kLocal:
    case ExprKind::kField:
      return true;
    case ExprKind::kElement:
      return may_be_assigned(*place.children[0], written);
    default:
      return false;
  }
}

void Resolver::refuse_assignment(const Term& written) {
  const Term& base =
      written.kind == TermKind::kElement ? *written.children[0] : written;
  const std::string& name = base.name.text;
  if (base.kind != TermKind::kName) {
    report(written.span, "this cannot be assigned to",
           "only a variable, an element of an array or a field can");
    return;
  }
  if (const Binding* binding = find(name)) {
    if (binding->role == Role::kArgument) {
      report(written.span,
             fmt::format("'{}' is assigned to, but its argument is no variable",
                         name));
      return;
    }
    const char* what = binding->role == Role::kInput   ? "a received value"
                       : binding->role == Role::kIndex ? "an index"
                                                       : "a parameter";
    report(written.span,
           fmt::format("'{}' is {} and cannot be assigned to", name, what),
           fmt::format("copy it first: 'var copy = {};'", name));
    return;
  }
  if (!values_.contains(name)) return;  // told already
  report(written.span,
         fmt::format("'{}' is a constant and cannot be assigned to", name),
         fmt::format("declare it with 'var {};'", name));
}

// False if the values depend on what is known later only.
bool Resolver::values_of(const syntax::Index& index,
                         std::vector<std::int64_t>& values) {
  if (index.high != nullptr) {
    const auto low = constant_of(*term(*index.low));
    const auto high = constant_of(*term(*index.high));
    if (!low || !high) return false;
    if (*high - *low >= kMostValues) {
      report(
          index.name.span,
          fmt::format("'{}' has {} values", index.name.text, *high - *low + 1),
          fmt::format("at most {} are allowed", kMostValues));
      return true;
    }
    for (std::int64_t i = *low; i <= *high; ++i) values.push_back(i);
    return true;
  }
  for (const syntax::TermPtr& value : index.values) {
    const auto number = constant_of(*term(*value));
    if (!number) return false;
    values.push_back(*number);
  }
  return true;
}

ExprPtr Resolver::indexed(const Term& term) {
  const std::size_t mark = scope_.size();
  // Later ranges may use earlier indices; those are not constants then.
  for (const syntax::Index& index : term.indices) {
    std::vector<std::int64_t> values;
    if (!values_of(index, values)) {
      forget_since(mark);
      return kept_indexed(term);
    }
    Binding binding;
    binding.name = index.name.text;
    binding.role = Role::kArgument;
    binding.value = number(values.empty() ? 0 : values[0], index.name.span);
    scope_.push_back(std::move(binding));
  }
  forget_since(mark);
  std::vector<ExprPtr> parts;
  unfold(term, 0, parts);
  if (parts.empty()) {
    auto made = make(ExprKind::kBoolean, term.span);
    made->number = term.op == Operator::kAnd ? 1 : 0;
    return made;
  }
  return joined(term, parts);
}

void Resolver::unfold(const Term& term, std::size_t level,
                      std::vector<ExprPtr>& parts) {
  if (level == term.indices.size()) {
    parts.push_back(this->term(*term.children[0]));
    return;
  }
  const syntax::Index& index = term.indices[level];
  std::vector<std::int64_t> values;
  values_of(index, values);
  for (const std::int64_t value : values) {
    Binding binding;
    binding.name = index.name.text;
    binding.role = Role::kArgument;
    binding.value = number(value, index.name.span);
    scope_.push_back(std::move(binding));
    unfold(term, level + 1, parts);
    scope_.pop_back();
  }
}

// As it would be written by hand; many parts are halved, or their tree would
// be as deep as they are many.
ExprPtr Resolver::joined(const Term& term, std::span<const ExprPtr> parts) {
  constexpr std::size_t kInARow = 50;
  if (parts.size() == 1) return parts[0];
  const std::size_t half =
      parts.size() > kInARow ? parts.size() / 2 : parts.size() - 1;
  const Deeper deeper(*this, term.span);
  auto made = make(ExprKind::kBinary, term.span);
  made->op = term.op;
  made->children = {joined(term, parts.first(half)),
                    joined(term, parts.subspan(half))};
  return made;
}

ExprPtr Resolver::kept_indexed(const Term& term) {
  const std::size_t mark = scope_.size();
  auto made = make(ExprKind::kIndexed, term.span);
  made->op = term.op;
  for (const syntax::Index& written : term.indices) {
    Index index;
    index.name = written.name.text;
    for (const syntax::TermPtr& value : written.values) {
      index.values.push_back(this->term(*value));
    }
    if (written.high != nullptr) {
      index.low = this->term(*written.low);
      index.high = this->term(*written.high);
    }
    index.slot = bind(written.name, Role::kLocal);
    made->indices.push_back(std::move(index));
  }
  made->children.push_back(this->term(*term.children[0]));
  forget_since(mark);
  return made;
}

}  // namespace plumb::csp
