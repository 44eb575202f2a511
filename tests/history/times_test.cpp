// SPDX-License-Identifier: Apache-2.0
// When events happened.
#include "history/times.h"

#include <gtest/gtest.h>

#include <string>

#include "history/read.h"
#include "spec/catalogue.h"

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
}

TEST(Times, OddLinesAreNoTrouble) {
  for (const char* line : {"", "{", "\"", "{\"time\"", "{\"time\":", "}}}{",
                           "{:time", "{\"a\\", "{\"time\": -}"}) {
    EXPECT_EQ(time_in(line), std::nullopt) << line;
  }
}

// Also of what cannot be read twice.
TEST(Times, AreNotedWhileAHistoryIsRead) {
  const std::string text =
      "\n{\"process\": 0, \"type\": \"invoke\", \"f\": \"enq\", "
      "\"value\": 1, \"time\": 10}\n"
      "{\"process\": 0, \"type\": \"ok\", \"f\": \"enq\"}\n"
      "{\"process\": 0, \"type\": \"invoke\", \"f\": \"deq\", "
      "\"time\": 30}";
  const ReadResult read =
      read_histories_from(text, "x", *spec::make("queue"), {.times = true});
  EXPECT_EQ(read.times.between(1, 99), (Times{{2, 10}, {4, 30}}));
  EXPECT_EQ(read.times.between(3, 4), (Times{{4, 30}}));
  EXPECT_EQ(read.times.between(0, 0), Times());
}

}  // namespace
}  // namespace plumb::history
