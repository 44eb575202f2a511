// SPDX-License-Identifier: Apache-2.0
#include "spec/relax_payment.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <utility>

#include "base/input_error.h"

namespace plumb::spec {

void apply_if_possible(const Specification& object, const State& state,
                       const Call& call, std::vector<Outcome>& outcomes) {
  const std::size_t before = outcomes.size();
  try {
    object.apply(state, call, outcomes);
  } catch (const InputError&) {
    outcomes.resize(before);
  }
}

State key_of(const Owed& owed, const Helpers& left) {
  State key = pack_owed(owed.base, owed.late);
  if (left != Helpers()) {
    key.push_back(
        Value::integer(static_cast<std::int64_t>(left.with_argument)));
    key.push_back(Value::integer(static_cast<std::int64_t>(left.without)));
  }
  return key;
}

void Payment::follow(const Owed& from, const Helpers& left,
                     std::vector<Step>& next) const {
  execute_late(from, left, next);
  for (std::uint16_t code = 0; code < relaxation_.arguments.size(); ++code) {
    if (by_ == By::kRelaxed && !classes_.relaxes(code)) continue;
    if (arguments_ == Arguments::kAll) {
      for (const Value argument : relaxation_.arguments[code]) {
        execute_other(from, left, {code, argument}, next);
      }
    } else {
      for (const Value argument : useful_arguments(from, code)) {
        execute_other(from, left, {code, argument}, next);
      }
    }
  }
}

// Of late operations that are the same, the oldest.
void Payment::execute_late(const Owed& from, const Helpers& left,
                           std::vector<Step>& next) const {
  for (std::size_t i = 0; i < from.late.size(); ++i) {
    if (is_younger_copy(from.late, i)) continue;
    const Debt& debt = from.late[i];
    std::vector<Outcome> outcomes;
    apply_if_possible(base_, from.base, {debt.code, debt.argument}, outcomes);
    for (Outcome& outcome : outcomes) {
      const bool fits = debt.result_known
                            ? outcome.result == debt.result
                            : classes_.of(debt.code, debt.argument,
                                          outcome.result) == debt.one;
      if (!fits) continue;
      Owed after{.base = std::move(outcome.next), .late = from.late};
      after.late.erase(after.late.begin() + static_cast<std::ptrdiff_t>(i));
      use_place(std::move(after), debt.one, left, next);
    }
  }
}

// A further operation that was neither invoked nor guessed so far.  One that
// equals a late one need not come before that.
void Payment::execute_other(const Owed& from, const Helpers& left,
                            const Call& call, std::vector<Step>& next) const {
  std::vector<Outcome> outcomes;
  apply_if_possible(base_, from.base, call, outcomes);
  for (Outcome& outcome : outcomes) {
    const ClassIndex one =
        classes_.of(call.code, call.argument, outcome.result);
    if (one == Classes::kNone && by_ == By::kRelaxed) continue;
    const Debt other{.code = call.code,
                     .one = one,
                     .age = 0,
                     .result_known = true,
                     .argument = call.argument,
                     .result = outcome.result};
    bool has_debts = false;
    bool is_late = false;
    for (const Debt& debt : from.late) {
      has_debts |= debt.one == one;
      is_late |= debt.same_operation(other);
    }
    if (is_late) continue;
    Helpers left_after = left;
    if (has_debts) {
      Owed after{.base = std::move(outcome.next), .late = from.late};
      use_place(std::move(after), one, left, next);
    } else if (outcome.next != from.base &&
               left_after.use(base_.operations()[call.code])) {
      next.push_back({{std::move(outcome.next), from.late}, left_after});
    }
  }
}

void Payment::use_place(Owed owed, ClassIndex one, const Helpers& left,
                        std::vector<Step>& next) const {
  grow_older(owed.late, one);
  if (!in_time(owed.late, one, classes_.factor(one))) return;
  next.push_back({std::move(owed), left});
}

bool Payment::possible(const Owed& from, const Helpers& helpers) const {
  if (from.late.empty()) return true;
  absl::flat_hash_set<State> seen;
  std::vector<Step> level{{from, helpers}};
  while (!level.empty()) {
    std::vector<Step> next_level;
    for (const Step& step : level) {
      std::vector<Step> next;
      follow(step.owed, step.left, next);
      for (Step& after : next) {
        if (after.owed.late.empty()) return true;
        if (!seen.insert(key_of(after.owed, after.left)).second) continue;
        next_level.push_back(std::move(after));
      }
    }
    level = std::move(next_level);
  }
  return false;
}

// Which arguments of further operations are worth trying?  The objects only
// compare values, so one that neither a late operation nor the state speaks
// of is as good as any other such value, or, where their size matters, as the
// smallest or the largest of all.
std::vector<Value> Payment::useful_arguments(const Owed& from,
                                             std::uint16_t code) const {
  const auto& domain = relaxation_.arguments[code];
  constexpr std::size_t kFew = 8;
  if (domain.size() <= kFew) return domain;
  absl::flat_hash_set<Value> spoken_of{domain.front(), domain.back(), Value()};
  const auto add = [&](Value value) {
    spoken_of.insert(value);
    if (!value.is_list()) return;
    for (const Value item : value.items()) spoken_of.insert(item);
  };
  for (const Debt& debt : from.late) {
    add(debt.argument);
    add(debt.result);
  }
  const std::size_t front = std::min(kFew, from.base.size());
  for (std::size_t i = 0; i < front; ++i) add(from.base[i]);
  add(relaxation_.unmentioned);
  std::vector<Value> useful;
  for (const Value argument : domain) {
    const auto known = [&](Value value) { return spoken_of.contains(value); };
    const bool is_pair = base_.operations()[code].argument == Argument::kPair &&
                         argument.is_list();
    if (known(argument) ||
        (is_pair && std::all_of(argument.items().begin(),
                                argument.items().end(), known))) {
      useful.push_back(argument);
    }
  }
  return useful;
}

}  // namespace plumb::spec
