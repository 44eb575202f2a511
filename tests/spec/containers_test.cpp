// SPDX-License-Identifier: Apache-2.0
// Queue, stack, deque, priority queue and bag.
#include <gtest/gtest.h>

#include "spec/spec_test_support.h"

namespace plumb::spec_testing {
namespace {

TEST(Queue, GivesTheOldestFirstAndNullWhenEmpty) {
  Walk queue("queue");
  EXPECT_EQ(queue.call("deq"), "null");
  EXPECT_EQ(queue.call("enq", number(1)), "null");
  EXPECT_EQ(queue.call("enq", number(2)), "null");
  EXPECT_EQ(queue.contents(), "[1, 2]");
  EXPECT_EQ(queue.call("deq"), "1");
  EXPECT_EQ(queue.call("deq"), "2");
  EXPECT_EQ(queue.call("deq"), "null");
  EXPECT_EQ(queue.contents(), "[]");
}

TEST(Queue, HoldsMoreThanFitsIntoTheStateItself) {
  Walk queue("queue");
  for (int i = 0; i < 100; ++i) queue.call("enq", number(i));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(queue.call("deq"), std::to_string(i));
  }
}

TEST(Queue, RefusesAnObservedValueThatIsNotTheOldest) {
  Walk queue("queue");
  queue.call("enq", number(1));
  queue.call("enq", number(2));
  EXPECT_FALSE(queue.saw("deq", {}, number(2)));
  EXPECT_FALSE(queue.saw("deq", {}, Value()));
  EXPECT_TRUE(queue.saw("deq", {}, number(1)));
  EXPECT_EQ(queue.contents(), "[2]");
}

TEST(Queue, MayHoldNullWhichIsThenTakenOut) {
  Walk queue("queue");
  queue.call("enq", Value());
  EXPECT_EQ(queue.call("deq"), "null");
  EXPECT_EQ(queue.contents(), "[]");
}

TEST(Stack, GivesTheNewestFirstAndNullWhenEmpty) {
  Walk stack("stack");
  EXPECT_EQ(stack.call("pop"), "null");
  EXPECT_EQ(stack.call("push", number(1)), "null");
  EXPECT_EQ(stack.call("push", number(2)), "null");
  EXPECT_EQ(stack.contents(), "[1, 2]");
  EXPECT_EQ(stack.call("pop"), "2");
  EXPECT_EQ(stack.call("pop"), "1");
  EXPECT_EQ(stack.call("pop"), "null");
}

TEST(Deque, HasTwoEnds) {
  Walk deque("deque");
  EXPECT_EQ(deque.call("pop_front"), "null");
  EXPECT_EQ(deque.call("pop_back"), "null");
  EXPECT_EQ(deque.call("push_back", number(2)), "null");
  EXPECT_EQ(deque.call("push_front", number(1)), "null");
  EXPECT_EQ(deque.call("push_back", number(3)), "null");
  EXPECT_EQ(deque.contents(), "[1, 2, 3]");
  EXPECT_EQ(deque.call("pop_front"), "1");
  EXPECT_EQ(deque.call("pop_back"), "3");
  EXPECT_EQ(deque.call("pop_back"), "2");
}

TEST(PriorityQueue, GivesTheSmallestNumberFirst) {
  Walk queue("priority_queue");
  EXPECT_EQ(queue.call("remove_min"), "null");
  for (const int n : {5, -3, 10, 5}) {
    EXPECT_EQ(queue.call("insert", number(n)), "null");
  }
  queue.call("insert", Value::real(4.5));
  EXPECT_EQ(queue.contents(), "[-3, 4.5, 5, 5, 10]");
  EXPECT_EQ(queue.call("remove_min"), "-3");
  EXPECT_EQ(queue.call("remove_min"), "4.5");
  EXPECT_EQ(queue.call("remove_min"), "5") << "equal values: one outcome";
  EXPECT_EQ(queue.call("remove_min"), "5");
  EXPECT_EQ(queue.call("remove_min"), "10");
  EXPECT_EQ(queue.call("remove_min"), "null");
}

TEST(PriorityQueue, GivesItemsOfEqualPriorityInAnyOrder) {
  Walk queue("priority_queue");
  const Value a = list({number(1), text("a")}),
              b = list({number(1), text("b")});
  queue.call("insert", list({number(2), text("c")}));
  queue.call("insert", b);
  queue.call("insert", a);
  queue.call("insert", a);
  EXPECT_EQ(queue.contents(), R"([[1, "a"], [1, "a"], [1, "b"], [2, "c"]])");
  EXPECT_EQ(queue.call("remove_min"), R"([1, "a"] or [1, "b"])");
  EXPECT_FALSE(queue.saw("remove_min", {}, list({number(2), text("c")})));
  EXPECT_FALSE(queue.saw("remove_min", {}, Value()));
  EXPECT_TRUE(queue.saw("remove_min", {}, b));
  EXPECT_EQ(queue.call("remove_min"), R"([1, "a"])");
  EXPECT_EQ(queue.call("remove_min"), R"([1, "a"])");
  EXPECT_EQ(queue.call("remove_min"), R"([2, "c"])");
}

TEST(PriorityQueue, TreatsANumberAndAPairThatBeginsWithItAsEqual) {
  Walk queue("priority_queue");
  queue.call("insert", list({number(7), number(0)}));
  queue.call("insert", number(7));
  EXPECT_EQ(queue.call("remove_min"), "7 or [7, 0]");
}

TEST(Bag, GivesAnyOfItsValues) {
  Walk bag("bag");
  EXPECT_EQ(bag.call("take"), "null");
  for (const int n : {3, 1, 3, 2})
    EXPECT_EQ(bag.call("add", number(n)), "null");
  EXPECT_EQ(bag.contents(), "{1, 2, 3, 3}");
  EXPECT_EQ(bag.call("take"), "1 or 2 or 3");
  EXPECT_FALSE(bag.saw("take", {}, Value())) << "it is not empty";
  EXPECT_FALSE(bag.saw("take", {}, number(4)));
  EXPECT_TRUE(bag.saw("take", {}, number(3)));
  EXPECT_EQ(bag.contents(), "{1, 2, 3}");
  EXPECT_TRUE(bag.saw("take", {}, number(3)));
  EXPECT_FALSE(bag.saw("take", {}, number(3)));
  EXPECT_EQ(bag.contents(), "{1, 2}");
}

TEST(Bag, ForgetsTheOrderInWhichItsValuesCame) {
  Walk left("bag"), right("bag");
  const Value values[] = {text("b"), number(-1),           text("a"),
                          Value(),   Value::boolean(true), list({number(1)})};
  for (std::size_t i = 0; i < 6; ++i) {
    left.call("add", values[i]);
    right.call("add", values[5 - i]);
  }
  EXPECT_EQ(left.state(), right.state());
  EXPECT_EQ(left.contents(), R"({null, true, -1, "a", "b", [1]})");
}

// The put and the take of every container that can be bounded or block.
struct Ends {
  std::string_view name, put, take;

