// SPDX-License-Identifier: Apache-2.0
#include "spec/product.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "base/input_error.h"
#include "spec/spec_test_support.h"

namespace plumb::spec_testing {
namespace {

Value on(std::string_view key, Value argument = {}) {
  return list({text(key), argument});
}

TEST(Product, KeepsItsKeysApart) {
  Walk cells(product_of(make("register")));
  EXPECT_EQ(cells.call("write", on("y", number(1))), "null");
  EXPECT_EQ(cells.call("write", on("x", number(2))), "null");
  EXPECT_EQ(cells.call("read", on("x")), "2");
  EXPECT_EQ(cells.call("read", on("y")), "1");
  EXPECT_EQ(cells.call("read", on("z")), "null");
  EXPECT_EQ(cells.call("cas", on("x", list({number(1), number(3)}))), "false");
  EXPECT_EQ(cells.call("cas", on("y", list({number(1), number(3)}))), "true");
  EXPECT_EQ(cells.contents(), R"({"x": 2, "y": 3})");
}

TEST(Product, ForgetsKeysThatAreBackWhereTheyStarted) {
  Walk queues(product_of(make("queue")));
  queues.call("enq", on("x", number(1)));
  queues.call("enq", on("y", number(2)));
  EXPECT_EQ(queues.call("deq", on("x")), "1");
  EXPECT_EQ(queues.contents(), R"({"y": [2]})");
  EXPECT_EQ(queues.call("deq", on("y")), "2");
  EXPECT_EQ(queues.state(), queues.object().initial());
}

TEST(Product, ForgetsTheOrderInWhichItsKeysCame) {
  Walk left(product_of(make("queue"))), right(product_of(make("queue")));
  for (const int key : {3, 1, 2}) {
    left.call("enq", list({number(key), number(0)}));
    right.call("enq", list({number(4 - key), number(0)}));
  }
  EXPECT_EQ(left.state(), right.state());
  EXPECT_EQ(left.contents(), "{1: [0], 2: [0], 3: [0]}");
}

TEST(Product, DoesNotMistakeAValueForAKey) {
  Walk queues(product_of(make("queue")));
  queues.call("enq", list({number(1), number(7)}));
  queues.call("enq", list({number(1), number(1)}));
  queues.call("enq", list({number(7), number(1)}));
  EXPECT_EQ(queues.call("deq", list({number(7), Value()})), "1");
  EXPECT_EQ(queues.call("deq", list({number(7), Value()})), "null");
  EXPECT_EQ(queues.contents(), "{1: [7, 1]}");
}

TEST(Product, BlocksAndChoosesAsItsPartDoes) {
  Walk bags(product_of(make("blocking_bag(2)")));
  EXPECT_EQ(bags.call("take", on("x")), "blocks");
  EXPECT_EQ(bags.call("add", on("x", number(1))), "true");
  EXPECT_EQ(bags.call("add", on("x", number(2))), "true");
  EXPECT_EQ(bags.call("add", on("x", number(3))), "false");
  EXPECT_EQ(bags.call("add", on("y", number(3))), "true");
  EXPECT_EQ(bags.call("take", on("x")), "1 or 2");
  EXPECT_FALSE(bags.saw("take", on("x"), number(3)));
  EXPECT_TRUE(bags.saw("take", on("x"), number(2)));
  EXPECT_EQ(bags.contents(), R"({"x": {1}, "y": {3}})");
}

TEST(Product, HasThePartsOperationsWithAKeyInEveryArgument) {
  const auto part = make("queue(2)");
  const auto whole = product_of(part);
  ASSERT_EQ(whole->operations().size(), part->operations().size());
  for (std::size_t i = 0; i < part->operations().size(); ++i) {
    const Signature& mine = whole->operations()[i];
    EXPECT_EQ(mine.name, part->operations()[i].name);
    EXPECT_EQ(mine.argument, Argument::kPair);
    EXPECT_EQ(mine.result, part->operations()[i].result);
    EXPECT_EQ(mine.takes, part->operations()[i].takes);
  }
  EXPECT_EQ(whole->part({0, on("x", number(1))}), text("x"));
  EXPECT_TRUE(whole->parts_are_objects());
}

TEST(Product, HasANameThatTheCatalogueDoesNotKnow) {
  const auto whole = product_of(make("register"));
  EXPECT_EQ(whole->name(), "register per key");
  EXPECT_THROW(parse_name(whole->name()), InputError);
}

// A counter that owes what it holds, and can never pay back more than one.
class Debtor final : public Specification {
 public:
  std::string name() const override { return "debtor"; }
  std::span<const Signature> operations() const override {
    return counter_->operations();
  }
  State initial() const override { return counter_->initial(); }
  void apply(const State& state, const Call& call,
             std::vector<Outcome>& outcomes) const override {
    counter_->apply(state, call, outcomes);
  }
  bool may_end(const State& state) const override {
    return state[0].as_integer() == 0;
  }

