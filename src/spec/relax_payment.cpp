// SPDX-License-Identifier: Apache-2.0
#include "spec/relax_payment.h"

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
                     std::span<const Call> pending,
                     std::vector<Step>& next) const {
  execute_late(from, left, next);
  std::vector<Choice> choices;
  for (std::uint16_t code = 0; code < relaxation_.arguments.size(); ++code) {
    if (by_ == By::kRelaxed && !classes_.relaxes(code)) continue;
    choices.clear();
    further_.append_arguments(from, pending, code, choices);
    for (const auto& [argument, is_free] : choices) {
      execute_other(from, left, {code, argument}, is_free, next);
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
                            const Call& call, bool is_free,
                            std::vector<Step>& next) const {
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
    } else if (outcome.next != from.base) {
      std::size_t& few =
          base_.operations()[call.code].argument == Argument::kNone
              ? left_after.without
              : left_after.with_argument;
      if (!is_free && !Helpers::use(few)) continue;
      next.push_back({{std::move(outcome.next), from.late}, left_after, false});
    }
  }
}

void Payment::let_happen(const Owed& from, const Helpers& left,
                         const Call& call, std::vector<Step>& next) const {
  std::vector<Outcome> outcomes;
  apply_if_possible(base_, from.base, call, outcomes);
  for (Outcome& outcome : outcomes) {
    if (outcome.next == from.base ||
        classes_.of(call.code, call.argument, outcome.result) !=
            Classes::kNone) {
      continue;
    }
    next.push_back({{std::move(outcome.next), from.late}, left, false});
  }
}

void Payment::use_place(Owed owed, ClassIndex one, const Helpers& left,
                        std::vector<Step>& next) const {
  grow_older(owed.late, one);
  if (!in_time(owed.late, one, classes_.factor(one))) return;
  next.push_back({std::move(owed), left, true});
}

}  // namespace plumb::spec
