// SPDX-License-Identifier: Apache-2.0
// Histories as columns.
#include "report/history_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "check/decide.h"
#include "report/json.h"
#include "spec/catalogue.h"
#include "support/histories.h"

namespace plumb::report {
namespace {

using testing::draw;
using testing::in_sequence;

HistoryResult judged(const history::History& history,
                     const std::string& condition) {
  HistoryResult result;
  result.object = spec::make("queue");
  result.condition = condition;
  result.history = std::make_shared<history::History>(history);
  const auto parsed = check::parse_condition(condition);
  Budget budget;
  result.verdict = check::decide(history, *result.object, parsed,
                                 {.want_order = true}, budget);
  if (result.verdict.answer == check::Answer::kViolated) {
    result.explanation =
        check::explain(history, *result.object, parsed, result.verdict, budget);
    result.excess = check::measure_excess(history, *result.object, parsed,
                                          *result.explanation, budget);
  }
  return result;
}

history::History drawn(const char* picture) {
  return draw(*spec::make("queue"), picture);
}

TEST(HistoryTable, HasOneEntryForEachOperationInEachColumn) {
  const auto h = drawn(R"(
    p: [enq 1          ]   [deq -> 2]
    q:      [enq 2]             [deq ...
  )");
  const Json table = history_table(judged(h, "linearizable"), 100);
  EXPECT_EQ(table["total"], 4);
  EXPECT_EQ(table["first"], 0);
  EXPECT_EQ(table["processes"], Json::parse(R"(["p", "q"])"));
  EXPECT_EQ(table["process"], Json::parse("[0, 1, 0, 1]"));
  EXPECT_EQ(table["functions"][0], "enq");
  EXPECT_EQ(table["function"], Json::parse("[0, 0, 1, 1]"));
  EXPECT_EQ(table["argument"], Json::parse("[1, 2, null, null]"));
  EXPECT_EQ(table["result"], Json::parse("[null, null, 2, null]"));
  EXPECT_EQ(table["status"], Json::parse("[0, 0, 0, 1]"));
  EXPECT_EQ(table["invoked"], Json::parse("[0, 1, 4, 5]"));
  EXPECT_EQ(table["returned"], Json::parse("[3, 2, 6, null]"));
  EXPECT_FALSE(table.contains("invoked_at"));
  EXPECT_FALSE(table.contains("quiescent"));
  // A pending operation need not take effect.
  EXPECT_EQ(table["order"][0], 1);
  EXPECT_GE(table["order"].size(), 3u);
}

TEST(HistoryTable, SaysWhatCannotBePlaced) {
  const auto h = in_sequence(*spec::make("queue"), "enq 1, enq 2, deq -> 2");
  const Json table = history_table(judged(h, "linearizable"), 100);
  EXPECT_EQ(table["culprits"], Json::parse("[0, 2]"));
  EXPECT_EQ(table["last"], 2);
  EXPECT_EQ(table["obstacles"][0][0], 2);
  EXPECT_EQ(table["obstacles"][0][1], "it would return 1, not 2");
  EXPECT_EQ(table["state"], "[1]");
}

TEST(HistoryTable, ShowsTheOperationsRoundTheCulprits) {
  std::string calls = "enq 0";
  for (int i = 1; i < 12; ++i) calls += ", enq " + std::to_string(i);
  calls += ", deq -> 0, deq -> 2";
  for (int i = 3; i < 10; ++i) calls += ", deq -> " + std::to_string(i);
  const auto h = in_sequence(*spec::make("queue"), calls);
  const HistoryResult result = judged(h, "linearizable");
  const Window window = window_of(result, 5);
  EXPECT_EQ(window.count, 5u);
  const std::size_t last = result.explanation->last;
  EXPECT_LE(window.first, last);
  EXPECT_LT(last, window.first + window.count);
  const Json table = history_table(result, 5);
  EXPECT_EQ(table["total"], h.size());
  EXPECT_EQ(table["first"], window.first);
  EXPECT_EQ(table["process"].size(), 5u);
  EXPECT_EQ(table["last"], last - window.first);
  for (const char* list : {"order", "culprits"}) {
    for (const Json& i : table[list]) EXPECT_LT(i, 5u) << list;
  }
}

TEST(HistoryTable, AWindowNeverGoesBeyondTheEnds) {
  const auto h = in_sequence(*spec::make("queue"), "enq 1, enq 2, deq -> 2");
  const HistoryResult result = judged(h, "linearizable");
  for (std::size_t most = 0; most < 5; ++most) {
    const Window window = window_of(result, most);
    EXPECT_EQ(window.count, std::min<std::size_t>(most, 3));
    EXPECT_LE(window.first + window.count, 3u);
  }
}

TEST(HistoryTable, TellsQuiescentMoments) {
  HistoryResult result = judged(drawn(R"(
    p: [enq 1]     [enq 2  ]     [deq -> 1]
    q:   [enq 3]        [enq 4]
  )"),
                                "quiescent");
  result.quiescent = true;
  EXPECT_EQ(history_table(result, 100)["quiescent"],
            Json::parse("[0, 4, 8, 10]"));
  result = judged(drawn(R"(
    p: [enq 1]   [enq 2 ...   [deq -> 1]
  )"),
                  "quiescent");
  result.quiescent = true;
  EXPECT_EQ(history_table(result, 100)["quiescent"], Json::parse("[0, 2]"));
}

TEST(HistoryTable, TellsHowFarOperationsMoved) {
  const auto h = in_sequence(*spec::make("queue"),
                             "enq 1, enq 2, enq 3, deq -> 3, deq -> 1");
  HistoryResult result = judged(h, "quasi(deq=1)");
  ASSERT_TRUE(result.excess);
  result.factors = {{"deq", 1}};
  const Json table = history_table(result, 100);
  EXPECT_EQ(table["factors"], Json::parse(R"([["deq", 1]])"));
  bool moved = false;
  for (const Json& move : table["moves"]) {
    if (move[0] == 3) moved = move[1] == 0 && move[2] == 2 && move[3] == 0;
  }
  EXPECT_TRUE(moved) << table["moves"];
  EXPECT_EQ(table["pi"].size(), table["pi_prime"].size());
}

TEST(HistoryTable, HasTheTimesOfTheLines) {
  auto h = in_sequence(*spec::make("queue"), "enq 1, deq -> 1");
  std::uint32_t line = 0;
  for (history::Operation& o : h.operations) {
    o.line = ++line;
    o.returned_line = ++line;
  }
  HistoryResult result = judged(h, "linearizable");
  result.times = {{1, 10}, {2, 25}, {4, 90}};
  const Json table = history_table(result, 100);
  EXPECT_EQ(table["invoked_at"], Json::parse("[10, null]"));
  EXPECT_EQ(table["returned_at"], Json::parse("[25, 90]"));
}

TEST(HistoryTable, IsInTheResultIfItIsAskedFor) {
  const auto h = in_sequence(*spec::make("queue"), "enq 1");
  HistoryResult result = judged(h, "linearizable");
  EXPECT_FALSE(to_json(result).contains("history"));
  result.drawn = 10;
  EXPECT_EQ(to_json(result)["history"]["total"], 1);
}

}  // namespace
}  // namespace plumb::report
