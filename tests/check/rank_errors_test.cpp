// SPDX-License-Identifier: Apache-2.0
// Rank errors and delays against their definition, in every order.
#include "check/rank_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "spec/catalogue.h"
#include "spec/initial.h"
#include "support/generate.h"
#include "support/histories.h"
#include "support/random_histories.h"

namespace plumb::check {
namespace {

using history::History;
using history::Operation;

RankErrors measured(const History& history, const std::string& object,
                    ErrorOrder order = ErrorOrder::kBest) {
  Budget budget;
  const auto errors =
      measure_errors(history, *spec::make(object), order, budget);
  EXPECT_TRUE(errors.has_value());
  return errors.value_or(RankErrors());
}

RankErrors measured(const char* picture, const std::string& object,
                    ErrorOrder order = ErrorOrder::kBest) {
  return measured(testing::draw(*spec::make(object), picture), object, order);
}

// What is inside, that which has its turn first in front, and how often each
// was passed over so far.
struct Inside {
  Value value;
  std::uint32_t passed = 0;
};

// A number, or [priority, item].
Value priority(Value value) {
  return value.is_list() ? value.items()[0] : value;
}

// The definition: what an order of puts and takes means, with a list.
class Naive {
 public:
  explicit Naive(std::string object) : object_(std::move(object)) {}

  void put(const std::string& name, Value value) {
    const auto at = std::find_if(line_.begin(), line_.end(), [&](auto& one) {
      if (object_ == "stack" || name == "push_front") return true;
      return object_ == "priority_queue" &&
             compare(priority(value), priority(one.value)) < 0;
    });
    line_.insert(at, {value});
  }
  // Nothing if it is not inside.
  std::optional<TakeError> take(const std::string& name, Value value) {
    const auto is_it = [&](const Inside& one) { return one.value == value; };
    const bool back = name == "pop_back";
    if (back) std::reverse(line_.begin(), line_.end());
    const auto at = std::find_if(line_.begin(), line_.end(), is_it);
    if (at == line_.end()) return std::nullopt;
    std::uint32_t rank = 0;
    for (auto one = line_.begin(); one != at; ++one) {
      const bool equal = object_ == "priority_queue" &&
                         compare(priority(one->value), priority(value)) == 0;
      if (equal) continue;
      ++one->passed;
      ++rank;
    }
    const TakeError error{0, rank, at->passed};
    line_.erase(at);
    if (back) std::reverse(line_.begin(), line_.end());
    return error;
  }
  std::size_t size() const { return line_.size(); }

 private:
  std::string object_;
  std::vector<Inside> line_;
};

struct Least {
  std::uint32_t maximum = UINT32_MAX;
  std::uint64_t sum = UINT64_MAX;
};

// Of all orders of a complete history without takes that found nothing.
class AllOrders {
 public:
  AllOrders(const History& history, const std::string& object)
      : history_(history), object_(object), spec_(spec::make(object)) {}

  Least run() {
    extend(Naive(object_), 0, 0);
    return least_;
  }

 private:
  void extend(const Naive& line, std::uint32_t maximum, std::uint64_t sum) {
    if (done_.size() == history_.size()) {
      least_.maximum = std::min(least_.maximum, maximum);
      least_.sum = std::min(least_.sum, sum);
      return;
    }
    for (std::uint32_t i = 0; i < history_.size(); ++i) {
      if (done_.contains(i) || !is_next(i)) continue;
      Naive next = line;
      const Operation& o = history_.operations[i];
      const auto& signature = spec_->operations()[o.code];
      const std::string name(signature.name);
      std::uint32_t rank = 0;
      if (signature.takes) {
        const auto error = next.take(name, o.result);
        if (!error) continue;
        rank = error->rank;
      } else {
        next.put(name, o.argument);
      }
      done_.insert(i);
      extend(next, std::max(maximum, rank), sum + rank);
      done_.erase(i);
    }
  }
  bool is_next(std::uint32_t i) const {
    for (std::uint32_t other = 0; other < history_.size(); ++other) {
      if (!done_.contains(other) && history_.operations[other].returned <
                                        history_.operations[i].invoked) {
        return false;
      }
    }
    return true;
  }

