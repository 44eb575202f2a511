// SPDX-License-Identifier: Apache-2.0
#include "check/explain.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "check/decide.h"
#include "check/minimum_factor.h"
#include "spec/catalogue.h"
#include "support/generate.h"
#include "support/histories.h"
#include "support/random_histories.h"

namespace plumb::check {
namespace {

using history::History;
using testing::draw;
using testing::in_sequence;

struct Told {
  Explanation why;
  std::vector<std::string> culprits, order, obstacles;
};

Told tell(const History& history, const spec::Specification& object,
          const std::string& condition) {
  Budget budget;
  const Condition parsed = parse_condition(condition);
  const Verdict verdict = decide(history, object, parsed, {}, budget);
  EXPECT_EQ(verdict.answer, Answer::kViolated);
  Told told;
  told.why = explain(history, object, parsed, verdict, budget);
  const auto name = [&](std::uint32_t i) {
    return describe(history.operations[i], object);
  };
  for (const std::uint32_t i : told.why.culprits) {
    told.culprits.push_back(name(i));
  }
  for (const std::uint32_t i : told.why.order) told.order.push_back(name(i));
  for (const Obstacle& obstacle : told.why.obstacles) {
    told.obstacles.push_back(name(obstacle.operation) + ": " + obstacle.reason);
  }
  return told;
}

using Words = std::vector<std::string>;

TEST(Explain, KeepsOnlyTheOperationsThatMatter) {
  const auto queue = spec::make("queue");
  const Told told = tell(
      in_sequence(*queue, "enq 1, enq 2, deq -> 2, enq 3, deq -> 1, deq -> 3"),
      *queue, "linearizable");
  EXPECT_EQ(told.culprits, (Words{"enq(1)", "deq() -> 2"}));
  EXPECT_EQ(told.order, (Words{"enq(1)"}));
  EXPECT_EQ(told.why.state, "[1]");
  EXPECT_EQ(told.obstacles, (Words{"deq() -> 2: it would return 1, not 2"}));
  EXPECT_EQ(told.why.last, 2u) << "the first deq ends the shortest prefix";
  EXPECT_TRUE(told.why.is_shortest);
  EXPECT_TRUE(told.why.is_minimal);
}

TEST(Explain, AStaleReadNeedsTheWriteThatItMissed) {
  const auto reg = spec::make("register");
  const Told told = tell(in_sequence(*reg,
                                     "write 1, read -> 1, write 2, "
                                     "read -> 1, write 3"),
                         *reg, "linearizable");
  // The write of 1 does not matter: it returned before that of 2 began.
  EXPECT_EQ(told.culprits, (Words{"write(2)", "read() -> 1"}));
}

TEST(Explain, CountsOverlappingOperationsOfThePrefixAsUnknown) {
  // When remove returns, add has not: it may still succeed, so that the prefix
  // up to there holds.  What add says then is wrong whatever remove did.
  const auto set = spec::make("set");
  const History h = draw(*set, R"(
    p: [add 1 -> false       ]
    q:   [remove 1 -> true]
  )");
  const Told told = tell(h, *set, "linearizable");
  EXPECT_EQ(told.why.last, 0u);
  EXPECT_EQ(told.culprits, (Words{"add(1) -> false"}));
}

TEST(Explain, QuiescentPrefixesEndAtQuiescentMoments) {
  const auto queue = spec::make("queue");
  const History h = in_sequence(*queue, "enq 1, deq -> null, deq -> 1");
  const Told told = tell(h, *queue, "quiescent");
  EXPECT_EQ(told.why.last, 1u);
  EXPECT_EQ(told.culprits, (Words{"enq(1)", "deq() -> null"}));
}

// The proof of the special decider is shown as it is; looking for more among
// thousands of others would take longer than the verdict.
TEST(Explain, OfALongHistoryIsTheProof) {
  for (const char* name : {"queue", "stack", "priority_queue", "register"}) {
    testing::Load load;
    load.object = name;
    load.operations = 5'000;
    load.violate = true;
    const History history = testing::generate(load);
    const auto object = spec::make(name);
    const Told told = tell(history, *object, "linearizable");
    EXPECT_TRUE(told.why.is_proof) << name;
    EXPECT_TRUE(told.why.is_shortest) << name;
    EXPECT_LE(told.culprits.size(), 8u) << name;
    EXPECT_FALSE(told.obstacles.empty()) << name;
    History alone;
    for (const std::uint32_t i : told.why.culprits) {
      alone.operations.push_back(history.operations[i]);
    }
    Budget budget;
    EXPECT_EQ(decide(alone, *object, {}, {.decider = Decider::kGeneral}, budget)
                  .answer,
              Answer::kViolated)
        << name;
  }
}

// The last operation of the history has nothing to do with it.
TEST(Explain, BlamesNobodyWithoutTimeToShowIt) {
  const auto queue = spec::make("queue");
  testing::Load load;
  load.operations = 3'000;
  History history = testing::generate(load);
  for (auto& operation : history.operations) {
    operation.invoked += 2;
    if (!operation.pending()) operation.returned += 2;
  }
  history::Operation first;
  first.code = *spec::find_operation(*queue, "deq");
  first.result = Value::integer(7'777'777);
  first.returned = 1;
  history.operations.insert(history.operations.begin(), first);
  Budget budget;
  const Verdict verdict = decide(history, *queue, {}, {}, budget);
  Budget none = Budget().with_steps(0);
  const Explanation why = explain(history, *queue, {}, verdict, none);
  EXPECT_FALSE(why.is_shortest);
  EXPECT_EQ(why.culprits, std::vector<std::uint32_t>{0});
  EXPECT_EQ(why.last, 0u);
}

TEST(Explain, WorksForProgramOrder) {
  const auto reg = spec::make("register");
  const History h = draw(*reg, R"(
    p: [write 1] [write 2]
    q:                     [read -> 2] [read -> 1] [read -> 2]
  )");
  const Told told = tell(h, *reg, "sequential");
  EXPECT_EQ(told.why.last, 3u) << "reading 1 after 2";
  EXPECT_FALSE(told.culprits.empty());
}

TEST(Explain, ABlockedCallWouldHaveToWait) {
  const auto lock = spec::make("mutex");
  const Told told =
      tell(in_sequence(*lock, "acquire, acquire"), *lock, "linearizable");
  EXPECT_EQ(told.obstacles.back(), "acquire(): it would have to wait");
}

TEST(MinimumFactors, OfALinearizableHistoryAreNone) {
  const auto queue = spec::make("queue");
  Budget budget;
  const auto found = minimum_factors(in_sequence(*queue, "enq 1, deq -> 1"),
                                     *queue, {}, {}, 4, budget);
  ASSERT_EQ(found.minimal.size(), 1u);
  EXPECT_TRUE(found.minimal[0].empty());
  EXPECT_TRUE(found.complete);
}

TEST(MinimumFactors, ListsEveryChoiceThatCannotBeImproved) {
  const auto queue = spec::make("queue");
  Budget budget;
  const auto found = minimum_factors(
      in_sequence(*queue, "enq 1, enq 2, enq 3, deq -> 3, deq -> 1, deq -> 2"),
      *queue, {}, {}, 4, budget);
  EXPECT_EQ(found.minimal,
            (std::vector<Factors>{
                {{"deq", 2}}, {{"deq", 1}, {"enq", 1}}, {{"enq", 2}}}));
  for (const Factors& factors : found.minimal) {
    Condition condition;
    condition.factors = factors;
    EXPECT_EQ(decide(in_sequence(*queue,
                                 "enq 1, enq 2, enq 3, deq -> 3, "
                                 "deq -> 1, deq -> 2"),
                     *queue, condition, {}, budget)
                  .answer,
              Answer::kHolds);
  }
}

TEST(MinimumFactors, LeaveOutWhatSmallerOnesCover) {
  const auto reg = spec::make("register");
  Budget budget;
  const auto found =
      minimum_factors(in_sequence(*reg, "write 1, write 2, read -> 1"), *reg,
                      {}, {"read", "write"}, 3, budget);
  EXPECT_EQ(found.minimal, (std::vector<Factors>{{{"write", 1}}}))
      << "not read=1, write=1 as well";
}

// Without the others it is still wrong, and soon told.
TEST(Explain, OfContainersWhoseValuesRepeatSomeValuesAreLeftOut) {
  for (const char* name : {"queue", "stack", "priority_queue"}) {
    testing::Load load;
    load.object = name;
    load.operations = 3000;
    load.values = 10;
    load.violate = true;
    const auto object = spec::make(name);
    const History history = testing::generate(load);
    const auto start = Budget::Clock::now();
    const Told told = tell(history, *object, "linearizable");
    EXPECT_LT(Budget::Clock::now() - start, std::chrono::seconds(20)) << name;
    EXPECT_TRUE(told.why.is_proof) << name;
    EXPECT_LT(told.culprits.size(), 2000u) << name;
    History alone = history;
    alone.operations.clear();
    for (const std::uint32_t i : told.why.culprits) {
      alone.operations.push_back(history.operations[i]);
    }
    Budget budget;
    EXPECT_EQ(decide(alone, *object, {}, {}, budget).answer, Answer::kViolated)
        << name;
  }
}

// What that rests on.
TEST(Explain, ContainersStayLinearizableWithoutAValue) {
  std::size_t tried = 0;
  for (const char* name : {"queue", "stack", "priority_queue"}) {
    const auto object = spec::make(name);
    for (unsigned seed = 0; seed < 1000; ++seed) {
      std::mt19937 random(seed);
      const History history = testing::random_history(
          random, *object, testing::random_shape(random, 7));
      Budget budget;
      const Options general{.decider = Decider::kGeneral};
      if (decide(history, *object, {}, general, budget).answer !=
          Answer::kHolds) {
        continue;
      }
      for (const history::Operation& some : history.operations) {
        const auto value_of = [&](const history::Operation& o) {
          const bool takes = object->operations()[o.code].takes;
          return takes ? o.result : o.argument;
        };
        if (some.pending()) continue;
        History rest = history;
        std::erase_if(rest.operations, [&](const history::Operation& o) {
          const bool takes = object->operations()[o.code].takes;
          return value_of(o) == value_of(some) && !(takes && o.pending());
        });
        ++tried;
        ASSERT_EQ(decide(rest, *object, {}, general, budget).answer,
                  Answer::kHolds)
            << name << " seed " << seed;
      }
    }
  }
  EXPECT_GT(tried, 4000u);
}

TEST(MinimumFactors, OfAValueFromNowhereAreNoneAtAll) {
  const auto queue = spec::make("queue");
  Budget budget;
  const auto found = minimum_factors(in_sequence(*queue, "enq 1, deq -> 7"),
                                     *queue, {}, {"deq"}, 3, budget);
  EXPECT_TRUE(found.minimal.empty());
  EXPECT_EQ(found.tried_up_to, 3u);
  EXPECT_FALSE(found.complete) << "larger ones were not tried";
}

TEST(MinimumFactors, SayWhichLimitWasReached) {
  const auto queue = spec::make("queue");
  Budget budget(Budget::Clock::now(), SIZE_MAX);
  const auto found = minimum_factors(
      in_sequence(*queue, "enq 1, enq 2, deq -> 2"), *queue, {}, {}, 4, budget);
  EXPECT_FALSE(found.complete);
  EXPECT_FALSE(found.reason.empty());
}

}  // namespace
}  // namespace plumb::check
