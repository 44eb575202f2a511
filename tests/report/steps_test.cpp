// SPDX-License-Identifier: Apache-2.0
#include "report/steps.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "report/words.h"

namespace plumb::report {
namespace {

using lts::LabelKind;

TraceStep step(std::size_t process, LabelKind kind, std::string statement,
               std::size_t line = 0, std::vector<lts::Effect> effects = {}) {
  TraceStep out;
  out.process = process;
  out.kind = kind;
  out.statement = std::move(statement);
  out.line = line;
  out.effects = std::move(effects);
  return out;
}

Trace two_processes() {
  Trace trace;
  trace.processes = 2;
  trace.steps = {
      step(0, LabelKind::kInvoke, "push(1)"),
      step(0, LabelKind::kInternal, "if (cas(top, t, n))", 9,
           {{lts::Effect::Kind::kWrite, "top", "null", "#1"}}),
      step(1, LabelKind::kInvoke, "pop()"),
      step(0, LabelKind::kReturn, "return"),
  };
  return trace;
}

TEST(Steps, HaveOneColumnForEachProcess) {
  EXPECT_EQ(
      draw_steps(two_processes(), "  ", 100),
      "  step  line    process 0                                process 1\n"
      "     1        > push(1)\n"
      "     2     9    if (cas(top, t, n))   top: null -> #1\n"
      "     3                                                 > pop()\n"
      "     4        < return\n");
}

TEST(Steps, PutTheirEffectsBelowWhereTheColumnIsTooNarrow) {
  EXPECT_EQ(draw_steps(two_processes(), "", 60),
            "step  line    process 0                         process 1\n"
            "   1        > push(1)\n"
            "   2     9    if (cas(top, t, n))\n"
            "                top: null -> #1\n"
            "   3                                          > pop()\n"
            "   4        < return\n");
}

TEST(Steps, NameTheProcessOnEachLineWhereThereAreTooManyForColumns) {
  Trace trace;
  for (std::size_t p = 0; p < 12; ++p) {
    trace.steps.push_back(step(p, LabelKind::kInvoke, "pop()"));
  }
  const std::string text = draw_steps(trace, "", 100);
  EXPECT_NE(text.find("   1        process 0   > pop()\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  12        process 11  > pop()\n"), std::string::npos)
      << text;
}

TEST(Steps, NeverRunOverTheWidth) {
  Trace trace = two_processes();
  trace.steps[1].statement = std::string(300, 'x');
  trace.steps[1].effects = {
      {lts::Effect::Kind::kRead, std::string(200, 'y'), "1", ""},
      {lts::Effect::Kind::kNew, "#1", "", std::string(200, 'z')}};
  trace.steps[2].statement = std::string(300, 'u');
  for (const std::size_t width : {60u, 80u, 100u}) {
    std::istringstream lines(draw_steps(trace, "    ", width));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), width) << line;
    }
  }
}

TEST(Steps, OfALassoSayWhereItGoesOnForEver) {
  Trace trace = two_processes();
  trace.back_to = 2;
  const std::string text = draw_steps(trace, "", 100);
  EXPECT_NE(text.find("top: null -> #1\n-- then for ever:\n   3  "),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("-- and again from step 3\n")) << text;
}

TEST(Steps, OfADeadEndSayWhoWaits) {
  Trace trace = two_processes();
  trace.back_to = 4;
  EXPECT_TRUE(draw_steps(trace, "", 100)
                  .ends_with("-- then nothing can happen any more\n"));
  trace.waiting = 1;
  EXPECT_TRUE(draw_steps(trace, "", 100)
                  .ends_with("-- then process 1 waits for ever\n"));
}

TEST(Steps, OfALongRunAreItsFirstAndLastOnes) {
  Trace trace = two_processes();
  trace.steps.resize(1'000, trace.steps[1]);
  const auto lines = [&] {
    std::istringstream shown(draw_steps(trace, "", 100));
    std::vector<std::string> out;
    for (std::string line; std::getline(shown, line);) out.push_back(line);
    return out;
  };
  EXPECT_EQ(lines().size(), 1'001u);
  trace.steps.push_back(trace.steps[1]);
  ASSERT_EQ(lines().size(), 202u);
  EXPECT_TRUE(lines()[100].starts_with(" 100  "));
  EXPECT_EQ(lines()[101], "... steps 101 to 901 are left out; --json has them");
  EXPECT_TRUE(lines()[102].starts_with(" 902  "));
}

TEST(Steps, ThatGoWrongShowTheFault) {
  Trace trace = two_processes();
  trace.steps.push_back(step(1, LabelKind::kFault, "Node next = t.next;", 17));
  trace.steps.back().fault = "'t' is null";
  EXPECT_NE(
      draw_steps(trace, "", 120).find("! Node next = t.next;   't' is null\n"),
      std::string::npos);
}

TEST(Steps, ThatAreMarkedHaveAStar) {
  Trace trace = two_processes();
  trace.steps[1].marked = true;
  EXPECT_NE(draw_steps(trace, "", 100).find("* if (cas"), std::string::npos);
}

TEST(Words, GroupDigitsAndSizes) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(counted(1, "state"), "1 state");
  EXPECT_EQ(counted(21711, "state"), "21,711 states");
  EXPECT_EQ(sized(1023), "1023 B");
  EXPECT_EQ(sized(1536), "1.5 KiB");
  EXPECT_EQ(sized(12u << 20), "12 MiB");
}

TEST(Words, FitOnOneLine) {
  EXPECT_EQ(fitted("if (a\n      && b)", 80), "if (a && b)");
  EXPECT_EQ(fitted("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(fitted("abcdefghijk", 10), "abcdefg...");
  EXPECT_EQ(fitted("abcdef\xC3\xA9hijk", 10), "abcdef...")
      << "not within a character";
}

TEST(Words, WrapAtSpaces) {
  EXPECT_EQ(wrapped("aa bb cc", "  ", 100), "  aa bb cc\n");
  EXPECT_EQ(wrapped("aa bb  cc", "", 5), "aa bb\n  cc\n");
  EXPECT_EQ(wrapped("aaaaaaaa bb", "", 5), "aaaaaaaa\n  bb\n");
  EXPECT_EQ(wrapped("", "  ", 5), "");
}

}  // namespace
}  // namespace plumb::report
