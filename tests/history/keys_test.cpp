// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "history/reading.h"

namespace plumb::history {
namespace {

// "0w[1 2]" is the invocation of a write by process 0; "0." its return.
std::string events(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += "{:process " + line.substr(0, 1) + " :type ";
    const std::string f = line[1] == 'w'   ? ":write"
                          : line[1] == 'r' ? ":read"
                                           : ":cas";
    text += line[1] == '.'   ? ":ok"
            : line[1] == 'x' ? ":fail"
                             : ":invoke :f " + f;
    text += " :value " + (line.size() > 2 ? line.substr(2) : "nil") + "}\n";
  }
  return text;
}

std::string shown_events(const std::vector<std::string>& lines,
                         ReadOptions::Keys keys = ReadOptions::Keys::kAuto,
                         bool together = false) {
  ReadOptions options;
  options.keys = keys;
  options.together = together;
  return shown_text(events(lines), "register", options);
}

TEST(Tuples, AReadDecides) {
  EXPECT_EQ(shown_events({"0r[7 nil]", "1w[8 3]", "0.[7 5]", "1.[8 3]"}),
            "key 7\n0 read(null)=5 [0,1]\n"
            "key 8\n1 write(3)=null [0,1]\n");
  EXPECT_EQ(shown_events({"0r", "1w[8 3]", "0.5"}),
            "key null\n0 read(null)=5 [0,2]\n1 write([8, 3])=? [1,-]\n");
}

TEST(Tuples, ACompareAndSetDecides) {
  EXPECT_EQ(shown_events({"0c[7 [1 2]]", "0.[7 [1 2]]"}),
            "key 7\n0 cas([1, 2])=true [0,1]\n");
  EXPECT_EQ(shown_events({"0c[7 [1 2]]", "0.[7 false]"}),
            "key 7\n0 cas([1, 2])=false [0,1]\n");
  EXPECT_EQ(shown_events({"0c[7 1]", "0."}),
            "key null\n0 cas([7, 1])=true [0,1]\n");
}

TEST(Tuples, AWriteOfSomethingElseThanAListOfTwoDecides) {
  EXPECT_EQ(shown_events({"0w[1 2 3]", "1c[7 [1 2]]"}),
            "key null\n0 write([1, 2, 3])=? [0,-]\n"
            "1 cas([7, [1, 2]])=? [1,-]\n");
}

TEST(Tuples, WritesThatCannotTellAreChangedAfterwards) {
  const std::vector<std::string> lines = {
      "0w[7 1]", "1w[8 2]", "2w[7 3]",   "1.[8 2]", "0.[7 1]",
      "0w[8 4]", "0x",      "1r[7 nil]", "2.[7 3]", "1.[7 3]"};
  const std::string expected = shown_events(lines, ReadOptions::Keys::kTuples);
  EXPECT_EQ(expected,
            "key 7\n0 write(1)=null [0,2]\n2 write(3)=null [1,4]\n"
            "1 read(null)=3 [3,5]\n"
            "key 8\n1 write(2)=null [0,1]\n");
  EXPECT_EQ(shown_events(lines), expected);
  EXPECT_EQ(shown_events(lines, ReadOptions::Keys::kAuto, true),
            shown_events(lines, ReadOptions::Keys::kTuples, true));
}

TEST(Tuples, IfNothingDecidesThereAreNone) {
  EXPECT_EQ(shown_events({"0w[7 1]", "0.[7 1]"}),
            "key null\n0 write([7, 1])=null [0,1]\n");
}

TEST(Tuples, AreNotLookedForInAMapOrWhenToldSo) {
  EXPECT_EQ(
      shown_text("{:process 0 :type :invoke :f :get :value [1 2]}", "map"),
      "key null\n0 get([1, 2])=? [0,-]\n");
  EXPECT_EQ(shown_events({"0r[1 2]"}, ReadOptions::Keys::kNone),
            "key null\n0 read(null)=? [0,-]\n");
}

// The limit named in keys.cpp, and the way out.
TEST(Tuples, AListThatACompareAndSetPutsIsTakenForOne) {
  EXPECT_EQ(shown_events({"0c[1 [2 3]]"}), "key 1\n0 cas([2, 3])=? [0,-]\n");
  EXPECT_EQ(shown_events({"0c[1 [2 3]]"}, ReadOptions::Keys::kNone),
            "key null\n0 cas([1, [2, 3]])=? [0,-]\n");
  EXPECT_EQ(
      shown_text("{:process 0 :type :invoke :f :cas :value [1 [2 3]] :key nil}",
                 "register"),
      "key null\n0 cas([1, [2, 3]])=? [0,-]\n");
}

TEST(Tuples, AValueThatIsNoneAfterwardsIsAnErrorThatNamesWhatDecided) {
  EXPECT_EQ(error_of(events({"0r[7 nil]", "1w5"}), "register"),
            "h.jsonl:2:44: error: the value 5 is no tuple [key, value], but "
            "line 1 shows that values are tuples\n"
            "  2 | {:process 1 :type :invoke :f :write :value 5}\n"
            "    |                                            ^\n");
  EXPECT_EQ(error_of(events({"0r[7 nil]", "0.5"}), "register"),
            "h.jsonl:2:30: error: the value 5 is no tuple [key, value], but "
            "its invocation on line 1 carries one\n"
            "  2 | {:process 0 :type :ok :value 5}\n"
            "    |                              ^\n");
  EXPECT_EQ(error_of(events({"0r[7 nil]", "0.[8 5]"}), "register"),
            "h.jsonl:2:30: error: process 0 completes 'read' for key 8, but "
            "it invoked it for key 7 on line 1\n"
            "  2 | {:process 0 :type :ok :value [8 5]}\n"
            "    |                              ^~~~~\n");
}

}  // namespace
}  // namespace plumb::history
