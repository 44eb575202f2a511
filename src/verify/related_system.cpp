// SPDX-License-Identifier: Apache-2.0
#include "verify/related_system.h"

#include <utility>

namespace plumb::verify {

using lts::LabelKind;

bool RelatedSystem::relates(const lts::Label& label) const {
  if (label.kind == LabelKind::kFault) return false;
  return where_ == Where::kEverywhere || label.kind == LabelKind::kReturn;
}

lts::Label RelatedSystem::plain(lts::Label label) const {
  if (relates(label)) label.value = label.value.items()[0];
  return label;
}

lts::Path RelatedSystem::plain(lts::Path path) const {
  for (lts::Label& label : path.labels) label = plain(label);
  return path;
}

std::optional<std::span<const Value>> RelatedSystem::related(
    const lts::Label& label) {
  const auto states = label.value.items().subspan(1);
  if (!states.empty() && states[0].is_text()) return std::nullopt;
  return states;
}

Value RelatedSystem::with_related(Value value, lts::StateView next) const {
  std::vector<std::vector<Value>> states;
  std::vector<Value> items = {value};
  if (const auto wrong = relation_.relate(next, states)) {
    items.push_back(Value::text(*wrong));
    return Value::list(items);
  }
  for (const auto& state : states) items.push_back(Value::list(state));
  return Value::list(items);
}

void RelatedSystem::successors(lts::StateView state,
                               lts::Successors& out) const {
  thread_local lts::Successors plain_ones;
  system_.successors(state, plain_ones);
  out.clear();
  out.waiting = plain_ones.waiting;
  out.cut = plain_ones.cut;
  out.left_out = plain_ones.left_out;
  for (std::size_t i = 0; i < plain_ones.size(); ++i) {
    lts::Label label = plain_ones.label(i);
    const lts::StateView next = plain_ones.state(i);
    if (relates(label)) label.value = with_related(label.value, next);
    out.add(label, next);
  }
}

}  // namespace plumb::verify
