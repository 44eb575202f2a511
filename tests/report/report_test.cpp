// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "check/decide.h"
#include "report/json.h"
#include "report/result_file.h"
#include "report/text.h"
#include "report/timeline.h"
#include "spec/catalogue.h"
#include "support/histories.h"

namespace plumb::report {
namespace {

using testing::draw;
using testing::in_sequence;

HistoryResult judged(const history::History& history, const char* spec,
                     const char* condition) {
  HistoryResult result;
  result.file = result.name = "run.jsonl";
  result.object = spec::make(spec);
  result.history = std::make_shared<history::History>(history);
  const auto parsed = check::parse_condition(condition);
  result.condition = parsed.to_string();
  result.operations = history.size();
  Budget budget;
  result.verdict = check::decide(history, *result.object, parsed,
                                 {.want_order = true}, budget);
  if (result.verdict.answer == check::Answer::kViolated) {
    result.explanation =
        check::explain(history, *result.object, parsed, result.verdict, budget);
  }
  return result;
}

TEST(Timeline, DrawsOverlapsInTheOrderOfTheirEnds) {
  const auto queue = spec::make("queue");
  const auto h = draw(*queue, R"(
    p: [enq 1     ]     [deq -> 2]
    q:     [enq 2     ]
    r:                       [deq ...
  )");
  EXPECT_EQ(draw_timeline(h, *queue, {0, 1, 2, 3}, {"  ", 100}),
            "  process p   |- enq(1) -|   |- deq() -> 2 -|\n"
            "  process q     |- enq(2) -|\n"
            "  process r                    |- deq(), pending -...\n");
}

TEST(Timeline, BecomesAListWhereBarsDoNotFit) {
  const auto queue = spec::make("queue");
  auto h = in_sequence(*queue, "enq 1, deq -> 1");
  h.operations[0].line = 3;
  h.operations[0].returned_line = 4;
  EXPECT_EQ(draw_timeline(h, *queue, {0}, {"", 10}),
            "line 3-4             process p    enq(1)\n");
}

TEST(Text, ColoursOnlyTheVerdictAndOnlyWhenAsked) {
  const auto queue = spec::make("queue");
  const auto result =
      judged(in_sequence(*queue, "enq 1, deq -> 1"), "queue", "linearizable");
  EXPECT_EQ(to_text(result, {}),
            "run.jsonl: holds: linearizable as a queue, 2 operations\n");
  EXPECT_EQ(to_text(result, {.color = true}),
            "run.jsonl: \033[32mholds\033[0m: linearizable as a queue, 2 "
            "operations\n");
}

TEST(Json, HasTheFieldsThatScriptsRelyOn) {
  const auto queue = spec::make("queue");
  const auto bad = judged(in_sequence(*queue, "enq 1, enq 2, deq -> 2"),
                          "queue", "linearizable");
  const auto parsed = result_file("history", Json::array({to_json(bad)}),
                                  {{"x", "no such file"}});
  EXPECT_EQ(parsed["tool"], "plumb");
  EXPECT_EQ(parsed["level"], "history");
  EXPECT_TRUE(parsed["version"].is_string());
  EXPECT_EQ(parsed["errors"][0]["file"], "x");
  const auto& result = parsed["results"][0];
  for (const char* field : {"name", "file", "condition", "specification",
                            "verdict", "reason", "evidence", "stats"}) {
    EXPECT_TRUE(result.contains(field)) << field;
  }
  EXPECT_EQ(result["verdict"], "violated");
  EXPECT_EQ(result["specification"], "queue");
  EXPECT_EQ(result["evidence"]["culprits"].size(), 2u);
  EXPECT_EQ(result["evidence"]["culprits"][1]["result"], 2);
  EXPECT_EQ(result["stats"]["operations"], 3);
}

TEST(Json, SurvivesTextsThatAreNotUtf8) {
  const auto queue = spec::make("queue");
  auto h = in_sequence(*queue, "enq 1");
  h.operations[0].argument = Value::text("\xff\xfe");
  HistoryResult result = judged(h, "queue", "linearizable");
  result.show_order = true;
  EXPECT_TRUE(nlohmann::json::accept(file_text(to_json(result))));
}

}  // namespace
}  // namespace plumb::report
