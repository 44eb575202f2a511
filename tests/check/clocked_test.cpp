// SPDX-License-Identifier: Apache-2.0
#include "check/clocked.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/budget.h"
#include "check/decide.h"
#include "history/read.h"
#include "spec/catalogue.h"

namespace plumb::check {
namespace {

history::History read(const std::string& bytes,
                      const spec::Specification& object) {
  return history::read_histories_from(bytes, "x", object).histories[0];
}

std::string event(int process, const char* type, const char* f,
                  const std::string& value, int low, int high) {
  return "{\"process\": " + std::to_string(process) + ", \"type\": \"" + type +
         "\", \"f\": \"" + f + "\", \"value\": " + value + ", \"time\": [" +
         std::to_string(low) + ", " + std::to_string(high) + "]}\n";
}

// Each process writes and reads its own two values; all of it may overlap.
std::string two_writers() {
  return event(0, "invoke", "write", "1", 0, 50) +
         event(0, "ok", "write", "null", 0, 50) +
         event(0, "invoke", "read", "null", 0, 50) +
         event(0, "ok", "read", "2", 0, 50) +
         event(1, "invoke", "write", "2", 0, 50) +
         event(1, "ok", "write", "null", 0, 50) +
         event(1, "invoke", "read", "null", 0, 50) +
         event(1, "ok", "read", "1", 0, 50);
}

TEST(Clocked, ProcessesKeepTheirOrderWhereBoundsDoNot) {
  const auto object = spec::make("register");
  const auto history = read(two_writers(), *object);
  EXPECT_TRUE(history.clocked);
  EXPECT_TRUE(processes_overlap(history));
  for (const Decider decider : {Decider::kAuto, Decider::kGeneral}) {
    Budget budget;
    const Options options{.want_order = false, .decider = decider};
    EXPECT_EQ(decide(history, *object, {}, options, budget).answer,
              Answer::kViolated);
    EXPECT_EQ(
        decide(without_processes(history).history, *object, {}, options, budget)
            .answer,
        Answer::kHolds)
        << "each read would come first";
  }
}

TEST(Clocked, MomentsInTheMiddleAreInTheOrderOfEachProcess) {
  const auto object = spec::make("register");
  const Part placed = with_moments_between(read(two_writers(), *object));
  EXPECT_FALSE(processes_overlap(placed.history));
  ASSERT_EQ(placed.history.size(), 4u);
  for (std::size_t i = 1; i < placed.history.size(); ++i) {
    EXPECT_LT(placed.history.operations[i - 1].invoked,
              placed.history.operations[i].invoked);
  }
}

TEST(Clocked, WhatAProcessDoesNextMakesItsBoundsTighter) {
  const auto object = spec::make("register");
  // The write returned before 5, as its process went on; the read began later.
  const auto history = read(event(0, "invoke", "write", "1", 0, 1) +
                                event(0, "ok", "write", "null", 0, 100) +
                                event(0, "invoke", "write", "2", 3, 5) +
                                event(1, "invoke", "read", "null", 6, 7) +
                                event(1, "ok", "read", "null", 8, 9),
                            *object);
  Budget budget;
  EXPECT_EQ(decide(history, *object, {}, {}, budget).answer, Answer::kViolated);
}

Answer decided(const std::string& bytes, const std::string& object,
               const std::string& condition = "linearizable",
               Decider decider = Decider::kAuto) {
  const auto specification = spec::make(object);
  Budget budget;
  return decide(read(bytes, *specification), *specification,
                parse_condition(condition),
                {.want_order = false, .decider = decider}, budget)
      .answer;
}

// The enq that never returned was invoked after the deq of its process.
TEST(Clocked, AProcessThatGaveSomethingUpKeepsItsOrder) {
  const std::string begin = event(0, "invoke", "deq", "null", 0, 0) +
                            event(0, "ok", "deq", "1", 10, 100) +
                            event(0, "invoke", "enq", "1", 10, 100) +
                            event(0, "info", "enq", "null", 10, 100);
  const std::string after = event(0, "invoke", "deq", "null", 10, 100) +
                            event(0, "ok", "deq", "null", 200, 200);
  for (const Decider decider : {Decider::kAuto, Decider::kGeneral}) {
    EXPECT_EQ(decided(begin, "queue", "linearizable", decider),
              Answer::kViolated);
    EXPECT_EQ(decided(begin + after, "queue", "linearizable", decider),
              Answer::kViolated);
  }
}

// Between two operations of a process something is pending only if another
// process can do it.
TEST(Clocked, AProcessAloneIsQuiescentBetweenItsOperations) {
  const std::string alone = event(0, "invoke", "deq", "null", 0, 50) +
                            event(0, "ok", "deq", "1", 0, 50) +
                            event(0, "invoke", "enq", "1", 20, 50) +
                            event(0, "ok", "enq", "null", 20, 80);
  EXPECT_EQ(decided(alone, "queue", "quiescent"), Answer::kViolated);
  const auto with_other = [&](int from, int to) {
    return alone + event(1, "invoke", "enq", "2", from, from) +
           event(1, "ok", "enq", "null", to, to);
  };
  EXPECT_EQ(decided(with_other(0, 19), "queue", "quiescent"),
            Answer::kViolated);
  EXPECT_EQ(decided(with_other(51, 60), "queue", "quiescent"),
            Answer::kViolated);
  for (const auto& [from, to] : {std::pair(0, 20), {30, 40}, {50, 90}}) {
    EXPECT_EQ(decided(with_other(from, to), "queue", "quiescent"),
              Answer::kHolds)
        << from << " to " << to;
  }
  // One that its own process gave up before.
  const std::string given_up = event(0, "invoke", "enq", "3", 0, 0) +
                               event(0, "info", "enq", "null", 0, 0) + alone;
  EXPECT_EQ(decided(given_up, "queue", "quiescent"), Answer::kHolds);
  // What it gives up then comes after that moment, too.
  const std::string unanswered = event(0, "invoke", "deq", "null", 0, 50) +
                                 event(0, "ok", "deq", "1", 0, 50) +
                                 event(0, "invoke", "enq", "1", 20, 50);
  EXPECT_EQ(decided(unanswered, "queue", "quiescent"), Answer::kViolated);
}

}  // namespace
}  // namespace plumb::check
