// SPDX-License-Identifier: Apache-2.0
// pi and pi' of violated histories: are they what they are said to be?
#include "check/excess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "check/decide.h"
#include "check/transformed.h"
#include "spec/catalogue.h"
#include "support/histories.h"
#include "support/random_conditions.h"
#include "support/random_histories.h"

namespace plumb::testing {
namespace {

using check::Condition;
using check::Excess;
using check::PlacedOperation;
using history::History;
using history::Operation;

class RandomExcess : public ::testing::TestWithParam<std::string> {
 protected:
  // Histories of an object whose takes are out of order have much to show.
  Condition out_of_order() const {
    Condition condition;
    const auto operations = object_->operations();
    for (std::uint16_t code = 0; code < operations.size(); ++code) {
      if (!object_->has_turns(code)) continue;
      condition.out_of_order[std::string(operations[code].name)] = 3;
    }
    return condition;
  }
  void judge(const History& history, const Condition& condition);

  const spec::SpecificationPtr object_ = spec::make(GetParam());
  std::mt19937 random_{16180};
  int shown_ = 0, without_orders_ = 0;
  std::string without_orders_text_;
};

// Runs pi' on the object; a pending operation may have any result.
bool is_legal(const spec::Specification& object, const Excess& excess) {
  std::vector<spec::State> states{object.initial()};
  for (const std::uint32_t i : excess.orders.legal) {
    const Operation& o = excess.orders.operations[i].operation;
    std::vector<spec::State> next;
    for (const spec::State& state : states) {
      object.step(state, o.call(), o.observed(), next);
    }
    states = std::move(next);
  }
  return !states.empty();
}

void expect_real_time(const Excess& excess, const History& history) {
  const auto& kept = excess.orders.kept;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (std::size_t j = i + 1; j < kept.size(); ++j) {
      const PlacedOperation& a = excess.orders.operations[kept[i]];
      const PlacedOperation& b = excess.orders.operations[kept[j]];
      EXPECT_TRUE(a.index || !b.index) << "what follows comes last";
      if (!a.index || !b.index) continue;
      EXPECT_FALSE(
          precedes(history.operations[*b.index], history.operations[*a.index]));
    }
  }
}

// Places as they are counted in both orders, against what is said of them.
void expect_places(const Excess& excess, const Condition& condition,
                   const spec::Specification& object) {
  const check::Classes classes(condition, object);
  const check::Classes widened(*excess.nearest, object);
  const auto& orders = excess.orders;
  std::vector<std::uint32_t> in_kept(classes.size()), in_legal(classes.size());
  std::vector<std::uint32_t> kept_at(orders.operations.size());
  for (const std::uint32_t i : orders.kept) {
    const std::int32_t one = orders.operations[i].in_class;
    if (one >= 0) kept_at[i] = in_kept[static_cast<std::size_t>(one)]++;
  }
  std::size_t too_far = 0;
  for (std::size_t p = 0; p < orders.legal.size(); ++p) {
    const PlacedOperation& placed = orders.operations[orders.legal[p]];
    const PlacedOperation& there = orders.operations[orders.kept[p]];
    EXPECT_EQ(placed.in_class, there.in_class) << "the same pattern";
    if (placed.in_class < 0) {
      EXPECT_EQ(orders.kept[p], orders.legal[p]);
      continue;
    }
    const auto at = in_legal[static_cast<std::size_t>(placed.in_class)]++;
    EXPECT_EQ(placed.legal, at);
    EXPECT_EQ(placed.kept, kept_at[orders.legal[p]]);
    EXPECT_LE(placed.distance(), widened.factor(placed.in_class));
    if (placed.distance() > classes.factor(placed.in_class)) ++too_far;
  }
  EXPECT_EQ(too_far, excess.too_far.size());
  EXPECT_GT(too_far, 0u);
}

void RandomExcess::judge(const History& history, const Condition& condition) {
  Budget budget;
  const check::Verdict verdict =
      check::decide(history, *object_, condition, {}, budget);
  if (verdict.answer != check::Answer::kViolated) return;
  const check::Explanation why =
      check::explain(history, *object_, condition, verdict, budget);
  const auto excess =
      check::measure_excess(history, *object_, condition, why, budget);
  ASSERT_TRUE(excess) << picture(history, *object_);
  if (!excess->nearest) return;
  if (excess->too_far.empty()) {
    ++without_orders_;
    without_orders_text_ += picture(history, *object_) + describe(condition) +
                            "\n" + excess->nearest->to_string() + "\n";
    return;
  }
  ++shown_;
  SCOPED_TRACE(picture(history, *object_) + describe(condition));
  auto sorted = excess->orders.kept;
  auto legal = excess->orders.legal;
  std::sort(sorted.begin(), sorted.end());
  std::sort(legal.begin(), legal.end());
  EXPECT_EQ(sorted, legal);
  EXPECT_EQ(sorted.size(), excess->orders.operations.size());
  EXPECT_TRUE(is_legal(*object_, *excess));
  expect_real_time(*excess, history);
  expect_places(*excess, condition, *object_);
}

TEST_P(RandomExcess, IsShownByAnOrderAndALegalOne) {
  const auto loose = check::transformed_object(object_, out_of_order());
  for (int round = 0; round < 120; ++round) {
    RandomShape shape = random_shape(random_, 9);
    shape.values = 4;
    shape.processes = 1 + below(random_, 2);
    shape.operations = 9;
    shape.distinct = round % 2 == 0;
    const History history = random_history(random_, *loose, shape);
    Condition condition = random_quasi(random_, *object_);
    condition.order = check::Order::kRealTime;
    condition.reading = check::Reading::kInPlace;
    for (auto& [name, factor] : condition.factors) factor = 1;
    judge(history, condition);
    if (HasFailure()) FAIL() << "in round " << round;
  }
  EXPECT_GT(shown_, 3);
  EXPECT_LE(without_orders_, 1 + shown_ / 10) << without_orders_text_;
}

INSTANTIATE_TEST_SUITE_P(
    Explanations, RandomExcess,
    ::testing::Values("queue", "stack", "priority_queue", "deque(2)",
                      "blocking_queue", "set", "counter", "register"),
    [](const ::testing::TestParamInfo<std::string>& object) {
      return test_name(object.param);
    });

}  // namespace
}  // namespace plumb::testing
