// SPDX-License-Identifier: Apache-2.0
// Are the outcomes that optimal DPOR finds all outcomes?  Runs random programs
// of calls that synchronise under it and under every schedule there is.
//
// Usage: PROGRAM [COUNT [FIRST_SEED]].  A library, as libplumbline.so is one:
// the data of the executable must be the code under test's alone.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "random_program.h"
#include "runtime/early_memory.h"
#include "runtime/execution.h"
#include "sched/dpor.h"

namespace {

using namespace plumb;

RandomProgram program;
void (*body)() = nullptr;
const char* (*results)() = nullptr;

// Every schedule, one after another.
class Naive final : public sched::Scheduler {
 public:
  bool start_run() override {
    depth_ = 0;
    if (!started_) return started_ = true;
    while (!levels_.empty() && levels_.back().left == 0) levels_.pop_back();
    if (levels_.empty()) return false;
    take_next(levels_.back());
    return true;
  }
  sched::ThreadId pick(const sched::Situation& situation) override {
    return static_cast<sched::ThreadId>(next(situation.enabled));
  }
  std::uint32_t choose(sched::ThreadId, std::uint32_t bound) override {
    return next((1u << bound) - 1);
  }
  void saw(const sched::Event&) override {}
  void end_run(sched::RunEnd, sched::ThreadMask, const sched::Event*) override {
  }

 private:
  struct Level {
    std::uint32_t left;
    std::uint32_t now;
  };
  static void take_next(Level& level) {
    level.now = static_cast<std::uint32_t>(__builtin_ctz(level.left));
    level.left &= level.left - 1;
  }
  std::uint32_t next(std::uint32_t all) {
    if (depth_ == levels_.size()) {
      levels_.push_back({all, 0});
      take_next(levels_.back());
    }
    return levels_[depth_++].now;
  }

  std::vector<Level> levels_;
  std::size_t depth_ = 0;
  bool started_ = false;
};

using Outcomes = std::set<std::string>;

// Returns false if there were too many executions.
bool explore_to_end(sched::Scheduler& scheduler, long limit,
                    Outcomes& outcomes) {
  runtime::Settings settings;
  settings.find_leaks = false;
  while (scheduler.start_run()) {
    if (limit-- == 0) return false;
    const runtime::Outcome outcome = runtime::run(
        scheduler, settings,
        [](void*) -> void* {
          body();
          return nullptr;
        },
        nullptr);
    if (outcome.end == sched::RunEnd::kAbandoned) continue;
    std::string text = results();
    if (outcome.end == sched::RunEnd::kStuck) text += " and waits for ever";
    if (outcome.finding.fault != runtime::Fault::kNone) {
      text += outcome.finding.text;
    }
    outcomes.insert(text);
  }
  return true;
}

bool explore(sched::Scheduler& scheduler, long limit, Outcomes& outcomes) {
  if (!runtime::prepare()) std::abort();
  const bool ended = explore_to_end(scheduler, limit, outcomes);
  runtime::finish();
  return ended;
}

// Calls that have to do with each other.
const std::vector<std::vector<Call>> kFamilies = {
    {Call::kLock, Call::kUnlock, Call::kTryLock, Call::kTimedLock, Call::kWait,
     Call::kTimedWait, Call::kSignal, Call::kBroadcast, Call::kUnlockAndSignal},
    {Call::kLock, Call::kUnlock, Call::kWait, Call::kTimedWait, Call::kSignal,
     Call::kBroadcast},
    {Call::kReadLock, Call::kWriteLock, Call::kSharedUnlock, Call::kTryReadLock,
     Call::kTryWriteLock},
    {Call::kDown, Call::kUp, Call::kTryDown, Call::kTimedDown, Call::kValue},
    {Call::kBarrier, Call::kLock, Call::kUnlock},
    {Call::kFutexWait, Call::kFutexTimedWait, Call::kFutexWakeOne,
     Call::kFutexWakeAll, Call::kStore, Call::kLoad},
    {Call::kFutexWait, Call::kFutexWakeOne, Call::kFutexWakeAll},
    {Call::kLock, Call::kUnlock, Call::kTryLock, Call::kDown, Call::kUp,
     Call::kSignal, Call::kWait},
};

RandomProgram make_program(unsigned seed) {
  std::mt19937 random(seed);
  const std::vector<Call>& family = kFamilies[seed % kFamilies.size()];
  RandomProgram made;
  made.threads = 2 + static_cast<int>(random() % 2);
  for (int t = 0; t < made.threads; ++t) {
    made.counts[t] =
        1 + static_cast<int>(random() % (made.threads == 2 ? 5 : 3));
    for (int i = 0; i < made.counts[t]; ++i) {
      made.calls[t][i] = family[random() % family.size()];
    }
  }
  return made;
}

void print_lacking(const char* who, const Outcomes& all, const Outcomes& some) {
  for (const std::string& outcome : all) {
    if (!some.contains(outcome)) {
      std::printf("  %s lacks %s\n", who, outcome.c_str());
    }
  }
}

// Returns false if the two differ.
bool compare(unsigned seed, long& compared) {
  program = make_program(seed);
  Outcomes all, some;
  Naive naive;
  sched::Dpor dpor;
  const bool ended =
      explore(naive, 100'000, all) && explore(dpor, 100'000, some);
  if (!ended) return true;
  ++compared;
  if (all == some) return true;
  std::printf("seed %u: %zu outcomes, DPOR finds %zu\n", seed, all.size(),
              some.size());
  print_lacking("DPOR", all, some);
  print_lacking("the naive search", some, all);
  return false;
}

}  // namespace

extern "C" {

const RandomProgram* given_program() {
  return &program;
}

void give_body(void (*run)(), const char* (*tell)()) {
  body = run;
  results = tell;
}

int main(int argc, char** argv) {
  // What the searches below allocate is ours, not the program's.
  runtime::close_early_memory();
  const long count = argc > 1 ? std::atol(argv[1]) : 200;
  const long first = argc > 2 ? std::atol(argv[2]) : 1;
  long compared = 0, different = 0;
  for (long seed = first; seed < first + count; ++seed) {
    if (!compare(static_cast<unsigned>(seed), compared)) ++different;
  }
  std::printf("%ld programs compared, %ld differ\n", compared, different);
  return different != 0 || compared < count / 2;
}

}  // extern "C"
