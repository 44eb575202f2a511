// SPDX-License-Identifier: Apache-2.0
// How far the operations of a witness are from their places.
#include "check/witness_orders.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "check/decide.h"
#include "spec/catalogue.h"
#include "support/histories.h"

namespace plumb::check {
namespace {

using testing::in_sequence;

std::optional<TwoOrders> orders(const history::History& history,
                                const std::string& condition) {
  const auto queue = spec::make("queue");
  const Condition parsed = parse_condition(condition);
  Budget budget;
  const Verdict verdict =
      decide(history, *queue, parsed, {.want_order = true}, budget);
  EXPECT_EQ(verdict.answer, Answer::kHolds);
  return witness_orders(history, *queue, parsed, verdict, budget);
}

TEST(WitnessOrders, SayWhoStandsWhere) {
  const auto queue = spec::make("queue");
  const auto found = orders(
      in_sequence(*queue, "enq 1, enq 2, deq -> 2, deq -> 1"), "quasi(deq=1)");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->operations.size(), 4u);
  for (const PlacedOperation& placed : found->operations) {
    EXPECT_LE(placed.distance(), 1u);
    if (placed.index == 2u) {
      EXPECT_EQ(placed.kept, 0u);
      EXPECT_EQ(placed.legal, 1u);
    }
  }
  // In pi', the object gives what was seen.
  std::vector<std::uint32_t> legal;
  for (const std::uint32_t i : found->legal) {
    legal.push_back(*found->operations[i].index);
  }
  EXPECT_EQ(legal, (std::vector<std::uint32_t>{0, 1, 3, 2}));
}

TEST(WitnessOrders, HaveWhatWouldHaveToFollow) {
  const auto queue = spec::make("queue");
  const auto found =
      orders(in_sequence(*queue, "enq 1, enq 2, deq -> 2"), "quasi(deq=1)");
  ASSERT_TRUE(found);
  EXPECT_EQ(std::count_if(found->operations.begin(), found->operations.end(),
                          [](const auto& placed) { return !placed.index; }),
            1);
}

TEST(WitnessOrders, AreOfQuasiConditionsOnly) {
  const auto queue = spec::make("queue");
  EXPECT_FALSE(orders(in_sequence(*queue, "enq 1, deq -> 1"), "linearizable"));
}

// LIMIT: orders of long histories are not looked for.
TEST(WitnessOrders, AreOfShortHistoriesOnly) {
  const auto queue = spec::make("queue");
  std::string calls = "enq 0";
  for (int i = 1; i <= 300; ++i) calls += ", enq " + std::to_string(i);
  EXPECT_FALSE(orders(in_sequence(*queue, calls), "quasi(deq=1)"));
}

}  // namespace
}  // namespace plumb::check
