// SPDX-License-Identifier: Apache-2.0
#include "check/decide.h"

#include <numeric>
#include <optional>
#include <utility>

#include "base/input_error.h"
#include "base/limit_error.h"
#include "check/clocked.h"
#include "check/forced_order.h"
#include "check/literal.h"
#include "check/parts.h"
#include "check/relaxation.h"
#include "check/search.h"
#include "check/special.h"
#include "check/special_repeated.h"
#include "check/transformed.h"

namespace plumb::check {

namespace {

using history::History;

// The question with its order made plain: intervals, or processes as well.
struct Question {
  const spec::Specification& object;
  const Condition& condition;
  const Options& options;
  Budget& budget;
};

Verdict decide_intervals(const History& history, const Question& question);

void map_back(std::vector<std::uint32_t>& indices,
              const std::vector<std::uint32_t>& origin) {
  for (std::uint32_t& index : indices) index = origin[index];
}

// All parts must hold; one that is violated decides.
Verdict decide_parts(const History& history, const std::vector<Part>& parts,
                     const Question& question) {
  Verdict whole;
  whole.answer = Answer::kHolds;
  std::vector<std::vector<std::uint32_t>> orders;
  for (const Part& part : parts) {
    Verdict verdict = decide_intervals(part.history, question);
    whole.steps += verdict.steps;
    map_back(verdict.order, part.origin);
    map_back(verdict.core, part.origin);
    if (verdict.answer == Answer::kViolated) {
      verdict.steps = whole.steps;
      return verdict;
    }
    if (verdict.answer == Answer::kUnknown) {
      whole.answer = Answer::kUnknown;
      whole.reason = verdict.reason;
      if (question.budget.limit() != Limit::kNone) return whole;
    }
    orders.push_back(std::move(verdict.order));
  }
  if (question.options.want_order && whole.answer == Answer::kHolds) {
    whole.order = merge_orders(history, orders);
  }
  return whole;
}

std::optional<Verdict> decide_specially(const History& history,
                                        const Question& question) {
  const SpecialChoice special = special_decider_for(question.object);
  if (special.decide == nullptr) return std::nullopt;
  return special.decide(
      history,
      {.want_order = question.options.want_order, .blocking = special.blocking},
      question.budget);
}

// A queue of which nothing but the takes is relaxed, and that by a factor.
std::optional<Verdict> decide_specially_relaxed(const History& history,
                                                const Question& question) {
  const SpecialChoice special = special_decider_for(question.object);
  const Condition& condition = question.condition;
  if (special.decide != decide_queue || condition.transformed() ||
      !condition.classes.empty()) {
    return std::nullopt;
  }
  QuasiQueue quasi{.factor = 0, .closed = condition.closed};
  for (const auto& [name, factor] : condition.factors) {
    if (factor == 0) continue;
    if (name != "deq") return std::nullopt;
    quasi.factor = factor;
  }
  return decide_quasi_queue(
      history, quasi,
      {.want_order = question.options.want_order, .blocking = special.blocking},
      question.budget);
}

Verdict search(const History& history, const Question& question) {
  const SearchOptions options{.want_order = question.options.want_order};
  if (!question.condition.relaxed()) {
    return search_real_time(history, question.object, options, question.budget);
  }
  const auto relaxed = relaxed_object(history, question.object,
                                      question.condition, question.budget);
  return search_real_time(history, *relaxed, options, question.budget);
}

Verdict decide_by_clocks(const History& history, const Question& question);

// Real time, or busy periods widened to intervals: local, and decided by the
// special deciders where they apply.
Verdict decide_intervals(const History& history, const Question& question) {
  if (history.clocked && processes_overlap(history)) {
    return decide_by_clocks(history, question);
  }
  const bool relaxed = question.condition.relaxed();
  if (question.options.decider != Decider::kGeneral) {
    const auto verdict = relaxed ? decide_specially_relaxed(history, question)
                                 : decide_specially(history, question);
    if (verdict) return *verdict;
  }
  if (!relaxed || question.object.parts_are_objects()) {
    const auto parts = split_by_part(history, question.object);
    if (parts.size() > 1) return decide_parts(history, parts, question);
  }
  if (question.options.decider == Decider::kSpecial) {
    Verdict verdict;
    verdict.reason = "no special decider applies";
    return verdict;
  }
  return search(history, question);
}

// Where the bounds of clocks leave open which moments of a process are apart,
// it is linearizable if it is for some choice of moments, and not if it is not
// even with processes that may do two things at a time.  Intervals are decided
// fast; the search, which keeps what each process did in order, is for the
// rest. (Parts are not independent then, as with sequential consistency.)
Verdict decide_by_clocks(const History& history, const Question& question) {
  if (question.options.decider != Decider::kGeneral) {
    const std::uint64_t steps = 100'000 + 100 * history.size();
    const auto ask = [&](const Part& part) {
      Budget some = question.budget.with_steps(steps);
      Verdict verdict = decide_intervals(
          part.history,
          {question.object, question.condition, question.options, some});
      map_back(verdict.order, part.origin);
      map_back(verdict.core, part.origin);
      return verdict;
    };
    if (Verdict some = ask(with_moments_between(history));
        some.answer == Answer::kHolds) {
      return some;
    }
    if (Verdict all = ask(without_processes(history));
        all.answer == Answer::kViolated) {
      return all;
    }
  }
  if (question.options.decider == Decider::kSpecial) {
    Verdict verdict;
    verdict.reason = "no special decider applies";
    return verdict;
  }
  return search(history, question);
}

Verdict all_violated(const History& history) {
  Verdict verdict;
  verdict.answer = Answer::kViolated;
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    if (history.operations[i].certain()) verdict.core.push_back(i);
  }
  return verdict;
}

Verdict decide_program_order(const History& history, bool keep_real_time,
                             const Question& question) {
  SearchOptions options{.want_order = question.options.want_order};
  if (!question.condition.relaxed()) {
    std::optional<ForcedOrder> forced;
    if (question.options.decider != Decider::kGeneral) {
      options.forced = &forced.emplace(history, question.object);
      if (forced->contradicts_itself()) return all_violated(history);
    }
    return search_program_order(history, question.object, keep_real_time,
                                options, question.budget);
  }
  const auto relaxed = relaxed_object(history, question.object,
                                      question.condition, question.budget);
  return search_program_order(history, *relaxed, keep_real_time, options,
                              question.budget);
}

}  // namespace

