// SPDX-License-Identifier: Apache-2.0
// Words, signs, and the encodings of old files.
#include "csp/lexer.h"

#include "csp/encoding.h"
#include "csp/front_end_test_support.h"

namespace plumb::csp {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  const text::Source source("m.csp", text);
  text::Diagnostics diagnostics(source, 9);
  std::vector<std::string> made;
  for (const Token& token : lex(source, 0, diagnostics)) {
    made.emplace_back(source.text(token.span));
  }
  EXPECT_TRUE(diagnostics.empty()) << text;
  made.pop_back();  // the end
  return made;
}

using Words = std::vector<std::string>;

TEST(CspLexer, LongestSignsAreTaken) {
  EXPECT_EQ(
      words_of("a|||b||c[]d<>e[*]f"),
      (Words{"a", "|||", "b", "||", "c", "[]", "d", "<>", "e", "[*]", "f"}));
  EXPECT_EQ(words_of("P|=x<=1..2->y"),
            (Words{"P", "|=", "x", "<=", "1", "..", "2", "->", "y"}));
  EXPECT_EQ(words_of("e.1.2.x[i]"),
            (Words{"e", ".", "1", ".", "2", ".", "x", "[", "i", "]"}));
  EXPECT_EQ(words_of("a<<x>>b\\{t}$f@#"),
            (Words{"a", "<<", "x", ">>", "b", "\\", "{", "t", "}", "$", "f",
                   "@", "#"}));
}

TEST(CspLexer, CommentsAreSkipped) {
  EXPECT_EQ(words_of("//@@Model Name@@\na /* b\n * c */ d // e"),
            (Words{"a", "d"}));
  EXPECT_EQ(words_of("a /**/ b /***/ c"), (Words{"a", "b", "c"}));
}

TEST(CspLexer, TextsMayHoldSigns) {
  EXPECT_EQ(words_of("x \"c!v;/*\" y"), (Words{"x", "\"c!v;/*\"", "y"}));
}

TEST(CspLexer, OldFilesAreRead) {
  const std::string model = "// caf\xE9 \x96 \x80\r\nP = a -> Skip;\r\n";
  EXPECT_EQ(process_in(model), "a -> Skip");
  EXPECT_EQ(process_in("\xEF\xBB\xBFP = a -> Skip;"), "a -> Skip");
  EXPECT_EQ(process_in("// old\rP = a -> Skip;\r"), "a -> Skip");
  EXPECT_EQ(process_in("P =\xC2\xA0"
                       "a -> Skip;"),
            "a -> Skip");
  EXPECT_EQ(normalised("m", "\x93q\x94 \x81 \xFF"),
            "\xE2\x80\x9Cq\xE2\x80\x9D \xEF\xBF\xBD \xC3\xBF");
  EXPECT_EQ(normalised("m", "\xC3\xA9"), "\xC3\xA9") << "UTF-8 stays";
}

TEST(CspLexer, WhatCannotBeReadIsTold) {
  const Case cases[] = {
      {"P = a ~ Skip;", "unexpected character '~' ('!' is the sign for not)"},
      {"P = \xC3\xA9 -> Skip;",
       "unexpected character '\xC3\xA9' (names are made of the letters A to "
       "Z, digits and '_'; other characters may stand in comments only)"},
      {"/* P = Skip;",
       "this comment is not closed (a comment that begins with '/*' ends "
       "with '*/')"},
      {"#include \"a",
       "this text is not closed (it ends with '\"', on the "
       "same line)"},
      {"#define N 99999999999;",
       "'99999999999' is too large (numbers go up to 2147483647)"},
      {"#define N 3x;",
       "'3x' is neither a number nor a name (numbers are decimal; names "
       "begin with a letter or '_')"},
      {"\xFF\xFEP",
       "the file is written in UTF-16 (save it as UTF-8 in your "
       "editor)"},
  };
  for (const Case& wanted : cases) {
    EXPECT_EQ(messages_of(wanted.text)[0], wanted.message);
  }
}

}  // namespace
}  // namespace plumb::csp
