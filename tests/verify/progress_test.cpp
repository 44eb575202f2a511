// SPDX-License-Identifier: Apache-2.0
#include "verify/progress.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <string>

#include "base/input_error.h"
#include "oracle/progress.h"
#include "support/counter_system.h"
#include "support/table_system.h"
#include "verify/journal.h"
#include "verify/outcome.h"

namespace plumb::verify {
namespace {

using check::Answer;
using testing::CounterSystem;
using testing::RandomTable;
using testing::TableSystem;

using enum Progress;
constexpr Progress kAll[] = {kDeadlockFree, kLockFree, kWaitFree,
                             kObstructionFree};
constexpr const char* kNames[] = {"deadlock_free", "lock_free", "wait_free",
                                  "obstruction_free"};

const char* name_of(Progress property) {
  return kNames[static_cast<std::size_t>(property)];
}

Outcome check(const lts::System& system, Progress property,
              const Options& options = {}) {
  Budget budget;
  return check_progress({system, nullptr, {}}, property, options, budget);
}

// Process 0 calls, then goes round two states for ever or returns.
TableSystem spinning() {
  TableSystem system(1, {"get"});
  system.invoke(0, 0, 0, {}, 1);
  system.internal(1, 0, 2);
  system.internal(2, 0, 1);
  system.returns(2, 0, 0, {}, 0);
  return system;
}

TEST(Progress, ACallThatReturnsAfterItsStepsHasAllProperties) {
  TableSystem system(1, {"get"});
  system.invoke(0, 0, 0, {}, 1);
  system.internal(1, 0, 2);
  system.returns(2, 0, 0, {}, 0);
  for (const Progress property : kAll) {
    const Outcome outcome = check(system, property);
    EXPECT_EQ(outcome.answer, Answer::kHolds) << name_of(property);
    EXPECT_EQ(outcome.statistics.states, 3u);
    EXPECT_EQ(outcome.statistics.transitions, 3u);
    EXPECT_FALSE(outcome.lasso);
  }
}

TEST(Progress, ACallThatMaySpinIsFreeOfDeadlockOnly) {
  const TableSystem system = spinning();
  EXPECT_EQ(check(system, kDeadlockFree).answer, Answer::kHolds);
  for (const Progress property : {kLockFree, kWaitFree, kObstructionFree}) {
    const Outcome outcome = check(system, property);
    ASSERT_EQ(outcome.answer, Answer::kViolated) << name_of(property);
    ASSERT_TRUE(outcome.lasso);
    EXPECT_EQ(outcome.lasso->back_to, 1u);
    EXPECT_EQ(outcome.lasso->path.size(), 3u);
    EXPECT_FALSE(outcome.lasso->waits);
    EXPECT_FALSE(outcome.path);
  }
  EXPECT_EQ(check(system, kWaitFree).reason,
            "process 0 may take steps for ever without returning");
}

TEST(Progress, AProcessThatWaitsBreaksAllButFreedomFromDeadlock) {
  // Process 0 takes the lock, process 1 waits until it is given back.
  TableSystem system(2, {"lock", "unlock"});
  system.invoke(0, 0, 0, {}, 1);
  system.invoke(1, 1, 0, {}, 2);
  system.wait(2, 1);
  system.returns(2, 0, 0, {}, 3);
  system.wait(3, 1);
  system.invoke(3, 0, 1, {}, 4);
  system.returns(4, 0, 1, {}, 5);
  system.wait(4, 1);
  system.returns(5, 1, 0, {}, 0);
  EXPECT_EQ(check(system, kDeadlockFree).answer, Answer::kHolds);
  for (const Progress property : {kLockFree, kWaitFree, kObstructionFree}) {
    const Outcome outcome = check(system, property);
    ASSERT_EQ(outcome.answer, Answer::kViolated) << name_of(property);
    EXPECT_EQ(outcome.reason, "process 1 may wait for ever");
    EXPECT_TRUE(outcome.lasso->waits);
    EXPECT_EQ(outcome.lasso->process, 1u);
    EXPECT_EQ(outcome.lasso->back_to, 2u);
    EXPECT_EQ(outcome.lasso->path.size(), 2u);
  }
}

TEST(Progress, TwoProcessesThatWaitForEachOtherAreDeadlocked) {
  TableSystem system(2, {"lock"});
  system.invoke(0, 0, 0, {}, 1);
  system.invoke(1, 1, 0, {}, 2);
  system.wait(2, 0);
  system.wait(2, 1);
  const Outcome outcome = check(system, kDeadlockFree);
  ASSERT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.reason, "calls are pending and no process can take a step");
  EXPECT_EQ(outcome.lasso->path.size(), 2u);
  EXPECT_TRUE(outcome.lasso->waits);
}

TEST(Progress, ASystemWhereAllCallsHaveReturnedIsNotDeadlocked) {
  TableSystem system(1, {"get"});
  system.invoke(0, 0, 0, {}, 1);
  system.returns(1, 0, 0, {}, 2);
  EXPECT_EQ(check(system, kDeadlockFree).answer, Answer::kHolds);
}

TEST(Progress, AStepThatABoundCutsOffIsNotADeadlock) {
  for (const bool by_user : {false, true}) {
    TableSystem system(1, {"get"});
    system.add_bound({"3 items", true, ""});
    system.add_bound({"4 cells", by_user, "raise 'cells'"});
    system.invoke(0, 0, 0, {}, 1);
    system.cut(1, 1);
    const Outcome outcome = check(system, kDeadlockFree);
    EXPECT_EQ(outcome.answer, by_user ? Answer::kHolds : Answer::kUnknown);
    EXPECT_EQ(outcome.bounds_met, std::vector<std::string>{"4 cells"});
    if (by_user) continue;
    EXPECT_EQ(outcome.reason, "the bound of 4 cells was reached");
    EXPECT_EQ(outcome.hint, "raise 'cells'");
  }
}

TEST(Progress, TheCasLoopIsLockFreeButNotWaitFree) {
  const CounterSystem system(2, 4);
  EXPECT_EQ(check(system, kDeadlockFree).answer, Answer::kHolds);
  EXPECT_EQ(check(system, kLockFree).answer, Answer::kHolds);
  EXPECT_EQ(check(system, kObstructionFree).answer, Answer::kHolds);
  const Outcome outcome = check(system, kWaitFree);
  ASSERT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.statistics.states, 969u);
  EXPECT_EQ(outcome.statistics.transitions, 2118u);
  EXPECT_TRUE(violates(*outcome.lasso, Progress::kWaitFree, system));
  EXPECT_FALSE(violates(*outcome.lasso, Progress::kLockFree, system));
}

