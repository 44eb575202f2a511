// SPDX-License-Identifier: Apache-2.0
#include "check/clocked.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace plumb::check
