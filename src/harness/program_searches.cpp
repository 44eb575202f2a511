// SPDX-License-Identifier: Apache-2.0
#include "harness/program_searches.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/limit_error.h"
#include "harness/progress.h"
#include "runtime/patience.h"

namespace plumb::harness {

namespace {

using check::Answer;
using Clock = Budget::Clock;

constexpr const char* kHoldsForSc =
    "it holds for sequentially consistent memory; ";
constexpr const char* kAskForSc = "; '--memory sc' asks for no more";
// What nobody has asked for does not go on for ever: graphs, if neither
// --memory nor --time-limit says so.  The last quarter is for random walks.
constexpr auto kForGraphs = std::chrono::seconds(30);

}  // namespace

std::vector<Heap> ProgramSearches::first_heaps() const {
  switch (it_.settings.heap) {
    case HeapSetting::kAuto:
    case HeapSetting::kOwn:
      return {Heap::kQuarantine};
    case HeapSetting::kLifo:
      return {Heap::kLifo};
    case HeapSetting::kFifo:
      return {Heap::kFifo};
    case HeapSetting::kQuarantine:
      return {Heap::kQuarantine};
    case HeapSetting::kShared:
      return {Heap::kShared};
    case HeapSetting::kAll:
      return {Heap::kLifo, Heap::kFifo, Heap::kQuarantine, Heap::kShared};
  }
  return {};
}

// Heaps differ only in what becomes of blocks that were freed.
std::vector<Heap> ProgramSearches::further_heaps(
    const Statistics& statistics) const {
  std::vector<Heap> out;
  const bool is_auto = it_.settings.heap == HeapSetting::kAuto;
  if (!is_auto && it_.settings.heap != HeapSetting::kOwn) return out;
  if (statistics.frees) out.push_back(Heap::kLifo);
  if (statistics.reuses) out.push_back(Heap::kFifo);
  if (statistics.could_share && is_auto) out.push_back(Heap::kShared);
  return out;
}

Question ProgramSearches::question(std::size_t program, Heap heap) const {
  Question out;
  out.test = &it_.test;
  out.program = &it_.list.programs[program];
  out.number = static_cast<std::uint32_t>(program + 1);
  out.heap = heap;
  out.settings = it_.settings;
  out.audit_first = audits_each;
  out.judge = it_.judge.get();
  out.stuck = it_.stuck.get();
  out.end = end_;
  return out;
}

// Returns false if there is nothing more to explore in this program.
bool ProgramSearches::explore_with(const Question& question,
                                   ProgramOutcome& outcome, Budget& budget) {
  Exploration exploration;
  try {
    exploration = harness::explore(question, budget);
  } catch (const LimitError& limit) {
    exploration.reason = limit.what();  // and the answer is unknown
  }
  outcome.statistics.add(exploration.statistics);
  outcome.heaps |= 1u << static_cast<unsigned>(question.heap);
  outcome.exhaustive &= exploration.exhaustive;
  if (exploration.answer == Answer::kHolds) {
    // Of several heaps, one may have something to say.
    if (outcome.answer == Answer::kHolds && !exploration.note.empty()) {
      outcome.reason = exploration.note;
    }
    return true;
  }
  if (exploration.answer == Answer::kUnknown) {
    outcome.answer = Answer::kUnknown;
    outcome.reason = exploration.reason;
    return budget.limit() == Limit::kNone &&
           runtime::left == runtime::Left::kNot;
  }
  outcome.answer = Answer::kViolated;
  outcome.reason.clear();
  outcome.finding = exploration.finding;
  outcome.schedule = exploration.schedule;
  return false;
}

ProgramOutcome ProgramSearches::explore(std::size_t program, Budget& budget) {
  // Each of them takes some time to show that it does not come back.
  constexpr unsigned kMostHopeless = 3;
  ProgramOutcome outcome;
  if (hopeless_ >= kMostHopeless) {
    outcome.reason = "others did not come back from code without steps";
    return outcome;
  }
  outcome.answer = Answer::kHolds;
  outcome.exhaustive = true;
  const std::uint64_t before = it_.judge ? it_.judge->histories() : 0;
  bool going_on = true;
  for (const Heap heap : first_heaps()) {
    going_on =
        going_on && explore_with(question(program, heap), outcome, budget);
  }
  // What the next one shows depends on what the last one did.
  std::uint32_t tried = 0;
  while (going_on) {
    const std::vector<Heap> heaps = further_heaps(outcome.statistics);
    const auto next =
        std::find_if(heaps.begin(), heaps.end(), [&](const Heap heap) {
          return (tried >> static_cast<unsigned>(heap) & 1) == 0;
        });
    if (next == heaps.end()) break;
    tried |= 1u << static_cast<unsigned>(*next);
    going_on = explore_with(question(program, *next), outcome, budget);
  }
  if (going_on && it_.settings.memory_to_explore() != sched::MemoryModel::kSc &&
      outcome.statistics.weak_orders.any()) {
    if (!explores_weaker(outcome.statistics)) {
      runtime::Finding& beyond = outcome.statistics.beyond_graphs;
      beyond.fault = runtime::Fault::kUnsupported;
      *fmt::format_to_n(beyond.text, sizeof(beyond.text) - 1,
                        "only locks that are tried in vain have any")
           .out = '\0';
    } else {
      explore_weaker(program, outcome, budget);
    }
  }
  hopeless_ += runtime::left == runtime::Left::kLong ||
               runtime::left == runtime::Left::kLost;
  if (it_.judge) outcome.histories = it_.judge->histories() - before;
  if (it_.judge) show_histories(it_.judge->histories());
  return outcome;
}

bool ProgramSearches::explores_weaker(const Statistics& statistics) const {
  return it_.settings.memory_to_explore() != sched::MemoryModel::kSc &&
         statistics.weak_orders.any() &&
         (it_.settings.memory || !statistics.weak_orders.only_tries());
}

// What is weaker than sequential consistency comes on top, if the code asked
// for it.  LIMIT: there, memory that is given back is not given out again.
void ProgramSearches::explore_weaker(std::size_t program,
                                     ProgramOutcome& outcome, Budget& budget) {
  Question ask = question(program, Heap::kQuarantine);
  ask.memory = it_.settings.memory_to_explore();
  ask.follows_unseen = outcome.statistics.has_unseen;
  ProgramOutcome before = outcome;
  if (it_.settings.memory || it_.options.whole_seconds() > 0) {
    explore_with(ask, outcome, budget);
  } else {
    const auto end = std::min(end_, Clock::now() + kForGraphs);
    Budget some = it_.options.budget_until(end - kForGraphs / 4);
    explore_with(ask, outcome, some);
    if (outcome.answer == Answer::kUnknown && some.limit() == Limit::kTime) {
      const std::string reason = outcome.reason;
      Budget rest = it_.options.budget_until(end);
      ask.settings.search = SearchKind::kPct;
      explore_with(ask, outcome, rest);
      if (outcome.answer == Answer::kUnknown) outcome.reason = reason;
    }
  }
  if (outcome.answer != Answer::kUnknown) return;
  const bool is_beyond =
      outcome.statistics.beyond_graphs.fault != runtime::Fault::kNone;
  if (is_beyond && !it_.settings.memory) {
    before.statistics = outcome.statistics;
    outcome = before;  // and caveats tell
  } else if (before.answer == Answer::kHolds) {
    outcome.reason = kHoldsForSc + outcome.reason;
    if (!it_.settings.memory) outcome.reason += kAskForSc;
  }
}

std::string ProgramSearches::out_of_time() const {
  const bool is_shared = it_.options.tests > 1 || it_.list.programs.size() > 1;
  std::string text = fmt::format(
      "{}the time limit of {:.3g} s was {}", is_shared ? "its share of " : "",
      it_.options.whole_seconds(), is_shared ? "used up" : "reached");
  if (!is_exhaustive(it_.settings.search)) return text;
  return text +
         " before an exhaustive search came to its end; random samples "
         "found nothing";
}

// A quarter of its time is for samples if the search does not come to its end.
ProgramOutcome ProgramSearches::explore_for(std::size_t program,
                                            const Share& share) {
  const std::uint64_t before = it_.judge ? it_.judge->histories() : 0;
  const bool samples = is_exhaustive(it_.settings.search);
  const auto now = Budget::Clock::now();
  end_ = samples ? share.end - (share.end - now) / 4 : share.end;
  ProgramOutcome outcome;
  if (!is_random(it_.settings.search)) {
    Budget budget = it_.options.budget_until(end_);
    outcome = explore(program, budget);
    if (outcome.answer != Answer::kUnknown || budget.limit() != Limit::kTime) {
      return outcome;
    }
    if (!samples) {
      if (runtime::left != runtime::Left::kLost) outcome.reason = out_of_time();
      return outcome;
    }
  }
  const bool for_sc = outcome.reason.starts_with(kHoldsForSc);
  const bool is_out_of_time = runtime::left != runtime::Left::kLost &&
                              sample(program, share, outcome) &&
                              runtime::left != runtime::Left::kLost;
  if (outcome.answer == Answer::kUnknown && is_out_of_time) {
    outcome.reason = (for_sc ? kHoldsForSc : "") + out_of_time() +
                     (for_sc && !it_.settings.memory ? kAskForSc : "");
  }
  if (it_.judge) outcome.histories = it_.judge->histories() - before;
  return outcome;
}

// What is to be sampled, as far as is known: orders of threads, with each heap
// that may make a difference, and graphs of weaker memory. Each by priorities,
// which find what few switches show, and by chance at each step, which gets out
// of loops in time.
std::vector<Question> ProgramSearches::samples_of(
    std::size_t program, const Statistics& statistics) const {
  std::vector<Heap> heaps = first_heaps();
  for (const Heap heap : further_heaps(statistics)) heaps.push_back(heap);
  std::vector<Question> out;
  for (const Heap heap : heaps) out.push_back(question(program, heap));
  if (explores_weaker(statistics) &&
      statistics.beyond_graphs.fault == runtime::Fault::kNone) {
    out.push_back(question(program, Heap::kQuarantine));
    out.back().memory = it_.settings.memory_to_explore();
    out.back().follows_unseen = statistics.has_unseen;
  }
  if (is_random(it_.settings.search)) return out;
  for (std::size_t i = 0, count = out.size(); i < count; ++i) {
    out[i].settings.search = SearchKind::kPct;
    out.push_back(out[i]);
    out.back().settings.search = SearchKind::kRandom;
  }
  return out;
}

// Until the time is over (true), or there is nothing more to do.  The first
// eighth of it shows what there is to try, if no search has.
bool ProgramSearches::sample(std::size_t program, const Share& share,
                             ProgramOutcome& outcome) {
  std::uint64_t seed = it_.settings.seed + share.round;
  for (bool is_known = outcome.statistics.executions != 0;; is_known = true) {
    bool is_out_of_time = false;
    const std::vector<Question> asks = samples_of(program, outcome.statistics);
    for (std::size_t i = 0; i < asks.size(); ++i) {
      const auto now = Budget::Clock::now();
      if (now >= share.end) return true;
      const std::size_t parts = asks.size() - i + (is_known ? 0 : 7);
      end_ = now + (share.end - now) / static_cast<int>(parts);
      Budget budget = it_.options.budget_until(end_);
      Question ask = asks[i];
      ask.end = end_;
      ask.settings.seed = seed++;
      explore_with(ask, outcome, budget);
      if (outcome.answer == Answer::kViolated) return false;
      if (runtime::left != runtime::Left::kNot) return true;
      is_out_of_time |= budget.limit() == Limit::kTime;
    }
    if (!is_out_of_time) return false;
  }
}

}  // namespace plumb::harness
