// SPDX-License-Identifier: Apache-2.0
// Results for CI systems: JUnit XML, SARIF, annotations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/annotations.h"
#include "report/junit.h"
#include "report/sarif.h"
#include "report/utf8.h"
#include "report/verdicts.h"

namespace plumb::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// One of each kind: violated, expected to be, unknown, not read.
Json run() {
  return Json::parse(R"j({
    "tool": "plumb", "version": "9.9", "level": "object", "seconds": 2,
    "results": [
      {"name": "a", "file": "m.plumb", "line": 7, "condition": "quasi(deq=1)",
       "verdict": "violated", "expected": false, "reason": "it is wrong",
       "text": "a: <violated>\n  & more", "stats": {"seconds": 0.5},
       "evidence": {
  "trace" : {
    "steps" : [
      {
        "process" : 0,
        "line" : 3,
        "statement" : "x = 1",
        "effects" : ["x: 0 -> 1"]
      },
      {"process" : 1, "line" : 0, "statement" : "return"}
    ]
  }}},
      {"name": "b", "file": "m.plumb", "line": 9, "condition": "safe",
       "verdict": "violated", "expected": true, "reason": "as it should"},
      {"name": "c", "file": "n.plumb", "line": 2, "condition": "safe",
       "verdict": "unknown", "expected": false, "reason": "no time"}],
    "errors": [{"file": "o.plumb", "message": "o.plumb:1: error: no\nhint"}]
})j");
}

TEST(Verdicts, OnlyWhatWasNotExpectedCounts) {
  const Verdicts verdicts = verdicts_in(run());
  ASSERT_EQ(verdicts.results.size(), 3u);
  EXPECT_EQ(verdicts.results[0].kind, Judged::Kind::kViolated);
  EXPECT_EQ(verdicts.results[0].rule, "quasi");
  EXPECT_EQ(verdicts.results[0].steps[0].text, "process 0: x = 1 (x: 0 -> 1)");
  EXPECT_EQ(verdicts.results[1].kind, Judged::Kind::kPassed);
  EXPECT_EQ(verdicts.results[2].kind, Judged::Kind::kUnknown);
}

TEST(Verdicts, AHistoryIsExpectedToHold) {
  const Json file = Json::parse(R"j({"results": [{"verdict": "holds"},
    {"verdict": "violated", "file": "run.jsonl",
     "evidence": {"last": {"text": "deq() -> 2", "returned_line": 6}}}]})j");
  const Verdicts verdicts = verdicts_in(file);
  EXPECT_EQ(verdicts.results[0].kind, Judged::Kind::kPassed);
  EXPECT_EQ(verdicts.results[1].kind, Judged::Kind::kViolated);
  EXPECT_EQ(verdicts.results[1].at_line, 6u);
  EXPECT_EQ(verdicts.results[1].reason, "deq() -> 2 cannot be explained");
}

TEST(Verdicts, AFaultIsWhereTheRunEndsUnlessThatIsInALibrary) {
  Json file = Json::parse(R"j({"results": [{"verdict": "violated", "line": 5,
    "file": "t.cpp", "expected": false, "evidence": {"kind": "fault",
    "fault": "race", "steps": [{"thread": "T1", "text": "reads",
    "file": "stack.h", "line": 12}]}}]})j");
  EXPECT_EQ(verdicts_in(file).results[0].at_file, "stack.h");
  EXPECT_EQ(verdicts_in(file).results[0].at_line, 12u);
  EXPECT_EQ(verdicts_in(file).results[0].rule, "race");
  file["results"][0]["evidence"]["steps"][0]["file"] = "/usr/include/vector";
  EXPECT_EQ(verdicts_in(file).results[0].at_file, "t.cpp");
  EXPECT_EQ(verdicts_in(file).results[0].at_line, 5u);
}

TEST(Verdicts, MembersOfAnyKindAreTaken) {
  for (const char* text :
       {"{}", R"j({"results": 1, "errors": {}})j",
        R"j({"results": [{}, {"name": 3, "evidence": [], "stats": null}]})j",
        R"j({"results": [{"evidence": {"steps": [1, null, {"line": -5}]}}]})j",
        R"j({"results": [{"evidence": {"trace": [], "culprits": {}}}]})j",
        R"j({"results": [{"line": 1e300, "stats": {"seconds": "x"}}]})j"}) {
    const Json file = Json::parse(text);
    EXPECT_NO_THROW(verdicts_in(file)) << text;
    EXPECT_NO_THROW(junit_of(file)) << text;
    EXPECT_NO_THROW(sarif_of(file)) << text;
    EXPECT_NO_THROW(annotations_of(file)) << text;
  }
}

TEST(Junit, CountsFailuresAndErrors) {
  const std::string xml = junit_of(run());
  EXPECT_THAT(xml, HasSubstr("<testsuites name=\"plumb\" tests=\"4\" "
                             "failures=\"1\" errors=\"2\""));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"m.plumb\" tests=\"2\" "
                             "failures=\"1\" errors=\"0\" time=\"0.500000\""));
  EXPECT_THAT(xml,
              HasSubstr("<failure type=\"quasi\" message=\"quasi(deq=1) "
                        "violated: it is wrong\">a: &lt;violated&gt;\n  &amp; "
                        "more</failure>"));
  EXPECT_THAT(xml, HasSubstr("<error type=\"unknown\" message=\"safe unknown: "
                             "no time\">"));
  EXPECT_THAT(xml, HasSubstr("<error type=\"input\""));
}

