// SPDX-License-Identifier: Apache-2.0
//
// The history is cut after the return that cannot be explained, and judged
// with larger and larger factors on the classes that the condition relaxes,
// all of them at first, then with as little as will do: more freedom never
// hurts.  The order that the decider gives then is pi.
#include "check/excess.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <utility>

#include "base/input_error.h"
#include "check/busy_periods.h"
#include "check/decide.h"
#include "check/further_arguments.h"
#include "check/witness_orders.h"

namespace plumb::check {

namespace {

using history::History;
using history::kNever;
using history::Operation;

constexpr std::size_t kLongest = 300;  // operations
constexpr std::size_t kShort = 60;
constexpr std::uint32_t kLargest = 8;  // factor
constexpr std::uint64_t kStepsPerQuestion = 300'000;
// Each step up takes several times as long as the one before, and some of it
// cannot be interrupted.
constexpr auto kTimeForAll = std::chrono::milliseconds(1000);

// The history up to a moment, and only the operations that `wanted` names.
template <typename Wanted>
Part cut(const History& history, history::Moment until, Wanted wanted) {
  Part out;
  out.history = history.empty();
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    if (history.operations[i].invoked > until || !wanted(i)) continue;
    out.add(history, i);
    Operation& o = out.history.operations.back();
    if (o.returned > until) {
      o.returned = kNever;
      o.result = Value();
    }
  }
  return out;
}

// The factors of a condition that are not 0, one after the other.
std::vector<std::uint32_t*> factors_in(Condition& condition) {
  std::vector<std::uint32_t*> out;
  for (ClassPattern& one : condition.classes) {
    if (one.factor > 0) out.push_back(&one.factor);
  }
  for (auto& [name, factor] : condition.factors) {
    if (factor > 0) out.push_back(&factor);
  }
  return out;
}

// All ways to add `sum` to the factors from[0], from[1], ...; false: stop.
template <typename Use>
bool for_each_raise(std::vector<std::uint32_t*>& factors, std::size_t from,
                    std::uint32_t sum, Use use) {
  if (from == factors.size()) return sum > 0 || use();
  const std::uint32_t before = *factors[from];
  bool go_on = true;
  for (std::uint32_t here = 0; here <= sum && go_on; ++here) {
    *factors[from] = before + here;
    const bool is_last = from + 1 == factors.size();
    if (is_last && here < sum) continue;
    go_on = for_each_raise(factors, from + 1, sum - here, use);
  }
  *factors[from] = before;
  return go_on;
}

class Measurer {
 public:
  Measurer(const spec::Specification& object, const Condition& condition,
           const Measure& measure, Budget& budget)
      : object_(object),
        condition_(condition),
        measure_(measure),
        budget_(budget),
        until_(Budget::Clock::now() + kTimeForAll) {}

  std::optional<Excess> run(const History& history,
                            const Explanation& explanation);
  // Of a history that holds: see witness_orders().
  std::optional<TwoOrders> run(const History& history, const Verdict& verdict);

 private:
  Verdict ask(const History& history, const Condition& condition);
  bool choose_part(const History& history, const Explanation& explanation);
  std::optional<Condition> find_wide(Excess& out, Verdict& verdict);
  Condition find_nearest(const Condition& wide, Verdict& verdict);
  bool only_takes_follow() const;
  void show_all(const History& history, const Condition& nearest,
                Verdict& verdict);
  void settle_pending(const Condition& nearest, Verdict& verdict);
  void find_orders(const Verdict& verdict, Excess& out);
  std::optional<TwoOrders> two_orders(const Verdict& verdict,
                                      const Condition& wide);
  std::vector<Value> spoken_of() const;
  std::vector<std::vector<Value>> further_arguments() const;
  std::string taken_too_often() const;

