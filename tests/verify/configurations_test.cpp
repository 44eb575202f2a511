// SPDX-License-Identifier: Apache-2.0
#include "verify/configurations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "verify/configuration_sets.h"
#include "verify/exact_moves.h"
#include "verify/verify_test_support.h"

namespace plumb::verify {
namespace {

using testing::invoke;
using testing::number;
using testing::returns;

constexpr std::uint16_t kEnq = 0, kDeq = 1;

class QueueOfThree : public ::testing::Test {
 protected:
  QueueOfThree() : graph_(*object_, {}), all_(graph_, 3) {}

  ConfigurationId enq(ConfigurationId c, std::uint16_t process, int value) {
    return all_.invoked(c, process,
                        graph_.call(invoke(process, kEnq, number(value))));
  }
  ConfigurationId deq(ConfigurationId c, std::uint16_t process) {
    return all_.invoked(c, process, graph_.call(invoke(process, kDeq)));
  }
  ConfigurationId effect(ConfigurationId c, std::size_t process) {
    ConfigurationList out;
    all_.append_effects(c, process, std::nullopt, out);
    EXPECT_EQ(out.size(), 1u) << "a queue is deterministic";
    return out.at(0);
  }
  ConfigurationList lazy(ConfigurationId c, std::size_t process, Value result) {
    ConfigurationList out;
    all_.append_lazy_returns(c, process, graph_.result(result), out);
    std::ranges::sort(out);
    return out;
  }

