// SPDX-License-Identifier: Apache-2.0
// Formats of other checkers.
#include <gtest/gtest.h>

#include <string>

#include "history/reading.h"

namespace plumb::history {
namespace {

TEST(CallLines, AreCallsAndReturnsOfThreads) {
  EXPECT_EQ(shown_text("# @object atomic-stack\n"
                       "\n"
                       "[1] call push 1\n"
                       "[2] call pop\n"
                       "# elimination\n"
                       "[1] return\n"
                       "[3] call push(a)\r\n"
                       "[2] return 1\n"
                       "[2] call pop()\n"
                       "[2] return\n"
                       "[1] call pop\n"
                       "[1] return empty",
                       "stack"),
            "key null\n"
            "1 push(1)=null [0,2]\n"
            "2 pop(null)=1 [1,4]\n"
            "3 push(\"a\")=? [3,-]\n"
            "2 pop(null)=null [5,6]\n"
            "1 pop(null)=null [7,8]\n");
}

TEST(CallLines, CallOperationsAsOthersDo) {
  EXPECT_EQ(shown_text("# @object atomic-queue\n"
                       "[1] call add(1)\n"
                       "[1] return\n"
                       "[2] call remove\n"
                       "[2] return 1\n",
                       "queue"),
            "key null\n"
            "1 enq(1)=null [0,1]\n"
            "2 deq(null)=1 [2,3]\n");
  EXPECT_EQ(shown_text("# @object set\n"
                       "[1] call Insert(1)\n"
                       "[1] return true\n"
                       "[2] call remove(1)\n"
                       "[2] return false\n",
                       "set"),
            "key null\n"
            "1 add(1)=true [0,1]\n"
            "2 remove(1)=false [2,3]\n");
}

TEST(CallLines, ReadsMaySayInTheirCallWhatTheyReturn) {
  EXPECT_EQ(shown_text("# @object register\n"
                       "[1] call write(a)\n"
                       "[2] call read(a)\n"
                       "[1] return \n"
                       "[2] return \n"
                       "[2] call read\n"
                       "[2] return nil\n"
                       "[2] call cas(a, b)\n"
                       "[2] return true\n",
                       "register"),
            "key null\n"
            "1 write(\"a\")=null [0,2]\n"
            "2 read(null)=\"a\" [1,3]\n"
            "2 read(null)=null [4,5]\n"
            "2 cas([\"a\", \"b\"])=true [6,7]\n");
}

TEST(CallLines, ErrorsNameThePlace) {
  EXPECT_EQ(error_of("# @object atomic-stack\n1 call push 1\n", "stack"),
            "h.jsonl:2:1: error: this is no event\n"
            "  2 | 1 call push 1\n"
            "    | ^\n"
            "hint: a line is '[1] call push(3)', '[1] return' or '[1] return "
            "3'\n");
  EXPECT_EQ(error_of("# @object atomic-stack\n[1] call puhs 1\n", "stack"),
            "h.jsonl:2:10: error: unknown operation 'puhs' for stack\n"
            "  2 | [1] call puhs 1\n"
            "    |          ^~~~\n"
            "hint: did you mean 'push'?\n");
  EXPECT_NE(error_of("# @object atomic-stack\n[1] call\n", "stack"), "");
  EXPECT_NE(error_of("# @object atomic-stack\n[1] return\n", "stack"), "");
  EXPECT_NE(error_of("# @object atomic-stack\n[] call pop\n", "stack"), "");
  EXPECT_NE(error_of("# @object atomic-stack\n[1] call push \xff\n", "stack"),
            "");
}

TEST(IntervalLines, HaveTheTimesOfAnOperation) {
  EXPECT_EQ(shown_text("# queue\n"
                       "enq 2 3 6\n"
                       "enq 1 0 3\n"
                       "deq 1 7 7\n"
                       "deq -1 7 9\n",
                       "queue"),
            "key null\n"
            "\"#3\" enq(1)=null [0,2]\n"
            "\"#2\" enq(2)=null [1,3]\n"
            "\"#4\" deq(null)=1 [4,6]\n"
            "\"#5\" deq(null)=null [5,7]\n");
}

TEST(IntervalLines, MayNameProcessesAndHaveTheTimesFirst) {
  const std::string want =
      "key null\n"
      "0 push(1)=null [0,2]\n"
      "1 pop(null)=1 [1,3]\n";
  EXPECT_EQ(shown_text("# stack\n0 push 1 1 5\n1 pop 1 2 6\n", "stack"), want);
  EXPECT_EQ(shown_text("# stack\n0 1 5 PUSH 1\n1 2 6 POP 1\n", "stack"), want);
}

TEST(IntervalLines, OfSetsSayZeroOrOne) {
  const std::string want =
      "key null\n"
      "0 add(2)=true [0,2]\n"
      "2 contains(2)=false [1,3]\n";
  EXPECT_EQ(shown_text("# set\n2 1 5 CONTAINS 2 0\n0 0 4 INSERT 2 1\n", "set"),
            want);
  EXPECT_EQ(shown_text("# set\n2 contains 2 0 1 5\n0 insert 2 1 0 4\n", "set"),
            want);
}

TEST(IntervalLines, OfPriorityQueuesGiveTheLargestFirst) {
  EXPECT_EQ(shown_text("# priorityqueue\n0 insert 2 0 4\n1 poll 2 10 14\n"
                       "1 poll -1 15 16\n",
                       "priority_queue"),
            "key null\n"
            "0 insert([-2, 2])=null [0,1]\n"
            "1 remove_min(null)=[-2, 2] [2,3]\n"
            "1 remove_min(null)=null [4,5]\n");
}

// What ends when another begins overlaps it; not so what one process does.
TEST(IntervalLines, OfOneProcessMayTouch) {
  const auto read =
      read_text("# queue\n1 enq 1 0 2\n1 enq 2 2 4\n2 deq 2 2 2\n", "queue");
  EXPECT_TRUE(read.histories[0].clocked);
  EXPECT_EQ(error_of("# queue\n1 enq 1 0 3\n1 enq 2 2 4\n", "queue"),
            "h.jsonl:3:1: error: process 1 begins this before its operation of "
            "line 2 has ended\n"
            "  3 | 1 enq 2 2 4\n"
            "    | ^\n"
            "hint: a process runs one operation at a time\n");
}

TEST(IntervalLines, ErrorsNameThePlace) {
  EXPECT_EQ(error_of("# queue\nenq 1\n", "queue").substr(0, 41),
            "h.jsonl:2:1: error: this is no operation\n");
  EXPECT_EQ(error_of("# queue\nenq 1 5 3\n", "queue"),
            "h.jsonl:2:9: error: it ends before 5, when it began\n"
            "  2 | enq 1 5 3\n"
            "    |         ^\n");
  EXPECT_NE(error_of("# queue\nenq 1 5 x\n", "queue"), "");
  EXPECT_NE(error_of("# queue\nenq 5 7\n", "queue"), "");
  EXPECT_NE(error_of("# queue\nenq 1 2 5 7\n", "queue"), "");
  EXPECT_NE(error_of("# queue\npeek 1 2 3\n", "queue"), "");
  EXPECT_NE(error_of("# queue\nenq 1 2 99999999999999999999\n", "queue"), "");
  EXPECT_NE(error_of("# priority_queue\ninsert a 2 3\n", "priority_queue"), "");
}

TEST(JepsenLog, IsFoundAmongOtherLines) {
  EXPECT_EQ(
      shown_text(
          "2024-01-01 12:00:00,123{GMT}\tINFO\t[main] jepsen.core: Running\n"
          "INFO  jepsen.util - 4\t:invoke\t:cas\t[0 2]\n"
          "INFO  jepsen.util - :nemesis\t:info\t:start\t#object[x]\n"
          "2024-01-01 12:00:01,5{GMT}\tINFO\t[jepsen worker 1] jepsen.util: "
          "1\t:invoke\t:write\t1\n"
          "INFO  jepsen.util - 4\t:ok\t:cas\t[0 2]\n"
          "INFO  jepsen.util - 1\t:info\t:write\t:timed-out\n"
          "\tat java.base/java.lang.Thread.run\n"
          "INFO  jepsen.util - 4\t:invoke\t:read\tnil\n"
          "INFO  jepsen.util - 4\t:fail\t:read\tnil\t:unavailable\n",
          "register"),
      "key null\n"
      "4 cas([0, 2])=true [0,2]\n"
      "1 write(1)=? [1,-]\n");
}

TEST(JepsenLog, MayBeginWithMuchElse) {
  std::string noise;
  for (int i = 0; i < 10'000; ++i) noise += "2024-01-01 INFO starting a node\n";
  EXPECT_EQ(
      shown_text(noise + "INFO  u - 4\t:invoke\t:read\tnil\n", "register"),
      "key null\n4 read(null)=? [0,-]\n");
}

TEST(JepsenLog, WhatTheNemesisDidIsKept) {
  const auto read = read_text(
      "INFO  jepsen.util - 4\t:invoke\t:read\tnil\n"
      "INFO  jepsen.util - :nemesis\t:info\t:start\t#object[x]\r\n"
      "INFO  jepsen.util - :nemesis\t:info\t:stop\tnil\n",
      "register");
  ASSERT_EQ(read.remarks.size(), 2u);
  EXPECT_EQ(read.remarks[0].line, 2u);
  EXPECT_EQ(read.remarks[0].text, "start: #object[x]");
  EXPECT_EQ(read.remarks[1].text, "stop");
}

TEST(JepsenLog, ErrorsNameThePlace) {
  EXPECT_EQ(
      error_of("INFO  u - 4\t:invoke\t:enqueue\t1\n", "queue").substr(0, 61),
      "h.jsonl:1:22: error: unknown operation 'enqueue' for queue\n  ");
  EXPECT_NE(error_of("INFO  u - 4\t:invoke\t:enq\t[1\n", "queue"), "");
  EXPECT_NE(error_of("JEPSEN\x01\x02", "queue"), "");
}

}  // namespace
}  // namespace plumb::history