  const spec::Specification& object_;
  const Condition& condition_;
  const Measure& measure_;
  Budget& budget_;
  Budget::Clock::time_point until_;
  bool no_time_ = false;
  Part part_;  // the history cut down
};

Verdict Measurer::ask(const History& history, const Condition& condition) {
  if (Budget::Clock::now() >= until_ || budget_.limit() != Limit::kNone) {
    no_time_ = true;
    return {};
  }
  Budget some = budget_.with_steps(kStepsPerQuestion);
  Verdict verdict;
  try {
    verdict = measure_.decide(history, condition, true, some);
  } catch (const InputError&) {
    // Too much for a relaxed object with such factors, or for a specification
    // that the user wrote.
  }
  no_time_ |= verdict.answer == Answer::kUnknown;
  return verdict;
}

// The shortest beginning that is known to be violated; where keys are objects,
// of the key that is.
bool Measurer::choose_part(const History& history,
                           const Explanation& explanation) {
  const auto part_of = [&](std::uint32_t i) {
    return object_.part(history.operations[i].call());
  };
  const auto all = [](std::uint32_t) { return true; };
  if (object_.parts_are_objects() && condition_.local() &&
      !explanation.culprits.empty()) {
    const auto key = part_of(explanation.culprits.front());
    const auto same = [&](std::uint32_t i) { return part_of(i) == key; };
    part_ =
        cut(history, condition_.closed ? kNever - 1 : explanation.until, same);
    if (part_.history.size() > kLongest) return false;
    if (ask(part_.history, condition_).answer == Answer::kViolated) return true;
  }
  for (const history::Moment until : {explanation.until, kNever - 1}) {
    // A beginning of a closed history is violated for want of its end.
    if (condition_.closed && until == explanation.until) continue;
    part_ = cut(history, until, all);
    if (part_.history.size() > kLongest) return false;
    if (ask(part_.history, condition_).answer == Answer::kViolated) return true;
  }
  return false;
}

// Raises all factors together until the history holds.
std::optional<Condition> Measurer::find_wide(Excess& out, Verdict& verdict) {
  Condition tried = condition_;
  const std::vector<std::uint32_t*> factors = factors_in(tried);
  const std::uint32_t smallest = **std::min_element(
      factors.begin(), factors.end(),
      [](const std::uint32_t* a, const std::uint32_t* b) { return *a < *b; });
  for (std::uint32_t raised = 1; raised == 1 || smallest + raised <= kLargest;
       ++raised) {
    for (std::uint32_t* factor : factors) ++*factor;
    verdict = ask(part_.history, tried);
    if (verdict.answer == Answer::kHolds) return tried;
    if (verdict.answer == Answer::kUnknown) break;
    out.widest = tried;
  }
  return std::nullopt;
}

// No larger ones than `wide`, with which the history holds.
Condition Measurer::find_nearest(const Condition& wide, Verdict& verdict) {
  Condition tried = condition_;
  Condition limit = wide;
  std::vector<std::uint32_t*> factors = factors_in(tried);
  const std::vector<std::uint32_t*> limits = factors_in(limit);
  if (factors.size() == 1) return wide;
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    most += *limits[i] - *factors[i];
  }
  Condition found = wide;
  bool is_found = false;
  for (std::uint32_t sum = 1; sum < most && !is_found && !no_time_; ++sum) {
    for_each_raise(factors, 0, sum, [&] {
      for (std::size_t i = 0; i < factors.size(); ++i) {
        if (*factors[i] > *limits[i]) return true;
      }
      Verdict answer = ask(part_.history, tried);
      if (answer.answer == Answer::kHolds) {
        is_found = true;
        found = tried;
        verdict = std::move(answer);
      }
      return answer.answer == Answer::kViolated && !is_found;
    });
  }
  no_time_ = false;  // `wide` is something, too
  return found;
}

// Does nothing that could follow put anything in?
bool Measurer::only_takes_follow() const {
  const Classes classes(condition_, object_);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    for (const auto code : classes.codes(static_cast<std::int32_t>(i))) {
      if (!object_.operations()[code].takes) return false;
    }
  }
  return true;
}

