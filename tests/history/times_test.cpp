// SPDX-License-Identifier: Apache-2.0
// When events happened.
#include "history/times.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace plumb::history {
namespace {

TEST(Times, AreTheFieldOfTheEvent) {
  EXPECT_EQ(time_in(R"({"process": 0, "time": 17, "f": "enq"})"), 17);
  EXPECT_EQ(time_in(R"({"f":"enq","time":-3})"), -3);
  EXPECT_EQ(time_in("{:process 0, :time 9000000000, :f :read}"), 9000000000);
  EXPECT_EQ(time_in("[{:time 5 :f :read}"), 5);
  EXPECT_EQ(time_in(R"({"f": "enq"})"), std::nullopt);
}

TEST(Times, AreNotTakenFromValues) {
  EXPECT_EQ(time_in(R"({"value": {"time": 1}, "time": 2})"), 2);
  EXPECT_EQ(time_in(R"({"value": "\"time\": 1", "time": 2})"), 2);
  EXPECT_EQ(time_in(R"({"value": "time", "f": 3})"), std::nullopt);
  EXPECT_EQ(time_in("{:value \":time 4\" :timer 5}"), std::nullopt);
}

TEST(Times, AreWholeNumbers) {
  EXPECT_EQ(time_in(R"({"time": 1.5})"), std::nullopt);
  EXPECT_EQ(time_in(R"({"time": "1"})"), std::nullopt);
  EXPECT_EQ(time_in(R"({"time": 99999999999999999999})"), std::nullopt);
}

// LIMIT of history/times.h.
TEST(Times, SeveralEventsOnALineHaveNone) {
  EXPECT_EQ(time_in(R"([{"time": 1}, {"time": 2}])"), std::nullopt);
  Budget budget;
  EXPECT_TRUE(read_times("-", 1, 5, budget).empty());
}

TEST(Times, OddLinesAreNoTrouble) {
  for (const char* line : {"", "{", "\"", "{\"time\"", "{\"time\":", "}}}{",
                           "{:time", "{\"a\\", "{\"time\": -}"}) {
    EXPECT_EQ(time_in(line), std::nullopt) << line;
  }
}

TEST(Times, AreReadFromTheLinesAskedFor) {
  const auto path =
      std::filesystem::path(::testing::TempDir()) / "plumb_times.jsonl";
  std::ofstream(path) << "{\"time\": 10}\n\n{\"time\": 30}\n{\"time\": 40}\n";
  Budget budget;
  const Times times = read_times(path.string(), 2, 3, budget);
  std::filesystem::remove(path);
  EXPECT_EQ(times, (Times{{3, 30}}));
}

}  // namespace
}  // namespace plumb::history
