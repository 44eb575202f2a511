// SPDX-License-Identifier: Apache-2.0
#include "csp/lints_reach.h"

#include <utility>

#include "csp/constants.h"

namespace plumb::csp {
namespace {

void join(ValueSet& into, const ValueSet& more) {
  if (!into) return;
  if (!more) {
    into.reset();
    return;
  }
  into->insert(more->begin(), more->end());
  if (into->size() > kMostTold) into.reset();
}

ExprPtr literal(std::int64_t number) {
  auto made = std::make_shared<Expression>();
  made->number = number;
  return made;
}

}  // namespace

void Reach::spend(std::size_t steps) const {
  if (steps > budget_) throw TooMuchToLookAt();
  budget_ -= steps;
}

ValueSet Reach::values_of(const Expression& expression,
                          const std::vector<ValueSet>& slots) const {
  if (expression.kind == ExprKind::kBound) {
    return slots[static_cast<std::size_t>(expression.number)];
  }
  if (const auto number = constant_of(expression)) return std::set{*number};
  if (expression.kind != ExprKind::kBinary) return std::nullopt;
  const ValueSet left = values_of(*expression.children[0], slots);
  const ValueSet right = values_of(*expression.children[1], slots);
  if (!left || !right) return std::nullopt;
  spend(left->size() * right->size());
  Expression sum;
  sum.kind = ExprKind::kBinary;
  sum.op = expression.op;
  ValueSet made(std::in_place);
  for (const std::int64_t a : *left) {
    for (const std::int64_t b : *right) {
      sum.children = {literal(a), literal(b)};
      const auto number = constant_of(sum);
      if (!number) return std::nullopt;
      made->insert(*number);
    }
  }
  return made->size() > kMostTold ? std::nullopt : made;
}

ValueSet Reach::values_of(const Index& index,
                          const std::vector<ValueSet>& slots) const {
  ValueSet made(std::in_place);
  if (index.high == nullptr) {
    for (const ExprPtr& value : index.values) {
      join(made, values_of(*value, slots));
    }
    return made;
  }
  const ValueSet low = values_of(*index.low, slots);
  const ValueSet high = values_of(*index.high, slots);
  if (!low || !high || low->empty() || high->empty()) return std::nullopt;
  const std::int64_t last = *high->rbegin();
  if (last - *low->begin() >= static_cast<std::int64_t>(kMostTold)) {
    return std::nullopt;
  }
  for (std::int64_t i = *low->begin(); i <= last; ++i) made->insert(i);
  return made;
}

void Reach::record(const EventName& event, bool has_block,
                   const std::vector<ValueSet>& slots) {
  if (!is_recording_ || event.name.empty()) return;
  Doing made{&event, has_block, {}};
  spend(1 + event.fields.size());
  for (const ExprPtr& field : event.fields) {
    made.fields.push_back(values_of(*field, slots));
  }
  events_.push_back(std::move(made));
}

void Reach::call(const Process& process, const std::vector<ValueSet>& slots) {
  std::vector<ValueSet> given(module_.processes[process.number].slots);
  spend(given.size());
  for (std::size_t i = 0; i < process.arguments.size(); ++i) {
    given[i] = values_of(*process.arguments[i], slots);
  }
  const auto [entry, is_new] = reached_.try_emplace(process.number, given);
  if (is_new) {
    changed_.insert(process.number);
    return;
  }
  for (std::size_t i = 0; i < process.arguments.size(); ++i) {
    const ValueSet before = entry->second[i];
    join(entry->second[i], given[i]);
    if (entry->second[i] != before) changed_.insert(process.number);
  }
}

void Reach::walk(const Process& process, std::vector<ValueSet>& slots) {
  spend(1 + process.arguments.size() + process.events.size());
  for (const Index& index : process.indices) {
    slots[index.slot] = values_of(index, slots);
  }
  for (const Pattern& pattern : process.patterns) {
    if (pattern.slot) slots[*pattern.slot].reset();
  }
  if (process.kind == ProcessKind::kHide) {
    for (const EventName& event : process.events) hidden_.insert(event.name);
  } else {
    for (const EventName& event : process.events) {
      record(event, process.block != nullptr, slots);
    }
  }
  if (process.kind == ProcessKind::kReference) call(process, slots);
  for (const ProcessPtr& child : process.children) walk(*child, slots);
}

void Reach::settle() {
  while (!changed_.empty()) {
    const std::uint32_t next = *changed_.begin();
    changed_.erase(changed_.begin());
    std::vector<ValueSet> slots = reached_[next];
    walk(*module_.processes[next].body, slots);
  }
}

void Reach::run(const Process& process, const std::vector<ValueSet>& slots) {
  std::vector<ValueSet> own = slots;
  walk(process, own);
  settle();
  is_recording_ = true;
  own = slots;
  walk(process, own);
  for (const auto& [number, known] : reached_) {
    own = known;
    walk(*module_.processes[number].body, own);
  }
}

void Reach::run_all() {
  Process all;
  all.kind = ProcessKind::kInterleave;
  for (std::uint32_t i = 0; i < module_.processes.size(); ++i) {
    if (!module_.processes[i].parameters.empty()) continue;
    auto reference = std::make_shared<Process>();
    reference->kind = ProcessKind::kReference;
    reference->number = i;
    all.children.push_back(std::move(reference));
  }
  for (const Assertion& assertion : module_.assertions) {
    all.children.push_back(assertion.subject);
    if (assertion.other != nullptr) all.children.push_back(assertion.other);
  }
  run(all, {});
}

std::vector<ValueSet> Reach::slots_of(std::uint32_t process) const {
  const auto found = reached_.find(process);
  return found == reached_.end() ? std::vector<ValueSet>() : found->second;
}

}  // namespace plumb::csp
