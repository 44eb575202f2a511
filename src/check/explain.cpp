// SPDX-License-Identifier: Apache-2.0
//
// Three steps.  The shortest violated prefix: what follows it played no part.
// Then every operation is made optional, one after the other or many at once
// [ZellerHildebrandt02], as long as the history stays violated: an operation
// that may have had any result, or none and no effect, does not matter.
// (Leaving it out altogether would be wrong: without its `enq(1)`, every `deq()
// -> 1` is a violation of another kind.)  Last, the longest order of what is
// left.
//
// A special decider comes with a few operations that prove the violation.
// These are where the second step begins, and ends if it cannot be shown soon
// that the others may have done anything: see note_proof().
#include "check/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/flat_table.h"
#include "base/input_error.h"
#include "check/container_window.h"
#include "check/decide.h"
#include "check/relaxation.h"
#include "check/search.h"
#include "check/transformed.h"

namespace plumb::check {

namespace {

using history::History;
using history::kNever;
using history::Moment;
using history::Operation;

// One attempt at leaving something out must be cheap; what cannot be decided
// within this stays in.
constexpr std::uint64_t kStepsPerTrial = 200'000;
constexpr std::uint64_t kStepsPerTrialOfProof = 5'000;
constexpr std::uint64_t kStepsForOrder = 100 * kStepsPerTrial;
constexpr std::uint64_t kStepsForNicerOrder = 5'000;
constexpr auto kTimeForShrinking = std::chrono::seconds(5);
// Where more operations than this stand beside the core of a special decider,
// they are left out, which its core allows, instead of made optional.
constexpr std::size_t kManyOthers = 2000;
constexpr std::size_t kManyOthersOfProof = 200;
constexpr std::size_t kLargestProof = 16;
// The general search gets nowhere with more than that of a container.
constexpr std::size_t kManyInContainer = 200;
constexpr auto kTimeForDropping = std::chrono::seconds(2);
// A larger core is shown as it is: every attempt would take too long.
constexpr std::size_t kLargestToShrink = 5000;

class Explainer {
 public:
  Explainer(const History& history, const spec::Specification& object,
            const Condition& condition, Budget& budget, LongestOrder longest)
      : object_(object),
        condition_(condition),
        budget_(budget),
        longest_(longest),
        part_(ordered_by(condition, history)) {}

  Explanation run(const Verdict& verdict);

 private:
  using Indices = std::vector<std::uint32_t>;

  const Operation& operation(std::uint32_t i) const {
    return part_.history.operations[i];
  }
  void note_proof(const Indices& core);
  Moment last_return(const Indices& core) const;
  Part prefix_before(Moment moment) const;
  std::vector<Moment> returns() const;
  std::size_t next_probe(std::size_t holds, std::size_t violated,
                         std::size_t hint);
  void find_shortest_prefix(Indices& core, Explanation& out);

  Part trial_with(const Indices& firm) const;
  Verdict try_to_decide(const History& trial, const Options& options,
                        Budget& budget) const;
  bool still_violated(const Indices& firm);
  using Values = FlatSet<Value>;
  Value value_of(const Operation& o) const;
  History trial_of(const Indices& core, const Values& values) const;
  void drop_values(Indices& core);
  void settle_others(Indices& core, Explanation& out);
  void keep_latest(Indices& core);
  void shrink(Indices& core, Explanation& out);
  void shrink_among(Indices& core, const Indices& candidates);

  Verdict search_longest(const History& trial,
                         const spec::Specification& object,
                         std::uint64_t steps);
  void find_longest_order(const Indices& core, Explanation& out);
  std::vector<spec::State> replay(const spec::Specification& object,
                                  const History& trial,
                                  const Indices& order) const;
  std::string obstacle(const spec::Specification& object,
                       const std::vector<spec::State>& states,
                       const Indices& left, std::uint32_t i) const;

