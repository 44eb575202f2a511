// SPDX-License-Identifier: Apache-2.0
// A count over time.
#include "base/samples.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/budget.h"
#include "base/threads.h"

namespace plumb {
namespace {

using std::chrono::milliseconds;

TEST(Samples, BeginWithNothingAndEndWithTheLast) {
  const Samples samples;
  const auto points = samples.until({2.5, 7});
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].count, 0u);
  EXPECT_EQ(points[1].seconds, 2.5);
  EXPECT_EQ(points[1].count, 7u);
}

TEST(Samples, AreFewHoweverLongItTakes) {
  Samples samples;
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t count = 0;
  while (std::chrono::steady_clock::now() - start < milliseconds(500)) {
    samples.add(1);
    ++count;
  }
  const auto points = samples.until({0.5, count});
  EXPECT_LE(points.size(), Samples::kMost);
  EXPECT_GE(points.size(), 10u);
  for (std::size_t i = 1; i < points.size(); ++i) {
    EXPECT_LE(points[i - 1].seconds, points[i].seconds);
    EXPECT_LE(points[i - 1].count, points[i].count);
  }
  EXPECT_EQ(points.back().count, count);
}

TEST(Samples, CountTheStepsOfBudgets) {
  Samples samples;
  {
    const Samples::Counting counting(samples);
    Budget budget;
    std::this_thread::sleep_for(milliseconds(5));
    for (int i = 0; i < 10'000; ++i) budget.spent();
  }
  Budget other;
  for (int i = 0; i < 100'000; ++i) other.spent();
  const auto points = samples.until({1, 0});
  EXPECT_GT(points.back().count, 0u);
  EXPECT_LE(points.back().count, 10'000u) << "counts what is over";
}

TEST(Samples, ThreadsCountForTheOneThatStartedThem) {
  Samples samples;
  const Samples::Counting counting(samples);
  std::vector<std::jthread> threads;
  Samples* seen = nullptr;
  start_thread(threads, [&] { seen = Samples::of_this_thread(); });
  threads.clear();
  EXPECT_EQ(seen, &samples);
}

}  // namespace
}  // namespace plumb
