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

TEST(OracleBound, LargerStatesDoNotHelp) {
  std::mt19937 random(577);
  for (std::size_t round = 0; round < 2000; ++round) {
    const char* const names[] = {"queue",          "stack",    "set",
                                 "register",       "queue(2)", "counter",
                                 "priority_queue", "snzi",     "deque(1)"};
    const auto object = spec::make(names[round % std::size(names)]);
    auto shape = plumb::testing::random_shape(random, 4);
    shape.values = 2;
    shape.distinct = false;
    const History history =
        plumb::testing::random_history(random, *object, shape);
    Condition condition = random_open(random, *object);
    for (auto& [name, factor] : condition.factors) factor = 1;
    for (const bool any : {false, true}) {
      ASSERT_EQ(holds(history, *object, condition, {any, 0}),
                holds(history, *object, condition, {any, 1}))
          << object->name() << ", " << condition.to_string() << "\n"
          << plumb::testing::picture(history, *object);
    }
  }
}

// A counter may have to go down all the way, and up.
TEST(OracleBound, ManyHelpersMayBeNeeded) {
  const auto counter = spec::make("counter");
  Condition condition;
  condition.factors = {{"get", 1}, {"dec", 1}};
  EXPECT_TRUE(holds(plumb::testing::in_sequence(
                        *counter, "inc -> 0, inc -> 1, inc -> 2, get -> 0"),
                    *counter, condition));
  condition.factors = {{"get", 1}, {"inc", 1}};
  EXPECT_TRUE(holds(plumb::testing::in_sequence(*counter, "get -> 9"), *counter,
                    condition));
  const auto queue = spec::make("queue(3)");
  condition.factors = {{"enq", 4}};
  EXPECT_TRUE(
      holds(plumb::testing::in_sequence(*queue, "enq 1 -> false, deq -> 1"),
            *queue, condition));
}

}  // namespace
}  // namespace plumb::oracle
