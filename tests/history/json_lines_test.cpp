// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "history/reading.h"

namespace plumb::history {
namespace {

TEST(JsonLines, GiveOperationsInOrderOfInvocation) {
  EXPECT_EQ(
      shown_text(R"({"process": 3, "type": "invoke", "f": "enq", "value": 1}
{"process": 5, "type": "invoke", "f": "deq", "time": 77}
{"process": 5, "type": "ok", "f": "deq", "value": 1}
{"process": 3, "type": "ok", "f": "enq", "value": 1}
)",
                 "queue"),
      "key null\n"
      "3 enq(1)=null [0,3]\n"
      "5 deq(null)=1 [1,2]\n");
}

TEST(JsonLines, RememberTheLineOfAnInvocationAndTheSource) {
  const ReadResult result = read_text(
      "\n\n{\"process\": 0, \"type\": \"invoke\", \"f\": \"deq\"}", "queue");
  EXPECT_EQ(result.histories[0].operations[0].line, 3u);
  EXPECT_EQ(result.histories[0].source, "h.jsonl");
  EXPECT_EQ(result.stats.lines, 3u);
  EXPECT_EQ(result.stats.events, 1u);
  EXPECT_EQ(result.stats.bytes, 46u);
  EXPECT_FALSE(result.keyed);
}

TEST(JsonLines, AnEmptySourceIsAnEmptyHistory) {
  for (const char* text : {"", "\n", "  \n\t\r\n", "\xEF\xBB\xBF"}) {
    const ReadResult result = read_text(text, "queue");
    ASSERT_EQ(result.histories.size(), 1u);
    EXPECT_EQ(result.histories[0].size(), 0u);
    EXPECT_TRUE(result.histories[0].object.is_null());
  }
}

TEST(JsonLines, FailedOperationsLeaveNoGapInTheMoments) {
  EXPECT_EQ(
      shown_text(R"({"process": 0, "type": "invoke", "f": "enq", "value": 1}
{"process": 1, "type": "invoke", "f": "enq", "value": 2}
{"process": 0, "type": "fail", "f": "enq", "value": 1}
{"process": 1, "type": "ok", "f": "enq", "value": 2}
{"process": 0, "type": "invoke", "f": "enq", "value": 3}
)",
                 "queue"),
      "key null\n"
      "1 enq(2)=null [0,1]\n"
      "0 enq(3)=? [2,-]\n");
}

TEST(JsonLines, AfterInfoTheProcessGoesOnAndTheOperationStaysPending) {
  EXPECT_EQ(
      shown_text(R"({"process": 0, "type": "invoke", "f": "enq", "value": 1}
{"process": 0, "type": "info", "f": "enq", "value": 1}
{"process": 0, "type": "invoke", "f": "deq"}
{"process": 0, "type": "ok", "value": null}
)",
                 "queue"),
      "key null\n"
      "0 enq(1)=? [0,-]\n"
      "0 deq(null)=null [1,2]\n");
}

TEST(JsonLines, LinesOfTheNemesisAndOtherRemarksAreSkippedAndCounted) {
  const ReadResult result = read_text(
      R"({"process": "nemesis", "type": "info", "f": "go", "value": {"a": [1]}}
{"process": "nemesis", "type": "invoke", "f": "kill"}
{"type": "info", "f": "note"}
{"process": 0, "type": "invoke", "f": "deq"}
{"process": 9, "type": "info", "f": "clock", "value": 7}
{"process": 0, "type": "ok", "f": "deq"}
{"process": 0, "type": "info", "f": "done"}
)",
      "queue");
  EXPECT_EQ(result.stats.skipped, 5u);
  EXPECT_EQ(result.stats.events, 2u);
  EXPECT_EQ(shown(result.histories[0], "queue"), "0 deq(null)=null [0,1]\n");
}

TEST(JsonLines, ProcessesMayHaveAnyName) {
  EXPECT_EQ(shown_text(R"({"process": "w", "type": "invoke", "f": "deq"}
{"process": 123456789, "type": "invoke", "f": "deq"}
{"process": -1, "type": "invoke", "f": "deq"}
{"process": [1, "x"], "type": "invoke", "f": "deq"}
{"process": 123456789, "type": "ok", "f": "deq"}
{"process": "w", "type": "ok", "f": "deq", "value": "v"}
)",
                       "queue"),
            "key null\n"
            "\"w\" deq(null)=\"v\" [0,5]\n"
            "123456789 deq(null)=null [1,4]\n"
            "-1 deq(null)=? [2,-]\n"
            "[1, \"x\"] deq(null)=? [3,-]\n");
}

