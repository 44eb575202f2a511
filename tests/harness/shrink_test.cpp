// SPDX-License-Identifier: Apache-2.0
#include "harness/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

namespace plumb::harness {
namespace {

using Word = std::vector<sched::ThreadId>;

EventOrder order_of(const Word& threads) {
  EventOrder order;
  order.thread = threads;
  order.before.resize(threads.size());
  return order;
}

// The events of `word`, in the order in which their threads come.
std::vector<EventNumber> events_of(const EventOrder& order, const Word& word) {
  std::map<sched::ThreadId, std::vector<EventNumber>> queues;
  for (EventNumber i = 0; i < order.thread.size(); ++i) {
    queues[order.thread[i]].push_back(i);
  }
  std::map<sched::ThreadId, std::size_t> next;
  std::vector<EventNumber> events;
  for (const sched::ThreadId thread : word) {
    events.push_back(queues.at(thread).at(next[thread]++));
  }
  return events;
}

bool keeps(const EventOrder& order, const Word& word) {
  const std::vector<EventNumber> events = events_of(order, word);
  if (events.size() != order.thread.size()) return false;
  std::vector<bool> done(events.size());
  for (const EventNumber event : events) {
    for (const EventNumber other : order.before[event]) {
      if (!done[other]) return false;
    }
    done[event] = true;
  }
  return true;
}

// Straight from the definition: all words of threads.
class AllWords {
 public:
  explicit AllWords(const EventOrder& order) : order_(order) {
    word_ = order.thread;
    std::sort(word_.begin(), word_.end());
    do {
      if (!keeps(order_, word_)) continue;
      fewest_ = std::min(fewest_, count_switches(word_));
    } while (std::next_permutation(word_.begin(), word_.end()));
  }
  std::size_t fewest() const { return fewest_; }
  bool any() const { return fewest_ != kNone; }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  const EventOrder& order_;
  Word word_;
  std::size_t fewest_ = kNone;
};

EventOrder random_order(std::mt19937& random, bool may_be_cyclic) {
  Word threads;
  const std::size_t events = 1 + random() % 8;
  const std::size_t names = 1 + random() % 4;
  for (std::size_t i = 0; i < events; ++i) {
    threads.push_back(static_cast<sched::ThreadId>(random() % names));
  }
  EventOrder order = order_of(threads);
  for (std::size_t i = 0; i < events; ++i) {
    for (std::size_t j = 0; j < events; ++j) {
      if (i == j || random() % 4 != 0) continue;
      if (j > i && !(may_be_cyclic && random() % 6 == 0)) continue;
      order.before[i].push_back(static_cast<EventNumber>(j));
    }
  }
  return order;
}

TEST(FewestSwitches, AgreesWithAllOrdersOnSmallRandomOnes) {
  std::mt19937 random(7);
  int cyclic = 0, with_switches = 0;
  for (int round = 0; round < 4'000; ++round) {
    const EventOrder order = random_order(random, round % 3 == 0);
    const AllWords all(order);
    const auto word = fewest_switches(order);
    ASSERT_EQ(word.has_value(), all.any()) << "round " << round;
    cyclic += !word;
    if (!word) continue;
    ASSERT_TRUE(keeps(order, *word)) << "round " << round;
    ASSERT_EQ(count_switches(*word), all.fewest()) << "round " << round;
    with_switches += all.fewest() > 3;
  }
  EXPECT_GT(cyclic, 50);
  EXPECT_GT(with_switches, 50) << "the orders are too easy";
}

TEST(FewestSwitches, PutsThreadsOneBehindTheOtherWhereNothingForbidsIt) {
  EXPECT_EQ(fewest_switches(order_of({2, 1, 2, 1})), (Word{1, 1, 2, 2}));
}

//   T1: a b      T2: c d      a before c, d before b
TEST(FewestSwitches, InterruptsAThreadWhereItMust) {
  EventOrder order = order_of({1, 1, 2, 2});
  order.before[2] = {0};
  order.before[1] = {3};
  EXPECT_EQ(fewest_switches(order), (Word{1, 2, 2, 1}));
}

TEST(FewestSwitches, BeginsWithWhoHadTheWord) {
  const EventOrder order = order_of({1, 1, 2, 2});
  EXPECT_EQ(fewest_switches(order, 2), (Word{2, 2, 1, 1}));
  EXPECT_EQ(fewest_switches(order, 9), (Word{1, 1, 2, 2})) << "never ran";
}

TEST(FewestSwitches, SaysSoIfTheOrderIsCyclic) {
  EventOrder order = order_of({1, 1, 2, 2});
  order.before[0] = {3};
  order.before[2] = {1};
  EXPECT_EQ(fewest_switches(order), std::nullopt);
}

TEST(FewestSwitches, OfNothingIsNothing) {
  EXPECT_EQ(fewest_switches({}), Word{});
}

//   T1: a b   T2: c d   c before b, a before d: one of them has to be left
TEST(FewestSwitches, PrefersToLeaveAThreadThatHasToWait) {
  EventOrder order = order_of({1, 1, 2, 2});
  order.before[1] = {2};  // b after c
  order.before[3] = {0};  // d after a
  order.waits = {false, true, false, false};
  EXPECT_EQ(fewest_switches(order), (Word{1, 2, 2, 1}));
  order.waits = {false, false, false, true};
  EXPECT_EQ(fewest_switches(order), (Word{2, 1, 1, 2}));
}

TEST(FewestSwitches, MayBeMissedWhereTooFewStatesAreFollowed) {
  std::mt19937 random(8);
  int missed = 0;
  for (int round = 0; round < 500; ++round) {
    const EventOrder order = random_order(random, false);
    const auto word = fewest_switches(order, std::nullopt, 1);
    ASSERT_TRUE(word && keeps(order, *word)) << "round " << round;
    missed += count_switches(*word) > AllWords(order).fewest();
  }
  EXPECT_GT(missed, 0);
}

TEST(FewestSwitches, OfLongRunsAreFoundAtOnce) {
  EventOrder order;
  for (EventNumber i = 0; i < 4'000; ++i) {
    order.thread.push_back(static_cast<sched::ThreadId>(i / 2 % 3));
    order.before.emplace_back();
    if (i % 50 == 0 && i > 0) order.before[i] = {i - 1};
  }
  const auto word = fewest_switches(order);
  ASSERT_TRUE(word);
  EXPECT_TRUE(keeps(order, *word));
  EXPECT_EQ(count_switches(*word), 79u) << "one for each that needs another";
}

std::size_t calls_of(const Program& program) {
  std::size_t count = program.before.size() + program.after.size();
  for (const auto& calls : program.threads) count += calls.size();
  return count;
}

bool calls(const std::vector<int>& list, int call) {
  return std::find(list.begin(), list.end(), call) != list.end();
}

TEST(ShrinkProgram, LeavesTheCallsThatMatter) {
  const Program program{{1, 2}, {{3, 4, 5}, {6, 7}, {8, 9}}, {10, 11}};
  const Program small = shrink_program(program, [](const Program& smaller) {
    bool has_4 = false, has_9 = false;
    for (const auto& list : smaller.threads) {
      has_4 |= calls(list, 4);
      has_9 |= calls(list, 9);
    }
    return has_4 && has_9 && calls(smaller.before, 1);
  });
  EXPECT_EQ(small, (Program{{1}, {{4}, {}, {9}}, {}}));
}

// A push and its pop must go together.
TEST(ShrinkProgram, TakesTwoCallsAwayWhereOneWillNotDo) {
  const Program program{{}, {{1, 2, 1}, {2, 5}}, {}};
  const Program small = shrink_program(program, [](const Program& smaller) {
    std::size_t ones = 0, twos = 0, fives = 0;
    for (const auto& list : smaller.threads) {
      ones += static_cast<std::size_t>(std::count(list.begin(), list.end(), 1));
      twos += static_cast<std::size_t>(std::count(list.begin(), list.end(), 2));
      fives +=
          static_cast<std::size_t>(std::count(list.begin(), list.end(), 5));
    }
    return ones == twos && fives == 1;
  });
  EXPECT_EQ(small, (Program{{}, {{}, {5}}, {}}));
}

TEST(ShrinkProgram, NeverAsksAboutAProgramWithoutCalls) {
  const Program small =
      shrink_program({{1}, {{2}, {3}}, {4}}, [](const Program& smaller) {
        EXPECT_GT(calls_of(smaller), 0u);
        return true;
      });
  EXPECT_EQ(calls_of(small), 1u);
}

TEST(ShrinkProgram, KeepsAThreadWhoseNumberMatters) {
  const Program small =
      shrink_program({{}, {{1, 2}, {3}}, {}}, [](const Program& smaller) {
        return smaller.threads.size() == 2 && calls(smaller.threads[1], 3);
      });
  EXPECT_EQ(small, (Program{{}, {{}, {3}}, {}}));
}

TEST(ShrinkProgram, GivesTheProgramItselfIfNothingCanGo) {
  const Program program{{1}, {{2}, {3}}, {4}};
  EXPECT_EQ(shrink_program(program, [](const Program&) { return false; }),
            program);
}

}  // namespace
}  // namespace plumb::harness
