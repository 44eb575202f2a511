// SPDX-License-Identifier: Apache-2.0
#include "ltl/normal_form.h"

#include <utility>

namespace plumb::ltl {

NormalForms::NormalForms() {
  make({Kind::kTrue, 0, 0});
  make({Kind::kFalse, 0, 0});
}

NodeId NormalForms::make(Node node) {
  const auto next = static_cast<NodeId>(nodes_.size());
  const auto [entry, is_new] = ids_.try_emplace(node, next);
  if (is_new) nodes_.push_back(node);
  return entry->second;
}

NodeId NormalForms::of(const Formula& formula, bool negated) {
  const std::pair<const Formula*, bool> key(&formula, negated);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const NodeId id = make_of(formula, negated);
  known_.emplace(key, id);
  return id;
}

NodeId NormalForms::make_of(const Formula& formula, bool negated) {
  const auto left = [&](bool n) { return of(*formula.left, n); };
  const auto right = [&](bool n) { return of(*formula.right, n); };
  switch (formula.op) {
    case Operator::kTrue:
      return negated ? kFalse : kTrue;
    case Operator::kFalse:
      return negated ? kTrue : kFalse;
    case Operator::kAtom:
      return literal(formula.atom, negated);
    case Operator::kNot:
      return left(!negated);
    case Operator::kAnd:
      return negated ? disjunction(left(true), right(true))
                     : conjunction(left(false), right(false));
    case Operator::kOr:
      return negated ? conjunction(left(true), right(true))
                     : disjunction(left(false), right(false));
    case Operator::kImplies:
      return negated ? conjunction(left(false), right(true))
                     : disjunction(left(true), right(false));
    case Operator::kIff:
      return disjunction(conjunction(left(false), right(negated)),
                         conjunction(left(true), right(!negated)));
    case Operator::kNext:
      return next(left(negated));
    case Operator::kUntil:
      return negated ? release(left(true), right(true))
                     : until(left(false), right(false));
    case Operator::kRelease:
      return negated ? until(left(true), right(true))
                     : release(left(false), right(false));
    case Operator::kAlways:
      return negated ? eventually(left(true)) : always(left(false));
    case Operator::kEventually:
      return negated ? always(left(true)) : eventually(left(false));
  }
  return kTrue;
}

NodeId NormalForms::literal(std::size_t atom, bool negated) {
  return make({Kind::kLiteral, static_cast<NodeId>(atom), negated ? 1u : 0u});
}

bool NormalForms::are_opposite(NodeId a, NodeId b) const {
  return is(a, Kind::kLiteral) && is(b, Kind::kLiteral) &&
         nodes_[a].left == nodes_[b].left && nodes_[a].right != nodes_[b].right;
}

NodeId NormalForms::conjunction(NodeId a, NodeId b) {
  if (a > b) std::swap(a, b);
  if (a == kTrue || a == b) return b;
  if (a == kFalse || b == kFalse || are_opposite(a, b)) return kFalse;
  if (has_part(b, Kind::kOr, a) || has_part(b, Kind::kAnd, a)) {
    return is(b, Kind::kOr) ? a : b;
  }
  if (has_part(a, Kind::kOr, b) || has_part(a, Kind::kAnd, b)) {
    return is(a, Kind::kOr) ? b : a;
  }
  const Node left = nodes_[a], right = nodes_[b];
  if (left.kind == Kind::kNext && right.kind == Kind::kNext) {
    return next(conjunction(left.left, right.left));
  }
  if (left.kind == Kind::kRelease && right.kind == Kind::kRelease &&
      left.left == right.left) {
    return release(left.left, conjunction(left.right, right.right));
  }
  return make({Kind::kAnd, a, b});
}

NodeId NormalForms::disjunction(NodeId a, NodeId b) {
  if (a > b) std::swap(a, b);
  if (a == kTrue || b == kTrue || are_opposite(a, b)) return kTrue;
  if (a == kFalse || a == b) return b;
  if (b == kFalse) return a;
  if (has_part(b, Kind::kAnd, a) || has_part(b, Kind::kOr, a)) {
    return is(b, Kind::kAnd) ? a : b;
  }
  if (has_part(a, Kind::kAnd, b) || has_part(a, Kind::kOr, b)) {
    return is(a, Kind::kAnd) ? b : a;
  }
  const Node left = nodes_[a], right = nodes_[b];
  if (left.kind == Kind::kNext && right.kind == Kind::kNext) {
    return next(disjunction(left.left, right.left));
  }
  if (left.kind == Kind::kUntil && right.kind == Kind::kUntil &&
      left.left == right.left) {
    return until(left.left, disjunction(left.right, right.right));
  }
  return make({Kind::kOr, a, b});
}

NodeId NormalForms::next(NodeId a) {
  if (a == kTrue || a == kFalse) return a;
  return make({Kind::kNext, a, 0});
}

NodeId NormalForms::until(NodeId a, NodeId b) {
  if (b == kTrue || b == kFalse || a == kFalse || a == b) return b;
  const Node left = nodes_[a], right = nodes_[b];
  if (right.kind == Kind::kUntil) {
    if (right.left == a) return b;                   // a U (a U c)
    if (a == kTrue) return eventually(right.right);  // <>(c U d)
  }
  if (a == kTrue && is_always(b) && is_eventually(right.right)) {
    return b;  // <>[]<>c
  }
  if (right.kind == Kind::kNext && (a == kTrue || left.kind == Kind::kNext)) {
    return next(until(a == kTrue ? kTrue : left.left, right.left));
  }
  return make({Kind::kUntil, a, b});
}

NodeId NormalForms::release(NodeId a, NodeId b) {
  if (b == kTrue || b == kFalse || a == kTrue || a == b) return b;
  const Node left = nodes_[a], right = nodes_[b];
  if (right.kind == Kind::kRelease) {
    if (right.left == a) return b;                // a R (a R c)
    if (a == kFalse) return always(right.right);  // [](c R d)
  }
  if (a == kFalse && is_eventually(b) && is_always(right.right)) {
    return b;  // []<>[]c
  }
  if (right.kind == Kind::kNext && (a == kFalse || left.kind == Kind::kNext)) {
    return next(release(a == kFalse ? kFalse : left.left, right.left));
  }
  return make({Kind::kRelease, a, b});
}

}  // namespace plumb::ltl
