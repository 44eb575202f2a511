// SPDX-License-Identifier: Apache-2.0
//
// A history is quasi-linearizable for factors Q iff it has a sequential order
// pi that keeps real time and a legal permutation pi' of pi in which no
// operation of a class d stands further than Q(d) from its place among the
// operations of d.  In place: the pattern of classes is the same in both, so
// at each place of class d, pi gets one operation of d and pi' gets one.
//
// The relaxed object walks along both at once.  Its state is
//   s      the state of the base object after the executed part of pi',
//   early  operations that pi' has executed and pi does not have yet (they
//          are guesses: nobody has invoked them so far),
//   late   operations that pi has and pi' has not executed yet,
// each debt with its age, the number of places of its class that have gone by
// since.  Per class, early and late have the same size, at most Q(d).
//
// At a place of class d, the operation `o` that pi gets either pays for a
// guess in `early` or becomes late, and what pi' executes is either one from
// `late` or a new guess; or both are the same `o`.  Example, a queue with
// Q(deq) = 1 that holds 1, 2: `deq -> 2` executes the guess `deq -> 1` and
// makes `deq -> 2` late; the next `deq` must then be `-> 1`, which pays for
// the guess while `deq -> 2` is executed.  Counter-example: if it is `-> 3`,
// the guess has waited for its one place, and the state is dropped.
//
// This is exact, unlike a window of 2Q + 1 events [AdhikariEtAl15],
// and finite for finite S and Q.
#include "spec/relax.h"

#include <algorithm>
#include <utility>

#include "base/invariant.h"
#include "spec/relax_parts.h"
#include "spec/relaxed.h"

