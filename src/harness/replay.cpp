// SPDX-License-Identifier: Apache-2.0
#include "harness/replay.h"

#include "harness/stuck.h"
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
    const sched::ExecutionGraph& graph = search->graph();
    replayed.allowed_by = graph.is_sc()    ? sched::MemoryModel::kSc
                          : graph.is_tso() ? sched::MemoryModel::kTso
                                           : sched::MemoryModel::kRc11;
    replayed.graph = search;
  } else {
    repeat(sched::Replay(steps_to_do(schedule.steps)));
  }
  run.fill(replayed.calls, nullptr);
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
