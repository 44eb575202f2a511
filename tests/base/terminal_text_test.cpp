// SPDX-License-Identifier: Apache-2.0
// Nothing in a text of somebody else's speaks to a terminal.
#include "base/terminal_text.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <string>

namespace plumb {
namespace {

TEST(TerminalText, WritesOutWhatWouldSpeakToATerminal) {
  EXPECT_EQ(terminal_text("plain, gr\u00fcn \u2192\n\tx"),
            "plain, gr\u00fcn \u2192\n\tx");
  EXPECT_EQ(terminal_text("\x1b[31mx\x7f\r\b"), R"(\x1b[31mx\x7f\x0d\x08)");
  EXPECT_EQ(terminal_text("\xc2\x9b"
                          "31m"),
            R"(\u009b31m)");
  EXPECT_EQ(terminal_text("\x9b"
                          "31m"),
            R"(\x9b31m)")
      << "no UTF-8";
  EXPECT_EQ(terminal_text("\xe2\x80\xae"
                          "abc\xe2\x80\xac"),
            R"(\u202eabc\u202c)");
  EXPECT_EQ(terminal_text("\xe2\x81\xa6\xd8\x9c\xe2\x80\xa8\xe2\x80\x8f"),
            R"(\u2066\u061c\u2028\u200f)");
  EXPECT_EQ(terminal_text("\xf3\xa0\x81\x81"), R"(\U000e0041)") << "a tag";
  EXPECT_EQ(terminal_text(std::string("a\0b", 3)), R"(a\x00b)");
  // Too long for what it stands for, half of a pair, cut.
  EXPECT_EQ(terminal_text("\xc0\x9b"), R"(\xc0\x9b)");
  EXPECT_EQ(terminal_text("\xed\xa0\x80"), R"(\xed\xa0\x80)");
  EXPECT_EQ(terminal_text("\xe2\x80"), R"(\xe2\x80)");
}

TEST(TerminalText, KeepsColorsWhereTheyAreOurs) {
  EXPECT_EQ(terminal_text("\033[1;31mviolated\033[0m", true),
            "\033[1;31mviolated\033[0m");
  EXPECT_EQ(terminal_text("\033[2Jx\033]0;x\x07\033[", true),
            R"(\x1b[2Jx\x1b]0;x\x07\x1b[)");
}

TEST(TerminalText, IsNoCommandForARunner) {
  EXPECT_EQ(terminal_text("a\n  ::error::x\n::a"),
            "a\n  \\x3a:error::x\n\\x3a:a");
  EXPECT_EQ(terminal_text("a ::b"), "a ::b");
  EXPECT_EQ(one_line("x\n::error::y"), R"(x\x0a::error::y)");
}

TEST(TerminalText, OfRandomBytesIsPlain) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 30, ' ');
    for (char& byte : bytes) byte = static_cast<char>(random());
    const std::string text = terminal_text(bytes);
    EXPECT_EQ(terminal_text(text), text);
    for (const char c : text) {
      EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' ||
                  c == '\t');
    }
  }
}

// What a shell makes of it.
std::string echoed(const std::string& word) {
  std::string out;
  const std::string script = "printf %s " + shell_quoted(word);
  std::FILE* const shell =
      popen(("exec bash -c " + shell_quoted(script)).c_str(), "r");
  if (shell == nullptr) return "";
  for (int c = 0; (c = std::fgetc(shell)) != EOF;) {
    out += static_cast<char>(c);
  }
  pclose(shell);
  return out;
}

TEST(ShellQuoted, IsWhatItWasForAShell) {
  for (const char* word : {"plain", "it's", "a b", "$x `y` \\", "new\nline",
                           "\x1b[31m", "\x9b'\\", "\xe2\x80\xae"}) {
    EXPECT_EQ(echoed(word), word);
    EXPECT_EQ(terminal_text(shell_quoted(word)), shell_quoted(word));
  }
  EXPECT_EQ(shell_quoted("it's"), R"('it'\''s')");
  EXPECT_EQ(shell_quoted("\x1b'"), R"($'\033\'')");
}

}  // namespace
}  // namespace plumb
