// SPDX-License-Identifier: Apache-2.0
// Every decider against the oracle on random histories of every object.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "oracle/definition.h"
#include "spec/catalogue.h"
#include "support/compare.h"
#include "support/random_conditions.h"
#include "support/random_histories.h"

namespace plumb::testing {
namespace {

using check::Condition;
using history::History;

class RandomHistories : public ::testing::TestWithParam<std::string> {
 protected:
  void compare(const History& history, const Condition& condition) {
    const bool expected = oracle::holds(history, *object_, condition);
    (expected ? holding_ : violated_) += 1;
    ASSERT_FALSE(dissenter(history, *object_, condition, expected))
        << explain_dissent(history, *object_, condition);
  }

  const spec::SpecificationPtr object_ = spec::make(GetParam());
  std::mt19937 random_{2718};  // fixed: a failure here is one everywhere
  int holding_ = 0, violated_ = 0;
};

TEST_P(RandomHistories, AreJudgedByEveryOrderAsTheDefinitionSays) {
  for (int round = 0; round < 1500; ++round) {
    const RandomShape shape = random_shape(random_, 8);
    const History history = random_history(random_, *object_, shape);
    compare(history, random_order(random_));
    if (HasFatalFailure()) FAIL() << "in round " << round;
  }
  EXPECT_GT(holding_, 100);
  EXPECT_GT(violated_, 100);
}

TEST_P(RandomHistories, AreJudgedWithFactorsAsTheDefinitionSays) {
  for (int round = 0; round < 400; ++round) {
    const RandomShape shape = random_shape(random_, 5);
    const History history = random_history(random_, *object_, shape);
    compare(history, random_quasi(random_, *object_));
    if (HasFatalFailure()) FAIL() << "in round " << round;
  }
  EXPECT_GT(holding_, 10);
  EXPECT_GT(violated_, 10);
}

// Longer ones, with fewer processes: there are fewer orders to try.
TEST_P(RandomHistories, OfEightOperationsAreJudgedAsTheDefinitionSays) {
  for (int round = 0; round < 60; ++round) {
    RandomShape shape = random_shape(random_, 8);
    shape.operations = 6 + below(random_, 3);
    shape.processes = 1 + below(random_, 2);
    shape.pending = 0;
    const History history = random_history(random_, *object_, shape);
    Condition condition = random_quasi(random_, *object_);
    condition.order = check::Order::kRealTime;
    for (auto& [name, factor] : condition.factors) factor = 1;
    compare(history, condition);
    if (HasFatalFailure()) FAIL() << "in round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Deciders, RandomHistories, ::testing::ValuesIn(all_objects()),
    [](const ::testing::TestParamInfo<std::string>& object) {
      return test_name(object.param);
    });

}  // namespace
}  // namespace plumb::testing
