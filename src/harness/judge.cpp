// SPDX-License-Identifier: Apache-2.0
#include "harness/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/input_error.h"
#include "base/limit_error.h"
#include "base/map_value.h"
#include "check/decide.h"
#include "harness/all_realizations.h"
#include "harness/translate.h"
#include "spec/notation.h"

namespace plumb::harness {

namespace {

using check::Answer;
using check::Order;
using history::History;
using history::Moment;
using history::Operation;

constexpr std::uint64_t kFirstEnds = 0x5555555555555555;

}  // namespace

Judge::Judge(const test::Case& test, spec::SpecificationPtr object,
             check::Condition condition)
    : Judge(calls_of(test, *object), object, std::move(condition)) {
  place_ = test.place();
}

Judge::Judge(std::vector<spec::Call> calls, spec::SpecificationPtr object,
             check::Condition condition)
    : calls_(std::move(calls)),
      object_(std::move(object)),
      condition_(std::move(condition)),
      graphs_(*object_, condition_) {
  check::require_factors_fit(condition_, *object_);
  for (const spec::Call& call : calls_) {
    const spec::Signature& signature = object_->operations()[call.code];
    kinds_.push_back(signature.result);
  }
}

// Asked for every call of every execution.
Value Judge::seen_result(std::uint16_t call, Value given) const {
  if (kinds_[call] == spec::Result::kNone) return Value();
  if (kinds_[call] == spec::Result::kValue) {
    // Only sets and maps can be written in several ways.
    if (!given.is_list() && !is_map(given)) return given;
    const auto* notation = dynamic_cast<const spec::Notation*>(object_.get());
    return notation == nullptr ? given
                               : notation->given(calls_[call].code, given);
  }
  if (kinds_[call] == spec::Result::kBoolean && given.is_boolean()) {
    return given;
  }
  try {
    return result_of(object_->operations()[calls_[call].code], given);
  } catch (const InputError& error) {
    throw InputError(place_, error.what(), error.hint());
  }
}

void Judge::add_solo(const std::vector<SoloCall>& calls) {
  for (const SoloCall& one : calls) {
    row_.add(std::uint64_t{one.call} << 1 | one.pending);
    if (!one.pending) row_.add(seen_result(one.call, one.result).word());
  }
}

// All that an answer depends on but the order of the calls.
void Judge::start_row(const CallTrace& trace) {
  // At most two words for each call, and one for its order later.
  row_.clear(4 + 3 * trace.size +
             2 * (trace.first.size() + trace.after.size()));
  row_.add(std::uint64_t{trace.pending} << 32 | trace.size);
  row_.add(std::uint64_t{trace.first.size()} << 32 | trace.after.size());
  for (std::size_t i = 0; i < trace.size; ++i) {
    row_.add(std::uint64_t{trace.thread[i]} << 16 | trace.call[i]);
    if (trace.is_pending(i)) continue;
    row_.add(seen_result(trace.call[i], trace.result[i]).word());
  }
  if (!trace.first.empty()) add_solo(trace.first);
  if (!trace.after.empty()) add_solo(trace.after);
  shared_ = row_.size();
}

const Judgement& Judge::judge(const CallTrace& trace, Budget& budget) {
  forget_if_full();
  ++judged_;
  start_row(trace);
  if (condition_.order != Order::kProgram) {
    for (std::size_t i = 0; i < trace.size; ++i) {
      if (trace.is_pending(i)) continue;
      row_.add(trace.before[2 * i + 1] & kFirstEnds);
    }
  }
  const std::uint32_t known = traces_[row_.words()];
  if (known != kNew) return answer_of(known);
  const auto words = row_.words();
  const std::vector<std::uint64_t> row(words.begin(), words.end());
  load(trace);
  needs_ = needs_of(trace);
  Overlap worst;
  const Answer answer =
      unless_limited([&] { return judge_all(trace, worst, budget); });
  return answer_of(traces_[row] = number_of(
                       answer, answer == Answer::kViolated
                                   ? ends_of(trace, worst, condition_.order)
                                   : std::vector<std::uint8_t>()));
}

const Judgement& Judge::judge_history(const CallTrace& trace,
                                      const std::vector<std::uint8_t>& ends,
                                      Budget& budget) {
  forget_if_full();
  ++judged_;
  start_row(trace);
  loaded_ = false;
  const Overlap overlap = overlap_of(trace, ends, condition_.order);
  const Answer answer = unless_limited(
      [&] { return judge_overlap(trace, overlap, &ends, budget); });
  if (answer != Answer::kViolated) return answer_of(number_of(answer, {}));
  single_.answer = answer;
  single_.ends = ends;
  return single_;
}

const Judgement& Judge::answer_of(std::uint32_t number) {
  if (number == kHolds) return holds_;
  if (number < kFirstViolated) return unknown_;
  return judgements_[number - kFirstViolated];
}

// What is unknown is not remembered: next time there may be more time.
std::uint32_t Judge::number_of(Answer answer, std::vector<std::uint8_t> ends) {
  if (answer == Answer::kHolds) return kHolds;
  if (answer == Answer::kUnknown) return kNew;
  judgements_.push_back({answer, "", std::move(ends)});
  return kFirstViolated + static_cast<std::uint32_t>(judgements_.size()) - 1;
}

void Judge::forget_if_full() {
  const std::size_t violated =
      judgements_.capacity() * (sizeof(Judgement) + 2 * kMaxCalls);
  if (traces_.bytes() + histories_.bytes() + violated < limits_.bytes) return;
  traces_.clear();
  histories_.clear();
  judgements_ = {};
}

void Judge::see(const std::vector<SoloCall>& from,
                std::vector<SeenCall>& to) const {
  for (const SoloCall& one : from) {
    to.push_back({calls_[one.call], std::nullopt});
    if (!one.pending) to.back().result = seen_result(one.call, one.result);
  }
}

void Judge::load(const CallTrace& trace) {
  loaded_ = true;
  needs_.program = program_order_of(trace);
  seen_.clear();
  see(trace.first, seen_.first);
  for (std::size_t i = 0; i < trace.size; ++i) {
    seen_.threads.push_back({calls_[trace.call[i]], std::nullopt});
    if (trace.is_pending(i)) continue;
    seen_.threads.back().result = seen_result(trace.call[i], trace.result[i]);
  }
  see(trace.after, seen_.after);
}

Answer Judge::not_known(std::string reason) {
  unknown_ = {Answer::kUnknown, std::move(reason), {}};
  return Answer::kUnknown;
}

Answer Judge::unless_limited(absl::FunctionRef<Answer()> work) {
  try {
    return work();
  } catch (const LimitError& limit) {
    return not_known(limit.what());
  }
}

Answer Judge::judge_all(const CallTrace& trace, Overlap& worst,
                        Budget& budget) {
  Answer all = Answer::kHolds;
  const auto visit = [&](const Overlap& overlap) {
    const Answer answer = judge_overlap(trace, overlap, nullptr, budget);
    if (answer == Answer::kViolated && all != Answer::kViolated) {
      all = answer;
      worst = overlap;
    }
    if (answer == Answer::kUnknown && all == Answer::kHolds) all = answer;
    return !budget.spent();
  };
  // To count them is quick, to judge them is not.
  const bool one = condition_.order == Order::kProgram;
  const auto walk = [&](absl::FunctionRef<bool(const Overlap&)> each) {
    return for_each_realization(needs_, condition_.order,
                                one ? 1 : limits_.realizations, each);
  };
  if (walk([](const Overlap&) { return true; }) == Walk::kTooMany) {
    counted_all_ = false;
    all = judge_at_once(trace, worst, budget);
  } else if (walk(visit) == Walk::kStopped) {
    counted_all_ = false;
    if (all != Answer::kViolated) return not_known(budget.describe_limit());
  }
  if (all == Answer::kHolds && depends_on_the_last_quiet_moment(trace)) {
    return not_known(
        "a call never returned, and a closed history may be violated at an "
        "earlier quiescent moment than the last one");
  }
  return all;
}

// With a pending call, a history is judged up to its last quiescent moment,
// which is later in those with more order.  That is harder to explain, unless
// debts must be paid by then: see Condition::closed.
bool Judge::depends_on_the_last_quiet_moment(const CallTrace& trace) const {
  const bool quiescent = condition_.order == Order::kQuiescent ||
                         condition_.order == Order::kQuiescentAndProgram;
  return quiescent && trace.pending != 0 && condition_.quasi() &&
         (condition_.closed || condition_.literal());
}

// An execution with too many realizations to judge each.
Answer Judge::judge_at_once(const CallTrace& trace, Overlap& worst,
                            Budget& budget) {
  check::Transitions* graph = graphs_.exact(seen_);
  if (graph == nullptr) {
    return not_known(fmt::format(
        "an execution admits more than {} histories, which must be judged one "
        "by one for {}",
        limits_.realizations,
        condition_.literal() ? "the literal reading"
                             : "relaxed objects of many keys"));
  }
  AllRealizations all(seen_, needs_, condition_.order, *graph, budget);
  const Answer answer = all.answer();
  if (answer == Answer::kUnknown) return not_known(budget.describe_limit());
  if (answer == Answer::kHolds) return answer;
  worst = all.witness();
  const Answer shown = judge_overlap(trace, worst, nullptr, budget);
  if (shown != Answer::kHolds) return shown;
  return not_known("two deciders do not agree on a history: please report it");
}

// Appends the order to row_, which start_row() began.  `ends`: the history as
// it happened; null for a realization.
Answer Judge::judge_overlap(const CallTrace& trace, const Overlap& overlap,
                            const std::vector<std::uint8_t>* ends,
                            Budget& budget) {
  row_.cut(shared_);
  row_.add(overlap.judged);
  if (condition_.order != Order::kProgram) {
    for (std::size_t i = 0; i < overlap.size; ++i) {
      if ((overlap.judged >> i & 1) != 0) row_.add(overlap.preceding[i]);
    }
  }
  const std::uint32_t known = histories_[row_.words()];
  if (known == kHolds) return Answer::kHolds;
  if (known == kFirstViolated) return Answer::kViolated;
  const bool is_new = counted_.insert(hash_row_twice(row_.words())).second;
  if (!loaded_) load(trace);
  Answer answer = Answer::kHolds;
  if (!is_explained(overlap)) {
    answer = decide(
        trace,
        ends != nullptr ? *ends : ends_of(trace, overlap, condition_.order),
        budget);
  }
  if (answer == Answer::kUnknown) return answer;
  histories_[row_.words()] = answer == Answer::kHolds ? kHolds : kFirstViolated;
  if (is_new && answer == Answer::kViolated) ++violated_;
  return answer;
}

// Few histories need more than the object as it is.
bool Judge::is_explained(const Overlap& overlap) {
  const auto* also = condition_.order == Order::kQuiescentAndProgram
                         ? &needs_.program
                         : nullptr;
  if (explainer_.explains(seen_, overlap, also, graphs_.strict())) return true;
  if (!condition_.relaxed()) return false;
  check::Transitions* graph = graphs_.exact(seen_);
  return graph != nullptr && explainer_.explains(seen_, overlap, also, *graph);
}

Answer Judge::judge_order(const CallTrace& trace,
                          const std::array<CallMask, kMaxCalls>& before) {
  load(trace);
  Overlap overlap;
  overlap.size = trace.size;
  overlap.judged = all_calls(trace.size);
  overlap.preceding = before;
  return unless_limited([&] {
    if (is_explained(overlap)) return Answer::kHolds;
    const bool is_sure =
        graphs_.exact(seen_) != nullptr && !explainer_.gave_up();
    return is_sure ? Answer::kViolated : Answer::kUnknown;
  });
}

Answer Judge::decide(const CallTrace& trace, std::span<const std::uint8_t> ends,
                     Budget& budget) {
  const check::Verdict verdict =
      check::decide(history_of(trace, ends), *object_, condition_, {}, budget);
  if (verdict.answer == Answer::kUnknown) return not_known(verdict.reason);
  return verdict.answer;
}

namespace {

// Puts operations into a history as they come and go.
class Recorder {
 public:
  Recorder(std::span<const spec::Call> calls, History& history)
      : calls_(calls), history_(history) {}

