// SPDX-License-Identifier: Apache-2.0
#include "check/excess.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "check/decide.h"
#include "report/excess.h"
#include "spec/catalogue.h"
#include "support/histories.h"
#include "support/random_histories.h"

namespace plumb::check {
namespace {

struct Asked {
  history::History history;
  spec::SpecificationPtr object;
  Condition condition;
};

Asked sequence(const char* object, const char* condition, const char* calls) {
  const auto made = spec::make(object);
  return {testing::in_sequence(*made, calls), made, parse_condition(condition)};
}

std::optional<Excess> excess_of(const Asked& asked) {
  Budget budget;
  const Verdict verdict =
      decide(asked.history, *asked.object, asked.condition, {}, budget);
  EXPECT_EQ(verdict.answer, Answer::kViolated);
  if (verdict.answer != Answer::kViolated) return std::nullopt;
  const Explanation why =
      explain(asked.history, *asked.object, asked.condition, verdict, budget);
  return measure_excess(asked.history, *asked.object, asked.condition, why,
                        budget);
}

std::string words(const Asked& asked) {
  const auto excess = excess_of(asked);
  if (!excess) return "nothing";
  return report::excess_text(asked.history, *asked.object, *excess, 78);
}

TEST(Excess, NamesTheOperationThatCameTooLate) {
  EXPECT_EQ(words(sequence("queue", "quasi(deq=1)",
                           "enq 1, enq 2, enq 3, deq -> 2, deq -> 3, "
                           "deq -> 1")),
            R"(
  deq() -> 1 by process p stands 2 places behind its turn, 1 more than its
    factor 1.
  This history would hold with quasi(deq=2).

    pi:   enq(1)  enq(2)  enq(3)  deq() -> 2    deq() -> 3  *deq() -> 1*
    pi':  enq(1)  enq(2)  enq(3)  *deq() -> 1*  deq() -> 2  deq() -> 3

  pi keeps the history's order; pi' is the nearest that the queue accepts.
)");
}

TEST(Excess, NamesTheOperationThatCameTooEarly) {
  EXPECT_EQ(
      words(sequence("queue", "quasi(deq=1)", "enq 1, enq 2, enq 3, deq -> 3")),
      R"(
  deq() -> 3 by process p stands 2 places ahead of its turn, 1 more than its
    factor 1.
  This history would hold with quasi(deq=2).

    pi:   enq(1)  enq(2)  enq(3)  *deq() -> 3*  [deq() -> 1]  [deq() -> 2]
    pi':  enq(1)  enq(2)  enq(3)  [deq() -> 1]  [deq() -> 2]  *deq() -> 3*

  pi keeps the history's order; pi' is the nearest that the queue accepts;
    [...] would follow.
)");
}

TEST(Excess, NamesTheClass) {
  const std::string all = words(sequence("stack", "quasi(old{pop -> 5..7}=1)",
                                         "push 7, push 6, push 5, pop -> 7"));
  EXPECT_NE(all.find("factor 1 of its class 'old'."), std::string::npos) << all;
}

TEST(Excess, SaysThatNothingWasPutIn) {
  EXPECT_EQ(words(sequence("queue", "quasi(deq=1)", "enq 1, deq -> 7")),
            "\n  No factors would explain it: deq() -> 7 was never put in.\n");
  EXPECT_EQ(words(sequence("queue", "quasi(deq=1)",
                           "enq 1, enq 2, deq -> 1, deq -> 1")),
            "\n  No factors would explain it: deq() -> 1 was taken out "
            "before, as often as it\n    was put in.\n");
}

TEST(Excess, SaysHowFarItLookedInVain) {
  EXPECT_EQ(words(sequence("queue", "quasi(low{deq -> 1..2}=1)",
                           "enq 3, enq 1, deq -> 1, deq -> 3")),
            "\n  Not even quasi(low{deq -> 1..2}=8) would explain it.\n");
}

TEST(Excess, LeavesOutWhatIsTheSameInLongOrders) {
  std::string calls;
  for (int i = 0; i < 40; ++i) calls += "enq 5, deq -> 5, ";
  calls += "enq 1, enq 2, enq 3, deq -> 3, deq -> 2, deq -> 1";
  const std::string all =
      words(sequence("queue", "quasi(deq=1)", calls.c_str()));
  EXPECT_NE(all.find("(81 more)  enq(2)"), std::string::npos) << all;
  EXPECT_NE(all.find("*deq() -> 3*"), std::string::npos) << all;
}

TEST(Excess, TakesAPendingPutForDoneIfThatExplainsAsMuch) {
  Asked asked = sequence("queue", "quasi(deq=1)", "enq 1");
  asked.history = testing::draw(*asked.object, R"(
    p: [enq 1] [enq 1] [enq 1] [enq 2 ...
    q:                            [deq -> 2]
  )");
  EXPECT_NE(words(asked).find("enq(2)  *deq() -> 2*"), std::string::npos)
      << words(asked);
}

// The fewest operations beyond their factor, over all legal orders in which
// none is further than `most`; closed, of one process.
std::size_t fewest_too_far(const Asked& asked, std::uint32_t factor,
                           std::uint32_t most) {
  std::vector<Value> puts, takes;
  for (const history::Operation& o : asked.history.operations) {
    (o.code == 0 ? puts : takes).push_back(o.code == 0 ? o.argument : o.result);
  }
  std::vector<std::size_t> order(takes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::size_t fewest = SIZE_MAX;
  do {
    std::size_t too_far = 0;
    bool fits = true;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t away = std::max(i, order[i]) - std::min(i, order[i]);
      fits = fits && takes[order[i]] == puts[i] && away <= most;
      too_far += away > factor ? 1 : 0;
    }
    if (fits) fewest = std::min(fewest, too_far);
  } while (std::next_permutation(order.begin(), order.end()));
  return fewest;
}

TEST(Excess, NamesAsFewAsCanBe) {
  std::mt19937 random(7);
  int compared = 0;
  for (int round = 0; round < 200; ++round) {
    std::string puts, takes;
    std::vector<int> values;
    for (int i = 0; i < 6; ++i) {
      values.push_back(static_cast<int>(testing::below(random, 3)));
    }
    for (const int v : values) puts += fmt::format("enq {}, ", v);
    for (std::size_t i = values.size(); i > 1; --i) {
      const auto j = testing::below(random, static_cast<std::uint32_t>(i));
      std::swap(values[i - 1], values[j]);
    }
    for (const int v : values) {
      takes += fmt::format("{}deq -> {}", takes.empty() ? "" : ", ", v);
    }
    Asked asked = sequence("queue", "quasi(deq=1)", (puts + takes).c_str());
    asked.condition.closed = true;
    Budget budget;
    if (decide(asked.history, *asked.object, asked.condition, {}, budget)
            .answer == Answer::kHolds) {
      continue;
    }
    const auto excess = excess_of(asked);
    ASSERT_TRUE(excess && excess->nearest);
    const std::size_t fewest =
        fewest_too_far(asked, 1, excess->nearest->factors.at("deq"));
    if (fewest > 3) continue;
    EXPECT_EQ(excess->too_far.size(), fewest) << puts + takes;
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

TEST(Excess, OfAHistoryReadLiterallyHasNothingThatFollows) {
  Asked asked = sequence("queue", "quasi(deq=1)",
                         "enq 1, enq 2, enq 3, deq -> 3, deq -> 1, deq -> 2");
  asked.condition.reading = Reading::kLiteral;
  asked.condition.closed = true;
  const auto excess = excess_of(asked);
  ASSERT_TRUE(excess && excess->nearest);
  EXPECT_EQ(excess->nearest->factors.at("deq"), 2u);
  EXPECT_EQ(excess->orders.operations.size(), 6u);
  EXPECT_EQ(excess->too_far.size(), 1u);
}

TEST(Excess, IsNothingWithoutAQuasiCondition) {
  EXPECT_FALSE(
      excess_of(sequence("queue", "linearizable", "enq 1, enq 2, deq -> 2")));
  EXPECT_FALSE(excess_of(sequence("queue", "out_of_order(deq=1)",
                                  "enq 1, enq 2, enq 3, deq -> 3")));
}

// Nobody may still put in what was taken out, at any level.
TEST(Excess, OnAModelIsThatOfTheHistory) {
  const Asked asked =
      sequence("queue", "quasi(deq=1)", "enq 1, enq 3, deq -> 2");
  const std::string words_of_history = words(asked);
  EXPECT_EQ(words_of_history,
            "\n  No factors would explain it: deq() -> 2 was never put in.\n");
  Budget budget;
  const Universe universe{
      {{Value::integer(1), Value::integer(2), Value::integer(3)}, {Value()}}};
  const auto relaxed = relaxed_for_models(asked.object, asked.condition,
                                          universe, Construction::kExact);
  const Verdict verdict = decide(asked.history, *relaxed, {}, {}, budget);
  ASSERT_EQ(verdict.answer, Answer::kViolated);
  const Explanation why = explain(asked.history, *relaxed, {}, verdict, budget);
  const auto excess = measure_excess_on_model(
      asked.history, asked.object, asked.condition, universe, why, budget);
  ASSERT_TRUE(excess);
  EXPECT_EQ(report::excess_text(asked.history, *asked.object, *excess, 78),
            words_of_history);
}

}  // namespace
}  // namespace plumb::check
