// SPDX-License-Identifier: Apache-2.0
#include "harness/workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "base/input_error.h"
#include "runtime/early_memory.h"

namespace plumb::harness {
namespace {

using check::Answer;
using ::testing::HasSubstr;
using ::testing::SizeIs;

ProgramOutcome holds(std::size_t program) {
  ProgramOutcome outcome;
  outcome.answer = Answer::kHolds;
  outcome.exhaustive = true;
  outcome.statistics.executions = program + 1;
  outcome.histories = 2 * program;
  outcome.heaps = 5;
  return outcome;
}

ProgramOutcome violated(std::size_t program) {
  ProgramOutcome outcome = holds(program);
  outcome.answer = Answer::kViolated;
  outcome.finding.fault = runtime::Fault::kRace;
  outcome.schedule =
      parse_schedule(std::to_string(program + 1) + ":fifo:1x2,c3,2");
  return outcome;
}

// What comes out with one process, and with several.
class Workers : public ::testing::TestWithParam<unsigned> {
 protected:
  // What is mapped from now on is ours, not a static object's.
  void SetUp() override { runtime::close_early_memory(); }
  std::vector<ProgramOutcome> run(
      std::size_t programs,
      const std::function<ProgramOutcome(std::size_t)>& explore,
      bool stop = true) {
    Budget budget;
    return explore_programs({programs, GetParam(), stop}, explore, budget);
  }
};

TEST_P(Workers, GiveOutcomesInTheOrderOfPrograms) {
  const auto outcomes = run(40, holds);
  ASSERT_THAT(outcomes, SizeIs(40));
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i].statistics.executions, i + 1);
    EXPECT_EQ(outcomes[i].histories, 2 * i);
    EXPECT_EQ(outcomes[i].heaps, 5u);
    EXPECT_TRUE(outcomes[i].exhaustive);
  }
}

TEST_P(Workers, EndWithTheFirstViolationWhoeverIsQuicker) {
  const auto outcomes = run(20, [](std::size_t i) {
    if (i == 4) usleep(50'000);  // programs behind it are violated sooner
    return i >= 4 ? violated(i) : holds(i);
  });
  ASSERT_THAT(outcomes, SizeIs(5));
  EXPECT_EQ(outcomes[4].answer, Answer::kViolated);
  EXPECT_EQ(outcomes[4].finding.fault, runtime::Fault::kRace);
  ASSERT_TRUE(outcomes[4].schedule.has_value());
  EXPECT_EQ(to_string(*outcomes[4].schedule), "5:fifo:1x2,c3,2");
}

TEST_P(Workers, GoOnAfterAViolationIfAskedTo) {
  EXPECT_THAT(run(10, violated, false), SizeIs(10));
}

TEST_P(Workers, PassOnWhatIsWrongWithATest) {
  try {
    run(10, [](std::size_t i) -> ProgramOutcome {
      if (i == 3) throw InputError("no such operation");
      return holds(i);
    });
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no such operation"));
  }
}

INSTANTIATE_TEST_SUITE_P(One, Workers, ::testing::Values(1u));
INSTANTIATE_TEST_SUITE_P(Several, Workers, ::testing::Values(2u, 5u));

TEST(WorkersThatDie, LeaveAnUnknownOutcome) {
  runtime::close_early_memory();
  Budget budget;
  const auto outcomes = explore_programs(
      {6, 2, true},
      [](std::size_t i) {
        if (i == 1) raise(SIGKILL);
        return holds(i);
      },
      budget);
  ASSERT_THAT(outcomes, SizeIs(6));
  EXPECT_EQ(outcomes[1].answer, Answer::kUnknown);
  EXPECT_THAT(outcomes[1].reason, HasSubstr("signal 9"));
  EXPECT_EQ(outcomes[5].answer, Answer::kHolds);
}

TEST(WorkersWithoutTime, LeaveProgramsOut) {
  Budget budget(Budget::Clock::now(), SIZE_MAX);
  EXPECT_THAT(explore_programs({6, 3, true}, holds, budget), SizeIs(0));
  EXPECT_NE(budget.limit(), Limit::kNone) << "so that the reason is known";
}

}  // namespace
}  // namespace plumb::harness