  std::size_t invoke(std::uint16_t call, std::uint32_t process) {
    Operation operation;
    operation.code = calls_[call].code;
    operation.argument = calls_[call].argument;
    operation.process = process;
    operation.invoked = next_++;
    history_.operations.push_back(operation);
    return history_.size() - 1;
  }
  void complete(std::size_t index, Value result) {
    history_.operations[index].result = result;
    history_.operations[index].returned = next_++;
  }

 private:
  std::span<const spec::Call> calls_;
  History& history_;
  Moment next_ = 0;
};

}  // namespace

History Judge::history_of(const CallTrace& trace,
                          std::span<const std::uint8_t> ends) const {
  History history;
  Recorder recorder(calls_, history);
  const auto run_alone = [&](const std::vector<SoloCall>& calls) {
    for (const SoloCall& one : calls) {
      const std::size_t index = recorder.invoke(one.call, 0);
      if (one.pending) break;
      recorder.complete(index, seen_result(one.call, one.result));
    }
  };
  run_alone(trace.first);
  std::array<std::size_t, kMaxCalls> index;
  std::uint32_t threads = 0;
  for (const std::uint8_t end : ends) {
    const std::size_t i = end / 2;
    if (end % 2 == 0) {
      index[i] = recorder.invoke(trace.call[i], trace.thread[i]);
      threads = std::max<std::uint32_t>(threads, trace.thread[i]);
    } else {
      recorder.complete(index[i], seen_result(trace.call[i], trace.result[i]));
    }
  }
  run_alone(trace.after);
  history.processes.push_back(Value::text("main"));
  for (std::uint32_t thread = 1; thread <= threads; ++thread) {
    history.processes.push_back(Value::text(fmt::format("T{}", thread)));
  }
  return history;
}

}  // namespace plumb::harness