  const spec::Specification& object_;
  const Condition& condition_;
  Budget& budget_;
  LongestOrder longest_;
  bool is_proof_ = false;  // see note_proof()
  Part part_;       // the history in the condition's order; what indices mean
  Moment cut_ = 0;  // the end of the shortest violated prefix
  std::size_t probes_ = 0;
  // Leave out what returned and is not in the core?
  bool leave_out_ = false;
  std::vector<bool> is_core_;  // by operation
  bool gave_up_ = false;
  Budget::Clock::time_point shrink_until_;
};

// Where the order is that of intervals the core of a violation cannot be
// explained with any of the others either, if they did what they did: that is
// how special deciders find it, and the general search blames all that came
// before a return past which no order gets, with or without what came later.
// If it is small it can be shown as it is.
void Explainer::note_proof(const Indices& core) {
  is_proof_ = condition_.local() && !condition_.relaxed() &&
              !condition_.literal() && !core.empty() &&
              core.size() <= kLargestProof;
}

Moment Explainer::last_return(const Indices& core) const {
  Moment last = 0;
  for (const std::uint32_t i : core) {
    if (!operation(i).pending()) last = std::max(last, operation(i).returned);
  }
  return last;
}

// The history as it stood just before `moment`.
Part Explainer::prefix_before(Moment moment) const {
  Part prefix;
  prefix.history = part_.history.empty();
  for (std::uint32_t i = 0; i < part_.history.size(); ++i) {
    if (operation(i).invoked >= moment) continue;
    prefix.add(part_.history, i);
    Operation& o = prefix.history.operations.back();
    if (o.returned >= moment) {
      o.returned = kNever;
      o.result = Value();
    }
  }
  return prefix;
}

std::vector<Moment> Explainer::returns() const {
  std::vector<Moment> moments;
  for (const Operation& o : part_.history.operations) {
    if (!o.pending()) moments.push_back(o.returned);
  }
  std::sort(moments.begin(), moments.end());
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  return moments;
}

// The next prefix to ask about, given that those before `holds` hold and that
// `violated` is violated.  Its core ends at `hint`: that is the likely end, or
// soon after, when what was still running there has returned.
std::size_t Explainer::next_probe(std::size_t holds, std::size_t violated,
                                  std::size_t hint) {
  ++probes_;
  constexpr std::size_t kTrustInHints = 16;
  if (!condition_.local() || probes_ > kTrustInHints) {
    return holds + (violated - holds) / 2;
  }
  if (hint == violated) return violated - 1;
  if (hint >= holds) return hint;
  return std::min(holds + (std::size_t{1} << probes_), violated - 1);
}

// Sets cut_, and `core` to that of the prefix which ends there.
void Explainer::find_shortest_prefix(Indices& core, Explanation& out) {
  cut_ = last_return(core);
  // A relaxed condition is not closed under prefixes: a debt that nothing
  // could pay may be paid by what follows.  There the core, which no order
  // gets past whatever follows, is the answer.
  if (condition_.relaxed() || condition_.literal()) return;
  const std::vector<Moment> ends = returns();
  std::size_t holds = 0, violated = ends.size() - 1;
  Indices latest = core;
  while (holds < violated) {
    const auto hint = static_cast<std::size_t>(
        std::lower_bound(ends.begin(), ends.end(), last_return(latest)) -
        ends.begin());
    const std::size_t probe = next_probe(holds, violated, hint);
    const Part prefix = prefix_before(ends[probe] + 1);
    const Verdict verdict = try_to_decide(prefix.history, {}, budget_);
    if (verdict.answer == Answer::kUnknown) {
      out.is_shortest = false;
      break;
    }
    if (verdict.answer == Answer::kHolds) {
      holds = probe + 1;
      continue;
    }
    violated = probe;
    latest.clear();
    for (const std::uint32_t i : verdict.core) {
      // What is pending there returned later, if at all.
      if (prefix.history.operations[i].pending()) continue;
      latest.push_back(prefix.origin[i]);
    }
    // A proof is not given up for something larger.
    if (is_proof_ && latest.size() > kLargestProof) continue;
    core = latest;
    note_proof(core);
  }
  // Without knowing which return is the first, a proof ends with its own last.
  cut_ = out.is_shortest || !is_proof_ ? ends[violated] : last_return(core);
}

// The prefix with only `firm` known; the rest may have happened or not.
Part Explainer::trial_with(const Indices& firm) const {
  std::vector<bool> is_firm(part_.history.size());
  for (const std::uint32_t i : firm) is_firm[i] = true;
  Part trial;
  trial.history = part_.history.empty();
  for (std::uint32_t i = 0; i < part_.history.size(); ++i) {
    const Operation& o = operation(i);
    if (o.invoked > cut_) continue;
    if (!is_firm[i] && leave_out_ && !is_core_[i] && !o.pending() &&
        o.returned <= cut_)
      continue;
    trial.add(part_.history, i);
    Operation& added = trial.history.operations.back();
    if (is_firm[i]) continue;
    added.result = Value();
    if (o.returned <= cut_ && !condition_.literal()) {
      added.optional = true;
    } else {
      added.returned = kNever;
    }
  }
  return trial;
}

// What the others may have done can bring a specification that the user wrote
// further than it goes by itself; that is no reason not to explain.
Verdict Explainer::try_to_decide(const History& trial, const Options& options,
                                 Budget& budget) const {
  try {
    return decide_ordered(trial, object_, condition_, options, budget);
  } catch (const InputError& error) {
    Verdict verdict;
    verdict.reason = error.what();
    return verdict;
  }
}

bool Explainer::still_violated(const Indices& firm) {
  if (Budget::Clock::now() >= shrink_until_) {
    gave_up_ = true;
    return false;
  }
  Budget part =
      budget_.with_steps(is_proof_ ? kStepsPerTrialOfProof : kStepsPerTrial);
  const Part trial = trial_with(firm);
  const Options options{.want_order = false, .decider = Decider::kGeneral};
  const Verdict verdict = try_to_decide(trial.history, options, part);
  if (verdict.answer == Answer::kUnknown) gave_up_ = true;
  return verdict.answer == Answer::kViolated;
}

// Of a container whose values repeat, the core is all that came before a return
// past which no order gets.  If a history of a container is linearizable, so is
// what is left of it without all operations on a value, and without takes that
// found nothing: values are left out, many at once, as long as the rest is
// violated, which its special decider tells at once.  What stays is a proof.
void Explainer::drop_values(Indices& core) {
  if (is_proof_ || core.size() <= kManyInContainer || !condition_.local() ||
      condition_.relaxed() || !ContainerWindow::fits(object_)) {
    return;
  }
  const auto until = Budget::Clock::now() + kTimeForDropping;
  const auto is_violated = [&](const Values& values) {
    if (values.empty() || Budget::Clock::now() >= until) return false;
    const History trial = trial_of(core, values);
    Budget part = budget_.with_steps(kStepsPerTrial + 200 * trial.size());
    return try_to_decide(trial, {}, part).answer == Answer::kViolated;
  };
  std::vector<Value> left;
  for (const std::uint32_t i : core) left.push_back(value_of(operation(i)));
  Values kept(left.begin(), left.end());
  left.assign(kept.begin(), kept.end());
  if (!is_violated(kept)) return;
  for (std::size_t length = left.size(); length > 0; length /= 2) {
    for (std::size_t start = 0; start < left.size(); start += length) {
      Values rest = kept;
      for (std::size_t i = start; i < std::min(start + length, left.size());
           ++i) {
        rest.erase(left[i]);
      }
      if (rest.size() < kept.size() && is_violated(rest)) kept = rest;
    }
  }
  std::erase_if(core, [&](std::uint32_t i) {
    return !kept.contains(value_of(operation(i)));
  });
  is_proof_ = true;
}

// What a container was given or gave.
Value Explainer::value_of(const Operation& o) const {
  return object_.operations()[o.code].takes ? o.result : o.argument;
}

// The operations of the core on some values; those that had not returned by
// then may have had any part in it.
History Explainer::trial_of(const Indices& core, const Values& values) const {
  std::vector<bool> is_firm(part_.history.size());
  for (const std::uint32_t i : core) {
    is_firm[i] = values.contains(value_of(operation(i)));
  }
  History trial = part_.history.empty();
  for (std::uint32_t i = 0; i < part_.history.size(); ++i) {
    Operation o = operation(i);
    if (o.invoked > cut_) continue;
    if (!is_firm[i]) {
      if (o.returned <= cut_) continue;
      const bool takes = object_.operations()[o.code].takes;
      if (!takes && !values.contains(o.argument)) continue;
      o.returned = kNever;
      o.result = Value();
    }
    trial.operations.push_back(o);
  }
  return trial;
}

// Settles what becomes of the operations outside the core.  If it does not
// stand when they may have done anything, they must be a part of it; if that
// is not known, a proof still stands with what they did.
void Explainer::settle_others(Indices& core, Explanation& out) {
  Indices returned;
  for (std::uint32_t i = 0; i < part_.history.size(); ++i) {
    if (operation(i).returned <= cut_) returned.push_back(i);
  }
  is_core_.assign(part_.history.size(), false);
  for (const std::uint32_t i : core) is_core_[i] = true;
  const std::size_t many = is_proof_ ? kManyOthersOfProof : kManyOthers;
  leave_out_ = returned.size() > core.size() + many;
  if (!leave_out_ && returned.size() > core.size() && !still_violated(core)) {
    leave_out_ = is_proof_ && gave_up_;
    if (!leave_out_) {
      core = std::move(returned);
      is_proof_ = false;
    }
  }
  out.others_left_out = leave_out_;
}

// Often the last few operations are enough.
void Explainer::keep_latest(Indices& core) {
  Indices by_return = core;
  std::sort(by_return.begin(), by_return.end(),
            [&](std::uint32_t a, std::uint32_t b) {
              return operation(a).returned > operation(b).returned;
            });
  for (std::size_t count = 1; count < core.size(); count *= 2) {
    Indices latest(by_return.begin(),
                   by_return.begin() + static_cast<std::ptrdiff_t>(count));
    std::sort(latest.begin(), latest.end());
    if (!still_violated(latest)) continue;
    core = std::move(latest);
    return;
  }
}

void Explainer::shrink(Indices& core, Explanation& out) {
  if (core.size() > kLargestToShrink) {
    out.is_minimal = false;
    return;
  }
  keep_latest(core);
  Indices reads, others;
  for (const std::uint32_t i : core) {
    const bool read = object_.operations()[operation(i).code].reads_only;
    (read ? reads : others).push_back(i);
  }
  // What only reads is cheap to leave out: it makes the search smaller.
  shrink_among(core, reads);
  shrink_among(core, others);
  out.is_minimal = !gave_up_;
}

// Tries to leave out runs of candidates, long ones first, the latest last:
// they are the ones most likely to matter.
void Explainer::shrink_among(Indices& core, const Indices& candidates) {
  Indices left = candidates;
  for (std::size_t length = left.size(); length > 0; length /= 2) {
    for (std::size_t start = 0; start < left.size();) {
      const std::size_t end = std::min(start + length, left.size());
      const Indices dropped(left.begin() + static_cast<std::ptrdiff_t>(start),
                            left.begin() + static_cast<std::ptrdiff_t>(end));
      Indices rest;
      std::set_difference(core.begin(), core.end(), dropped.begin(),
                          dropped.end(), std::back_inserter(rest));
      if (!rest.empty() && still_violated(rest)) {
        core = std::move(rest);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(start),
                   left.begin() + static_cast<std::ptrdiff_t>(end));
      } else {
        start = end;
      }
    }
  }
}

std::vector<spec::State> Explainer::replay(const spec::Specification& object,
                                           const History& trial,
                                           const Indices& order) const {
  std::vector<spec::State> states{object.initial()};
  for (const std::uint32_t i : order) {
    std::vector<spec::State> next;
    for (const spec::State& state : states) {
      const Operation& o = trial.operations[i];
      object.step(state, o.call(), o.observed(), next);
    }
    constexpr std::size_t kEnough = 64;
    if (next.size() > kEnough) next.resize(kEnough);
    states = std::move(next);
  }
  return states;
}

// Gives the longest order of `trial` as Verdict::order.
Verdict Explainer::search_longest(const History& trial,
                                  const spec::Specification& object,
                                  std::uint64_t steps) {
  const SearchOptions options{.want_order = true, .want_longest = true};
  Budget part = budget_.with_steps(steps);
  try {
    if (condition_.local()) {
      return search_real_time(trial, object, options, part);
    }
    return search_program_order(
        trial, object, condition_.order != Order::kProgram, options, part);
  } catch (const InputError&) {
    return {};  // as in try_to_decide()
  }
}

void Explainer::find_longest_order(const Indices& core, Explanation& out) {
  if (condition_.literal()) return;
  Part trial;
  trial.history = part_.history.empty();
  for (const std::uint32_t i : core) trial.add(part_.history, i);
  spec::SpecificationPtr relaxed;
  if (condition_.relaxed()) {
    relaxed = relaxed_object(part_.history, object_, condition_, budget_);
  }
  const spec::Specification& object = relaxed ? *relaxed : object_;
  Verdict verdict;
  const std::uint64_t steps =
      core.size() > kManyInContainer && ContainerWindow::fits(object_)
          ? kStepsPerTrial
          : kStepsForOrder;
  if (longest_ == LongestOrder::kOfCulprits) {
    verdict = search_longest(trial.history, object, steps);
  }
  // That nothing can come first often means only that what the others wrote is
  // missing; it is no more than nicer to have it.
  const bool is_empty =
      verdict.answer == Answer::kViolated && verdict.order.empty();
  if (verdict.answer != Answer::kViolated || is_empty) {
    Part whole = trial_with(core);
    Verdict other = search_longest(whole.history, object,
                                   is_empty ? kStepsForNicerOrder : steps);
    if (!is_empty || other.answer == Answer::kViolated) {
      trial = std::move(whole);
      verdict = std::move(other);
    }
  }
  if (verdict.answer != Answer::kViolated) return;  // no time
  const auto states = replay(object, trial.history, verdict.order);
  if (!states.empty()) out.state = object.describe(states.front());

  std::vector<bool> placed(trial.history.size());
  for (const std::uint32_t i : verdict.order) {
    placed[i] = true;
    out.order.push_back(part_.origin[trial.origin[i]]);
  }
  Indices left;  // in the ordered history
  for (std::uint32_t i = 0; i < trial.history.size(); ++i) {
    if (!placed[i] && trial.history.operations[i].certain()) {
      left.push_back(trial.origin[i]);
    }
  }
  for (const std::uint32_t i : left) {
    out.obstacles.push_back(
        {part_.origin[i], obstacle(object, states, left, i)});
  }
}

std::string Explainer::obstacle(const spec::Specification& object,
                                const std::vector<spec::State>& states,
                                const Indices& left, std::uint32_t i) const {
  const Operation& o = operation(i);
  for (const std::uint32_t other : left) {
    const Operation& x = operation(other);
    const bool same_process = x.process == o.process && x.invoked < o.invoked;
    const bool by_time = condition_.local() && precedes(x, o);
    const bool by_process =
        same_process && (!condition_.local() || part_.history.clocked);
    if (other != i && (by_time || by_process)) {
      return fmt::format("it must come after {}", describe(x, object_));
    }
  }
  std::vector<spec::State> next;
  std::vector<spec::Outcome> outcomes;
  for (const spec::State& state : states) {
    object.step(state, o.call(), o.observed(), next);
    if (!condition_.relaxed()) object.apply(state, o.call(), outcomes);
  }
  if (!next.empty()) return "it could come next, but then the others cannot";
  if (condition_.relaxed()) {
    return "no operation may be so far from its place";
  }
  if (outcomes.empty()) return "it would have to wait";
  std::string instead;
  for (const spec::Outcome& outcome : outcomes) {
    const std::string result = outcome.result.to_string();
    if (instead.find(result) != std::string::npos) continue;
    instead += (instead.empty() ? "" : " or ") + result;
  }
  return fmt::format("it would return {}, not {}", instead,
                     o.result.to_string());
}

Explanation Explainer::run(const Verdict& verdict) {
  Explanation out;
  Indices core;  // translated from the history to the ordered one
  for (std::uint32_t i = 0; i < part_.origin.size(); ++i) {
    if (!operation(i).pending() &&
        std::binary_search(verdict.core.begin(), verdict.core.end(),
                           part_.origin[i])) {
      core.push_back(i);
    }
  }
  note_proof(core);
  find_shortest_prefix(core, out);
  drop_values(core);
  std::sort(core.begin(), core.end());
  out.until = cut_;
  shrink_until_ = Budget::Clock::now() + kTimeForShrinking;
  settle_others(core, out);
  gave_up_ = false;
  out.is_proof = is_proof_ && leave_out_;
  if (out.is_proof) {
    out.is_minimal = false;  // nobody asked
  } else {
    shrink(core, out);
  }
  for (const std::uint32_t i : core) out.culprits.push_back(part_.origin[i]);
  find_longest_order(core, out);
  return out;
}

}  // namespace

