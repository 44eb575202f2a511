// SPDX-License-Identifier: Apache-2.0
#include "check/special_test_support.h"

namespace plumb::check {
namespace {

using special_test::below;
using special_test::chance;
using special_test::Comparison;
using special_test::History;
using special_test::Random;

// Calls at one end in and one end out; takes that find nothing at any.
TEST(SpecialDeque, AgreesWithTheDefinitionWhereItIsUsedAsAStackOrAQueue) {
  Random random(71);
  for (const char* name : {"deque", "blocking_deque"}) {
    Comparison comparison(name);
    for (int round = 0; round < 8'000; ++round) {
      special_test::Look look;
      look.operations = 8;
      look.processes = 1 + below(random, 4);
      const auto put = static_cast<std::uint16_t>(below(random, 2));
      const auto take = static_cast<std::uint16_t>(2 + below(random, 2));
      const special_test::NextCall call = [=](Random& r) -> spec::Call {
        if (chance(r, 50)) return {take, Value()};
        return {put, Value::integer(1 + below(r, 6))};
      };
      History history =
          special_test::Simulation(comparison.object(), look, random).run(call);
      for (auto& operation : history.operations) {
        if (operation.code == take && !operation.pending() &&
            chance(random, 10)) {
          operation.result = chance(random, 50)
                                 ? Value()
                                 : Value::integer(1 + below(random, 6));
        }
        if (operation.code == take && operation.result.is_null() &&
            !operation.pending() && chance(random, 50)) {
          operation.code = static_cast<std::uint16_t>(5 - take);
        }
      }
      comparison.judge(history, random);
      if (HasFatalFailure()) return;
    }
    EXPECT_EQ(comparison.decided(), comparison.total());
    EXPECT_GT(comparison.violated(), comparison.total() / 20);
  }
}

TEST(SpecialDeque, LeavesBothEndsToTheGeneralSearch) {
  const auto deque = spec::make("deque");
  Budget budget;
  EXPECT_FALSE(decide_deque(
      testing::in_sequence(*deque, "push_front 1, push_back 2, pop_back -> 2"),
      {}, budget));
  EXPECT_TRUE(decide_deque(
      testing::in_sequence(*deque, "push_front 1, pop_back -> 1"), {}, budget));
}

}  // namespace
}  // namespace plumb::check
