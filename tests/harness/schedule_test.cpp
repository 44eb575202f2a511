// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "base/input_error.h"
#include "fuzz/schedule_entry.h"
#include "support/source_folder.h"

namespace plumb::harness {
namespace {

Step by(sched::ThreadId thread) {
  return {thread, std::nullopt};
}
Step chose(std::uint32_t choice) {
  return {sched::kNoThread, choice};
}

std::string error_of(const std::string& text) {
  try {
    parse_schedule(text);
  } catch (const InputError& error) {
    return error.describe();
  }
  return "";
}

TEST(Schedule, CountsEventsOfOneThreadInARow) {
  const Schedule schedule{3,
                          Heap::kLifo,
                          false,
                          {by(1), by(1), by(2), by(1), chose(1), by(1), by(0)}};
  EXPECT_EQ(to_string(schedule), "3:lifo:1x2,2,1,c1,1,0");
}

TEST(Schedule, DoesNotCountChoices) {
  EXPECT_EQ(to_string({0, Heap::kFifo, false, {chose(2), chose(2), by(31)}}),
            "0:fifo:c2,c2,31");
}

TEST(Schedule, ReadsTheExampleOfTheManual) {
  const Schedule schedule = parse_schedule("3:lifo:1x4,2x2,1,c1,2x7");
  EXPECT_EQ(schedule.program, 3u);
  EXPECT_EQ(schedule.heap, Heap::kLifo);
  ASSERT_EQ(schedule.steps.size(), 4u + 2 + 1 + 1 + 7);
  EXPECT_EQ(schedule.steps[6], by(1));
  EXPECT_EQ(schedule.steps[7], chose(1));
  EXPECT_EQ(schedule.steps[8], by(2));
}

TEST(Schedule, MayHaveNoStepsAndSpacesAround) {
  EXPECT_EQ(parse_schedule(" 7:quarantine: \n"),
            (Schedule{7, Heap::kQuarantine, false, {}}));
}

TEST(Schedule, IsTheSameWhenWrittenAndReadAgain) {
  std::mt19937 random(6);
  for (int round = 0; round < 500; ++round) {
    Schedule schedule;
    schedule.program = static_cast<std::uint32_t>(random());
    schedule.heap = static_cast<Heap>(random() % 4);
    schedule.audited = random() % 3 == 0;
    if (random() % 3 == 0) {
      schedule.memory = static_cast<sched::MemoryModel>(random() % 3);
    }
    for (std::size_t i = random() % 40; i > 0; --i) {
      const bool is_choice = random() % 5 == 0;
      schedule.steps.push_back(
          is_choice ? chose(static_cast<std::uint32_t>(random() % 3))
                    : by(static_cast<sched::ThreadId>(random() % 4)));
    }
    const std::string text = to_string(schedule);
    ASSERT_EQ(parse_schedule(text), schedule) << text;
    ASSERT_EQ(to_string(parse_schedule(text)), text);
  }
}

TEST(Schedule, PointsAtWhatIsWrong) {
  EXPECT_EQ(error_of("3:lifo:1x4,,2"),
            "--replay:1:12: error: ',' where the number of a thread should be\n"
            "  1 | 3:lifo:1x4,,2\n"
            "    |            ^\n"
            "hint: a schedule is PROGRAM:HEAP:STEPS, as in "
            "3:lifo:1x4,2x2,1,c1,2x7\n");
}

TEST(Schedule, SaysWhatIsWrong) {
  const auto says = [](const char* text, const char* what) {
    EXPECT_NE(error_of(text).find(what), std::string::npos)
        << text << ": " << error_of(text);
  };
  says("", "ends where the number of the program should be");
  says("3", "ends where a ':' behind the number of the program should be");
  says("3:lilo:1", ":1:3: error: the heap is none of lifo, fifo, quar");
  says("3:lifo", "ends where a ':' behind the heap should be");
  says("3:lifo:32", "no thread 32: they are numbered from 0 to 31");
  says("3:lifo:1x0", ":1:10: error: a step of no events");
  says("3:lifo:1x", "ends where the number of events should be");
  says("3:lifo:c", "ends where the choice should be");
  says("3:lifo:1;2", "';' where a ',' or the end should be");
  says("3:lifo:1\xC3\xA4", "a strange character where");
  says("4294967296:lifo:1", "the number of the program is too large");
  says("1:lifo:c99999999999999999999999", "the choice is too large");
  says("1:lifo:1x9999999,1x9999999", "more than 16777216 steps");
}

TEST(Schedule, CorpusOfTheFuzzTargetDoesNoHarm) {
  const auto folder =
      testing::source_folder() / "tests" / "fuzz" / "corpus" / "schedule";
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    for (std::size_t cut = 0; cut <= text.size(); ++cut, ++count) {
      fuzz::schedule(text.substr(0, cut));
    }
  }
  EXPECT_GT(count, 50u) << "the corpus is missing";
}

}  // namespace
}  // namespace plumb::harness
