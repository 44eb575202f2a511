// SPDX-License-Identifier: Apache-2.0
// Result files: how they are read, and how they get into a page.
#include "report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/input_error.h"
#include "report/read_result.h"
#include "report/result_file.h"

namespace plumb::report {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string error_of(const std::string& text, const ReadLimits& limits = {}) {
  try {
    read_result("x.json", text, limits);
    return "";
  } catch (const InputError& error) {
    return error.describe();
  }
}

std::string ours(const std::string& members) {
  return R"({"tool": "plumb", "level": "history", "results": [)" + members +
         "]}";
}

TEST(Page, NothingInAResultMeansAnythingToHtml) {
  Json result;
  result["name"] = "</script><script>alert(1)</script><!-- & \u2028\u2029";
  const std::string text = script_text(result);
  EXPECT_EQ(text.find_first_of("<>&"), std::string::npos) << text;
  EXPECT_EQ(text.find("\u2028"), std::string::npos);
  EXPECT_EQ(text.find("\u2029"), std::string::npos);
  EXPECT_EQ(Json::parse(text), result);
}

TEST(Page, TextsThatAreNotUtf8AreReplaced) {
  Json result;
  result["name"] = "\xff\xe2\x80";
  EXPECT_TRUE(Json::accept(script_text(result)));
}

TEST(Page, HoldsTheResultOnce) {
  Json result = Json::parse(ours(R"({"name": "a$&\\1</script>"})"));
  const std::string page = page_of(result);
  EXPECT_THAT(page, StartsWith("<!"));
  const std::string begin = "id=\"result\">";
  const std::size_t at = page.find(begin);
  ASSERT_NE(at, std::string::npos);
  const std::size_t end = page.find("</script>", at);
  const std::string inside =
      page.substr(at + begin.size(), end - at - begin.size());
  EXPECT_EQ(Json::parse(inside), result);
  EXPECT_THAT(page, Not(HasSubstr("id=\"result\">/*RESULT*/")));
}

TEST(Page, DoesNotHoldAnOrderTwice) {
  const Json result = Json::parse(
      ours(R"j({"evidence": {"order": [{"text": "enq(1)"}], "replay": ""},
               "history": {"order": [0]}})j"));
  EXPECT_THAT(page_of(result), Not(HasSubstr("enq(1)")));
}

TEST(ReadResult, TakesWhatWeWrite) {
  const std::string text = file_text(result_file(
      "program", Json::array({Json{{"name", "a"}, {"n", 1.5}}}), {}));
  const Json read = read_result("x.json", text);
  EXPECT_EQ(read, Json::parse(text));
  EXPECT_EQ(read["results"][0]["n"], 1.5);
}

TEST(ReadResult, SaysWhereJsonEnds) {
  EXPECT_THAT(error_of("{\n\"tool\":"),
              StartsWith("x.json:2:8: error: this is not JSON: it ends too "
                         "early\n  2 | \"tool\":\n"));
  EXPECT_THAT(error_of("{\n]"),
              StartsWith("x.json:2:1: error: this is not JSON\n  2 | ]\n"));
  EXPECT_THAT(error_of(""), HasSubstr("it ends too early (line 1, byte 1)"));
  EXPECT_THAT(error_of("{\"tool\": \"\xff\"}"),
              HasSubstr("not UTF-8 (line 1, byte 11)"));
  EXPECT_THAT(error_of(ours("") + "x"), HasSubstr("this is not JSON"));
  EXPECT_THAT(error_of('[' + std::string(1000, ' ') + '}'),
              HasSubstr("this is not JSON (line 1, byte 1002)"));
}

TEST(ReadResult, TakesNothingElse) {
  for (const char* text :
       {"null", "[]", "{}", R"({"tool": "plump"})", R"({"tool": 1})",
        R"({"tool": "plumb"})", R"({"tool": "plumb", "level": "x"})",
        R"({"tool": "plumb", "level": "object"})",
        R"({"tool": "plumb", "level": "object", "results": {}})",
        R"({"tool": "plumb", "level": "object", "results": [1]})"}) {
    EXPECT_THAT(error_of(text), HasSubstr("this is no result of ours")) << text;
  }
  EXPECT_EQ(error_of(R"({"tool": "plumb", "level": "papers"})"), "");
}

// LIMIT of the reader: bytes, values, depth.
TEST(ReadResult, HasLimits) {
  const std::string deep = ours("{\"a\": " + std::string(100'000, '[') +
                                std::string(100'000, ']') + "}");
  EXPECT_THAT(error_of(deep), HasSubstr("nested deeper than 64"));
  EXPECT_THAT(error_of(ours("{\"a\": [1, 2, 3]}"), {.values = 8}),
              HasSubstr("more than 8 values"));
  EXPECT_EQ(error_of(ours("{\"a\": [1, 2, 3]}"), {.values = 9}), "");
  EXPECT_THAT(error_of(ours(""), {.bytes = 10}), HasSubstr("more than 10 B"));
}

// The library's own reader would take minutes.
TEST(ReadResult, ManyMembersTakeNoLongerThanManyItems) {
  std::string members;
  for (int i = 0; i < 200'000; ++i) {
    members += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":0";
  }
  EXPECT_EQ(error_of(ours('{' + members + '}')), "");
}

TEST(Merged, PutsResultsOfOneLevelTogether) {
  const Json a = Json::parse(R"({"tool": "plumb", "level": "object",
    "seconds": 1, "results": [{"name": "a"}], "errors": [],
    "sources": {"x": "1"}})");
  const Json b = Json::parse(R"({"tool": "plumb", "level": "object",
    "seconds": 2, "results": [{"name": "b"}], "errors": [{"file": "f"}],
    "sources": {"x": "2", "y": "3"}})");
  const Json both = merged({a, b}, {"a.json", "b.json"});
  EXPECT_EQ(both["results"].size(), 2u);
  EXPECT_EQ(both["results"][1]["name"], "b");
  EXPECT_EQ(both["errors"].size(), 1u);
  EXPECT_EQ(both["seconds"], 3.0);
  EXPECT_EQ(both["sources"], Json::parse(R"({"x": "1", "y": "3"})"));
}

TEST(Merged, RefusesOtherLevels) {
  const Json a = Json::parse(R"({"level": "object", "results": []})");
  const Json b = Json::parse(R"({"level": "history", "results": []})");
  EXPECT_THROW(merged({a, b}, {"a.json", "b.json"}), InputError);
}

TEST(FileText, ListsWithoutNamesStandOnOneLine) {
  const Json json = Json::parse(
      R"({"a": [1, [2, null]], "b": [{"c": []}], "d": {}, "e\n": "\""})");
  EXPECT_EQ(file_text(json),
            "{\n \"a\": [1,[2,null]],\n \"b\": [\n  {\n   \"c\": []\n  }\n ],\n"
            " \"d\": {},\n \"e\\n\": \"\\\"\"\n}\n");
}

TEST(SourcesOfAFile, AreNotMoreThanTheyMayBe) {
  Sources sources;
  sources.add("long", std::string(Sources::kLongest + 1, 'x'));
  sources.add("a", "1");
  sources.add("a", "2");
  EXPECT_EQ(sources.take(), Json({{"a", "1"}}));
}

}  // namespace
}  // namespace plumb::report
