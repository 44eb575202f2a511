// SPDX-License-Identifier: Apache-2.0
// Both ways in which the specification machine follows a system.
#include <gtest/gtest.h>

#include <initializer_list>

#include "verify/exact_moves.h"
#include "verify/follower.h"
#include "verify/point_moves.h"
#include "verify/verify_test_support.h"

namespace plumb::verify {
namespace {

using testing::internal;
using testing::invoke;
using testing::number;
using testing::returns;
using Whose = Effect::Whose;

constexpr std::uint16_t kEnq = 0, kDeq = 1;

SetId follow(SetMoves& moves, SetId set,
             std::initializer_list<lts::Label> labels) {
  for (const lts::Label& label : labels) {
    if (set == kEmptySet) break;
    set = moves.after(set, label);
  }
  return set;
}
SetId follow(SetMoves& moves, std::initializer_list<lts::Label> labels) {
  return follow(moves, moves.initial(), labels);
}

class Machine : public ::testing::Test {
 protected:
  void use(const std::string& object, std::size_t processes = 2) {
    object_ = spec::make(object);
    graph_ = std::make_unique<SpecificationGraph>(*object_,
                                                  std::vector<std::uint16_t>());
    all_ = std::make_unique<Configurations>(*graph_, processes);
  }
  Machine() { use("queue"); }