  const History& history_;
  std::string object_;
  spec::SpecificationPtr spec_;
  std::set<std::uint32_t> done_;
  Least least_;
};

// What is reported is what its order means, and that keeps real time.
void expect_true_to_its_order(const History& history, const std::string& object,
                              const RankErrors& errors) {
  Naive line(object);
  const auto spec = spec::make(object);
  std::size_t next = 0;
  history::Moment latest = 0;
  for (const std::uint32_t i : errors.sequence) {
    const Operation& o = history.operations[i];
    latest = std::max(latest, o.invoked);
    ASSERT_LE(latest, o.returned);
    const auto& signature = spec->operations()[o.code];
    const std::string name(signature.name);
    if (!signature.takes) {
      line.put(name, o.argument);
      continue;
    }
    auto error = line.take(name, o.result);
    ASSERT_TRUE(error.has_value());
    error->operation = i;
    ASSERT_LT(next, errors.takes.size());
    EXPECT_EQ(errors.takes[next].rank, error->rank);
    EXPECT_EQ(errors.takes[next].delay, error->delay);
    EXPECT_EQ(errors.takes[next++].operation, i);
  }
  EXPECT_EQ(next, errors.takes.size());
  EXPECT_EQ(errors.left, line.size());
}

History without_what_has_no_rank(const History& history,
                                 const spec::Specification& object,
                                 const RankErrors& errors) {
  History out = history;
  out.operations.clear();
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    const bool empty = object.operations()[o.code].takes && o.result.is_null();
    const auto& never = errors.never_put;
    if (!empty && std::find(never.begin(), never.end(), i) == never.end()) {
      out.operations.push_back(o);
    }
  }
  return out;
}

constexpr const char* kObjects[] = {"queue", "stack", "priority_queue",
                                    "deque"};

TEST(RankErrors, AreTheSmallestOfAllOrdersOfShortHistories) {
  std::size_t wrong = 0, never = 0, sums = 0;
  for (const std::string object : kObjects) {
    const auto spec = spec::make(object);
    for (unsigned seed = 0; seed < 3000; ++seed) {
      std::mt19937 random(seed);
      testing::RandomShape shape = testing::random_shape(random, 7);
      shape.pending = 0;
      shape.distinct = true;
      shape.wrong = 40;
      const History history = testing::random_history(random, *spec, shape);
      const RankErrors errors = measured(history, object);
      expect_true_to_its_order(history, object, errors);
      if (::testing::Test::HasFailure()) FAIL() << object << " seed " << seed;
      const History rest = without_what_has_no_rank(history, *spec, errors);
      const Least least = AllOrders(rest, object).run();
      ASSERT_NE(least.maximum, UINT32_MAX);
      ASSERT_EQ(errors.maximum(), least.maximum) << object << " seed " << seed;
      ASSERT_EQ(errors.least_maximum, least.maximum)
          << object << " seed " << seed;
      ASSERT_LE(errors.least_sum, least.sum) << object << " seed " << seed;
      wrong += least.maximum > 0 ? 1u : 0u;
      never += errors.never_put.empty() ? 0u : 1u;
      sums += errors.sum() == least.sum ? 1u : 0u;
    }
  }
  EXPECT_GT(wrong, 300u);
  EXPECT_GT(never, 300u);
  EXPECT_GT(sums, 11900u);  // of 12,000: the smallest sum is not searched for
}

TEST(RankErrors, OrdersByInvocationAndReturnAreWhatTheySay) {
  for (const std::string object : kObjects) {
    const auto spec = spec::make(object);
    for (unsigned seed = 0; seed < 500; ++seed) {
      std::mt19937 random(seed);
      testing::RandomShape shape = testing::random_shape(random, 12);
      shape.pending = 0;
      const History history = testing::random_history(random, *spec, shape);
      for (const ErrorOrder order :
           {ErrorOrder::kInvoked, ErrorOrder::kReturned}) {
        expect_true_to_its_order(history, object,
                                 measured(history, object, order));
        if (::testing::Test::HasFailure()) FAIL() << object << " seed " << seed;
      }
    }
  }
}

TEST(RankErrors, WhatIsCertainIsNeverMoreThanWhatWasFound) {
  for (const char* object : kObjects) {
    for (const std::size_t values : {0u, 10u}) {
      testing::Load load;
      load.object = object;
      load.operations = values == 0 ? 5000 : 500;
      load.violate = true;
      load.values = values;
      const RankErrors errors = measured(testing::generate(load), object);
      EXPECT_LE(errors.least_maximum, errors.maximum()) << object;
      EXPECT_LE(errors.least_sum, errors.sum()) << object;
      if (values == 0 && object != std::string("deque")) {
        EXPECT_GT(errors.least_maximum, 0u) << object;
      }
    }
  }
}

TEST(RankErrors, TheFactorOfARelaxedQueueIsFound) {
  testing::Load load;
  load.operations = 4000;
  load.relaxed = 3;
  const RankErrors errors = measured(testing::generate(load), "queue");
  EXPECT_EQ(errors.least_maximum, 3u);
  EXPECT_LE(errors.maximum(), 4u);
}

TEST(RankErrors, CountWhoStandsBeforeAndWhoPassedBy) {
  const RankErrors errors = measured(
      "p: [enq 1] [enq 2] [enq 3] [deq -> 3] [deq -> 2] [deq -> 1]", "queue");
  ASSERT_EQ(errors.takes.size(), 3u);
  EXPECT_EQ(errors.takes[0].rank, 2u);
  EXPECT_EQ(errors.takes[1].rank, 1u);
  EXPECT_EQ(errors.takes[1].delay, 1u);
  EXPECT_EQ(errors.takes[2].rank, 0u);
  EXPECT_EQ(errors.takes[2].delay, 2u);
  EXPECT_EQ(errors.least_sum, 3u);
}

TEST(RankErrors, OverlappingOperationsAreGivenTheBestOrder) {
  const char* picture = R"(
    p: [enq 1    ] [deq -> 2]
    q:   [enq 2]              [deq -> 1]
  )";
  EXPECT_EQ(measured(picture, "queue").maximum(), 0u);
  EXPECT_EQ(measured(picture, "queue", ErrorOrder::kInvoked).maximum(), 1u);
  EXPECT_EQ(measured(picture, "queue", ErrorOrder::kReturned).maximum(), 0u);
}

