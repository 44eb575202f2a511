// SPDX-License-Identifier: Apache-2.0
// out_of_order, late and stuttering against their definitions, on random
// histories of every object.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "check/transformed.h"
#include "oracle/definition.h"
#include "spec/catalogue.h"
#include "support/compare.h"
#include "support/random_conditions.h"
#include "support/random_histories.h"

namespace plumb::testing {
namespace {

using check::Condition;
using history::History;

class TransformedHistories : public ::testing::TestWithParam<std::string> {
 protected:
  void compare(const History& history, const Condition& condition) {
    const bool expected = oracle::holds(history, *object_, condition);
    Condition plain;
    plain.order = condition.order;
    if (expected && !oracle::holds(history, *object_, plain)) ++relaxed_;
    if (!expected) ++violated_;
    ASSERT_FALSE(dissenter(history, *object_, condition, expected))
        << explain_dissent(history, *object_, condition);
  }

  const spec::SpecificationPtr object_ = spec::make(GetParam());
  std::mt19937 random_{31415};
  int relaxed_ = 0, violated_ = 0;
};

// Histories of an object that goes a little further than it may are near the
// border.
Condition loosened(Condition condition, std::uint32_t by) {
  for (check::Factors* factors :
       {&condition.out_of_order, &condition.late, &condition.stuttering}) {
    for (auto& [name, number] : *factors) number += by;
  }
  return condition;
}

TEST_P(TransformedHistories, AreJudgedAsTheDefinitionSays) {
  for (std::uint32_t round = 0; round < 1500; ++round) {
    RandomShape shape = random_shape(random_, 6);
    if (round % 2 == 0) {  // long ones, with few orders to try
      shape.operations = 7 + below(random_, 3);
      shape.processes = 1 + below(random_, 2);
      shape.pending = 0;
      shape.values = 4;
    }
    const Condition condition = random_transformed(random_, *object_);
    if (!condition.transformed()) continue;
    const auto looser =
        check::transformed_object(object_, loosened(condition, round % 3));
    compare(random_history(random_, *looser, shape), condition);
    if (HasFatalFailure()) FAIL() << "in round " << round;
  }
  EXPECT_GT(relaxed_, 20);
  EXPECT_GT(violated_, 10);
}

INSTANTIATE_TEST_SUITE_P(
    Deciders, TransformedHistories, ::testing::ValuesIn(all_objects()),
    [](const ::testing::TestParamInfo<std::string>& object) {
      return test_name(object.param);
    });

}  // namespace
}  // namespace plumb::testing