  Budget budget_;
  spec::SpecificationPtr object_;
  std::unique_ptr<SpecificationGraph> graph_;
  std::unique_ptr<Configurations> all_;
};

using Exact = Machine;

TEST_F(Exact, HiddenStepsLeaveTheSetAsItIs) {
  ExactMoves moves(*all_, budget_);
  EXPECT_EQ(moves.after(moves.initial(), internal(0, 5, true)),
            moves.initial());
}

TEST_F(Exact, AReturnDemandsItsResult) {
  ExactMoves moves(*all_, budget_);
  const SetId pending = follow(moves, {invoke(0, kDeq)});
  EXPECT_EQ(moves.after(pending, returns(0, kDeq, number(1))), kEmptySet);
  EXPECT_EQ(moves.after(pending, returns(0, kDeq)), moves.initial());
}

TEST_F(Exact, WhoReturnsMatters) {
  ExactMoves moves(*all_, budget_);
  const SetId set = follow(
      moves, {invoke(0, kDeq), invoke(1, kEnq, number(1)), returns(1, kEnq)});
  const SetId taken = follow(moves, set, {invoke(1, kDeq), returns(1, kDeq)});
  EXPECT_NE(moves.after(taken, returns(0, kDeq, number(1))), kEmptySet);
  EXPECT_EQ(moves.after(taken, returns(0, kDeq)), kEmptySet)
      << "the queue was empty for 1, so 0 has got the value";
}

TEST_F(Exact, AnEffectThatSomebodySawStays) {
  ExactMoves moves(*all_, budget_);
  const SetId seen =
      follow(moves, {invoke(0, kEnq, number(1)), invoke(1, kDeq),
                     returns(1, kDeq, number(1)), invoke(1, kDeq)});
  EXPECT_EQ(moves.after(seen, returns(1, kDeq, number(1))), kEmptySet);
  EXPECT_NE(follow(moves, seen, {returns(1, kDeq), returns(0, kEnq)}),
            kEmptySet);
}

TEST_F(Exact, FollowsEveryChoiceOfABag) {
  use("bag");
  ExactMoves moves(*all_, budget_);
  const SetId both = follow(
      moves, {invoke(0, 0, number(1)), returns(0, 0), invoke(0, 0, number(2)),
              returns(0, 0), invoke(0, 1), invoke(1, 1)});
  EXPECT_NE(moves.after(both, returns(0, 1, number(1))), kEmptySet);
  EXPECT_NE(moves.after(both, returns(0, 1, number(2))), kEmptySet);
  EXPECT_EQ(
      follow(moves, both, {returns(0, 1, number(2)), returns(1, 1, number(2))}),
      kEmptySet);
}

TEST_F(Exact, WaitsForWhatBlocks) {
  use("blocking_queue");
  ExactMoves moves(*all_, budget_);
  const SetId waits = follow(moves, {invoke(0, kDeq)});
  EXPECT_EQ(moves.after(waits, returns(0, kDeq)), kEmptySet);
  EXPECT_NE(follow(moves, waits,
                   {invoke(1, kEnq, number(1)), returns(0, kDeq, number(1))}),
            kEmptySet);
}

TEST_F(Exact, WhatHasTakenEffectIsHarder) {
  ExactMoves moves(*all_, budget_);
  const SetId open = follow(moves, {invoke(0, kEnq, number(1))});
  // The same, but somebody saw it; then another 1 was put in.
  const SetId seen = follow(moves, open,
                            {invoke(1, kDeq), returns(1, kDeq, number(1)),
                             invoke(1, kEnq, number(1)), returns(1, kEnq)});
  EXPECT_TRUE(moves.is_harder(seen, open));
  EXPECT_FALSE(moves.is_harder(open, seen));
  EXPECT_TRUE(moves.is_harder(open, open));
  EXPECT_EQ(follow(moves, open,
                   {invoke(1, kEnq, number(1)), returns(1, kEnq),
                    invoke(1, kDeq), returns(1, kDeq, number(1))}),
            open)
      << "the kernel has the one where nothing is seen";
}

TEST_F(Exact, NothingBecomesEmptyBecauseTheTimeIsOver) {
  Budget none = Budget().with_steps(0);
  ExactMoves moves(*all_, none);
  const SetId set = follow(moves, {invoke(0, kDeq)});
  EXPECT_NE(moves.after(set, returns(0, kDeq, number(1))), kEmptySet);
}

TEST_F(Exact, ValuesProcessesAndOperationsAreToldApart) {
  ExactMoves moves(*all_, budget_);
  const SetId a = follow(moves, {invoke(0, kEnq, number(1))});
  EXPECT_NE(a, follow(moves, {invoke(0, kEnq, number(2))}));
  EXPECT_NE(a, follow(moves, {invoke(1, kEnq, number(1))}));
  EXPECT_NE(a, follow(moves, {invoke(0, kDeq, number(1))}));
}

class Points : public Machine {
 protected:
  Effect own() const { return {}; }
  Effect may(Value result) const {
    Effect effect;
    effect.may = true;
    effect.only = result;
    return effect;
  }
  Effect others(Whose whose, std::uint16_t operation, Value result) const {
    Effect effect = may(result);
    effect.whose = whose;
    effect.operation = operation;
    return effect;
  }
};

TEST_F(Points, NothingTakesEffectWithoutAPoint) {
  const Policy policy;
  PointMoves moves(*all_, policy);
  EXPECT_EQ(follow(moves, {invoke(0, kDeq), internal(0, 5), returns(0, kDeq)}),
            kEmptySet);
}

TEST_F(Points, ACertainPointDecidesWhatIsReturned) {
  Policy policy;
  policy.effects[5] = {own()};
  PointMoves moves(*all_, policy);
  const SetId set = follow(moves, {invoke(0, kDeq), internal(0, 5),
                                   invoke(1, kEnq, number(1)), internal(1, 5)});
  EXPECT_NE(moves.after(set, returns(0, kDeq)), kEmptySet);
  EXPECT_EQ(moves.after(set, returns(0, kDeq, number(1))), kEmptySet);
  EXPECT_EQ(moves.after(set, internal(0, 5)), set) << "only the first counts";
  EXPECT_EQ(moves.after(set, internal(0, 4)), set) << "no point";
}

TEST_F(Points, APossiblePointLeavesBothWays) {
  Policy policy;
  policy.effects[5] = {may(Value())};
  policy.effects[6] = {own()};
  PointMoves moves(*all_, policy);
  const SetId set = follow(moves, {invoke(0, kDeq), internal(0, 5),
                                   invoke(1, kEnq, number(1)), internal(1, 6)});
  EXPECT_NE(moves.after(set, returns(0, kDeq)), kEmptySet);
  EXPECT_NE(follow(moves, set, {internal(0, 6), returns(0, kDeq, number(1))}),
            kEmptySet);
  EXPECT_EQ(follow(moves, set, {internal(0, 5), returns(0, kDeq, number(1))}),
            kEmptySet)
      << "only with its result";
}

TEST_F(Points, WhatBlocksStaysPending) {
  use("blocking_queue");
  Policy policy;
  policy.effects[5] = {own()};
  PointMoves moves(*all_, policy);
  const SetId set = follow(moves, {invoke(0, kDeq), internal(0, 5),
                                   invoke(1, kEnq, number(1)), internal(1, 5)});
  EXPECT_NE(follow(moves, set, {internal(0, 5), returns(0, kDeq, number(1))}),
            kEmptySet);
}

TEST_F(Points, OthersCanBeHelpedAfterOneselfOrBefore) {
  for (const bool before : {false, true}) {
    Policy policy;
    policy.effects[5] = {
        others(before ? Whose::kOthersBefore : Whose::kOthersAfter, kDeq,
               before ? Value() : number(1)),
        own()};
    PointMoves moves(*all_, policy);
    const SetId set =
        follow(moves, {invoke(0, kDeq), invoke(1, kEnq, number(1)),
                       internal(1, 5), returns(1, kEnq)});
    EXPECT_EQ(moves.after(set, returns(0, kDeq)) != kEmptySet, before);
    EXPECT_EQ(moves.after(set, returns(0, kDeq, number(1))) != kEmptySet,
              !before);
    EXPECT_NE(moves.sets()[set].size(), 1u) << "not helped is possible too";
  }
}

TEST_F(Points, OnlyTheOperationThatIsNamedIsHelped) {
  Policy policy;
  policy.effects[5] = {others(Whose::kOthersAfter, kEnq, Value())};
  PointMoves moves(*all_, policy);
  EXPECT_EQ(follow(moves, {invoke(0, kDeq), invoke(1, kDeq), internal(1, 5),
                           returns(0, kDeq)}),
            kEmptySet);
}

TEST_F(Points, MarksCountOnlyWhereThePolicySaysSo) {
  for (const bool marks : {false, true}) {
    const Policy policy{.marks = marks, .effects = {}};
    PointMoves moves(*all_, policy);
    const SetId set = follow(moves, {invoke(0, kDeq), internal(0, 5, true),
                                     internal(0, 5, false), returns(0, kDeq)});
    EXPECT_EQ(set != kEmptySet, marks);
    EXPECT_EQ(moves.marked().size(), marks ? 6u : 0u);
  }
}

TEST_F(Points, TheSameEdgeWithAndWithoutAMarkIsToldApart) {
  const Policy policy{.marks = true, .effects = {{5, {may(Value())}}}};
  PointMoves moves(*all_, policy);
  const SetId set = follow(moves, {invoke(0, kDeq)});
  EXPECT_NE(moves.after(set, internal(0, 5, false)),
            moves.after(set, internal(0, 5, true)));
}

TEST_F(Points, InvocationsAndReturnsCanBePoints) {
  Policy policy;
  policy.effects[1] = {own()};
  PointMoves moves(*all_, policy);
  EXPECT_NE(follow(moves, {invoke(0, kDeq, {}, 1), returns(0, kDeq, {}, 2)}),
            kEmptySet);
  EXPECT_NE(follow(moves, {invoke(0, kDeq, {}, 2), returns(0, kDeq, {}, 1)}),
            kEmptySet);
  EXPECT_EQ(follow(moves, {invoke(0, kDeq, {}, 2), returns(0, kDeq, {}, 2)}),
            kEmptySet);
}

TEST_F(Points, FewerConfigurationsAreHarder) {
  Policy policy;
  policy.effects[5] = {may(Value())};
  PointMoves moves(*all_, policy);
  const SetId one = follow(moves, {invoke(0, kDeq)});
  const SetId two = moves.after(one, internal(0, 5));
  EXPECT_TRUE(moves.is_harder(one, two));
  EXPECT_FALSE(moves.is_harder(two, one));
}

TEST(MoveCache, FindsWhatWasAddedWhileItGrows) {
  MoveCache cache;
  for (SetId set = 1; set < 200; ++set) {
    for (ClassId number = 0; number < 20; number += 1 + set % 3) {
      EXPECT_EQ(cache.find(set, number), MoveCache::kUnknown);
      cache.add(set, number, set * 20 + number);
    }
  }
  for (SetId set = 1; set < 200; ++set) {
    for (ClassId number = 0; number < 20; ++number) {
      const SetId expected =
          number % (1 + set % 3) == 0 ? set * 20 + number : MoveCache::kUnknown;
      ASSERT_EQ(cache.find(set, number), expected);
    }
  }
}

TEST(LabelClasses, TellLabelsApartByAllThatMatters) {
  LabelClasses classes;
  std::vector<ClassId> numbers;
  for (int round = 0; round < 2; ++round) {
    std::size_t next = 0;
    const auto is_known = [&](const lts::Label& label, std::uint32_t point) {
      const ClassId number = classes.number(label, point);
      if (round == 0) {
        EXPECT_EQ(number, numbers.size());
        numbers.push_back(number);
      } else {
        EXPECT_EQ(number, numbers[next++]);
      }
    };
    for (std::uint16_t process = 0; process < 5; ++process) {
      for (int value = 0; value < 6; ++value) {
        is_known(invoke(process, kEnq, number(value)), 0);
        is_known(invoke(process, kDeq, number(value)), 0);
        is_known(returns(process, kEnq, number(value)), 0);
        is_known(returns(process, kEnq, number(value)), 7);
      }
    }
  }
  EXPECT_EQ(classes.size(), 120u);
}

}  // namespace
}  // namespace plumb::verify