TEST(RankErrors, TakesThatFoundNothingAreCountedApart) {
  const RankErrors errors = measured(
      "p: [push 1] [push 2] [pop -> null] [pop -> 2] [pop -> 1] "
      "[pop -> null]",
      "stack");
  EXPECT_EQ(errors.takes.size(), 2u);
  EXPECT_EQ(errors.empty, 2u);
  EXPECT_EQ(errors.wrongly_empty, 1u);
  EXPECT_EQ(errors.most_inside, 2u);
}

TEST(RankErrors, ATakeThatFoundNothingStandsWhereTheFewestAreInside) {
  const RankErrors errors = measured(R"(
    p:   [enq 1] [enq 2]
    q: [deq -> null       ]
  )",
                                     "queue");
  EXPECT_EQ(errors.empty, 1u);
  EXPECT_EQ(errors.wrongly_empty, 0u);
}

TEST(RankErrors, ATakeThatDidNotReturnMayHaveTakenWhatIsInTheWay) {
  const RankErrors errors = measured(R"(
    p: [enq 1] [enq 2] [deq -> 2]
    q:       [deq ...
  )",
                                     "queue");
  EXPECT_EQ(errors.takes.size(), 1u);
  EXPECT_EQ(errors.maximum(), 0u);
}

TEST(RankErrors, WhatIsTakenAgainHasNoRank) {
  const RankErrors errors =
      measured("p: [enq 1] [deq -> 1] [deq -> 1] [deq -> 7]", "queue");
  EXPECT_EQ(errors.takes.size(), 1u);
  EXPECT_EQ(errors.never_put.size(), 2u);
}

TEST(RankErrors, ObjectsThatBeginWithSomethingCountIt) {
  const char* picture = "p: [enq 3] [deq -> 2] [deq -> 3] [deq -> 1]";
  const std::vector<Value> inside = {Value::integer(1), Value::integer(2)};
  const auto object =
      spec::begun_with(spec::make("queue"), "enq", inside, "queue[1, 2]");
  Budget budget;
  const auto errors = measure_errors(testing::draw(*object, picture), *object,
                                     ErrorOrder::kBest, budget);
  ASSERT_TRUE(errors.has_value());
  ASSERT_EQ(errors->takes.size(), 3u);
  EXPECT_EQ(errors->takes[0].rank, 1u);
  EXPECT_EQ(errors->takes[1].rank, 1u);
  EXPECT_EQ(errors->takes[2].delay, 2u);
}

TEST(RankErrors, OnlyObjectsWithTurnsHaveThem) {
  for (const char* name : {"queue", "queue(3)", "blocking_deque", "stack"}) {
    EXPECT_TRUE(has_rank_errors(*spec::make(name))) << name;
  }
  for (const char* name : {"bag", "set", "register", "map", "counter"}) {
    EXPECT_FALSE(has_rank_errors(*spec::make(name))) << name;
  }
}

}  // namespace
}  // namespace plumb::check
