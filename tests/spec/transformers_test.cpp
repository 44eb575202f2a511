// SPDX-License-Identifier: Apache-2.0
// allow_overtaking and allow_stuttering.  Against the definitions they are
// tested in tests/random/transformed_test.cpp.
#include <gtest/gtest.h>

#include <set>

#include "spec/overtaking.h"
#include "spec/product.h"
#include "spec/spec_test_support.h"
#include "spec/stuttering.h"

namespace plumb::spec_testing {
namespace {

constexpr std::uint32_t kAny = Overtaking::kUnbounded;

SpecificationPtr overtaking(SpecificationPtr base, std::string_view name,
                            std::uint32_t furthest, std::uint32_t in_a_row) {
  Overtaking numbers;
  numbers.furthest.resize(base->operations().size());
  numbers.in_a_row.resize(base->operations().size());
  const auto code = find_operation(*base, name).value();
  numbers.furthest[code] = furthest;
  numbers.in_a_row[code] = in_a_row;
  return allow_overtaking(std::move(base), std::move(numbers));
}

SpecificationPtr stuttering(SpecificationPtr base, std::string_view name,
                            std::uint32_t times) {
  std::vector<std::uint32_t> numbers(base->operations().size());
  numbers[find_operation(*base, name).value()] = times;
  return allow_stuttering(std::move(base), std::move(numbers));
}

// An object that holds 1 to `count`, put in this order.
Walk holding(const SpecificationPtr& object, std::string_view put, int count) {
  Walk walk(object);
  for (int i = 1; i <= count; ++i) walk.call(put, number(i));
  return walk;
}

TEST(Overtaking, OfAQueueGivesOneOfTheOldest) {
  Walk queue = holding(overtaking(make("queue"), "deq", 1, kAny), "enq", 3);
  EXPECT_EQ(queue.call("deq"), "1 or 2");
  EXPECT_TRUE(queue.saw("deq", {}, number(2)));
  EXPECT_FALSE(queue.saw("deq", {}, number(2)));
  EXPECT_TRUE(queue.saw("deq", {}, number(3)));
  EXPECT_EQ(queue.contents(), "[1]");
}

TEST(Overtaking, OfAStackGivesOneOfTheYoungest) {
  Walk stack = holding(overtaking(make("stack"), "pop", 1, kAny), "push", 3);
  EXPECT_EQ(stack.call("pop"), "2 or 3");
}

TEST(Overtaking, OfADequeIsOfOneEnd) {
  Walk deque =
      holding(overtaking(make("deque"), "pop_back", 2, kAny), "push_back", 4);
  EXPECT_EQ(deque.call("pop_back"), "2 or 3 or 4");
  EXPECT_EQ(deque.call("pop_front"), "1");
}

TEST(Overtaking, OfAPriorityQueueCountsSmallerOnesOnly) {
  Walk queue(overtaking(make("priority_queue"), "remove_min", 2, kAny));
  for (const int i : {3, 1, 2, 3, 1, 4}) queue.call("insert", number(i));
  EXPECT_EQ(queue.call("remove_min"), "1 or 2");
  EXPECT_TRUE(queue.saw("remove_min", {}, number(1)));
  EXPECT_EQ(queue.call("remove_min"), "1 or 2 or 3");
}

TEST(Overtaking, OfItemsWithOnePriorityGivesEachOfThem) {
  Walk queue(overtaking(make("priority_queue"), "remove_min", 1, kAny));
  const Value a = list({number(2), text("a")}),
              b = list({number(2), text("b")});
  for (const Value item : {number(1), a, b, number(3)}) {
    queue.call("insert", item);
  }
  EXPECT_EQ(queue.call("remove_min"), R"(1 or [2, "a"] or [2, "b"])");
}

TEST(Overtaking, FindsNothingAndBlocksAsTheObjectDoes) {
  EXPECT_EQ(Walk(overtaking(make("queue"), "deq", 2, 1)).call("deq"), "null");
  EXPECT_EQ(
      Walk(overtaking(make("blocking_stack(2)"), "pop", 2, 1)).call("pop"),
      "blocks");
}

TEST(Overtaking, PassesByOnlySoManyTimesInARow) {
  Walk queue = holding(overtaking(make("queue"), "deq", kAny, 2), "enq", 5);
  EXPECT_EQ(queue.call("deq"), "1 or 2 or 3 or 4 or 5");
  EXPECT_TRUE(queue.saw("deq", {}, number(4)));
  EXPECT_TRUE(queue.saw("deq", {}, number(3)));
  EXPECT_EQ(queue.contents(), "[1, 2, 5]; deq passed by 2 times in a row");
  EXPECT_EQ(queue.call("deq"), "1");
  EXPECT_TRUE(queue.saw("deq", {}, number(5)));
  EXPECT_EQ(queue.contents(), "[2]; deq passed by once in a row");
}

TEST(Overtaking, IsWithinBothNumbersIfThereAreTwo) {
  Walk queue = holding(overtaking(make("queue"), "deq", 1, 1), "enq", 4);
  EXPECT_EQ(queue.call("deq"), "1 or 2");
  EXPECT_TRUE(queue.saw("deq", {}, number(2)));
  EXPECT_EQ(queue.call("deq"), "1");
}

TEST(Overtaking, GoesOnInARowAfterFindingNothing) {
  Walk deque =
      holding(overtaking(make("deque"), "pop_front", kAny, 1), "push_back", 2);
  EXPECT_TRUE(deque.saw("pop_front", {}, number(2)));
  EXPECT_TRUE(deque.saw("pop_back", {}, number(1)));
  EXPECT_TRUE(deque.saw("pop_front", {}, Value()));
  deque.call("push_back", number(3));
  deque.call("push_back", number(4));
  EXPECT_FALSE(deque.saw("pop_front", {}, number(4)));
  EXPECT_TRUE(deque.saw("pop_front", {}, number(3)));
}

TEST(Overtaking, IsOneOutcomeWhereItComesToTheSame) {
  Walk queue(overtaking(make("queue"), "deq", 3, 3));
  for (const int i : {1, 1, 1}) queue.call("enq", number(i));
  EXPECT_EQ(queue.call("deq"), "1");
  EXPECT_EQ(queue.contents(), "[1, 1]");
}

TEST(Overtaking, CountsEachKeyApart) {
  Walk queues(overtaking(product_of(make("queue")), "deq", kAny, 1));
  const auto on = [](std::string_view key, Value argument = {}) {
    return list({text(key), argument});
  };
  for (const int i : {1, 2, 3}) {
    queues.call("enq", on("x", number(i)));
    queues.call("enq", on("y", number(i)));
  }
  EXPECT_TRUE(queues.saw("deq", on("x"), number(2)));
  EXPECT_TRUE(queues.saw("deq", on("y"), number(2)));
  EXPECT_FALSE(queues.saw("deq", on("x"), number(3)));
  EXPECT_FALSE(queues.saw("deq", on("y"), number(3)));
  EXPECT_EQ(queues.call("deq", on("x")), "1");
  EXPECT_FALSE(queues.saw("deq", on("y"), number(3)));
}

TEST(Stuttering, LeavesTheObjectAsItWas) {
  Walk counter(stuttering(make("counter"), "inc", 1));
  EXPECT_EQ(counter.call("inc"), "0 or 0");
  std::vector<State> next;
  counter.object().step(counter.state(), counter.named("inc", {}), number(0),
                        next);
  std::set<std::string> states;
  for (const State& s : next) states.insert(counter.object().describe(s));
  EXPECT_EQ(states,
            (std::set<std::string>{"1", "0; inc stuttered once in a row"}));
}

TEST(Stuttering, IsNotCountedWhereThereIsNothingToChange) {
  const auto queue = stuttering(make("queue"), "deq", 1);
  Walk walk(queue);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(walk.saw("deq", {}, Value()));
  EXPECT_EQ(walk.state(), queue->initial());
}

const std::vector<Value> kFrom{number(1), number(2), number(3)};
const std::vector<Value> kTo{number(2), number(3), number(1)};

std::vector<std::uint64_t> words(const State& state) {
  std::vector<std::uint64_t> out;
  for (const Value value : state) out.push_back(value.word());
  return out;
}

std::vector<Value> arguments(const Signature& signature) {
  if (signature.argument != Argument::kPair) return kFrom;
  std::vector<Value> pairs;
  for (const Value key : kFrom) {
    for (const Value value : kFrom) pairs.push_back(list({key, value}));
  }
  return pairs;
}

// Is calling and then renaming the same as renaming and then calling?  Appends
// the states after the call.
void compare_renamed(const Specification& object, const State& state,
                     const Call& call, std::vector<State>& next) {
  std::set<std::pair<std::uint64_t, std::vector<std::uint64_t>>> expected, seen;
  std::vector<Outcome> outcomes, others;
  object.apply(state, call, outcomes);
  for (const Outcome& o : outcomes) {
    expected.emplace(renamed(o.result, kFrom, kTo).word(),
                     words(object.renamed(o.next, kFrom, kTo)));
    next.push_back(o.next);
  }
  object.apply(object.renamed(state, kFrom, kTo),
               {call.code, renamed(call.argument, kFrom, kTo)}, others);
  for (const Outcome& o : others) seen.emplace(o.result.word(), words(o.next));
  EXPECT_EQ(expected, seen) << object.describe(state);
}

void expect_renaming_commutes(const SpecificationPtr& object,
                              std::size_t states) {
  ASSERT_EQ(object->interchangeable(kFrom).size(), 3u);
  std::set<std::vector<std::uint64_t>> reached;
  std::vector<State> level{object->initial()};
  const auto operations = object->operations();
  for (int depth = 0; depth < 5; ++depth) {
    std::vector<State> deeper;
    for (const State& state : level) {
      for (std::uint16_t code = 0; code < operations.size(); ++code) {
        for (const Value argument : arguments(operations[code])) {
          std::vector<State> next;
          compare_renamed(*object, state, {code, argument}, next);
          for (State& after : next) {
            if (reached.insert(words(after)).second) deeper.push_back(after);
          }
        }
      }
    }
    level = std::move(deeper);
  }
  EXPECT_GT(reached.size(), states);
}

TEST(Transformers, TreatAlikeWhatTheObjectTreatsAlike) {
  expect_renaming_commutes(overtaking(make("queue(3)"), "deq", 1, 1), 50);
  expect_renaming_commutes(overtaking(make("stack"), "pop", kAny, 2), 50);
  expect_renaming_commutes(stuttering(make("set"), "add", 1), 10);
  expect_renaming_commutes(stuttering(make("map"), "put", 1), 50);
  expect_renaming_commutes(
      stuttering(overtaking(make("queue"), "deq", 2, kAny), "deq", 1), 50);
}

}  // namespace
}  // namespace plumb::spec_testing
