// SPDX-License-Identifier: Apache-2.0
#include "base/time_shares.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace plumb {
namespace {

using Clock = TimeShares::Clock;
using Jobs = std::vector<std::size_t>;

constexpr std::chrono::hours kLong{10};

TEST(TimeShares, WithoutALimitThereIsOneRound) {
  TimeShares time(Clock::time_point::max(), 3, 2);
  EXPECT_EQ(time.jobs(), (Jobs{0, 1, 2}));
  EXPECT_EQ(time.begin(), Clock::time_point::max());
  time.ran_out(0);
  EXPECT_FALSE(time.next_round());
}

TEST(TimeShares, OneJobHasAllTheTime) {
  const auto deadline = Clock::now() + kLong;
  EXPECT_EQ(TimeShares(deadline, 1, 2).begin(), deadline);
  EXPECT_EQ(TimeShares(deadline, 5, 0).begin(), deadline) << "not shared";
}

TEST(TimeShares, WhoRanOutHasWhatTheOthersLeft) {
  const auto deadline = Clock::now() + kLong;
  TimeShares time(deadline, 4, 1);
  for (int i = 0; i < 4; ++i) {
    const auto end = time.begin();
    EXPECT_LE(end, Clock::now() + kLong / 10);
  }
  time.ran_out(2);
  ASSERT_TRUE(time.next_round());
  EXPECT_EQ(time.jobs(), (Jobs{2}));
  EXPECT_EQ(time.begin(), deadline);
  time.ran_out(2);
  EXPECT_FALSE(time.next_round()) << "it had all there was";
}

TEST(TimeShares, SeveralHaveEqualParts) {
  TimeShares time(Clock::now() + kLong, 4, 2);
  for (const std::size_t job : {3u, 0u, 1u, 2u}) {
    time.begin();
    time.ran_out(job);
  }
  ASSERT_TRUE(time.next_round());
  EXPECT_EQ(time.jobs(), (Jobs{0, 1, 2, 3}));
  const auto share = time.begin() - Clock::now();
  EXPECT_GT(share, kLong * 2 / 5) << "two at a time";
  EXPECT_LT(share, kLong * 3 / 5);
}

}  // namespace
}  // namespace plumb