 private:
  SpecificationPtr counter_ = make("counter");
};

TEST(Product, MayEndOnlyWhereEveryPartMay) {
  const auto debtors = product_of(std::make_shared<Debtor>());
  const auto code = [&](std::string_view name) {
    return Walk(debtors).named(name, {}).code;
  };
  State state = debtors->initial();
  const auto call = [&](std::string_view name, Value argument) {
    std::vector<Outcome> outcomes;
    debtors->apply(state, {code(name), argument}, outcomes);
    ASSERT_EQ(outcomes.size(), 1u);
    state = outcomes.front().next;
  };
  EXPECT_TRUE(debtors->may_end(state));
  call("inc", on("x"));
  call("inc", on("y"));
  call("dec", on("x"));
  EXPECT_FALSE(debtors->may_end(state));
  call("dec", on("y"));
  EXPECT_TRUE(debtors->may_end(state));
}

// The plain model: a std::map from key to a copy of the part.
TEST(Product, AgreesWithAMapOfParts) {
  for (const char* name : {"queue", "register", "set", "bag", "counter"}) {
    std::mt19937 random(7);
    const auto pick = [&](std::uint32_t n) {
      return static_cast<std::uint32_t>(random() % n);
    };
    const auto part = make(name);
    const auto whole = product_of(part);
    const auto operations = part->operations();
    State state = whole->initial();
    std::map<std::int64_t, State> parts;
    for (int round = 0; round < 3'000; ++round) {
      const std::int64_t key = static_cast<std::int64_t>(pick(4)) - 1;
      const auto code = static_cast<std::uint16_t>(
          pick(static_cast<std::uint32_t>(operations.size())));
      Value argument = number(pick(3));
      if (operations[code].argument == Argument::kPair) {
        argument = list({number(pick(3)), argument});
      }
      const auto at = parts.try_emplace(key, part->initial()).first;
      std::vector<Outcome> expected, got;
      part->apply(at->second, {code, argument}, expected);
      const Call call{code, list({number(key), argument})};
      whole->apply(state, call, got);
      ASSERT_EQ(got.size(), expected.size()) << name << " round " << round;
      ASSERT_FALSE(got.empty());
      const std::uint32_t chosen = pick(static_cast<std::uint32_t>(got.size()));
      ASSERT_EQ(got[chosen].result, expected[chosen].result);
      std::vector<State> next = {state};  // must be left alone
      whole->step(state, call, got[chosen].result, next);
      ASSERT_EQ(next.size(), 2u);
      ASSERT_EQ(next[0], state);
      ASSERT_EQ(next[1], got[chosen].next);
      state = got[chosen].next;
      at->second = expected[chosen].next;
      std::size_t words = 0;
      for (const auto& entry : parts) {
        if (entry.second != part->initial()) words += entry.second.size() + 2;
      }
      ASSERT_EQ(state.size(), words) << name << " round " << round;
    }
  }
}

}  // namespace
}  // namespace plumb::spec_testing