Part ordered_by(const Condition& condition, const History& history) {
  if (condition.order == Order::kQuiescent ||
      condition.order == Order::kQuiescentAndProgram) {
    return widen_to_busy_periods(history);
  }
  Part whole{.history = history, .origin = {}};
  whole.origin.resize(history.size());
  std::iota(whole.origin.begin(), whole.origin.end(), 0u);
  return whole;
}

Verdict decide_ordered(const History& history,
                       const spec::Specification& object,
                       const Condition& condition, const Options& options,
                       Budget& budget) {
  if (condition.literal()) {
    if (history.clocked && processes_overlap(history)) {
      Verdict verdict;
      verdict.reason =
          "--literal knows no operations of one process that may overlap, as "
          "the bounds of their times say";
      return verdict;
    }
    return decide_literally(history, object, condition, options.want_order,
                            budget);
  }
  if (condition.transformed() && !condition.quasi()) {
    const Plain plain = without_transformations(object, condition);
    return decide_ordered(history, *plain.object, plain.condition, options,
                          budget);
  }
  const Question question{object, condition, options, budget};
  switch (condition.order) {
    case Order::kRealTime:
    case Order::kQuiescent:
      return decide_intervals(history, question);
    case Order::kProgram:
      return decide_program_order(history, false, question);
    case Order::kQuiescentAndProgram:
      return decide_program_order(history, true, question);
  }
  return {};
}

namespace {

// Does some process go on after an operation that it gave up?  Then real time
// does not contain program order.
bool goes_on_after_giving_up(const History& history) {
  std::vector<bool> gave_up;
  for (const history::Operation& o : history.operations) {
    if (o.process >= gave_up.size()) gave_up.resize(o.process + 1);
    if (gave_up[o.process]) return true;
    if (o.pending()) gave_up[o.process] = true;
  }
  return false;
}

// Linearizability implies every other condition, and is often found much
// faster, so it is tried first.
//
// The order: real time contains what quiescence orders, and program order as
// long as no process goes on after an operation that it gave up.  What follows
// the last quiescent moment is not judged; the rest comes before it in real
// time, so an order of the whole begins with an order of the rest.
//
// The specification: whatever is relaxed, and however one relaxation stands
// upon another, all that the object itself does is still allowed.  With
// pi' = pi nothing leaves its place, in place as literally, and no debt is
// open at the end, so that open and closed reading agree.  A take that is in
// turn ends every row of late ones; an operation that takes effect ends every
// row of those that stutter.
std::optional<Verdict> decide_by_linearizable(const History& judged,
                                              const Question& question) {
  const Condition& condition = question.condition;
  const bool linearizable = condition.order == Order::kRealTime &&
                            !condition.relaxed() && !condition.literal();
  if (linearizable || question.options.decider == Decider::kGeneral ||
      (!condition.local() && goes_on_after_giving_up(judged))) {
    return std::nullopt;
  }
  const std::uint64_t steps = 100'000 + 100 * judged.size();
  Budget part = question.budget.with_steps(steps);
  const Condition plain;
  try {
    Verdict verdict = decide_intervals(
        judged, {question.object, plain, question.options, part});
    if (verdict.answer == Answer::kHolds) return verdict;
  } catch (const InputError&) {
    // An object of the user's own that goes no further: what is asked for may
    // ask less of it.
  }
  return std::nullopt;
}

// The operations of `part` as they stood in `history`.
Part not_widened(const History& history, const Part& part) {
  Part out;
  out.history = history.empty();
  for (const std::uint32_t i : part.origin) out.add(history, i);
  return out;
}

Verdict decide_any(const History& history, const spec::Specification& object,
                   const Condition& condition, const Options& options,
                   Budget& budget) {
  const Question question{object, condition, options, budget};
  if (condition.order == Order::kRealTime ||
      condition.order == Order::kProgram) {
    const auto implied = decide_by_linearizable(history, question);
    if (implied) return *implied;
    return decide_ordered(history, object, condition, options, budget);
  }
  const Part part = ordered_by(condition, history);
  Verdict verdict;
  const Part judged = not_widened(history, part);
  if (auto implied = decide_by_linearizable(judged.history, question)) {
    verdict = std::move(*implied);
  } else {
    verdict = decide_ordered(part.history, object, condition, options, budget);
  }
  map_back(verdict.order, part.origin);
  map_back(verdict.core, part.origin);
  return verdict;
}

}  // namespace

Verdict decide(const History& history, const spec::Specification& object,
               const Condition& condition, const Options& options,
               Budget& budget) {
  try {
    return decide_any(history, object, condition, options, budget);
  } catch (const LimitError& limit) {
    Verdict verdict;
    verdict.reason = limit.what();
    return verdict;
  }
}

}  // namespace plumb::check