TEST(Junit, TextIsWhatXmlAllows) {
  EXPECT_EQ(xml_text("a<b>&\"c"), "a&lt;b&gt;&amp;&quot;c");
  EXPECT_EQ(xml_text(std::string("\0\x1f\n\t", 4)), "\uFFFD\uFFFD\n\t");
  EXPECT_EQ(xml_text("\xff\xc3\xa9\xed\xa0\x80"),
            "\uFFFD\u00e9\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(xml_text("\uFFFE\uFFFF\U0001F600"), "\uFFFD\uFFFD\U0001F600");
  EXPECT_EQ(xml_attribute("a\nb\tc"), "a&#10;b&#9;c");
}

TEST(Utf8, OverlongAndCutOffCharactersAreNone) {
  EXPECT_EQ(valid_utf8("\xc0\xaf"), "\uFFFD\uFFFD");
  EXPECT_EQ(valid_utf8("\xe0\x80\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(valid_utf8("x\xe2\x82"), "x\uFFFD\uFFFD");
  EXPECT_EQ(valid_utf8("\u007f\u0080\u07ff\u0800\uffff\U00010000\U0010ffff"),
            "\u007f\u0080\u07ff\u0800\uffff\U00010000\U0010ffff");
}

TEST(Sarif, HasResultsForWhatWasNotExpected) {
  const Json sarif = sarif_of(run());
  EXPECT_EQ(sarif["version"], "2.1.0");
  const Json& results = sarif["runs"][0]["results"];
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0]["level"], "error");
  EXPECT_EQ(results[0]["ruleId"], "quasi");
  const Json& where = results[0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(where["artifactLocation"]["uri"], "m.plumb");
  EXPECT_EQ(where["region"]["startLine"], 7);
  EXPECT_EQ(results[1]["level"], "warning");
  EXPECT_EQ(results[1]["ruleId"], "unknown");
  const Json& driver = sarif["runs"][0]["tool"]["driver"];
  EXPECT_EQ(driver["version"], "9.9");
  EXPECT_EQ(driver["rules"][1]["id"], "unknown");
}

TEST(Sarif, ARunIsOneFlowOfTheStepsThatHaveLines) {
  const Json sarif = sarif_of(run());
  const Json& result = sarif["runs"][0]["results"][0];
  const Json& flow = result["codeFlows"][0]["threadFlows"][0]["locations"];
  ASSERT_EQ(flow.size(), 1u);
  EXPECT_EQ(flow[0]["location"]["physicalLocation"]["region"]["startLine"], 3);
  EXPECT_EQ(flow[0]["location"]["message"]["text"],
            "process 0: x = 1 (x: 0 -> 1)");
  EXPECT_FALSE(sarif["runs"][0]["results"][1].contains("codeFlows"));
}

TEST(Sarif, WhatCouldNotBeReadIsANotification) {
  const Json sarif = sarif_of(run());
  const Json& invocation = sarif["runs"][0]["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], false);
  EXPECT_EQ(invocation["toolExecutionNotifications"].size(), 1u);
}

TEST(Sarif, FingerprintsStayAndDiffer) {
  const Json once = sarif_of(run()), again = sarif_of(run());
  EXPECT_EQ(once, again);
  const Json& results = once["runs"][0]["results"];
  EXPECT_NE(results[0]["partialFingerprints"],
            results[1]["partialFingerprints"]);
}

TEST(Sarif, PathsAreReferences) {
  EXPECT_EQ(uri_of("a/b c.cpp"), "a/b%20c.cpp");
  EXPECT_EQ(uri_of("/x/\u00e9%.h"), "file:///x/%C3%A9%25.h");
}

TEST(Annotations, AreOneLineEach) {
  const std::string lines = annotations_of(run());
  EXPECT_THAT(lines,
              HasSubstr("::error file=m.plumb,line=7,title=quasi(deq=1) "
                        "violated%3A it is wrong::a: <violated>%0A  & more\n"));
  EXPECT_THAT(lines, HasSubstr("::warning file=n.plumb,line=2,title=safe "
                               "unknown%3A no time::no time\n"));
  EXPECT_THAT(lines, HasSubstr("::error file=o.plumb,title=bad input::"));
  EXPECT_THAT(lines, Not(HasSubstr("as it should")));
}

TEST(Annotations, NamesCannotBeginALineOrAProperty) {
  const Json file = Json::parse(R"j({"results": [{"verdict": "violated",
    "file": "a,line=1::x\n::error::", "reason": "100%\r\n::stop"}]})j");
  EXPECT_EQ(annotations_of(file),
            "::error file=a%2Cline=1%3A%3Ax%0A%3A%3Aerror%3A%3A,"
            "title=violated%3A 100%25 %3A%3Astop::100%25%0D%0A::stop\n");
}

}  // namespace
}  // namespace plumb::report
