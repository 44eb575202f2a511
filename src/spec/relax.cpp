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

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace plumb::spec {

namespace {

// An operation that one of pi and pi' has and the other has not.
struct Debt {
  std::uint16_t code = 0;
  std::uint32_t age = 0;
  // False for a pending operation in `late`: any result will do.
  bool result_known = true;
  Value argument;
  Value result;

  bool same_operation(const Debt& other) const {
    return code == other.code && argument == other.argument &&
           result_known == other.result_known && result == other.result;
  }
  auto key() const {
    return std::tuple(code, age, result_known, argument.word(), result.word());
  }
};

using Debts = absl::InlinedVector<Debt, 4>;

struct Unpacked {
  State base;
  Debts early;
  Debts late;
};

// A debt is three words: code, age and result_known in one, then the values.
constexpr std::size_t kWordsPerDebt = 3;

void pack_debts(Debts& debts, State& out) {
  std::sort(debts.begin(), debts.end(),
            [](const Debt& a, const Debt& b) { return a.key() < b.key(); });
  for (const Debt& debt : debts) {
    out.push_back(Value::integer((std::int64_t{debt.age} << 20) |
                                 (std::int64_t{debt.code} << 1) |
                                 (debt.result_known ? 1 : 0)));
    out.push_back(debt.argument);
    out.push_back(debt.result);
  }
}

State pack(Unpacked& state) {
  assert(state.early.size() == state.late.size());
  State out;
  out.reserve(1 + state.base.size() + 2 * kWordsPerDebt * state.late.size());
  out.push_back(Value::integer(static_cast<std::int64_t>(state.late.size())));
  pack_debts(state.early, out);
  pack_debts(state.late, out);
  out.insert(out.end(), state.base.begin(), state.base.end());
  return out;
}

std::size_t debts_of(const State& state) {
  return static_cast<std::size_t>(state[0].as_integer());
}

Debt unpack_debt(const State& state, std::size_t at) {
  const std::int64_t head = state[at].as_integer();
  return {.code = static_cast<std::uint16_t>((head >> 1) & 0x7ffff),
          .age = static_cast<std::uint32_t>(head >> 20),
          .result_known = (head & 1) != 0,
          .argument = state[at + 1],
          .result = state[at + 2]};
}

State base_of(const State& state) {
  const std::size_t skip = 1 + 2 * kWordsPerDebt * debts_of(state);
  return State(state.begin() + static_cast<std::ptrdiff_t>(skip), state.end());
}

Unpacked unpack(const State& state) {
  Unpacked out;
  const std::size_t count = debts_of(state);
  for (std::size_t i = 0; i < count; ++i) {
    out.early.push_back(unpack_debt(state, 1 + kWordsPerDebt * i));
    out.late.push_back(unpack_debt(state, 1 + kWordsPerDebt * (count + i)));
  }
  out.base = base_of(state);
  return out;
}

class Relaxed : public Specification {
 public:
  Relaxed(const Specification& base, Relaxation relaxation)
      : base_(base), relaxation_(std::move(relaxation)) {
    for (const std::uint32_t factor : relaxation_.factors) horizon_ += factor;
    horizon_ *= 2;
    const auto signatures = base.operations();
    signatures_.assign(signatures.begin(), signatures.end());
    for (std::size_t code = 0; code < signatures_.size(); ++code) {
      // Even a read uses up a place of its class.
      if (relaxation_.factors[code] > 0) signatures_[code].reads_only = false;
    }
  }

  std::string name() const override { return base_.name(); }
  std::span<const Signature> operations() const override { return signatures_; }

  State initial() const override {
    Unpacked state{.base = base_.initial(), .early = {}, .late = {}};
    return pack(state);
  }

  void apply(const State& state, const Call& call,
             std::vector<Outcome>& outcomes) const override;
  void step(const State& state, const Call& call, std::optional<Value> observed,
            std::vector<State>& next) const override;

  // An operation of a relaxed class uses up a place even if it only reads.
  bool changes_nothing(const Call& call, Value observed) const override {
    const bool in_class =
        relaxed(call.code) && !(takes(call.code) && observed.is_null());
    return !in_class && base_.changes_nothing(call, observed);
  }

  // A closed history must have paid within itself.
  bool may_end(const State& state) const override {
    return debts_of(state) == 0 || (!relaxation_.closed && payable(state));
  }

  std::optional<Value> part(const Call& call) const override {
    return base_.part(call);
  }
  bool parts_are_objects() const override { return base_.parts_are_objects(); }
  std::string describe(const State& state) const override;

 private:
  struct Helpers;

  bool relaxed(std::uint16_t code) const {
    return relaxation_.factors[code] > 0;
  }
  // Is an operation that took nothing out in no class?
  bool takes(std::uint16_t code) const { return signatures_[code].takes; }

  void step_in_place(const State& state, const Call& call,
                     std::optional<Value> observed,
                     std::vector<State>& next) const;
  void step_in_class(const State& state, const Debt& operation,
                     std::vector<State>& next) const;
  void execute_late(const Unpacked& state, std::uint16_t code,
                    std::size_t not_this, std::vector<State>& next) const;
  void execute_guesses(const Unpacked& state, const Debt& operation,
                       std::span<const Value> arguments,
                       std::vector<State>& next) const;
  void finish(Unpacked state, std::uint16_t code,
              std::vector<State>& next) const;
  bool in_time(const Debts& debts, std::uint16_t code) const;
  bool payable(const State& state) const;
  void pay(const std::pair<State, Helpers>& from, std::uint16_t code,
           std::vector<std::pair<State, Helpers>>& reached) const;
  void execute_helpers(const Unpacked& state, std::uint16_t code,
                       std::span<const Value> arguments,
                       std::vector<State>& next) const;
  Helpers helpers_for(const State& state) const;
  std::vector<Value> useful_arguments(const Unpacked& state,
                                      std::uint16_t code) const;

  const Specification& base_;
  Relaxation relaxation_;
  std::vector<Signature> signatures_;
  // How many further operations are tried when asking whether debts can be
  // paid, beside helpers: enough to pay every debt, and one more for each.
  std::size_t horizon_ = 0;
};

// Every result that pi could show here: that of each debt that is paid or
// made, of each value that could be guessed.  Searches over histories know
// the result and use step(); models, whose values are few, need this.
void Relaxed::apply(const State& state, const Call& call,
                    std::vector<Outcome>& outcomes) const {
  std::vector<Value> results;
  std::vector<Outcome> direct;
  const Unpacked unpacked = unpack(state);
  base_.apply(unpacked.base, call, direct);
  for (const Outcome& outcome : direct) results.push_back(outcome.result);
  if (relaxed(call.code)) {
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
  const bool may_find_nothing =
      takes(call.code) && (!observed || observed->is_null());
  const bool may_be_in_class =
      relaxed(call.code) &&
      !(takes(call.code) && observed && observed->is_null());
  if (!relaxed(call.code)) {
    step_in_place(state, call, observed, next);
  } else if (may_find_nothing) {
    step_in_place(state, call, Value(), next);
  }
  if (may_be_in_class) {
    step_in_class(state,
                  {.code = call.code,
                   .age = 0,
                   .result_known = observed.has_value(),
                   .argument = call.argument,
                   .result = observed.value_or(Value())},
                  next);
  }
  const auto less = [](const State& a, const State& b) {
    return std::lexicographical_compare(
        a.begin(), a.end(), b.begin(), b.end(),
        [](Value x, Value y) { return x.word() < y.word(); });
  };
  std::sort(next.begin(), next.end(), less);
  next.erase(std::unique(next.begin(), next.end()), next.end());
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

// pi gets `operation`.  Where debts of the very same operation (name,
// argument and result) exist, exchanging the two changes nothing but makes
// deadlines later, so only the best of the equivalent choices are followed:
//  - a guess of this operation is paid for, the oldest one;
//  - a late one of this operation is executed rather than this one.
void Relaxed::step_in_class(const State& state, const Debt& operation,
                            std::vector<State>& next) const {
  Unpacked unpacked = unpack(state);
  const auto& domain = relaxation_.arguments[operation.code];
  constexpr std::size_t kNone = SIZE_MAX;
  bool paid_same = false;
  std::size_t oldest = kNone;
  for (std::size_t i = 0; i < unpacked.early.size(); ++i) {
    const Debt& guess = unpacked.early[i];
    if (guess.code != operation.code || guess.argument != operation.argument) {
      continue;
    }
    if (!operation.result_known) {  // it may be any of these guesses
      Unpacked paid = unpacked;
      paid.early.erase(paid.early.begin() + static_cast<std::ptrdiff_t>(i));
      execute_late(paid, operation.code, kNone, next);
      execute_guesses(paid, operation, domain, next);
    } else if (guess.result == operation.result) {
      if (oldest == kNone || guess.age > unpacked.early[oldest].age) {
        oldest = i;
      }
    }
  }
  if (oldest != kNone) {
    Unpacked paid = unpacked;
    paid.early.erase(paid.early.begin() + static_cast<std::ptrdiff_t>(oldest));
    execute_late(paid, operation.code, kNone, next);
    execute_guesses(paid, operation, domain, next);
    paid_same = true;
  }
  if (paid_same) return;

  bool late_same = false;
  for (const Debt& debt : unpacked.late) {
    late_same |= operation.result_known && debt.same_operation(operation);
  }
  if (!late_same) {  // pi' executes it too
    std::vector<Outcome> outcomes;
    base_.apply(unpacked.base, {operation.code, operation.argument}, outcomes);
    for (Outcome& outcome : outcomes) {
      if (operation.result_known
              ? outcome.result != operation.result
              : takes(operation.code) && outcome.result.is_null()) {
        continue;
      }
      Unpacked after = unpacked;
      after.base = std::move(outcome.next);
      finish(std::move(after), operation.code, next);
    }
  }
  unpacked.late.push_back(operation);
  execute_late(unpacked, operation.code, unpacked.late.size() - 1, next);
  execute_guesses(unpacked, operation, domain, next);
}

// pi' executes one of the late operations of class `code`.
void Relaxed::execute_late(const Unpacked& state, std::uint16_t code,
                           std::size_t not_this,
                           std::vector<State>& next) const {
  for (std::size_t i = 0; i < state.late.size(); ++i) {
    const Debt& debt = state.late[i];
    if (debt.code != code || i == not_this) continue;
    std::vector<Outcome> outcomes;
    base_.apply(state.base, {code, debt.argument}, outcomes);
    for (Outcome& outcome : outcomes) {
      if (debt.result_known ? outcome.result != debt.result
                            : takes(code) && outcome.result.is_null()) {
        continue;
      }
      Unpacked after = state;
      after.base = std::move(outcome.next);
      after.late.erase(after.late.begin() + static_cast<std::ptrdiff_t>(i));
      finish(std::move(after), code, next);
    }
  }
}

// pi' executes an operation that nobody has invoked yet.  One that equals a
// late operation is left to execute_late(): the late one could be exchanged
// for it, and its deadline is nearer.
void Relaxed::execute_guesses(const Unpacked& state, const Debt& operation,
                              std::span<const Value> arguments,
                              std::vector<State>& next) const {
  const std::uint16_t code = operation.code;
  const std::uint32_t factor = relaxation_.factors[code];
  std::uint32_t open = 0;
  for (const Debt& debt : state.early) open += debt.code == code ? 1 : 0;
  if (open >= factor) return;
  for (const Value argument : arguments) {
    std::vector<Outcome> outcomes;
    base_.apply(state.base, {code, argument}, outcomes);
    for (Outcome& outcome : outcomes) {
      if (takes(code) && outcome.result.is_null()) continue;
      const Debt guess{.code = code,
                       .age = 0,
                       .result_known = true,
                       .argument = argument,
                       .result = outcome.result};
      bool is_late = false;
      for (const Debt& debt : state.late) {
        is_late |= debt.same_operation(guess);
      }
      if (is_late) continue;
      Unpacked after = state;
      after.base = std::move(outcome.next);
      after.early.push_back(guess);
      finish(std::move(after), code, next);
    }
  }
}

// One more place of class `code` has gone by for all its debts.
void Relaxed::finish(Unpacked state, std::uint16_t code,
                     std::vector<State>& next) const {
  for (Debts* debts : {&state.early, &state.late}) {
    for (Debt& debt : *debts) debt.age += debt.code == code ? 1 : 0;
    if (!in_time(*debts, code)) return;
  }
  next.push_back(pack(state));
}

// Each further place of the class pays at most one debt of each kind.  A debt
// of age a can wait for the next Q - a + 1 places; serving the oldest first is
// best, so the i-th oldest needs i places.
bool Relaxed::in_time(const Debts& debts, std::uint16_t code) const {
  const std::uint32_t factor = relaxation_.factors[code];
  absl::InlinedVector<std::uint32_t, 8> ages;
  for (const Debt& debt : debts) {
    if (debt.code == code) ages.push_back(debt.age);
  }
  std::sort(ages.begin(), ages.end(), std::greater<>());
  for (std::size_t i = 0; i < ages.size(); ++i) {
    if (ages[i] + i > factor) return false;
  }
  return true;
}

// How many further operations of classes without debts may help the late
// ones.  One with an argument can do for a late operation what it needs: put
// the value that it takes, write the value that it expects.  Those without
// one make room, or count: to the number that a late operation saw.
struct Relaxed::Helpers {
  std::size_t with_argument = 0;
  std::size_t without = 0;

  auto operator<=>(const Helpers&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, const Helpers& helpers) {
    return H::combine(std::move(h), helpers.with_argument, helpers.without);
  }
};

Relaxed::Helpers Relaxed::helpers_for(const State& state) const {
  constexpr std::int64_t kFarthestCount = 1000;
  Helpers helpers{debts_of(state), debts_of(state)};
  for (const Debt& debt : unpack(state).late) {
    if (signatures_[debt.code].result != Result::kInteger) continue;
    const std::int64_t count =
        debt.result.is_integer() ? debt.result.as_integer() : 0;
    helpers.without = std::max(
        helpers.without, static_cast<std::size_t>(std::clamp<std::int64_t>(
                             count, 0, kFarthestCount)));
  }
  return helpers;
}

// Can further operations of the relaxed classes pay all debts?  Breadth first,
// each state once.
bool Relaxed::payable(const State& state) const {
  using Reached = std::pair<State, Helpers>;
  absl::flat_hash_set<Reached> seen;
  std::vector<Reached> level{{state, helpers_for(state)}};
  const std::size_t most =
      horizon_ + level[0].second.with_argument + level[0].second.without;
  for (std::size_t called = 0; called < most && !level.empty(); ++called) {
    std::vector<Reached> next_level;
    for (const Reached& from : level) {
      std::vector<Reached> next;
      for (std::uint16_t code = 0; code < relaxation_.factors.size(); ++code) {
        if (relaxed(code)) pay(from, code, next);
      }
      for (Reached& after : next) {
        if (debts_of(after.first) == 0) return true;
        if (!seen.insert(after).second) continue;
        next_level.push_back(std::move(after));
      }
    }
    level = std::move(next_level);
  }
  return false;
}

// A further operation of class `code`, free to have any argument and result:
// it pays for the oldest guess of its class, whatever that is.  Where its
// class has no debts, it is executed itself, as a helper.
void Relaxed::pay(const std::pair<State, Helpers>& from, std::uint16_t code,
                  std::vector<std::pair<State, Helpers>>& reached) const {
  Unpacked unpacked = unpack(from.first);
  Helpers helpers = from.second;
  const std::vector<Value> arguments = useful_arguments(unpacked, code);
  auto oldest = unpacked.early.end();
  for (auto it = unpacked.early.begin(); it != unpacked.early.end(); ++it) {
    if (it->code != code) continue;
    if (oldest == unpacked.early.end() || it->age > oldest->age) oldest = it;
  }
  std::vector<State> next;
  if (oldest != unpacked.early.end()) {
    const Debt guess = *oldest;
    unpacked.early.erase(oldest);
    execute_late(unpacked, code, SIZE_MAX, next);
    execute_guesses(unpacked, guess, arguments, next);
  } else {
    std::size_t& left = signatures_[code].argument == Argument::kNone
                            ? helpers.without
                            : helpers.with_argument;
    if (left == 0) return;
    --left;
    execute_helpers(unpacked, code, arguments, next);
  }
  for (State& after : next) reached.emplace_back(std::move(after), helpers);
}

void Relaxed::execute_helpers(const Unpacked& state, std::uint16_t code,
                              std::span<const Value> arguments,
                              std::vector<State>& next) const {
  for (const Value argument : arguments) {
    std::vector<Outcome> outcomes;
    base_.apply(state.base, {code, argument}, outcomes);
    for (Outcome& outcome : outcomes) {
      if (takes(code) && outcome.result.is_null()) continue;
      Unpacked after = state;
      after.base = std::move(outcome.next);
      finish(std::move(after), code, next);
    }
  }
}

// Which arguments of further operations are worth trying?  The objects only
// compare values, so one that neither a late operation nor the state speaks
// of is as good as any other such value, or, where their size matters, as the
// smallest or the largest of all.
std::vector<Value> Relaxed::useful_arguments(const Unpacked& state,
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
  for (const Debt& debt : state.late) {
    add(debt.argument);
    add(debt.result);
  }
  const std::size_t front = std::min(kFew, state.base.size());
  for (std::size_t i = 0; i < front; ++i) add(state.base[i]);
  add(relaxation_.unmentioned);
  std::vector<Value> useful;
  for (const Value argument : domain) {
    const auto known = [&](Value value) { return spoken_of.contains(value); };
    const bool is_pair =
        signatures_[code].argument == Argument::kPair && argument.is_list();
    if (known(argument) ||
        (is_pair && std::all_of(argument.items().begin(),
                                argument.items().end(), known))) {
      useful.push_back(argument);
    }
  }
  return useful;
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

}  // namespace

SpecificationPtr relax(const Specification& base, Relaxation relaxation) {
  assert(relaxation.factors.size() == base.operations().size());
  assert(relaxation.arguments.size() == base.operations().size());
  return std::make_shared<Relaxed>(base, std::move(relaxation));
}

}  // namespace plumb::spec