std::optional<Excess> Measurer::run(const History& history,
                                    const Explanation& explanation) {
  if (!choose_part(history, explanation)) return std::nullopt;
  Excess out;
  out.never = taken_too_often();
  if (!out.never.empty() && only_takes_follow()) return out;
  Verdict verdict;
  const std::optional<Condition> wide = find_wide(out, verdict);
  if (!wide) {
    if (!out.widest) return std::nullopt;
    return out;
  }
  out.never.clear();
  out.widest.reset();
  out.nearest = find_nearest(*wide, verdict);
  if (history.size() > part_.history.size() && history.size() <= kShort) {
    show_all(history, *out.nearest, verdict);
  }
  settle_pending(*out.nearest, verdict);
  find_orders(verdict, out);
  for (PlacedOperation& placed : out.orders.operations) {
    if (placed.index) placed.index = part_.origin[*placed.index];
  }
  return out;
}

// What would have to follow is often there already.
void Measurer::show_all(const History& history, const Condition& nearest,
                        Verdict& verdict) {
  if (object_.parts_are_objects()) return;
  Part whole = cut(history, kNever - 1, [](std::uint32_t) { return true; });
  Verdict again = ask(whole.history, nearest);
  if (again.answer != Answer::kHolds) return;
  part_ = std::move(whole);
  verdict = std::move(again);
}

// Takes pending puts for done where that explains as much: what was taken out
// need not be put in again by somebody else.
void Measurer::settle_pending(const Condition& nearest, Verdict& verdict) {
  if (condition_.order != Order::kRealTime) return;
  history::Moment end = 0;
  for (const Operation& o : part_.history.operations) {
    end = std::max(end, o.pending() ? o.invoked : o.returned);
  }
  for (Operation& o : part_.history.operations) {
    if (!o.pending() ||
        object_.operations()[o.code].result != spec::Result::kNone) {
      continue;
    }
    o.returned = end + 1;
    Verdict answer = ask(part_.history, nearest);
    if (answer.answer == Answer::kHolds) {
      verdict = std::move(answer);
    } else {
      o.returned = kNever;
    }
  }
}

std::optional<TwoOrders> Measurer::run(const History& history,
                                       const Verdict& verdict) {
  if (history.size() > kLongest) return std::nullopt;
  part_ = cut(history, kNever - 1, [](std::uint32_t) { return true; });
  return two_orders(verdict, condition_);
}

// pi' is nearest to what the condition allows, and within what `wide` does.
std::optional<TwoOrders> Measurer::two_orders(const Verdict& verdict,
                                              const Condition& wide) {
  const Classes classes(condition_, object_);
  const Classes widened(wide, object_);
  NearestQuestion question{.history = part_.history,
                           .object = object_,
                           .classes = classes,
                           .most = {},
                           .pi = verdict.order,
                           .literal = condition_.literal(),
                           .open = !condition_.closed,
                           .arguments = further_arguments()};
  for (std::size_t i = 0; i < widened.size(); ++i) {
    question.most.push_back(widened.factor(static_cast<std::int32_t>(i)));
  }
  Budget some = budget_.with_steps(kStepsPerQuestion);
  try {
    return nearest_legal_order(question, some);
  } catch (const InputError&) {
    // A guess was too much for a specification that the user wrote.
    return std::nullopt;
  }
}

void Measurer::find_orders(const Verdict& verdict, Excess& out) {
  const Classes classes(condition_, object_);
  std::optional<TwoOrders> orders = two_orders(verdict, *out.nearest);
  if (!orders) return;
  for (std::uint32_t i = 0; i < orders->operations.size(); ++i) {
    const PlacedOperation& placed = orders->operations[i];
    if (placed.in_class == Classes::kNone) continue;
    const std::uint32_t factor = classes.factor(placed.in_class);
    if (placed.distance() <= factor) continue;
    out.too_far.push_back({i, classes.name(placed.in_class), factor});
  }
  if (!out.too_far.empty()) out.orders = std::move(*orders);
}

// The values that the history speaks of, in every role; of lists, the items.
std::vector<Value> Measurer::spoken_of() const {
  std::vector<Value> out;
  for (const Operation& o : part_.history.operations) {
    for (const Value value : {o.argument, o.result}) {
      if (value.is_list()) {
        out.insert(out.end(), value.items().begin(), value.items().end());
      } else {
        out.push_back(value);
      }
    }
  }
  sort_and_dedup(out);
  return out;
}