TEST(Progress, TwoProcessesThatUndoEachOtherAreObstructionFreeOnly) {
  // Each undoes what the other did; alone, each returns.
  TableSystem system(2, {"get"});
  system.invoke(0, 0, 0, {}, 1);
  system.invoke(1, 1, 0, {}, 2);
  system.internal(2, 0, 3);
  system.internal(3, 1, 2);
  system.returns(1, 0, 0, {}, 0);
  system.returns(3, 0, 0, {}, 4);
  system.returns(4, 1, 0, {}, 0);
  system.returns(2, 1, 0, {}, 1);
  EXPECT_EQ(check(system, kObstructionFree).answer, Answer::kHolds);
  const Outcome outcome = check(system, kLockFree);
  ASSERT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.reason,
            "calls are pending, and steps may go on for ever without any "
            "return");
  EXPECT_EQ(outcome.lasso->back_to, 2u);
  EXPECT_EQ(outcome.lasso->path.size(), 4u);
}

TEST(Progress, AFaultIsAViolationOfEveryProperty) {
  TableSystem system(1, {"get"});
  system.invoke(0, 0, 0, {}, 1);
  system.fault(1, 0, 2, 1);
  for (const Progress property : kAll) {
    const Outcome outcome = check(system, property);
    ASSERT_EQ(outcome.answer, Answer::kViolated) << name_of(property);
    EXPECT_EQ(outcome.reason, "fault 2");
    ASSERT_TRUE(outcome.path);
    EXPECT_EQ(outcome.path->labels.back().kind, lts::LabelKind::kFault);
    EXPECT_FALSE(outcome.lasso);
  }
}

TEST(Progress, LimitsGiveUnknown) {
  const CounterSystem system(3, 4);
  Options options;
  options.state_limit = 500;
  for (const Progress property : {kDeadlockFree, kLockFree, kObstructionFree}) {
    const Outcome outcome = check(system, property, options);
    EXPECT_EQ(outcome.answer, Answer::kUnknown);
    EXPECT_EQ(outcome.reason,
              "the limit of 500 states was reached after 500 states");
    EXPECT_EQ(outcome.statistics.states, 500u);
    Budget late(Budget::Clock::now() - std::chrono::seconds(1), SIZE_MAX);
    const Outcome timed =
        check_progress({system, nullptr, {}}, property, {}, late);
    EXPECT_EQ(timed.answer, Answer::kUnknown);
    EXPECT_NE(timed.reason.find("the time limit"), std::string::npos);
    Budget small(Budget::Clock::time_point::max(), 1);
    EXPECT_EQ(check_progress({system, nullptr, {}}, property, {}, small).reason,
              "the memory limit of 0 MiB was reached after 1 state");
  }
  EXPECT_EQ(check(spinning(), kLockFree, options).answer, Answer::kViolated);
}