  const spec::SpecificationPtr object_ = spec::make("queue");
  SpecificationGraph graph_;
  Configurations all_;
};

TEST_F(QueueOfThree, EqualConfigurationsHaveOneNumber) {
  const auto a = enq(enq(all_.initial(), 0, 1), 1, 2);
  const auto b = enq(enq(all_.initial(), 1, 2), 0, 1);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, enq(enq(all_.initial(), 0, 2), 1, 1));
  EXPECT_NE(effect(effect(a, 0), 1), effect(effect(a, 1), 0))
      << "the queue is 1, 2 or 2, 1";
}

TEST_F(QueueOfThree, AnEffectMakesDoneWhatWasPending) {
  const auto before = deq(all_.initial(), 2);
  EXPECT_TRUE(all_.status(before, 2).is_pending());
  const auto after = effect(before, 2);
  EXPECT_EQ(all_.status(after, 2), Status::done(graph_.result(Value())));
  EXPECT_TRUE(all_.status(after, 0).is_idle());
}

TEST_F(QueueOfThree, AnEffectCanBeAskedToGiveOneResultOnly) {
  const auto before = deq(all_.initial(), 2);
  ConfigurationList out;
  all_.append_effects(before, 2, graph_.result(number(1)), out);
  EXPECT_TRUE(out.empty());
  all_.append_effects(before, 2, graph_.result(Value()), out);
  EXPECT_EQ(out.size(), 1u);
}

TEST_F(QueueOfThree, WhoIsDoneReturnsThatResultAndNoOther) {
  const auto done = effect(deq(all_.initial(), 0), 0);
  EXPECT_EQ(all_.returned(done, 0, graph_.result(Value())), all_.initial());
  EXPECT_EQ(all_.returned(done, 0, graph_.result(number(1))), std::nullopt);
  EXPECT_EQ(all_.returned(done, 1, graph_.result(Value())), std::nullopt);
}

TEST_F(QueueOfThree, LazyReturnsUseNoMoreHelpThanTheyMust) {
  const auto c = enq(deq(all_.initial(), 0), 1, 7);
  const auto first = lazy(c, 0, Value());
  ASSERT_EQ(first, ConfigurationList{enq(all_.initial(), 1, 7)})
      << "found nothing: before the enq, which stays pending";
  const auto helped = lazy(c, 0, number(7));
  ASSERT_EQ(helped.size(), 1u);
  EXPECT_TRUE(all_.status(helped[0], 1).is_done());
  EXPECT_TRUE(lazy(c, 0, number(8)).empty());
}

TEST_F(QueueOfThree, LazyReturnsFindChainsOfHelpers) {
  // deq = 2 needs both: 1 is enqueued, taken by process 1, then 2 is first.
  auto c = enq(all_.initial(), 2, 1);
  c = *all_.returned(effect(c, 2), 2, graph_.result(Value()));
  c = deq(enq(deq(c, 0), 2, 2), 1);
  const auto helped = lazy(c, 0, number(2));
  ASSERT_EQ(helped.size(), 1u);
  EXPECT_EQ(all_.status(helped[0], 1), Status::done(graph_.result(number(1))));
  EXPECT_TRUE(all_.status(helped[0], 2).is_done());
}

TEST_F(QueueOfThree, ReachesGoesFromPendingToDoneAndNotBack) {
  const auto c = enq(enq(all_.initial(), 0, 1), 1, 2);
  const auto one = effect(c, 0), both = effect(one, 1);
  EXPECT_TRUE(all_.reaches(c, c));
  EXPECT_TRUE(all_.reaches(c, one));
  EXPECT_TRUE(all_.reaches(c, both));
  EXPECT_TRUE(all_.reaches(one, both));
  EXPECT_FALSE(all_.reaches(one, c));
  EXPECT_FALSE(all_.reaches(both, one));
  EXPECT_FALSE(all_.reaches(effect(c, 1), both)) << "2 is before 1 there";
  EXPECT_FALSE(all_.reaches(all_.initial(), c)) << "that is an invocation";
}

// Signatures sort out nearly all that is not reached; the rest must be too.
TEST_F(QueueOfThree, ReachesAgreesWithWalkingThroughAllEffects) {
  std::mt19937 random(31);
  ConfigurationList seen;
  for (int walk = 0; walk < 400; ++walk) {
    ConfigurationId c = all_.initial();
    for (int step = 0; step < 9; ++step) {
      const auto process = static_cast<std::uint16_t>(random() % 3);
      const Status status = all_.status(c, process);
      if (status.is_idle()) {
        c = enq(c, process, 1 + static_cast<int>(random() % 2));
      } else if (status.is_pending()) {
        c = effect(c, process);
      } else if (random() % 4 == 0) {
        c = *all_.returned(c, process, status.result());
      }
      seen.push_back(c);
    }
  }
  std::ranges::sort(seen);
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  int reached = 0;
  for (const ConfigurationId c : seen) {
    ConfigurationList closure = {c};
    for (std::size_t i = 0; i < closure.size(); ++i) {
      for (std::size_t p = 0; p < 3; ++p) {
        if (!all_.status(closure[i], p).is_pending()) continue;
        all_.append_effects(closure[i], p, std::nullopt, closure);
      }
    }
    for (const ConfigurationId later : seen) {
      const bool found = std::ranges::find(closure, later) != closure.end();
      ASSERT_EQ(all_.reaches(c, later), found);
      reached += found ? 1 : 0;
    }
  }
  EXPECT_GT(seen.size(), 300u);
  EXPECT_GT(reached, 1000);
}

TEST_F(QueueOfThree, SignaturesOfWhatIsReachedAreWithin) {
  const auto c = enq(deq(enq(all_.initial(), 0, 1), 1), 2, 2);
  const auto later = effect(effect(c, 1), 2);
  const Signature mine = all_.signature(c);
  EXPECT_TRUE(all_.signature(later).is_within(mine));
  EXPECT_FALSE(mine.is_within(all_.signature(later)));
}

TEST_F(QueueOfThree, KernelsKeepOnlyWhatOthersDoNotReach) {
  const auto c = enq(enq(all_.initial(), 0, 1), 1, 2);
  const auto other = enq(all_.initial(), 0, 3);
  ConfigurationList members = {effect(effect(c, 0), 1), c, other, effect(c, 1)};
  Budget budget;
  keep_kernel(all_, members, budget);
  std::ranges::sort(members);
  ConfigurationList expected = {c, other};
  std::ranges::sort(expected);
  EXPECT_EQ(members, expected);
}

TEST(SpecificationGraph, KeepsEveryOutcomeOfABagOnce) {
  const auto bag = spec::make("bag");
  SpecificationGraph graph(*bag, {});
  AbstractId state = graph.initial();
  for (const int value : {1, 2, 2}) {
    state = graph.outcomes(state, graph.call(invoke(0, 0, number(value))))
                .at(0)
                .next;
  }
  const auto& taken = graph.outcomes(state, graph.call(invoke(0, 1)));
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(graph.result_value(taken[0].result), number(1));
  EXPECT_EQ(graph.result_value(taken[1].result), number(2));
}

TEST(SpecificationGraph, TranslatesOperationsAndHidesResultsNobodySees) {
  const auto queue = spec::make("queue");
  SpecificationGraph graph(*queue, {1, 0});  // the system's deq is number 0
  const auto& found = graph.outcomes(graph.initial(), graph.call(invoke(0, 0)));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(graph.result_value(found[0].result), Value());
  EXPECT_EQ(graph.observed(returns(0, 1, number(5))), Value()) << "enq";
  EXPECT_EQ(graph.observed(returns(0, 0, number(5))), number(5)) << "deq";
}

TEST(SpecificationGraph, HasNoOutcomeWhereACallBlocks) {
  const auto queue = spec::make("blocking_queue");
  SpecificationGraph graph(*queue, {});
  const CallId deq = graph.call(invoke(0, kDeq));
  EXPECT_TRUE(graph.outcomes(graph.initial(), deq).empty());
}

TEST(ConfigurationSets, AreTheSameInAnyOrder) {
  ConfigurationSets sets;
  ConfigurationList a = {3, 1, 2, 3}, b = {1, 2, 3}, c = {1, 2}, none;
  const SetId id = sets.intern(a);
  EXPECT_EQ(sets.intern(b), id);
  const SetId part = sets.intern(c);
  EXPECT_NE(part, id);
  EXPECT_EQ(sets.intern(none), kEmptySet);
  EXPECT_EQ(std::vector(sets[id].begin(), sets[id].end()), b);
  EXPECT_TRUE(sets.is_subset(part, id));
  EXPECT_FALSE(sets.is_subset(id, part));
  EXPECT_TRUE(sets.is_subset(kEmptySet, part));
  EXPECT_EQ(sets.size(), 3u);
}

}  // namespace
}  // namespace plumb::verify