std::vector<std::vector<Value>> Measurer::further_arguments() const {
  constexpr std::size_t kFew = 12;
  const std::vector<Value> values = spoken_of();
  const auto signatures = object_.operations();
  std::vector<std::vector<Value>> out(signatures.size());
  for (std::uint16_t code = 0; code < signatures.size(); ++code) {
    const spec::Argument kind = signatures[code].argument;
    std::vector<Value>& arguments = out[code];
    if (code < measure_.arguments.size()) arguments = measure_.arguments[code];
    for (const Operation& o : part_.history.operations) {
      if (o.code == code) arguments.push_back(o.argument);
    }
    for (const Value value : values) {
      if (kind == spec::Argument::kValue
              ? !value.is_null()
              : kind == spec::Argument::kPriority && value.is_number()) {
        arguments.push_back(value);
      }
      if (kind != spec::Argument::kPair || values.size() > kFew) continue;
      for (const Value other : values) {
        arguments.push_back(Value::list(std::array{value, other}));
      }
    }
    if (kind == spec::Argument::kNone) arguments = {Value()};
    sort_and_dedup(arguments);
  }
  return out;
}

std::string Measurer::taken_too_often() const {
  std::map<std::uint64_t, std::size_t> put;  // by word of the value
  for (const Operation& o : part_.history.operations) {
    if (!object_.operations()[o.code].takes) ++put[o.argument.word()];
  }
  std::map<std::uint64_t, std::size_t> taken;
  for (const Operation& o : part_.history.operations) {
    const auto seen = o.observed();
    if (!object_.operations()[o.code].takes || !seen || seen->is_null()) {
      continue;
    }
    const std::size_t times = ++taken[seen->word()];
    const std::size_t puts = put[seen->word()];
    if (times <= puts) continue;
    const std::string what = describe(o, object_);
    return puts == 0 ? fmt::format("{} was never put in", what)
                     : fmt::format(
                           "{} was taken out before, as often as it "
                           "was put in",
                           what);
  }
  return "";
}

}  // namespace

std::optional<Excess> measure_excess(const History& history,
                                     const spec::Specification& object,
                                     const Condition& condition,
                                     const Explanation& explanation,
                                     const Measure& measure, Budget& budget) {
  if (!condition.quasi() || condition.transformed()) return std::nullopt;
  return Measurer(object, condition, measure, budget).run(history, explanation);
}

std::optional<Excess> measure_excess(const History& history,
                                     const spec::Specification& object,
                                     const Condition& condition,
                                     const Explanation& explanation,
                                     Budget& budget) {
  Measure measure;
  measure.decide = [&](const History& part, const Condition& asked,
                       bool want_order, Budget& some) {
    return decide(part, object, asked, {.want_order = want_order}, some);
  };
  return measure_excess(history, object, condition, explanation, measure,
                        budget);
}

std::optional<TwoOrders> witness_orders(const History& history,
                                        const spec::Specification& object,
                                        const Condition& condition,
                                        const Verdict& verdict,
                                        Budget& budget) {
  if (!condition.quasi() || condition.transformed() || verdict.order.empty()) {
    return std::nullopt;
  }
  const Measure measure;
  return Measurer(object, condition, measure, budget).run(history, verdict);
}

std::optional<Excess> measure_excess_on_model(
    const History& history, const spec::SpecificationPtr& base,
    const Condition& condition, const Universe& universe,
    const Explanation& explanation, Budget& budget) {
  Measure measure;
  measure.arguments = universe.arguments;
  measure.decide = [&](const History& part, const Condition& asked,
                       bool want_order, Budget& some) {
    const auto relaxed =
        relaxed_for_models(base, asked, universe, Construction::kExact, some);
    Condition plain;
    plain.order = asked.order;
    return decide(part, *relaxed, plain, {.want_order = want_order}, some);
  };
  return measure_excess(history, *base, condition, explanation, measure,
                        budget);
}

}  // namespace plumb::check