TEST(Progress, ALimitOnStatesStillShowsTheCycleThatLiesBeforeIt) {
  TableSystem system = spinning();
  for (std::size_t s = 3; s < 20; ++s) {
    system.internal(s - 1, 0, s);
  }
  Options options;
  options.state_limit = 5;
  const Outcome outcome = check(system, kLockFree, options);
  EXPECT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.lasso->path.size(), 3u);
}

TEST(Progress, SeveralThreadsSeeTheSameGraph) {
  const CounterSystem system(4, 4);
  Options options;
  options.threads = 3;
  const Outcome lock_free = check(system, kLockFree, options);
  EXPECT_EQ(lock_free.answer, Answer::kHolds);
  EXPECT_EQ(lock_free.statistics.states, 439'485u);
  EXPECT_EQ(lock_free.statistics.transitions, 1'874'580u);
  const Outcome wait_free = check(system, kWaitFree, options);
  ASSERT_EQ(wait_free.answer, Answer::kViolated);
  EXPECT_EQ(wait_free.lasso->back_to,
            check(CounterSystem(2, 4), kWaitFree).lasso->back_to);
}

TEST(Progress, OnlyFreedomFromDeadlockNeedsNoMoreThanFingerprints) {
  const CounterSystem system(2, 4);
  for (const auto store :
       {Options::Store::kCompact, Options::Store::kBitstate}) {
    Options options;
    options.store = store;
    options.table_bytes = 1 << 20;
    const Outcome outcome = check(system, kDeadlockFree, options);
    EXPECT_EQ(outcome.answer, Answer::kUnknown);
    EXPECT_NE(outcome.reason.find("overlooked"), std::string::npos);
    TableSystem stuck(2, {"lock"});
    stuck.invoke(0, 0, 0, {}, 1);
    stuck.wait(1, 0);
    EXPECT_EQ(check(stuck, kDeadlockFree, options).answer, Answer::kViolated);
    for (const Progress property : {kLockFree, kWaitFree, kObstructionFree}) {
      EXPECT_THROW(check(system, property, options), InputError);
    }
  }
}

TEST(Progress, ACheckThatStoppedAtALimitIsResumed) {
  const CounterSystem system(3, 4);
  const std::string file =
      ::testing::TempDir() + "plumb_progress_" + std::to_string(getpid());
  for (const Progress property : kAll) {
    std::filesystem::remove(file);
    const Outcome whole = check(system, property);
    Options options;
    for (const std::uint64_t limit : {500u, 9000u, 0u}) {
      Journal journal({.save_to = file,
                       .resume_from = std::filesystem::exists(file) ? file : "",
                       .seconds = 1e9,
                       .identity = "progress"});
      options.journal = &journal;
      options.state_limit = limit;
      const Outcome outcome = check(system, property, options);
      if (limit != 0) {
        EXPECT_EQ(outcome.statistics.states, limit);
        continue;
      }
      EXPECT_EQ(outcome.answer, whole.answer) << static_cast<int>(property);
      EXPECT_EQ(outcome.statistics.states, whole.statistics.states);
      EXPECT_EQ(outcome.statistics.transitions, whole.statistics.transitions);
      ASSERT_EQ(outcome.lasso.has_value(), whole.lasso.has_value());
      if (whole.lasso) {
        EXPECT_EQ(outcome.lasso->back_to, whole.lasso->back_to);
        EXPECT_EQ(outcome.lasso->path.size(), whole.lasso->path.size());
      }
    }
  }
  std::filesystem::remove(file);
}

// What an outcome claims must be so; the shortest way in is asked for where
// it is promised.
void expect_agreement(const TableSystem& system, Progress property,
                      const Outcome& outcome, bool cut_by_user) {
  const auto fault = oracle::nearest_fault(system);
  const auto bad = oracle::nearest_violation(system, property);
  if (fault || bad) {
    ASSERT_EQ(outcome.answer, Answer::kViolated);
  } else if (oracle::is_cut(system, 0) && !cut_by_user) {
    ASSERT_EQ(outcome.answer, Answer::kUnknown);
  } else {
    ASSERT_EQ(outcome.answer, Answer::kHolds);
    ASSERT_EQ(outcome.bounds_met.size(), oracle::is_cut(system, 0) ? 1u : 0u);
  }
  if (outcome.answer != Answer::kViolated) return;
  ASSERT_NE(outcome.lasso.has_value(), outcome.path.has_value());
  if (outcome.path) {
    ASSERT_TRUE(fault);
    EXPECT_EQ(outcome.path->size(), *fault);
    EXPECT_TRUE(lts::is_run_of(*outcome.path, system));
  } else {
    ASSERT_TRUE(bad);
    EXPECT_TRUE(violates(*outcome.lasso, property, system));
    const bool is_cycle = !outcome.lasso->waits;
    if (is_cycle && !fault) {
      EXPECT_EQ(outcome.lasso->back_to, *bad);
    }
  }
}

TEST(Progress, AgreesWithTheDefinitionsOnRandomSystems) {
  std::mt19937 random(77);
  int answers[4][3] = {};
  for (std::size_t round = 0; round < 1500; ++round) {
    RandomTable wanted;
    wanted.processes = 1 + round % 3;
    wanted.operations = 1 + round % 2;
    wanted.states = 3 + random() % 8;
    wanted.transitions = wanted.states * (1 + random() % 4);
    wanted.faults = round % 5 == 0 ? 0.1 : 0;
    wanted.waits = round % 3 == 0 ? 0.3 : 0;
    wanted.cuts = round % 4 == 0 ? 0.2 : 0;
    wanted.cut_by_user = round % 8 == 0;
    const TableSystem system = random_table_system(wanted, random);
    for (int i = 0; i < 4; ++i) {
      const auto property = static_cast<Progress>(i);
      Options options;
      options.threads = 1 + round % 2 * 2;
      const Outcome outcome = check(system, kAll[i], options);
      ++answers[i][static_cast<int>(outcome.answer)];
      ASSERT_NO_FATAL_FAILURE(
          expect_agreement(system, property, outcome, wanted.cut_by_user))
          << "round " << round << ", " << kNames[i];
    }
  }
  for (const auto& of_property : answers) {
    EXPECT_GT(of_property[0], 100) << "holds";
    EXPECT_GT(of_property[1], 100) << "violated";
    EXPECT_GT(of_property[2], 10) << "unknown";
  }
}

TEST(Progress, LassosThatClaimTooMuchAreRefused) {
  const TableSystem system = spinning();
  const lts::Lasso right = *check(system, kLockFree).lasso;
  ASSERT_TRUE(violates(right, Progress::kLockFree, system));
  EXPECT_FALSE(violates(right, Progress::kDeadlockFree, system));
  lts::Lasso wrong = right;
  wrong.back_to = 0;
  EXPECT_FALSE(violates(wrong, Progress::kLockFree, system)) << "not closed";
  wrong = right;
  wrong.back_to = right.path.size();
  wrong.waits = true;
  EXPECT_FALSE(violates(wrong, Progress::kLockFree, system)) << "no waiting";
  wrong = right;
  wrong.process = 1;
  EXPECT_FALSE(violates(wrong, Progress::kWaitFree, system)) << "who?";
  wrong = right;
  wrong.path.states.back() = wrong.path.states.front();
  EXPECT_FALSE(violates(wrong, Progress::kLockFree, system)) << "no run";
  wrong = right;
  wrong.path.labels.back().edge = 99;
  EXPECT_FALSE(violates(wrong, Progress::kLockFree, system)) << "no such step";
  wrong = right;
  wrong.path.labels.pop_back();
  wrong.path.states.pop_back();
  EXPECT_FALSE(violates(wrong, Progress::kLockFree, system)) << "no cycle";
}

TEST(Progress, ALassoWithoutACycleMustSayThatSomebodyWaits) {
  TableSystem system(1, {"get"});
  system.invoke(0, 0, 0, {}, 1);
  system.wait(1, 0);
  lts::Lasso lasso = *check(system, kLockFree).lasso;
  EXPECT_TRUE(violates(lasso, Progress::kLockFree, system));
  lasso.waits = false;
  EXPECT_FALSE(violates(lasso, Progress::kLockFree, system));
}

}  // namespace
}  // namespace plumb::verify
