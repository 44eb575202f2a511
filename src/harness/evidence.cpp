// SPDX-License-Identifier: Apache-2.0
#include "harness/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "check/decide.h"
#include "harness/finding_text.h"
#include "harness/programs.h"
#include "harness/replay.h"
#include "harness/story.h"
#include "harness/story_recorder.h"
#include "harness/story_sources.h"
#include "harness/symbols.h"
#include "runtime/patience.h"

namespace plumb::harness {

namespace {

using runtime::Fault;

constexpr auto kAnyTime = Budget::Clock::time_point::max();

// Explaining takes long only for histories that nobody wants to read.
Budget budget_to_explain(Budget::Clock::time_point end) {
  const auto longest = Budget::Clock::now() + std::chrono::seconds(10);
  return Budget(std::min(longest, end), SIZE_MAX);
}

void explain_history(const Question& question, const CallTrace& calls,
                     const std::vector<std::uint8_t>& ends,
                     Budget::Clock::time_point end, Evidence& evidence) {
  const Judge& judge = *question.judge;
  evidence.history = judge.history_of(calls, ends);
  Budget budget = budget_to_explain(end);
  const check::Verdict verdict = check::decide(
      *evidence.history, judge.object(), judge.condition(), {}, budget);
  evidence.was_left |= verdict.answer == check::Answer::kUnknown;
  if (verdict.answer != check::Answer::kViolated) return;
  evidence.explanation = check::explain(*evidence.history, judge.object(),
                                        judge.condition(), verdict, budget);
}

bool is_fault(const runtime::Outcome& outcome) {
  return outcome.end == sched::RunEnd::kStuck ||
         outcome.end == sched::RunEnd::kFailed;
}

// Where an execution can happen that is no order of steps.
std::string machines_of(const Replayed& replayed) {
  if (!replayed.allowed_by) return "";
  switch (*replayed.allowed_by) {
    case sched::MemoryModel::kSc:
      return "";
    case sched::MemoryModel::kTso:
      return "stores are delayed: this can happen on x86, too";
    case sched::MemoryModel::kRc11:
      return "C++ allows it: this can happen on ARM, POWER and RISC-V, or "
             "after a compiler has reordered accesses, but not on x86 as "
             "written";
  }
  return "";
}

}  // namespace

// Without a judge: what it runs would change the heap that the story is about.
void add_story(const Question& asked, const Schedule& schedule, bool color,
               Evidence& evidence) {
  Question question = asked;
  question.judge = nullptr;
  StoryRecorder recorder(*question.test);
  Budget budget = budget_to_explain(kAnyTime);
  runtime::left = runtime::Left::kNot;
  const Replayed replayed = replay(question, schedule, budget);
  if (runtime::left != runtime::Left::kNot) return;  // half of it is none
  runtime::Outcome outcome = replayed.outcome;
  // What is long and wrong goes in circles: with few steps, a replay ends
  // before it can tell.
  if (outcome.finding.fault == Fault::kStepLimit) {
    outcome.finding.fault = Fault::kLivelock;
  }
  if (is_fault(outcome) && outcome.finding.fault == Fault::kNone) {
    outcome.finding.fault = Fault::kDeadlock;
  }
  const std::unique_ptr<Symbols> symbols = symbols_of_this_process();
  StoryInput input = recorder.finish(outcome, *symbols);
  if (replayed.graph) add_sources(*replayed.graph, input);
  Story story(std::move(input), *symbols);
  StoryOptions options;
  options.colour = color;
  evidence.story = story.text(options);
  evidence.steps = story.json();
  if (replayed.graph) evidence.graph = story.edges();
  evidence.finding = story.explanation();
}

std::vector<std::string> lines_of(const test::Case& test,
                                  const Program& program) {
  const auto line = [&](const std::string& who, const std::vector<int>& calls) {
    std::string text = who + ":";
    for (const int call : calls) {
      text += fmt::format("{} {}", text.ends_with(':') ? "" : ";",
                          test.describe(call));
    }
    return text;
  };
  std::vector<std::string> out;
  if (!program.before.empty()) out.push_back(line("before", program.before));
  for (std::size_t i = 0; i < program.threads.size(); ++i) {
    if (program.threads[i].empty()) continue;
    out.push_back(line(fmt::format("T{}", i + 1), program.threads[i]));
  }
  if (!program.after.empty()) out.push_back(line("after", program.after));
  return out;
}

std::string reason_of(const runtime::Finding& finding) {
  const std::string words = title_of(finding.fault);
  const std::string text = finding.text;
  if (text.empty()) return words;
  return text.starts_with(words) ? text : words + ": " + text;
}

Evidence evidence_of(const Question& question, const Schedule& schedule,
                     Budget::Clock::time_point end) {
  Evidence evidence;
  evidence.program = schedule.program;
  evidence.schedule = to_string(schedule);
  evidence.program_lines = lines_of(*question.test, *question.program);
  Budget budget = budget_to_explain(end);
  runtime::left = runtime::Left::kNot;
  const Replayed replayed = replay(question, schedule, budget);
  evidence.was_left = runtime::left != runtime::Left::kNot;
  if (evidence.was_left) return evidence;
  evidence.is_fault = is_fault(replayed.outcome);
  evidence.machines = machines_of(replayed);
  if (question.judge && !evidence.is_fault) {
    evidence.was_left |= replayed.judgement.answer == check::Answer::kUnknown;
    if (replayed.judgement.answer != check::Answer::kViolated) return evidence;
    explain_history(question, replayed.calls, replayed.judgement.ends, end,
                    evidence);
  }
  return evidence;
}

Evidence evidence_of(const Question& question, const CallTrace& calls,
                     const std::vector<std::uint8_t>& ends) {
  Evidence evidence;
  evidence.program = question.number;
  evidence.program_lines = lines_of(*question.test, *question.program);
  explain_history(question, calls, ends, kAnyTime, evidence);
  return evidence;
}

}  // namespace plumb::harness
