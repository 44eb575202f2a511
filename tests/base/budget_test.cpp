// SPDX-License-Identifier: Apache-2.0
#include "base/budget.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/time_limit.h"

namespace plumb {
namespace {

std::uint64_t steps_until_spent(Budget& budget, std::uint64_t most) {
  for (std::uint64_t i = 0; i < most; ++i) {
    if (budget.spent()) return i;
  }
  return most;
}

TEST(Budget, WithoutLimitsIsNeverSpent) {
  Budget budget;
  EXPECT_EQ(steps_until_spent(budget, 100'000), 100'000u);
  EXPECT_EQ(budget.limit(), Limit::kNone);
}

TEST(Budget, EndsAfterItsSteps) {
  Budget budget = Budget().with_steps(5000);
  EXPECT_EQ(steps_until_spent(budget, 100'000), 5000u);
  EXPECT_EQ(budget.limit(), Limit::kSteps);
  EXPECT_TRUE(budget.spent()) << "and stays spent";
}

TEST(Budget, APartIsNeverLargerThanTheWhole) {
  Budget part = Budget().with_steps(10).with_steps(1000);
  EXPECT_EQ(steps_until_spent(part, 100), 10u);
}

TEST(Budget, EndsAtItsDeadline) {
  Budget budget(Budget::Clock::now(), SIZE_MAX);
  EXPECT_TRUE(budget.spent());
  EXPECT_EQ(budget.limit(), Limit::kTime);
}

TEST(Budget, EndsWhenTheProcessIsTooLarge) {
  Budget budget(Budget::Clock::time_point::max(), 1);
  EXPECT_TRUE(budget.spent());
  EXPECT_EQ(budget.limit(), Limit::kMemory);
  EXPECT_EQ(budget.describe_limit(), "the memory limit of 0 MiB was reached");
}

TEST(Budget, EndsOnAnInterrupt) {
  Budget budget;
  Budget::interrupted = true;
  EXPECT_TRUE(budget.spent());
  Budget::interrupted = false;
  EXPECT_EQ(budget.limit(), Limit::kInterrupt);
}

TEST(Budget, MayBeDeaf) {
  Budget budget = Budget::deaf();
  Budget::interrupted = true;
  EXPECT_EQ(steps_until_spent(budget, 10'000), 10'000u);
  Budget::interrupted = false;
  EXPECT_EQ(budget.limit(), Limit::kNone);
}

TEST(ResidentMemory, IsPlausible) {
  EXPECT_GT(resident_bytes(), std::size_t{1} << 20);
  EXPECT_GE(peak_resident_bytes() + (std::size_t{1} << 20), resident_bytes());
}

// In processes of their own, because the limit is that of a whole run.
void describe_after_noting(Budget::Clock::duration whole,
                           Budget::Clock::duration own) {
  const auto now = Budget::Clock::now();
  note_time_limit(5, now + whole);
  note_time_limit(7, now + whole + std::chrono::hours(1));
  Budget budget(now + own, SIZE_MAX);
  while (!budget.spent_now()) {
  }
  std::fputs(budget.describe_limit().c_str(), stderr);
  std::exit(0);
}

TEST(BudgetDeathTest, AShareIsNoLimit) {
  using std::chrono::milliseconds;
  EXPECT_EXIT(describe_after_noting(milliseconds(0), milliseconds(0)),
              ::testing::ExitedWithCode(0),
              "the time limit of 5 s was reached");
  EXPECT_EXIT(
      describe_after_noting(milliseconds(5000), milliseconds(20)),
      ::testing::ExitedWithCode(0),
      "its share of the time limit of 5 s, 0.0[12][0-9]* s, was used up");
}

}  // namespace
}  // namespace plumb
