// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "check/decide.h"
#include "report/model_json.h"
#include "report/model_text.h"
#include "report/result_file.h"
#include "spec/catalogue.h"
#include "verify/path_history.h"

namespace plumb::report {
namespace {

using check::Answer;
using lts::Label;
using lts::LabelKind;

ModelResult holding() {
  ModelResult result;
  result.file = "treiber.plumb";
  result.line = 27;
  result.check = "treiber linearizable with 3 processes, values 1..2";
  result.condition = "linearizable";
  result.specification = spec::make("stack(2)");
  result.bounds = "3 processes, values 1..2, any number of operations";
  result.operations = {"push", "pop"};
  result.outcome.answer = Answer::kHolds;
  result.outcome.statistics.states = 21711;
  result.outcome.statistics.transitions = 69993;
  result.outcome.statistics.seconds = 0.5;
  result.outcome.statistics.store_bytes = 3 << 20;
  result.outcome.statistics.method = "linearization points";
  verify::Point push;
  push.operation = 0;
  push.edge = {.operation = 0,
               .line = 9,
               .statement = "if (cas(top, t, n))",
               .outcome = "when the cas succeeds",
               .writes = true};
  verify::Point helped;
  helped.operation = 1;
  helped.may = helped.by_other = true;
  helped.edge = {.operation = 0,
                 .line = 12,
                 .statement = "collide = self;",
                 .outcome = "",
                 .writes = true};
  result.outcome.points = {push, helped};
  return result;
}

TEST(ModelText, OfWhatHoldsNamesBoundsFiguresAndPoints) {
  EXPECT_EQ(
      to_text(holding(), {}),
      "treiber.plumb:27: treiber linearizable with 3 processes, values 1..2: "
      "holds\n"
      "  for exactly these bounds: 3 processes, values 1..2, any number of "
      "operations\n"
      "  21,711 states, 69,993 transitions, 0.50 s, 3.0 MiB, by linearization "
      "points\n"
      "  push takes effect at line 9, 'if (cas(top, t, n))', when the cas "
      "succeeds\n"
      "  pop may take effect at line 12 of another process's push, 'collide = "
      "self;'\n");
}

TEST(ModelText, PutsPointsTogetherThatDifferInTheResultOnly) {
  ModelResult result = holding();
  verify::Point point;
  point.operation = 1;
  point.edge = {.operation = 1,
                .line = 7,
                .statement = "if (a)",
                .outcome = "",
                .writes = false};
  point.only_if = "1";
  result.outcome.points = {point, point};
  result.outcome.points[1].only_if = "2";
  EXPECT_NE(to_text(result, {})
                .find("pop takes effect at line 7, 'if (a)', if "
                      "it then returns 1 or 2\n"),
            std::string::npos);
  result.outcome.points[1].only_if = "";
  EXPECT_NE(to_text(result, {}).find("pop takes effect at line 7, 'if (a)'\n"),
            std::string::npos);
  // What `push` returns is nothing, in a stack without a bound.
  result.specification = spec::make("stack");
  result.outcome.points = {point};
  result.outcome.points[0].operation = 0;
  result.outcome.points[0].by_other = true;
  EXPECT_NE(to_text(result, {}).find("line 7 of another process's pop, 'if"),
            std::string::npos);
}

TEST(ModelText, SaysHowAVerdictStandsToWhatWasExpected) {
  ModelResult result = holding();
  const auto first_line = [&] {
    const std::string text = to_text(result, {});
    return text.substr(text.find("1..2: ") + 6,
                       text.find('\n') - text.find("1..2: ") - 6);
  };
  result.expect = Answer::kHolds;
  EXPECT_EQ(first_line(), "holds");
  result.expect = Answer::kViolated;
  EXPECT_EQ(first_line(), "holds, but 'expect violated' says otherwise");
  EXPECT_FALSE(result.is_as_expected());
  result.outcome.answer = Answer::kViolated;
  EXPECT_EQ(first_line(), "violated, as expected");
  EXPECT_TRUE(result.is_as_expected());
  result.outcome.answer = Answer::kUnknown;
  EXPECT_EQ(first_line(), "unknown");
  EXPECT_FALSE(result.is_as_expected());
  result.expect = Answer::kUnknown;
  EXPECT_EQ(first_line(), "unknown, as expected");
}

TEST(ModelText, ColoursGoodNewsGreenAndBadNewsRed) {
  ModelResult result = holding();
  result.expect = Answer::kViolated;
  EXPECT_NE(to_text(result, {.color = true}).find("\033[1;31mholds, but"),
            std::string::npos);
  result.outcome.answer = Answer::kViolated;
  EXPECT_NE(to_text(result, {.color = true}).find("\033[32mviolated, as"),
            std::string::npos);
}

std::vector<Label> lost_push() {
  const auto visible = [](LabelKind kind, std::uint16_t process,
                          std::uint16_t operation, Value value) {
    Label label;
    label.kind = kind;
    label.process = process;
    label.operation = operation;
    label.value = value;
    return label;
  };
  return {visible(LabelKind::kInvoke, 1, 0, Value::integer(1)),
          Label{},
          visible(LabelKind::kReturn, 1, 0, Value()),
          visible(LabelKind::kInvoke, 0, 1, Value()),
          visible(LabelKind::kInvoke, 1, 1, Value()),
          visible(LabelKind::kReturn, 0, 1, Value())};
}

TEST(PathHistory, KeepsCallsAndReturnsAndTheNumbersOfTheirSteps) {
  const history::History h = verify::history_of(lost_push(), {0, 1}, 2);
  ASSERT_EQ(h.size(), 3u);
  EXPECT_EQ(h.operations[0].argument, Value::integer(1));
  EXPECT_EQ(h.operations[0].process, 1u);
  EXPECT_EQ(h.operations[0].line, 1u);
  EXPECT_EQ(h.operations[0].returned_line, 3u);
  EXPECT_EQ(h.operations[1].invoked, 2u);
  EXPECT_EQ(h.operations[1].returned, 4u);
  EXPECT_TRUE(h.operations[2].pending());
}

TEST(PathHistory, NamesOperationsAsTheSpecificationDoes) {
  const history::History h = verify::history_of(lost_push(), {1, 0}, 2);
  EXPECT_EQ(h.operations[0].code, 1u);
  EXPECT_EQ(h.operations[1].code, 0u);
}

ModelResult violated() {
  ModelResult result = holding();
  result.specification = spec::make("stack");
  result.outcome.points.clear();
  result.outcome.answer = Answer::kViolated;
  result.outcome.reason = "no order of the calls explains them";
  result.outcome.history = verify::history_of(lost_push(), {0, 1}, 2);
  result.trace = Trace{};
  TraceStep call;
  call.kind = LabelKind::kInvoke;
  call.process = 1;
  call.statement = "push(1)";
  result.trace->steps = {call};
  Budget budget;
  const auto verdict = check::decide(*result.outcome.history,
                                     *result.specification, {}, {}, budget);
  result.explanation = check::explain(
      *result.outcome.history, *result.specification, {}, verdict, budget);
  result.replay = "plumb verify --check 27 'treiber.plumb'";
  return result;
}

TEST(ModelText, OfAViolationShowsStepsHistoryReasonAndTheWayBack) {
  const std::string text = to_text(violated(), {});
  const char* const pieces[] = {
      ": violated\n  no order of the calls explains them\n",
      "    step  line    process 1\n       1        > push(1)\n",
      ("    process 0                 |- pop() -> null -|\n"
       "    process 1   |- push(1) -|   |- pop(), pending -...\n"),
      "To see it again: plumb verify --check 27 'treiber.plumb'\n"};
  std::size_t at = 0;
  for (const char* const piece : pieces) {
    const std::size_t found = text.find(piece, at);
    EXPECT_NE(found, std::string::npos) << piece << "\nin\n" << text;
    if (found != std::string::npos) at = found;
  }
}

TEST(ModelText, LeavesEvidenceOutWhereNobodyNeedsIt) {
  ModelResult result = violated();
  result.show_evidence = false;
  const std::string text = to_text(result, {});
  EXPECT_EQ(text.find("push(1)"), std::string::npos) << text;
  EXPECT_NE(text.find("To see it again"), std::string::npos);
}

TEST(ModelJson, HasTheFieldsThatScriptsRelyOn) {
  const auto parsed = result_file(
      "object", Json::array({to_json(holding()), to_json(violated())}),
      {{"x.plumb", "no such file"}});
  EXPECT_EQ(parsed["tool"], "plumb");
  EXPECT_EQ(parsed["level"], "object");
  EXPECT_EQ(parsed["errors"][0]["file"], "x.plumb");
  const auto& good = parsed["results"][0];
  EXPECT_EQ(good["file"], "treiber.plumb");
  EXPECT_EQ(good["line"], 27);
  EXPECT_EQ(good["condition"], "linearizable");
  EXPECT_EQ(good["specification"], "stack(2)");
  EXPECT_EQ(good["verdict"], "holds");
  EXPECT_EQ(good["expected"], true);
  EXPECT_TRUE(good["evidence"].is_null());
  EXPECT_EQ(good["points"][1]["operation"], "pop");
  EXPECT_EQ(good["points"][1]["at"], "push");
  EXPECT_EQ(good["stats"]["states"], 21711);
  EXPECT_EQ(good["stats"]["states_per_second"], 43422.0);
  EXPECT_EQ(good["stats"]["method"], "linearization points");
  const auto& bad = parsed["results"][1];
  EXPECT_EQ(bad["verdict"], "violated");
  EXPECT_EQ(bad["expected"], false);
  EXPECT_EQ(bad["evidence"]["trace"]["steps"][0]["kind"], "invoke");
  EXPECT_EQ(bad["evidence"]["history"][2]["pending"], true);
  EXPECT_EQ(bad["evidence"]["history"][1]["result"], nullptr);
  EXPECT_EQ(bad["evidence"]["explanation"]["last"]["f"], "pop");
}

}  // namespace
}  // namespace plumb::report
