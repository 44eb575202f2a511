// SPDX-License-Identifier: Apache-2.0
// The special deciders on histories that are too long for the definition.
#include "check/special_test_support.h"
#include "support/generate.h"

namespace plumb::check {
namespace {

using special_test::History;
using special_test::Indices;
using special_test::witness_error;

struct Case {
  const char* object;
  std::uint32_t processes;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.object << " with " << one.processes << " processes";
}

class SpecialGenerated : public ::testing::TestWithParam<Case> {
 protected:
  SpecialGenerated() : object_(spec::make(GetParam().object)) {
    load_.object = GetParam().object;
    load_.processes = GetParam().processes;
    load_.operations = 10'000;
    load_.depth = 50;
  }

  std::optional<Verdict> decide(const History& history) const {
    const SpecialChoice choice = special_decider_for(*object_);
    Budget budget;
    return choice.decide(history, {.want_order = true}, budget);
  }

  spec::SpecificationPtr object_;
  testing::Load load_;
};

TEST_P(SpecialGenerated, FindsAnOrderOfALongHistory) {
  for (load_.seed = 1; load_.seed <= 3; ++load_.seed) {
    const History history = testing::generate(load_);
    ASSERT_EQ(history.size(), load_.operations);
    const auto verdict = decide(history);
    ASSERT_TRUE(verdict);
    ASSERT_EQ(verdict->answer, Answer::kHolds);
    EXPECT_EQ(witness_error(history, *object_, verdict->order), "");
  }
}

TEST_P(SpecialGenerated, FindsAnOrderWhenTheLastOperationsArePending) {
  load_.leave_pending = true;
  for (load_.seed = 1; load_.seed <= 3; ++load_.seed) {
    const History history = testing::generate(load_);
    const auto verdict = decide(history);
    ASSERT_TRUE(verdict);
    ASSERT_EQ(verdict->answer, Answer::kHolds);
    EXPECT_EQ(witness_error(history, *object_, verdict->order), "");
  }
}

TEST_P(SpecialGenerated, FindsAFewOperationsThatCannotBeExplained) {
  load_.violate = true;
  for (load_.seed = 1; load_.seed <= 3; ++load_.seed) {
    const History history = testing::generate(load_);
    const auto verdict = decide(history);
    ASSERT_TRUE(verdict);
    ASSERT_EQ(verdict->answer, Answer::kViolated);
    ASSERT_LE(verdict->core.size(), 16u);
    const History core = special_test::only(history, verdict->core);
    EXPECT_FALSE(special_test::Definition(core, *object_).holds());
  }
}

// Widened to the busy periods of quiescent consistency, it holds all the more.
TEST_P(SpecialGenerated, FindsAnOrderWhenManyMomentsAreEqual) {
  History history = testing::generate(load_);
  for (auto& operation : history.operations) {
    operation.invoked = operation.invoked / 50 * 50;
    operation.returned = operation.returned / 50 * 50 + 49;
  }
  const auto verdict = decide(history);
  ASSERT_TRUE(verdict);
  ASSERT_EQ(verdict->answer, Answer::kHolds);
  EXPECT_EQ(witness_error(history, *object_, verdict->order), "");
}

// One operation in a hundred never returns.
TEST(SpecialGeneratedContainers, ExplainLostOperations) {
  for (const char* name : {"queue", "stack", "priority_queue"}) {
    const auto object = spec::make(name);
    testing::Load load;
    load.object = name;
    load.operations = 20'000;
    load.lost_of_thousand = 10;
    for (load.seed = 1; load.seed <= 2; ++load.seed) {
      for (const bool violate : {false, true}) {
        load.violate = violate;
        const History history = testing::generate(load);
        Budget budget;
        const auto verdict = special_decider_for(*object).decide(
            history, {.want_order = true}, budget);
        ASSERT_TRUE(verdict) << name;
        if (violate) {
          EXPECT_EQ(verdict->answer, Answer::kViolated) << name;
          EXPECT_LE(verdict->core.size(), 16u) << name;
        } else {
          ASSERT_EQ(verdict->answer, Answer::kHolds) << name;
          EXPECT_EQ(witness_error(history, *object, verdict->order), "");
        }
      }
    }
  }
}

// The cost of repeated values grows with those in flight, not with the length.
TEST(SpecialGeneratedContainers, ExplainRepeatedValues) {
  for (const char* name : {"queue", "stack", "priority_queue"}) {
    const auto object = spec::make(name);
    testing::Load load;
    load.object = name;
    load.operations = 2'000;
    load.processes = 4;
    load.values = 5;
    const History history = testing::generate(load);
    Budget budget;
    const auto verdict = special_decider_for(*object).decide(
        history, {.want_order = true}, budget);
    ASSERT_TRUE(verdict) << name;
    ASSERT_EQ(verdict->answer, Answer::kHolds) << name;
    EXPECT_EQ(witness_error(history, *object, verdict->order), "") << name;
    EXPECT_LT(verdict->steps, 20 * history.size()) << name;
  }
}

constexpr Case kCases[] = {
    {"queue", 2},          {"queue", 32},          {"stack", 2},
    {"stack", 8},          {"stack", 32},          {"priority_queue", 2},
    {"priority_queue", 8}, {"priority_queue", 32}, {"set", 2},
    {"set", 32},           {"register", 2},        {"register", 8},
    {"register", 32},
};
INSTANTIATE_TEST_SUITE_P(All, SpecialGenerated, ::testing::ValuesIn(kCases));

TEST(SpecialDeciders, AcceptAHistoryWithoutOperations) {
  for (const char* name :
       {"queue", "stack", "priority_queue", "set", "register"}) {
    Budget budget;
    const auto verdict = special_decider_for(*spec::make(name))
                             .decide({}, {.want_order = true}, budget);
    ASSERT_TRUE(verdict) << name;
    EXPECT_EQ(verdict->answer, Answer::kHolds) << name;
    EXPECT_TRUE(verdict->order.empty()) << name;
  }
}

TEST(SpecialDeciders, StopWhenTheBudgetIsSpent) {
  for (const char* name :
       {"queue", "stack", "priority_queue", "set", "register"}) {
    testing::Load load;
    load.object = name;
    load.operations = 5'000;
    const History history = testing::generate(load);
    int holds = 0;
    for (const std::uint64_t steps : {0u, 3'000u, 6'000u, 9'000u, 1'000'000u}) {
      Budget budget = Budget().with_steps(steps);
      const auto verdict =
          special_decider_for(*spec::make(name)).decide(history, {}, budget);
      ASSERT_TRUE(verdict) << name;
      if (verdict->answer == Answer::kHolds) {
        ++holds;
      } else {
        ASSERT_EQ(verdict->answer, Answer::kUnknown) << name;
        EXPECT_EQ(verdict->reason, "the limit on search steps was reached");
      }
    }
    EXPECT_GE(holds, 1) << name;
    EXPECT_LE(holds, 4) << name;
  }
}

TEST(SpecialChoice, IsMadeByTheNameOfAnUnboundedObject) {
  EXPECT_EQ(special_decider_for(*spec::make("queue")).decide, decide_queue);
  EXPECT_FALSE(special_decider_for(*spec::make("queue")).blocking);
  EXPECT_EQ(special_decider_for(*spec::make("blocking_stack")).decide,
            decide_stack);
  EXPECT_TRUE(special_decider_for(*spec::make("blocking_stack")).blocking);
  for (const char* name :
       {"queue(3)", "blocking_queue(3)", "map", "counter", "bag"}) {
    EXPECT_EQ(special_decider_for(*spec::make(name)).decide, nullptr) << name;
  }
}

}  // namespace
}  // namespace plumb::check
