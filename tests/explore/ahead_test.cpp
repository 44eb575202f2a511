// SPDX-License-Identifier: Apache-2.0
// Threads that expand states before they are asked for.
#include "explore/ahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

#include "support/table_system.h"

namespace plumb::explore {
namespace {

using testing::TableSystem;

// State n has n % 4 steps, to the states that follow; state 700 goes wrong.
class Steps final : public TableSystem {
 public:
  Steps() : TableSystem(1) {
    for (std::size_t n = 0; n < kStates; ++n) {
      for (std::size_t i = 0; i < n % 4; ++i) {
        internal(n, 0, (n + i + 1) % kStates, i);
      }
    }
  }
  void successors(lts::StateView state, lts::Successors& out) const override {
    if (decode(state) == 700) throw std::runtime_error("seven hundred");
    ++expanded;
    TableSystem::successors(state, out);
  }

  static constexpr std::size_t kStates = 2'000;
  mutable std::atomic<std::size_t> expanded = 0;
};

class AheadOfSteps : public ::testing::Test {
 protected:
  void hand_out(Ahead& ahead, StateId first, StateId last) {
    for (StateId id = first; id < last; ++id) {
      ASSERT_GT(ahead.room(), 0u);
      ahead.hand_out(id, system_.encode(id), id);
    }
    ahead.begin();
  }
  void expect_of(StateId id, const Expansion& found) {
    Expansion expected;
    expected.find(system_, system_.encode(id));
    ASSERT_EQ(found.successors.size(), expected.successors.size()) << id;
    EXPECT_EQ(found.hashes, expected.hashes) << id;
    for (std::size_t i = 0; i < expected.successors.size(); ++i) {
      EXPECT_EQ(found.successors.label(i), expected.successors.label(i));
      EXPECT_TRUE(std::ranges::equal(found.successors.state(i),
                                     expected.successors.state(i)));
    }
  }

  const Steps system_;
};

TEST_F(AheadOfSteps, ExpansionsComeInAnyOrderThatIsAsked) {
  for (const std::size_t threads : {0u, 1u, 3u}) {
    Ahead ahead(system_, threads);
    Expansion found;
    StateId next = 0;
    for (StateId begin = 0; begin < 600; begin += 100) {
      hand_out(ahead, begin, begin + 100);
      for (int i = 0; i < 100; ++i) {
        next = begin + (next + 37) % 100;
        ASSERT_TRUE(ahead.take(next, found));
        expect_of(next, found);
      }
    }
    EXPECT_FALSE(ahead.take(5, found));    // taken
    EXPECT_FALSE(ahead.take(900, found));  // never handed out
  }
}

TEST_F(AheadOfSteps, WhatIsHandedOutTwiceIsExpandedOnce) {
  Ahead ahead(system_, 1);
  const std::size_t room = ahead.room();
  hand_out(ahead, 0, 50);
  hand_out(ahead, 0, 50);
  EXPECT_EQ(ahead.room(), room - 50);
  Expansion found;
  for (StateId id = 0; id < 50; ++id) EXPECT_TRUE(ahead.take(id, found));
  EXPECT_EQ(ahead.room(), room);
  EXPECT_EQ(system_.expanded, 50u);
}

TEST_F(AheadOfSteps, AnExceptionReachesWhoeverAsks) {
  Ahead ahead(system_, 2);
  hand_out(ahead, 690, 710);
  Expansion found;
  EXPECT_TRUE(ahead.take(701, found));
  EXPECT_THROW(ahead.take(700, found), std::runtime_error);
  EXPECT_TRUE(ahead.take(699, found));
  expect_of(699, found);
}

TEST_F(AheadOfSteps, WhatIsForgottenMakesRoom) {
  Ahead ahead(system_, 1);
  const std::size_t room = ahead.room();
  hand_out(ahead, 0, static_cast<StateId>(room) - 300);
  hand_out(ahead, 1'000, 1'300);
  EXPECT_EQ(ahead.room(), 0u);
  // What a thread works on just then stays until it is done.
  while (ahead.room() < room - 300) {
    ahead.forget_before(1'000);
    std::this_thread::yield();
  }
  EXPECT_EQ(ahead.room(), room - 300);
  Expansion found;
  EXPECT_FALSE(ahead.take(700, found));
  EXPECT_TRUE(ahead.take(1'250, found));
  expect_of(1'250, found);
}

TEST_F(AheadOfSteps, NobodyIsWaitedForAtTheEnd) {
  for (int round = 0; round < 20; ++round) {
    Ahead ahead(system_, 3);
    hand_out(ahead, 0, 600);
  }
}

}  // namespace
}  // namespace plumb::explore