TEST(JsonLines, ValuesOfAllKindsAreKeptApart) {
  const auto value = [](const std::string& json) {
    return read_text(
               "{\"process\": 0, \"type\": \"invoke\", \"f\": \"enq\", "
               "\"value\": " +
                   json + "}",
               "queue")
        .histories[0]
        .operations[0]
        .argument;
  };
  EXPECT_EQ(value("1.0"), Value::integer(1));
  EXPECT_EQ(value("-0"), Value::integer(0));
  EXPECT_EQ(value("1.5"), Value::real(1.5));
  EXPECT_EQ(value("true"), Value::boolean(true));
  EXPECT_EQ(value("\"\\u00e9\\n\""), Value::text("\u00e9\n"));
  EXPECT_EQ(value("123456789012345678901234567890"),
            Value::big_number("123456789012345678901234567890"));
  EXPECT_NE(value("123456789012345678901234567890"),
            value("123456789012345678901234567891"));
  EXPECT_EQ(value("1e400"), value("10.0E+399"));
  EXPECT_NE(value("1e400"), value("1e401"));
  EXPECT_NE(value("1e400"), value("-1e400"));
  EXPECT_EQ(value("0e99999999999999999999"), Value::integer(0));
  EXPECT_TRUE(compare(value("1e308"), value("1e400")) < 0);
  EXPECT_TRUE(compare(value("1e400"), value("1e401")) < 0);
  for (const char* bad :
       {"1e", "01e400", "1.e400", "1e4x", "-e400", "1e99999999999999999999"}) {
    EXPECT_THROW(value(bad), InputError) << bad;
  }
  EXPECT_EQ(value("9223372036854775807"), Value::integer(9223372036854775807));
  EXPECT_EQ(value("[1, [\"a\", null]]").to_string(), "[1, [\"a\", null]]");
  EXPECT_EQ(value("{\"b\": 2, \"a\": [1]}"), value("{\"a\":[1],\"b\":2}"));
  EXPECT_NE(value("{\"b\": 2, \"a\": [1]}"), value("{\"a\":[1],\"b\":3}"));
}

TEST(JsonLines, ATextThatSpellsAMapOutIsNone) {
  const ReadResult result = read_text(
      R"({"process": 0, "type": "invoke", "f": "enq", "value": {"a": 1}}
{"process": 1, "type": "invoke", "f": "enq", "value": "{\"a\": 1}"}
)",
      "queue");
  const auto& operations = result.histories[0].operations;
  EXPECT_NE(operations[0].argument, operations[1].argument);
  EXPECT_EQ(operations[0].argument.to_string(), "{\"a\": 1}");
}

TEST(JsonLines, ArgumentsAndResultsAreWhatTheSignatureSays) {
  EXPECT_EQ(
      shown_text(R"({"process": 0, "type": "invoke", "f": "read", "value": 4}
{"process": 0, "type": "ok", "f": "read", "value": 4}
{"process": 0, "type": "invoke", "f": "cas", "value": [4, 5]}
{"process": 0, "type": "ok", "f": "cas", "value": [4, 5]}
{"process": 0, "type": "invoke", "f": "cas", "value": [4, 6]}
{"process": 0, "type": "ok", "f": "cas", "value": false}
{"process": 0, "type": "invoke", "f": "write", "value": 1}
{"process": 0, "type": "ok", "f": "write", "value": 1}
)",
                 "register"),
      "key null\n"
      "0 read(null)=4 [0,1]\n"
      "0 cas([4, 5])=true [2,3]\n"
      "0 cas([4, 6])=false [4,5]\n"
      "0 write(1)=null [6,7]\n");
}

TEST(JsonLines, AnArrayOfObjectsIsReadToo) {
  const std::string text = R"([
  {"process": 0, "type": "invoke", "f": "enq", "value": 1},
  {"process": 0, "type": "ok",
   "f": "enq"},
  {"process": 0, "type": "invoke", "f": "deq"}
]
)";
  const ReadResult result = read_text(text, "queue");
  EXPECT_EQ(shown(result.histories[0], "queue"),
            "0 enq(1)=null [0,1]\n"
            "0 deq(null)=? [2,-]\n");
  EXPECT_EQ(result.histories[0].operations[1].line, 5u);
  EXPECT_EQ(result.stats.lines, 6u);
}

TEST(JsonLines, KeysSplitAHistoryInOrderOfFirstAppearance) {
  const std::string text =
      R"({"process": 0, "type": "invoke", "f": "enq", "value": 1, "key": "b"}
{"process": 1, "type": "invoke", "f": "enq", "value": 2, "key": "a"}
{"process": 0, "type": "ok", "f": "enq"}
{"process": 1, "type": "ok", "f": "enq", "key": "a"}
{"process": 1, "type": "invoke", "f": "deq", "object": "b"}
{"process": 0, "type": "invoke", "f": "deq", "key": 1, "object": "b"}
)";
  EXPECT_EQ(shown_text(text, "queue"),
            "key \"b\"\n"
            "0 enq(1)=null [0,1]\n"
            "1 deq(null)=? [2,-]\n"
            "key \"a\"\n"
            "1 enq(2)=null [0,1]\n"
            "key [\"b\", 1]\n"
            "0 deq(null)=? [0,-]\n");
  EXPECT_TRUE(read_text(text, "queue").keyed);
  ReadOptions options;
  options.together = true;
  EXPECT_EQ(shown_text(text, "queue", options),
            "key null\n"
            "0 enq([\"b\", 1])=null [0,2]\n"
            "1 enq([\"a\", 2])=null [1,3]\n"
            "1 deq([\"b\", null])=? [4,-]\n"
            "0 deq([[\"b\", 1], null])=? [5,-]\n");
}

TEST(JsonLines, TogetherWithoutKeysLeavesArgumentsAlone) {
  ReadOptions options;
  options.together = true;
  EXPECT_EQ(
      shown_text(R"({"process": 0, "type": "invoke", "f": "enq", "value": 1}
{"process": 0, "type": "fail", "f": "enq", "value": 1}
{"process": 0, "type": "invoke", "f": "enq", "value": 2})",
                 "queue", options),
      "key null\n"
      "0 enq(2)=? [0,-]\n");
}

}  // namespace
}  // namespace plumb::history