Explanation explain(const History& history, const spec::Specification& object,
                    const Condition& condition, const Verdict& verdict,
                    Budget& budget, LongestOrder longest) {
  if (condition.transformed() && !condition.quasi()) {
    const Plain plain = without_transformations(object, condition);
    return explain(history, *plain.object, plain.condition, verdict, budget,
                   LongestOrder::kWithOthers);
  }
  Verdict sorted = verdict;
  std::sort(sorted.core.begin(), sorted.core.end());
  Explanation out =
      Explainer(history, object, condition, budget, longest).run(sorted);
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    if (history.operations[i].returned == out.until) out.last = i;
  }
  return out;
}

std::string describe(const Operation& operation,
                     const spec::Specification& object) {
  const spec::Signature& signature = object.operations()[operation.code];
  std::string out(signature.name);
  out += '(';
  if (signature.argument == spec::Argument::kPair) {
    const auto items = operation.argument.items();
    for (std::size_t i = 0; i < items.size(); ++i) {
      out += (i > 0 ? ", " : "") + items[i].to_string();
    }
  } else if (signature.argument != spec::Argument::kNone) {
    out += operation.argument.to_string();
  }
  out += ')';
  if (operation.pending()) return out + ", pending";
  if (signature.result != spec::Result::kNone) {
    out += " -> " + operation.result.to_string();
  }
  return out;
}

}  // namespace plumb::check
