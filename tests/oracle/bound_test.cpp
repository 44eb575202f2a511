// SPDX-License-Identifier: Apache-2.0
// How many further operations does the oracle have to think of?
#include <gtest/gtest.h>

#include <random>

#include "oracle/definition.h"
#include "spec/catalogue.h"
#include "support/histories.h"
#include "support/random_conditions.h"
#include "support/random_histories.h"

namespace plumb::oracle {
namespace {

using check::Condition;
using history::History;

Condition random_open(std::mt19937& random, const spec::Specification& object) {
  Condition condition = plumb::testing::random_quasi(random, object);
  condition.order = check::Order::kRealTime;
  condition.reading = check::Reading::kInPlace;
  condition.closed = false;
  return condition;
}

TEST(OracleBound, OneHelperForEachLateOperationIsEnough) {
  std::mt19937 random(577);
  for (int round = 0; round < 2000; ++round) {
    const char* const names[] = {"queue",    "stack",          "set",
                                 "register", "priority_queue", "queue(2)"};
    const auto object = spec::make(names[round % 6]);
    auto shape = plumb::testing::random_shape(random, 4);
    shape.values = 2;
    shape.distinct = false;
    const History history =
        plumb::testing::random_history(random, *object, shape);
    Condition condition = random_open(random, *object);
    for (auto& [name, factor] : condition.factors) factor = 1;
    for (const bool any : {false, true}) {
      ASSERT_EQ(holds(history, *object, condition, {any, 1}),
                holds(history, *object, condition, {any, 2}))
          << object->name() << ", " << condition.to_string() << "\n"
          << plumb::testing::picture(history, *object);
    }
  }
}

// A counter may have to go down all the way.
TEST(OracleBound, OneHelperIsNotEnoughForACounter) {
  const auto counter = spec::make("counter");
  const History history =
      plumb::testing::in_sequence(*counter, "inc -> 0, inc -> 0");
  Condition condition;
  condition.factors = {{"inc", 1}};
  EXPECT_FALSE(holds(history, *counter, condition, {true, 1}));
  EXPECT_TRUE(holds(history, *counter, condition, {true, 2}));
  EXPECT_TRUE(holds(history, *counter, condition, {true, 0}));
}

}  // namespace
}  // namespace plumb::oracle
