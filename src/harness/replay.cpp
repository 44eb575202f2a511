// SPDX-License-Identifier: Apache-2.0
#include "harness/replay.h"

#include "harness/graph_order.h"
#include "harness/stuck.h"
#include "harness/unordered_calls.h"
#include "sched/random.h"

namespace plumb::harness {

using check::Answer;
using runtime::Fault;
using sched::RunEnd;

Answer judge_stuck(const Question& question, const ProgramRun& run,
                   const sched::Trace* trace, CallTrace& calls,
                   Budget& budget) {
  if (!question.stuck) return Answer::kViolated;
  run.fill(calls, trace);
  return question.stuck->judge(calls, budget);
}

namespace {

// By the strongest model that allows the graph, and a history of it that is
// not explained or calls that wait for ever, if that is what is wrong.
void judge_replayed_graph(const Question& question, const ProgramRun& run,
                          const sched::GraphReplay& search, Budget& budget,
                          Replayed& replayed) {
  const bool is_stuck = replayed.outcome.end == RunEnd::kStuck;
  const bool is_judged =
      question.judge && replayed.outcome.end == RunEnd::kComplete;
  CallTrace calls;
  for (const auto model : {sched::MemoryModel::kSc, sched::MemoryModel::kTso,
                           sched::MemoryModel::kRc11}) {
    if (!search.graph().is_consistent(model)) continue;
    replayed.allowed_by = model;
    run.fill(calls, nullptr);
    if (is_stuck) {
      replayed.is_deadlock =
          !question.stuck ||
          (order_by_graph(run, search, model, calls) &&
           question.stuck->judge(calls, budget) == Answer::kViolated);
      if (replayed.is_deadlock) return;
    } else if (is_judged) {
      const Judgement found =
          judge_graph(run, search, model, calls, *question.judge, budget);
      replayed.judgement = found;
      // Where threads disagree, there may be no such history.
      if (found.answer != Answer::kViolated) continue;
      const Judgement& told =
          question.judge->judge_history(calls, found.ends, budget);
      if (told.answer == Answer::kViolated) return;
      run.fill(calls, nullptr);
      replayed.judgement = question.judge->judge(calls, budget);
      return;
    } else {
      return;
    }
  }
}

}  // namespace

Replayed replay(const Question& question, const Schedule& schedule,
                Budget& budget) {
  ProgramRun run(*question.test, *question.program);
  Replayed replayed;
  runtime::Settings settings = runtime_settings(question);
  settings.audit = schedule.audited;
  const auto repeat = [&](auto&& search) {
    search.start_run();
    replayed.outcome = runtime::run(search, settings, ProgramRun::main, &run);
    replayed.diverged = search.strayed();
    replayed.goes_in_circles =
        replayed.outcome.finding.fault == Fault::kStepLimit &&
        search.goes_in_circles();
  };
  if (schedule.memory) {
    const auto search =
        std::make_shared<sched::GraphReplay>(steps_to_do(schedule.steps));
    repeat(*search);
    judge_replayed_graph(question, run, *search, budget, replayed);
    replayed.graph = search;
  } else {
    repeat(sched::Replay(steps_to_do(schedule.steps)));
  }
  run.fill(replayed.calls, nullptr);
  if (replayed.graph) return replayed;
  if (replayed.outcome.end == RunEnd::kStuck) {
    CallTrace calls;
    replayed.is_deadlock =
        judge_stuck(question, run, nullptr, calls, budget) == Answer::kViolated;
  }
  if (question.judge && replayed.outcome.end == RunEnd::kComplete) {
    replayed.judgement = question.judge->judge(replayed.calls, budget);
  }
  return replayed;
}

}  // namespace plumb::harness