  // Without this, the names of the tests would show addresses.
  friend std::ostream& operator<<(std::ostream& out, const Ends& ends) {
    return out << ends.put << " and " << ends.take;
  }
};
class EveryContainer : public ::testing::TestWithParam<Ends> {};
INSTANTIATE_TEST_SUITE_P(
    Containers, EveryContainer,
    ::testing::Values(Ends{"queue", "enq", "deq"}, Ends{"stack", "push", "pop"},
                      Ends{"deque", "push_front", "pop_back"},
                      Ends{"deque", "push_back", "pop_front"},
                      Ends{"priority_queue", "insert", "remove_min"},
                      Ends{"bag", "add", "take"}),
    [](const auto& tested) {
      return std::string(tested.param.name) + "_" +
             std::string(tested.param.put);
    });

TEST_P(EveryContainer, ChangesNothingWhenItIsFull) {
  const auto [name, put, take] = GetParam();
  Walk bounded(std::string(name) + "(2)");
  EXPECT_EQ(bounded.call(put, number(1)), "true");
  EXPECT_EQ(bounded.call(put, number(1)), "true");
  const State full = bounded.state();
  EXPECT_EQ(bounded.call(put, number(5)), "false");
  EXPECT_EQ(bounded.state(), full);
  EXPECT_FALSE(bounded.saw(put, number(5), Value::boolean(true)));
  EXPECT_TRUE(bounded.saw(put, number(5), Value::boolean(false)));
  EXPECT_EQ(bounded.state(), full);
  EXPECT_EQ(bounded.call(take), "1");
  EXPECT_EQ(bounded.call(put, number(1)), "true") << "there is room again";
  EXPECT_EQ(bounded.state(), full);
}

TEST_P(EveryContainer, TellsWhetherAPutSucceededOnlyIfItIsBounded) {
  const auto [name, put, take] = GetParam();
  const auto signature = [](const SpecificationPtr& object,
                            std::string_view operation) {
    return object->operations()[*find_operation(*object, operation)];
  };
  const auto plain = make(name);
  EXPECT_EQ(signature(plain, put).result, Result::kNone);
  EXPECT_EQ(signature(plain, put).meaning, "");
  EXPECT_TRUE(signature(plain, take).takes);
  EXPECT_TRUE(signature(plain, take).meaning.ends_with("null when empty"));
  const auto bounded = make("blocking_" + std::string(name) + "(1)");
  EXPECT_EQ(signature(bounded, put).result, Result::kSuccess);
  EXPECT_EQ(signature(bounded, put).meaning, "was there room");
  EXPECT_TRUE(signature(bounded, take).takes);
  EXPECT_EQ(signature(bounded, take).meaning.find("null"),
            std::string_view::npos);
}

TEST_P(EveryContainer, BlocksATakeWhileItIsEmptyIfItsNameSaysSo) {
  const auto [name, put, take] = GetParam();
  Walk blocking("blocking_" + std::string(name));
  EXPECT_EQ(blocking.call(take), "blocks");
  EXPECT_FALSE(blocking.saw(take, {}, Value()));
  EXPECT_EQ(blocking.call(put, number(1)), "null");
  EXPECT_EQ(blocking.call(take), "1");
  EXPECT_EQ(blocking.call(take), "blocks");
}

TEST_P(EveryContainer, CanBeBoundedAndBlockingAtOnce) {
  const auto [name, put, take] = GetParam();
  Walk both("blocking_" + std::string(name) + "(1)");
  EXPECT_EQ(both.call(take), "blocks");
  EXPECT_EQ(both.call(put, number(1)), "true");
  EXPECT_EQ(both.call(put, number(1)), "false") << "only takes wait";
  EXPECT_EQ(both.call(take), "1");
  EXPECT_EQ(both.call(take), "blocks");
}

TEST_P(EveryContainer, IsOneWhole) {
  const auto [name, put, take] = GetParam();
  Walk walk(name);
  EXPECT_EQ(walk.object().part(walk.named(put, number(1))), std::nullopt);
  EXPECT_TRUE(walk.object().may_end(walk.state()));
}

}  // namespace
}  // namespace plumb::spec_testing
