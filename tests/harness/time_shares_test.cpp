// SPDX-License-Identifier: Apache-2.0
#include "harness/time_shares.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace plumb::harness {
namespace {

using Clock = Budget::Clock;
using std::chrono::milliseconds;

constexpr const char* kLate = "time is over";

// Takes all the time that it is given, and did not come to its end.
ProgramOutcome take_all(const Share& share) {
  std::this_thread::sleep_until(share.end);
  ProgramOutcome outcome;
  outcome.reason = kLate;
  outcome.statistics.executions = 1;
  return outcome;
}

ProgramOutcome hold() {
  ProgramOutcome outcome;
  outcome.answer = check::Answer::kHolds;
  outcome.exhaustive = true;
  outcome.statistics.executions = 1;
  return outcome;
}

TEST(TimeShares, LeaveTimeForThoseBehindAHeavyOne) {
  Budget budget;
  const auto outcomes = explore_in_shares(
      {.programs = 4}, Clock::now() + milliseconds(200), kLate,
      [](std::size_t i, const Share& share) {
        EXPECT_GT(share.end, Clock::now());
        return i == 0 ? take_all(share) : hold();
      },
      budget);
  ASSERT_EQ(outcomes.size(), 4u);
  EXPECT_EQ(outcomes[0].answer, check::Answer::kUnknown);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(outcomes[i].answer, check::Answer::kHolds);
  }
  EXPECT_GE(outcomes[0].statistics.executions, 2u) << "it was begun anew";
}

TEST(TimeShares, EndWithTheTime) {
  Budget budget;
  const auto end = Clock::now() + milliseconds(100);
  const auto outcomes = explore_in_shares(
      {.programs = 3}, end, kLate,
      [](std::size_t, const Share& share) { return take_all(share); }, budget);
  EXPECT_EQ(outcomes.size(), 3u);
  EXPECT_GE(Clock::now(), end - milliseconds(2));
}

TEST(TimeShares, BeginNothingAnewThatIsDecided) {
  Budget budget;
  std::vector<int> times(3);
  explore_in_shares(
      {.programs = 3}, Clock::now() + milliseconds(60), kLate,
      [&](std::size_t i, const Share& share) {
        ++times[i];
        return i == 1 ? take_all(share) : hold();
      },
      budget);
  EXPECT_EQ(times[0], 1);
  EXPECT_EQ(times[2], 1);
}

TEST(TimeShares, StopAtAViolation) {
  Budget budget;
  const auto outcomes = explore_in_shares(
      {.programs = 3}, Clock::now() + milliseconds(50), kLate,
      [](std::size_t i, const Share&) {
        ProgramOutcome outcome = hold();
        if (i == 1) outcome.answer = check::Answer::kViolated;
        return outcome;
      },
      budget);
  EXPECT_EQ(outcomes.size(), 2u);
}

}  // namespace
}  // namespace plumb::harness
