// SPDX-License-Identifier: Apache-2.0
#include "harness/audited_runs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/audit.h"
#include "harness/explore.h"
#include "runtime/announcers.h"
#include "runtime/audit.h"
#include "runtime/audit_log.h"
#include "runtime/code_visits.h"
#include "runtime/library_calls.h"
#include "runtime/loops.h"
#include "runtime/patience.h"

namespace plumb::harness {

namespace {

// So much is audited of each program; a fault takes some 10 us.
constexpr int kAuditedRuns = 4;
constexpr std::uint64_t kAuditedFaults = 10'000;
constexpr std::uint64_t kAuditedFaultsOfOne = 30'000;
constexpr std::uint32_t kAuditedSteps = 2'000;

struct WatchOwn {
  WatchOwn() { runtime::audit_watch_own(true); }
  ~WatchOwn() { runtime::audit_watch_own(false); }
};

}  // namespace

bool AuditWalk::start_run() {
  most_faults_ = runtime::audit::faults() + kAuditedFaultsOfOne;
  return RandomWalk::start_run();
}

sched::ThreadId AuditWalk::pick(const sched::Situation& situation) {
  if (runtime::audit::faults() >= most_faults_) return sched::kNoThread;
  return RandomWalk::pick(situation);
}

runtime::Outcome audit_program(runtime::Settings settings, ProgramRun& run,
                               AuditWalk& walk) {
  runtime::forget_unseen();
  runtime::watch_visits();
  runtime::forget_library_calls();
  settings.audit = true;
  settings.steps = std::min(settings.steps, kAuditedSteps);
  settings.find_leaks = false;
  const std::uint64_t start = runtime::audit::faults();
  const WatchOwn watch;
  for (int i = 0; i < kAuditedRuns; ++i) {
    walk.start_run();
    const runtime::Outcome outcome =
        runtime::run(walk, settings, ProgramRun::main, &run);
    if (outcome.end == sched::RunEnd::kFailed && is_of_audit(outcome.finding)) {
      return outcome;
    }
    if (runtime::audit::faults() - start > kAuditedFaults ||
        runtime::left != runtime::Left::kNot) {
      break;
    }
    if (runtime::spoilt_at != 0) return outcome;
  }
  return {};
}

bool audit_again(const sched::Trace& trace, runtime::Settings settings,
                 ProgramRun& run) {
  std::vector<sched::Recorded::Step> steps;
  for (const sched::Event& event : trace.events()) {
    steps.push_back({event.thread, sched::is_choice(event), event.choice});
  }
  const std::uint32_t known = runtime::announcer_count();
  settings.audit = true;
  settings.find_leaks = false;
  // A loop that was cut short would go on for ever.
  settings.steps = static_cast<std::uint32_t>(steps.size()) + 1;
  runtime::watch_stretches();
  sched::Replay again(std::move(steps));
  again.start_run();
  runtime::LoopGuard* const guard = std::exchange(runtime::loop_guard, nullptr);
  runtime::run(again, settings, ProgramRun::main, &run);
  runtime::loop_guard = guard;
  runtime::judge_unseen();
  runtime::watch_stretches();
  return runtime::announcer_count() != known;
}

void look_for_unseen(const Question& question) {
  runtime::left = runtime::Left::kNot;
  ProgramRun run(*question.test, *question.program);
  AuditWalk walk(1);
  audit_program(runtime_settings(question), run, walk);
  runtime::stop_watching_visits();
}

}  // namespace plumb::harness
