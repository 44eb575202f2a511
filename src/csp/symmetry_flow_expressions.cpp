// SPDX-License-Identifier: Apache-2.0
// How values flow through expressions and blocks.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "csp/constants.h"
#include "csp/symmetry_flow.h"

namespace plumb::csp {

namespace {

constexpr std::string_view kComputesWith = "computes with an index";
constexpr std::string_view kComputes = "computes an index";
constexpr std::string_view kOrders = "asks for the order of indices";
constexpr std::string_view kTruth = "takes an index for a truth value";
constexpr std::string_view kWhole = "uses an array of indices as a whole";
constexpr std::string_view kListed = "puts an index into a list";
constexpr std::string_view kFlat = "counts elements with an index";
constexpr std::string_view kPasses = "passes an index to the library";
constexpr std::string_view kPeeks = "looks at indices in a channel";

using Number = std::optional<std::int64_t>;

// What a constant is added to or taken from, such as i of N + i - 1.
const Expression& without_offset(const Expression& sum) {
  constexpr std::int64_t kMost = 1'000'000;  // more might overflow
  const Expression* at = &sum;
  while (at->kind == ExprKind::kBinary) {
    const bool adds = at->op == Operator::kAdd;
    if (!adds && at->op != Operator::kSubtract) break;
    const Number left = constant_of(*at->children[0]);
    const Number right = constant_of(*at->children[1]);
    const Number offset = right ? right : adds ? left : std::nullopt;
    if (!offset || std::abs(*offset) > kMost) break;
    at = at->children[right ? 0 : 1].get();
  }
  return *at;
}

}  // namespace

Flow::Place Flow::computed(Span span) {
  const Place place = fresh();
  misuse(place, span, kComputes);
  return place;
}

Flow::Place Flow::local(std::int64_t slot, Scope& scope) {
  const auto [found, is_new] = scope.locals.try_emplace(slot, Place{kNone});
  if (is_new) found->second = fresh();
  return found->second;
}

Flow::Place Flow::root(const ExprPtr& tree, Scope& scope) {
  if (tree == nullptr) return kNone;
  root_ = tree.get();
  Scope own = scope;
  return look(*tree, own);
}

void Flow::use_as_condition(const ExprPtr& tree, Scope& scope) {
  misuse(root(tree, scope), tree->span, kTruth);
}

Flow::Place Flow::look(const Expression& e, Scope& scope) {
  switch (e.kind) {
    case ExprKind::kInteger:
    case ExprKind::kBoolean:
      return look_literal(e);
    case ExprKind::kGlobal:
      return look_global(e);
    case ExprKind::kBound:
      return scope.bound[static_cast<std::size_t>(e.number)];
    case ExprKind::kLocal:
      return local(e.number, scope);
    case ExprKind::kElement:
      return look_element(e, scope);
    case ExprKind::kUnary:
    case ExprKind::kBinary:
      return look_operator(e, scope);
    case ExprKind::kAssign: {
      const Place place = look(*e.children[0], scope);
      flow(look(*e.children[1], scope), place);
      return place;
    }
    case ExprKind::kStep: {
      const Place place = look(*e.children[0], scope);
      misuse(place, e.span, kComputesWith);
      return place;
    }
    case ExprKind::kChannel:
      return look_channel(e, scope);
    default:
      return look_others(e, scope);
  }
}

// A tree may be shared: then all its places are one.
void Flow::note_leaf(const Expression& e, Place place) {
  const auto [known, is_new] = leaves_.try_emplace(&e, place);
  if (!is_new) unite(known->second, place);
}

Flow::Place Flow::look_literal(const Expression& e) {
  const Place place = fresh();
  hold(place, {e.number, e.span, root_});
  note_leaf(e, place);
  return place;
}

Flow::Place Flow::look_global(const Expression& e) {
  const auto number = static_cast<std::size_t>(e.number);
  const Place place = elements_[number];
  if (dimensions_[number].empty()) return place;
  misuse(place, e.span, kWhole);
  for (const Place dimension : dimensions_[number]) {
    misuse(dimension, e.span, kWhole);
  }
  return place;
}

Flow::Place Flow::look_element(const Expression& e, Scope& scope) {
  const Expression& array = *e.children[0];
  const std::size_t given = e.children.size() - 1;
  const bool is_variable = array.kind == ExprKind::kGlobal;
  const auto number = static_cast<std::size_t>(is_variable ? array.number : 0);
  const bool is_plain =
      is_variable && dimensions_[number].size() == given && given > 0;
  for (std::size_t i = 0; i < given; ++i) {
    const Expression& tree = *e.children[i + 1];
    const Place index = look(tree, scope);
    if (tree.kind == ExprKind::kBound || tree.kind == ExprKind::kGlobal) {
      note_leaf(tree, index);
    }
    if (is_plain) {
      flow(index, dimensions_[number][i]);
    } else {
      misuse(index, e.span, kFlat);
    }
  }
  if (is_plain) return elements_[number];
  if (is_variable) {
    for (const Place dimension : dimensions_[number]) {
      misuse(dimension, e.span, kFlat);
    }
    return elements_[number];
  }
  const Place place = look(array, scope);
  misuse(place, e.span, kListed);
  return place;
}

// Its value is an index if i is one.
Flow::Place Flow::look_turn(const Expression& e, Scope& scope) {
  const Number size = constant_of(*e.children[1]);
  const Place index = look(without_offset(*e.children[0]), scope);
  const Place place = fresh();
  compare(index, place);
  facts_[place].turns.push_back({index, *size, e.span});
  return place;
}

Flow::Place Flow::look_operator(const Expression& e, Scope& scope) {
  if (e.kind == ExprKind::kBinary && e.op == Operator::kModulo &&
      constant_of(*e.children[1]) && !constant_of(*e.children[0])) {
    return look_turn(e, scope);
  }
  std::vector<Place> operands;
  for (const ExprPtr& child : e.children) {
    operands.push_back(look(*child, scope));
  }
  const bool compares = e.op == Operator::kEqual || e.op == Operator::kUnequal;
  if (compares && e.kind == ExprKind::kBinary) {
    compare(operands[0], operands[1]);
    return computed(e.span);
  }
  std::string_view what = kComputesWith;
  switch (e.op) {
    case Operator::kLess:
    case Operator::kLessEqual:
    case Operator::kGreater:
    case Operator::kGreaterEqual:
      what = kOrders;
      break;
    case Operator::kOr:
    case Operator::kAnd:
    case Operator::kXor:
    case Operator::kNot:
      what = kTruth;
      break;
    default:
      break;
  }
  for (const Place operand : operands) misuse(operand, e.span, what);
  return computed(e.span);
}

Flow::Place Flow::look_channel(const Expression& e, Scope& scope) {
  const auto channel = static_cast<std::size_t>(e.number);
  const Place index = channel_indices_[channel];
  if (e.children.empty() || e.children[0] == nullptr) {
    if (nodes_.module->channels[channel].is_array) {
      misuse(index, e.span, kFlat);
    }
  } else {
    flow(look(*e.children[0], scope), index);
  }
  if (e.name == "cpeek") {
    // LIMIT: what is seen there is not followed any further.
    constexpr std::size_t kMostFields = 16;
    for (std::size_t i = 0; i < kMostFields; ++i) {
      misuse(message(channel, i), e.span, kPeeks);
    }
  }
  return computed(e.span);
}

Flow::Place Flow::look_others(const Expression& e, Scope& scope) {
  for (const Index& index : e.indices) {
    for (const ExprPtr& value : index.values) {
      misuse(look(*value, scope), e.span, kComputesWith);
    }
    for (const ExprPtr& bound : {index.low, index.high}) {
      if (bound == nullptr) continue;
      misuse(look(*bound, scope), e.span, kComputesWith);
    }
    misuse(local(index.slot, scope), e.span, kComputes);
  }
  const bool is_method =
      e.kind == ExprKind::kMethod || e.kind == ExprKind::kField;
  for (std::size_t i = 0; i < e.children.size(); ++i) {
    if (e.children[i] == nullptr) continue;
    const Place child = look(*e.children[i], scope);
    // An object itself is no index, but what is given to it may be one.
    if (is_method && i == 0) continue;
    misuse(child, e.span, e.kind == ExprKind::kRecord ? kListed : kPasses);
  }
  if (e.block != nullptr) {
    const Expression* around = root_;
    look(*e.block, scope);
    for (const StatementPtr& last : e.block->children) {
      if (last->kind != StatementKind::kExpression) continue;
      misuse(look(*last->expression, scope), e.span, kComputesWith);
    }
    root_ = around;
  }
  return computed(e.span);
}

void Flow::look(const Statement& statement, Scope& scope) {
  Place place = kNone;
  if (statement.expression != nullptr) {
    root_ = statement.expression.get();
    place = look(*statement.expression, scope);
  }
  switch (statement.kind) {
    case StatementKind::kDeclare: {
      const Place declared =
          local(static_cast<std::int64_t>(statement.slot), scope);
      // Without a value it is 0.
      if (place == kNone) {
        hold(declared, {0, statement.span, nullptr});
      }
      flow(place, declared);
      break;
    }
    case StatementKind::kIf:
    case StatementKind::kWhile:
      misuse(place, statement.span, kTruth);
      break;
    default:
      break;
  }
  for (const StatementPtr& child : statement.children) look(*child, scope);
}

}  // namespace plumb::csp