namespace plumb::spec {

Relaxed::Relaxed(const Specification& base, Relaxation relaxation)
    : base_(base),
      relaxation_(std::move(relaxation)),
      classes_(base, relaxation_.classes),
      payment_(base_, classes_, relaxation_, Payment::By::kRelaxed),
      liveness_(base_, payment_, relaxation_.budget) {
  PLUMB_CHECK(relaxation_.arguments.size() == base.operations().size());
  const auto signatures = base.operations();
  signatures_.assign(signatures.begin(), signatures.end());
  for (std::uint16_t code = 0; code < signatures_.size(); ++code) {
    // Even a read uses up a place of its class.
    if (classes_.relaxes(code)) signatures_[code].reads_only = false;
  }
}

State Relaxed::initial() const {
  Unpacked state{.base = base_.initial(), .early = {}, .late = {}};
  return pack(state);
}

// What pi could show here, among the values that are mentioned.  Searches over
// histories know the result and use step(); models, which must not miss any,
// use relax_for_models().
void Relaxed::apply(const State& state, const Call& call,
                    std::vector<Outcome>& outcomes) const {
  std::vector<Value> results;
  std::vector<Outcome> direct;
  const Unpacked unpacked = unpack(state);
  base_.apply(unpacked.base, call, direct);
  for (const Outcome& outcome : direct) results.push_back(outcome.result);
  if (classes_.relaxes(call.code)) {
    for (const Debt& debt : unpacked.early) results.push_back(debt.result);
    for (const auto& values : relaxation_.arguments) {
      results.insert(results.end(), values.begin(), values.end());
    }
    results.push_back(Value::boolean(false));
    results.push_back(Value::boolean(true));
  }
  const auto by_word = [](Value a, Value b) { return a.word() < b.word(); };
  std::sort(results.begin(), results.end(), by_word);
  results.erase(std::unique(results.begin(), results.end()), results.end());
  for (const Value result : results) {
    std::vector<State> next;
    step(state, call, result, next);
    for (State& after : next) outcomes.push_back({result, std::move(after)});
  }
}

void Relaxed::step(const State& state, const Call& call,
                   std::optional<Value> observed,
                   std::vector<State>& next) const {
  if (!classes_.relaxes(call.code)) {
    return step_in_place(state, call, observed, next);
  }
  const auto first = static_cast<std::ptrdiff_t>(next.size());
  if (!observed) {
    step_unseen(state, call, next);
  } else {
    const ClassIndex one = classes_.of(call.code, call.argument, *observed);
    if (one == Classes::kNone) {
      return step_in_place(state, call, observed, next);
    }
    step_in_class(state,
                  {.code = call.code,
                   .one = one,
                   .age = 0,
                   .result_known = true,
                   .argument = call.argument,
                   .result = *observed},
                  next);
  }
  const auto less = [](const State& a, const State& b) {
    return std::lexicographical_compare(
        a.begin(), a.end(), b.begin(), b.end(),
        [](Value x, Value y) { return x.word() < y.word(); });
  };
  std::sort(next.begin() + first, next.end(), less);
  next.erase(std::unique(next.begin() + first, next.end()), next.end());
}

// An operation of no class keeps its place: pi and pi' both get it.
void Relaxed::step_in_place(const State& state, const Call& call,
                            std::optional<Value> observed,
                            std::vector<State>& next) const {
  Unpacked unpacked = unpack(state);
  std::vector<State> after;
  base_.step(unpacked.base, call, observed, after);
  for (State& base : after) {
    unpacked.base = std::move(base);
    next.push_back(pack(unpacked));
  }
}

// The result decides which class the operation is in, so each class that it
// may be in is tried, and none.
void Relaxed::step_unseen(const State& state, const Call& call,
                          std::vector<State>& next) const {
  if (classes_.may_be_in_none(call.code, call.argument)) {
    Unpacked unpacked = unpack(state);
    std::vector<Outcome> outcomes;
    base_.apply(unpacked.base, call, outcomes);
    for (Outcome& outcome : outcomes) {
      const ClassIndex one =
          classes_.of(call.code, call.argument, outcome.result);
      if (one != Classes::kNone) continue;
      unpacked.base = std::move(outcome.next);
      next.push_back(pack(unpacked));
    }
  }
  classes_.for_each_possible(call.code, call.argument, [&](ClassIndex one) {
    step_in_class(state,
                  {.code = call.code,
                   .one = one,
                   .age = 0,
                   .result_known = false,
                   .argument = call.argument,
                   .result = Value()},
                  next);
  });
}

// pi gets `operation`.  Where debts of the very same operation (name,
// argument and result) exist, exchanging the two changes nothing but makes
// deadlines later, so only the best of the equivalent choices are followed:
//  - a guess of this operation is paid for, the oldest one;
//  - a late one of this operation is executed rather than this one;
//  - of late ones that are the same operation, the oldest is executed.
void Relaxed::step_in_class(const State& state, const Debt& operation,
                            std::vector<State>& next) const {
  Unpacked unpacked = unpack(state);
  if (pay_guesses(unpacked, operation, next)) return;
  execute_itself(unpacked, operation, next);
  unpacked.late.push_back(operation);
  execute_late(unpacked, operation.one, unpacked.late.size() - 1, next);
  execute_guesses(unpacked, operation.one, next);
}

// True if nothing else need be tried.
bool Relaxed::pay_guesses(const Unpacked& state, const Debt& operation,
                          std::vector<State>& next) const {
  const auto pay = [&](std::size_t index) {
    Unpacked paid = state;
    paid.early.erase(paid.early.begin() + static_cast<std::ptrdiff_t>(index));
    execute_late(paid, operation.one, SIZE_MAX, next);
    execute_guesses(paid, operation.one, next);
  };
  std::optional<std::size_t> oldest;
  for (std::size_t i = 0; i < state.early.size(); ++i) {
    const Debt& guess = state.early[i];
    if (guess.code != operation.code || guess.one != operation.one ||
        guess.argument != operation.argument) {
      continue;
    }
    if (!operation.result_known) {  // it may be any of these guesses
      pay(i);
    } else if (guess.result == operation.result) {
      if (!oldest || guess.age > state.early[*oldest].age) oldest = i;
    }
  }
  if (oldest) pay(*oldest);
  return oldest.has_value();
}

// pi' executes it at the same place.
void Relaxed::execute_itself(const Unpacked& state, const Debt& operation,
                             std::vector<State>& next) const {
  if (operation.result_known) {
    for (const Debt& debt : state.late) {
      if (debt.same_operation(operation)) return;
    }
  }
  std::vector<Outcome> outcomes;
  apply_if_possible(base_, state.base, {operation.code, operation.argument},
                    outcomes);
  for (Outcome& outcome : outcomes) {
    if (!fits(operation, outcome.result)) continue;
    Unpacked after = state;
    after.base = std::move(outcome.next);
    finish(std::move(after), operation.one, next);
  }
}

// pi' executes one of the late operations of class `one`.
void Relaxed::execute_late(const Unpacked& state, ClassIndex one,
                           std::size_t not_this,
                           std::vector<State>& next) const {
  for (std::size_t i = 0; i < state.late.size(); ++i) {
    const Debt& debt = state.late[i];
    if (debt.one != one || i == not_this) continue;
    if (is_younger_copy(state.late, i)) continue;
    std::vector<Outcome> outcomes;
    apply_if_possible(base_, state.base, {debt.code, debt.argument}, outcomes);
    for (Outcome& outcome : outcomes) {
      if (!fits(debt, outcome.result)) continue;
      Unpacked after = state;
      after.base = std::move(outcome.next);
      after.late.erase(after.late.begin() + static_cast<std::ptrdiff_t>(i));
      finish(std::move(after), one, next);
    }
  }
}

// pi' executes an operation that nobody has invoked yet.  One that equals a
// late operation is left to execute_late(): the late one could be exchanged
// for it, and its deadline is nearer.
void Relaxed::execute_guesses(const Unpacked& state, ClassIndex one,
                              std::vector<State>& next) const {
  std::uint32_t open = 0;
  for (const Debt& debt : state.early) open += debt.one == one ? 1 : 0;
  if (open >= classes_.factor(one)) return;
  for (const std::uint16_t code : classes_.codes(one)) {
    for (const Value argument : relaxation_.arguments[code]) {
      std::vector<Outcome> outcomes;
      apply_if_possible(base_, state.base, {code, argument}, outcomes);
      for (Outcome& outcome : outcomes) {
        if (classes_.of(code, argument, outcome.result) != one) continue;
        const Debt guess{.code = code,
                         .one = one,
                         .age = 0,
                         .result_known = true,
                         .argument = argument,
                         .result = outcome.result};
        const bool is_late =
            std::any_of(state.late.begin(), state.late.end(),
                        [&](const Debt& d) { return d.same_operation(guess); });
        if (is_late) continue;
        Unpacked after = state;
        after.base = std::move(outcome.next);
        after.early.push_back(guess);
        finish(std::move(after), one, next);
      }
    }
  }
}

// One more place of class `one` has gone by for all its debts.
void Relaxed::finish(Unpacked state, ClassIndex one,
                     std::vector<State>& next) const {
  for (Debts* debts : {&state.early, &state.late}) {
    grow_older(*debts, one);
    if (!in_time(*debts, one, classes_.factor(one))) return;
  }
  next.push_back(pack(state));
}

bool Relaxed::payable(const State& state, std::span<const Call> pending) const {
  Unpacked unpacked = unpack(state);
  return liveness_.alive({std::move(unpacked.base), std::move(unpacked.late)},
                         pending);
}

// Values that the base object treats alike, that no class tells apart, and
// that may be passed to the same operations.  Being exchangeable for each
// other is an equivalence, so there is a largest group.
std::vector<Value> Relaxed::interchangeable(
    std::span<const Value> values) const {
  const auto exchangeable = [&](Value a, Value b) {
    if (!classes_.alike(a, b)) return false;
    const Value from[] = {a, b};
    const Value to[] = {b, a};
    return std::ranges::all_of(relaxation_.arguments, [&](const auto& domain) {
      return std::ranges::all_of(domain, [&](Value argument) {
        return std::ranges::find(domain, spec::renamed(argument, from, to)) !=
               domain.end();
      });
    });
  };
  std::vector<std::vector<Value>> groups;
  for (const Value value : base_.interchangeable(values)) {
    const auto group = std::ranges::find_if(groups, [&](const auto& one) {
      return exchangeable(one.front(), value);
    });
    if (group == groups.end()) {
      groups.push_back({value});
    } else {
      group->push_back(value);
    }
  }
  const auto largest = std::ranges::max_element(
      groups, [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return largest == groups.end() ? std::vector<Value>() : *largest;
}

State Relaxed::renamed(const State& state, std::span<const Value> from,
                       std::span<const Value> to) const {
  Unpacked unpacked = unpack(state);
  unpacked.base = base_.renamed(unpacked.base, from, to);
  for (Debts* debts : {&unpacked.early, &unpacked.late}) {
    for (Debt& debt : *debts) {
      debt.argument = spec::renamed(debt.argument, from, to);
      debt.result = spec::renamed(debt.result, from, to);
    }
  }
  return pack(unpacked);
}

std::string Relaxed::describe(const State& state) const {
  std::string out = base_.describe(base_of(state));
  const Unpacked unpacked = unpack(state);
  const auto list = [&](const char* title, const Debts& debts) {
    if (debts.empty()) return;
    out += title;
    for (const Debt& debt : debts) {
      out += ' ';
      out += base_.operations()[debt.code].name;
      out += '(';
      if (!debt.argument.is_null()) out += debt.argument.to_string();
      out += ')';
      if (!debt.result.is_null()) out += " -> " + debt.result.to_string();
    }
  };
  list("; ahead of their turn:", unpacked.early);
  list("; still owed:", unpacked.late);
  return out;
}

SpecificationPtr relax(const Specification& base, Relaxation relaxation) {
  if (!base.parts_are_objects()) {
    return std::make_shared<Relaxed>(base, std::move(relaxation));
  }
  const SpecificationPtr unowned(SpecificationPtr(), &base);
  return relax_parts(unowned, relaxation, [&](Relaxation own) {
    return std::make_shared<Relaxed>(base, std::move(own));
  });
}

}  // namespace plumb::spec
