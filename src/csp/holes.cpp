// SPDX-License-Identifier: Apache-2.0
// Finds the holes of a process: what is a value as soon as it is reached.
#include "csp/holes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "csp/evaluate.h"
#include "csp/tree.h"

namespace plumb::csp {

namespace {

bool is_literal(const Expression& e) {
  return e.kind == ExprKind::kInteger || e.kind == ExprKind::kBoolean;
}

bool joins_conditions(Operator op) {
  return op == Operator::kOr || op == Operator::kAnd || op == Operator::kXor;
}

bool compares(Operator op) {
  return op >= Operator::kEqual && op <= Operator::kGreaterEqual;
}

// May the evaluation fail, whatever the operands are?
bool can_fail(const Expression& e) {
  if (e.op != Operator::kDivide && e.op != Operator::kModulo) return false;
  const Expression& divisor = *e.children[1];
  return divisor.kind != ExprKind::kInteger || divisor.number <= 0;
}

ExprPtr bound_slot(const Expression& from, std::int64_t number,
                   std::string name) {
  auto bound = std::make_shared<Expression>();
  bound->kind = ExprKind::kBound;
  bound->number = number;
  bound->name = std::move(name);
  bound->span = from.span;
  return bound;
}

// May values stand in it for variables?
bool works_on_values(const Expression& e) {
  return e.kind == ExprKind::kUnary || e.kind == ExprKind::kBinary ||
         e.kind == ExprKind::kRecord ||
         (e.kind == ExprKind::kElement && e.children.size() == 2);
}

// Values of names that are known, put together by what cannot fail.
template <typename IsKnown>
bool is_closed(const Expression& e, const IsKnown& is_known, bool& has_slot) {
  switch (e.kind) {
    case ExprKind::kInteger:
    case ExprKind::kBoolean:
      return true;
    case ExprKind::kBound:
      has_slot = true;
      return is_known(static_cast<std::uint32_t>(e.number));
    case ExprKind::kUnary:
    case ExprKind::kBinary:
      if (can_fail(e)) return false;
      break;
    case ExprKind::kRecord:
      break;
    default:
      return false;
  }
  return std::all_of(e.children.begin(), e.children.end(),
                     [&](const ExprPtr& child) {
                       return is_closed(*child, is_known, has_slot);
                     });
}

}  // namespace

ExprPtr folded(const ExprPtr& expression, const Layout& layout) {
  if (expression == nullptr || is_literal(*expression)) return expression;
  const bool is_operator = expression->kind == ExprKind::kUnary ||
                           expression->kind == ExprKind::kBinary;
  const ExprPtr changed = with_children(
      *expression, [&](const ExprPtr& child) { return folded(child, layout); });
  const auto& children = changed->children;
  if (!is_operator ||
      !std::all_of(children.begin(), children.end(),
                   [](const ExprPtr& child) { return is_literal(*child); })) {
    return changed;
  }
  Valuation none(layout);
  Context context{none};
  try {
    const Datum value = evaluate(*changed, context);
    auto literal = std::make_shared<Expression>();
    literal->kind =
        value.is_boolean() ? ExprKind::kBoolean : ExprKind::kInteger;
    literal->number = value.number();
    literal->span = expression->span;
    return literal;
  } catch (const RuntimeFault&) {
    return changed;  // it fails when it is asked for
  }
}

std::vector<std::uint32_t> own_slots(const Process& process) {
  std::vector<std::uint32_t> own;
  for (const Pattern& pattern : process.patterns) {
    if (pattern.slot) own.push_back(*pattern.slot);
  }
  for (const Index& index : process.indices) own.push_back(index.slot);
  return own;
}

bool Holes::is_known(std::uint32_t slot) const {
  return std::none_of(scope_.begin(), scope_.end(), [&](const Binder& binder) {
    return binder.slot == slot;
  });
}

// It reads variables, and nothing that is bound in between.
bool Holes::is_evaluated(const Expression& expression) const {
  bool reads = false, is_free = true;
  visit(expression, [&](const Expression& e) {
    reads |= e.kind == ExprKind::kGlobal || e.kind == ExprKind::kChannel ||
             e.kind == ExprKind::kProcesses;
    is_free &= e.kind != ExprKind::kLocal && e.kind != ExprKind::kBlock &&
               e.kind != ExprKind::kIndexed &&
               (e.kind != ExprKind::kBound ||
                is_known(static_cast<std::uint32_t>(e.number)));
  });
  return reads && is_free;
}

bool Holes::can_be_hole(const Expression& expression) const {
  if (evaluates_ && is_evaluated(expression)) return true;
  bool has_slot = false;
  const auto known = [this](std::uint32_t slot) { return is_known(slot); };
  return is_closed(expression, known, has_slot) && (has_slot || each_);
}

ExprPtr Holes::hole(const ExprPtr& expression) {
  std::size_t number = found_.size();
  if (!each_) {
    number = by_key_.emplace(key(*expression), number).first->second;
  }
  if (number == found_.size()) found_.push_back(expression);
  return bound_slot(*expression, static_cast<std::int64_t>(number), "");
}

ExprPtr Holes::rewrite(const ExprPtr& expression) {
  if (expression == nullptr) return nullptr;
  if (can_be_hole(*expression)) return hole(expression);
  if (expression->kind != ExprKind::kBound) {
    const bool evaluates = evaluates_;
    evaluates_ &= works_on_values(*expression);
    ExprPtr changed = with_children(
        *expression, [this](const ExprPtr& child) { return rewrite(child); });
    evaluates_ = evaluates;
    return changed;
  }
  // The innermost binder of that slot.
  std::size_t depth = scope_.size();
  while (scope_[depth - 1].slot !=
         static_cast<std::uint32_t>(expression->number)) {
    --depth;
  }
  return bound_slot(*expression,
                    kFreshSlot + static_cast<std::int64_t>(depth - 1),
                    scope_[depth - 1].name);
}

ExprPtr Holes::condition(const ExprPtr& expression) {
  if (expression == nullptr) return nullptr;
  const bool joins = (expression->kind == ExprKind::kBinary &&
                      joins_conditions(expression->op)) ||
                     (expression->kind == ExprKind::kUnary &&
                      expression->op == Operator::kNot);
  const bool is_comparison =
      expression->kind == ExprKind::kBinary && compares(expression->op);
  if (!joins && !is_comparison) return rewrite(expression);
  return with_children(*expression, [&](const ExprPtr& child) {
    return joins ? condition(child) : rewrite(child);
  });
}

StatementPtr Holes::rewrite(const StatementPtr& statement) {
  if (statement == nullptr) return nullptr;
  return with_expressions(*statement, [this](const ExprPtr& expression) {
    return rewrite(folded(expression, layout_));
  });
}

std::vector<Index> Holes::indices(const std::vector<Index>& indices) {
  std::vector<Index> changed = indices;
  for (Index& index : changed) {
    for (ExprPtr& value : index.values) value = rewrite(folded(value, layout_));
    index.low = rewrite(folded(index.low, layout_));
    index.high = rewrite(folded(index.high, layout_));
    scope_.push_back({index.slot, index.name});
  }
  return changed;
}

EventName Holes::event(const EventName& event) {
  EventName changed = event;
  const std::size_t outside = scope_.size();
  changed.indices = indices(event.indices);
  for (ExprPtr& field : changed.fields) field = rewrite(folded(field, layout_));
  scope_.resize(outside);
  return changed;
}

std::vector<EventName> Holes::events(const std::vector<EventName>& events) {
  std::vector<EventName> changed;
  for (const EventName& one : events) changed.push_back(event(one));
  return changed;
}

std::vector<EventName> Holes::evaluated(const std::vector<EventName>& events) {
  evaluates_ = true;
  return this->events(events);
}

ProcessPtr Holes::process(const Process& process) {
  return rewrite(process, true);
}

ProcessPtr Holes::rewrite(const Process& process, bool top) {
  auto changed = std::make_shared<Process>(process);
  const auto change = [this](ExprPtr& expression) {
    expression = rewrite(folded(expression, layout_));
  };
  const auto change_condition = [this](ExprPtr& expression) {
    expression = condition(folded(expression, layout_));
  };
  const std::size_t outside = scope_.size();
  changed->events = events(process.events);
  change(changed->channel_index);
  for (ExprPtr& field : changed->fields) change(field);
  for (Pattern& pattern : changed->patterns) change(pattern.value);
  for (const Pattern& pattern : process.patterns) {
    if (pattern.slot) scope_.push_back({*pattern.slot, pattern.name});
  }
  changed->indices = indices(process.indices);
  change_condition(changed->condition);
  for (ExprPtr& one : changed->conditions) change_condition(one);
  for (ExprPtr& argument : changed->arguments) change(argument);
  change(changed->copies);
  changed->block = rewrite(process.block);
  for (ProcessPtr& child : changed->children) {
    if (top) first_of_child_.push_back(found_.size());
    child = rewrite(*child, false);
  }
  scope_.resize(outside);
  return changed;
}

ExprPtr Holes::over_these(const ExprPtr& expression,
                          const std::vector<std::uint32_t>& own,
                          std::size_t& cursor) const {
  bool has_slot = false;
  const auto is_known = [&](std::uint32_t slot) {
    return std::find(own.begin(), own.end(), slot) == own.end();
  };
  if (is_closed(*expression, is_known, has_slot) && (has_slot || each_)) {
    const std::size_t number = each_ ? cursor++ : by_key_.at(key(*expression));
    return bound_slot(*expression, static_cast<std::int64_t>(number), "");
  }
  if (expression->kind == ExprKind::kBound) {
    const auto slot = static_cast<std::uint32_t>(expression->number);
    // The last one, if a name is bound twice.
    const auto at = std::find(own.rbegin(), own.rend(), slot);
    return bound_slot(*expression, kFreshSlot + (own.rend() - at) - 1, "");
  }
  return with_children(*expression, [&](const ExprPtr& child) {
    return over_these(child, own, cursor);
  });
}

}  // namespace plumb::csp
