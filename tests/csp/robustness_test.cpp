// SPDX-License-Identifier: Apache-2.0
// Whatever is read: either a model or errors, never a crash.
#include <random>

#include "csp/front_end_test_support.h"
#include "csp/lexer.h"
#include "csp/sample_models.h"

namespace plumb::csp {
namespace {

// What comes back must be sound.  Sets `clean` if there are no errors.
void read_soundly(const std::string& text, bool* clean = nullptr) {
  const ReadResult result = read_text(text);
  if (clean != nullptr) *clean = result.errors.empty();
  ASSERT_LE(result.errors.size(), kMostErrors);
  ASSERT_EQ(result.module != nullptr, result.errors.empty());
  std::pair<std::size_t, std::size_t> last{0, 0};
  for (const InputError& error : result.errors) {
    const std::pair at{error.place().line, error.place().column};
    ASSERT_LT(last, at) << "in order, one for each place\n" << text;
    ASSERT_STRNE(error.what(), "");
    ASSERT_GE(error.place().length, 1u);
    ASSERT_LE(error.place().column, error.place().text.size() + 1);
    ASSERT_FALSE(error.describe().empty());
    last = at;
  }
  if (result.module == nullptr) return;
  for (const Definition& definition : result.module->processes) {
    ASSERT_FALSE(text_of(*definition.body, *result.module).empty());
  }
}

std::vector<std::string> tokens_of(const std::string& text) {
  const text::Source source("m.csp", text);
  text::Diagnostics diagnostics(source, 1);
  std::vector<std::string> tokens;
  for (const Token& token : lex(source, 0, diagnostics)) {
    tokens.emplace_back(source.text(token.span));
  }
  tokens.pop_back();
  return tokens;
}

TEST(CspRobustness, RandomTokensGiveErrors) {
  const std::vector<std::string> pool = tokens_of(kEverything);
  std::mt19937 random(7);
  std::size_t clean = 0;
  for (int round = 0; round < 10'000; ++round) {
    // Most of them begin like a definition, to get further.
    std::string text =
        round % 3 == 0 ? "" : "var H; channel c 0; Q(i) = Skip; P = ";
    if (round % 3 == 1) text += "a{ H = ";
    const std::size_t length = random() % 60;
    for (std::size_t i = 0; i < length; ++i) {
      text += pool[random() % pool.size()] + " ";
    }
    bool is_clean = false;
    ASSERT_NO_FATAL_FAILURE(read_soundly(text, &is_clean)) << text;
    clean += is_clean ? 1u : 0u;
  }
  EXPECT_LT(clean, 500u) << "few are models";
}

// One token dropped, doubled, or put in the place of another: near to valid.
TEST(CspRobustness, ChangedTokensGiveErrorsOrModels) {
  const std::vector<std::string> tokens = tokens_of(kEverything);
  std::mt19937 random(8);
  for (int round = 0; round < 1'000; ++round) {
    std::vector<std::string> changed = tokens;
    const std::size_t at = random() % tokens.size();
    const auto place = changed.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random() % 4) {
      case 0:
        changed.erase(place);
        break;
      case 1:
        changed.insert(place, tokens[random() % tokens.size()]);
        break;
      case 2:
        *place = tokens[random() % tokens.size()];
        break;
      default:
        std::swap(*place, changed[random() % tokens.size()]);
    }
    std::string text;
    for (const std::string& token : changed) text += token + " ";
    ASSERT_NO_FATAL_FAILURE(read_soundly(text)) << text;
  }
}

TEST(CspRobustness, TruncatedModelsGiveErrors) {
  for (const std::string& text : sample_models()) {
    for (std::size_t end = 0; end < text.size(); ++end) {
      ASSERT_NO_FATAL_FAILURE(read_soundly(text.substr(0, end)));
    }
  }
}

TEST(CspRobustness, FlippedBytesGiveErrorsOrModels) {
  std::mt19937 random(9);
  for (const std::string& text : sample_models()) {
    for (int round = 0; round < 500; ++round) {
      std::string changed = text;
      const std::size_t count = 1 + random() % 3;
      for (std::size_t i = 0; i < count; ++i) {
        changed[random() % changed.size()] = static_cast<char>(random() % 256);
      }
      ASSERT_NO_FATAL_FAILURE(read_soundly(changed)) << changed;
    }
  }
}

TEST(CspRobustness, RandomBytesGiveErrors) {
  std::mt19937 random(10);
  for (int round = 0; round < 1'000; ++round) {
    std::string text(random() % 200, ' ');
    for (char& c : text) c = static_cast<char>(random() % 256);
    ASSERT_NO_FATAL_FAILURE(read_soundly(text));
  }
}

std::string repeated(const std::string& part, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += part;
  return all;
}

TEST(CspRobustness, DeepNestingIsRefused) {
  const int n = 100'000;
  const std::string head = "var x; channel c 0; P = ";
  for (const std::string& body : {
           repeated("(", n) + "Skip" + repeated(")", n),
           repeated("a -> ", n) + "Skip",
           repeated("[x] ", n) + "Skip",
           repeated("c?x.y -> ", n) + "Skip",
           repeated("if (x) { ", n) + "Skip" + repeated("}", n),
           repeated("if (x) {Skip} else ", n) + "{Skip}",
           repeated("case { x: ", n) + "Skip" + repeated("}", n),
           repeated("atomic { ", n) + "Skip" + repeated("}", n),
           repeated("||| i:{0..1}@", n) + "Skip",
           repeated("|||{2}@", n) + "Skip",
           repeated("(a; b [] ", n) + "Skip" + repeated(")", n),
           "[" + repeated("(", n) + "x" + repeated(")", n) + "] Skip",
           "[" + repeated("!", n) + "x] Skip",
           "[x" + repeated(" + x", n) + "] Skip",
           "[x" + repeated("[x", n) + repeated("]", n) + "] Skip",
           "[x" + repeated(".m(x)", n) + "] Skip",
           "[" + repeated("&& i:{0..1}@", n) + "x] Skip",
           "[" + repeated("call(f, ", n) + "x" + repeated(")", n) + "] Skip",
           "e" + repeated("{", n) + repeated("}", n) + " -> Skip",
           "e{" + repeated("if (x) ", n) + "x = 1} -> Skip",
           "e{" + repeated("while (x) ", n) + "x = 1} -> Skip",
           "e{" + repeated("x = ", n) + "x = 1} -> Skip",
       }) {
    const std::string text = head + body + ";";
    ASSERT_FALSE(messages_of(text).empty()) << text.substr(0, 60);
    ASSERT_NO_FATAL_FAILURE(read_soundly(text.substr(0, text.size() / 2)));
  }
  EXPECT_EQ(message_of("P = " + repeated("(", n)),
            "this is nested too deeply (at most 200 levels of parentheses, or "
            "1000 events in a row are allowed; give the inner part a name of "
            "its own)");
}

TEST(CspRobustness, NestingThatSomebodyMightWriteIsRead) {
  EXPECT_EQ(message_of("P = " + repeated("(", 150) + "Skip" +
                       repeated(")", 150) + ";"),
            "");
  EXPECT_EQ(message_of("P = " + repeated("a -> ", 900) + "Skip;"), "");
  EXPECT_EQ(message_of("var x; P = [x" + repeated(" + x", 450) + "] Skip;"),
            "");
}

TEST(CspRobustness, LongListsAreRead) {
  EXPECT_EQ(message_of("P = Skip" + repeated("; Skip", 20'000) + ";"), "");
  EXPECT_EQ(message_of("P = Skip" + repeated(" [] Skip", 20'000) + ";"), "");
  EXPECT_EQ(
      message_of("var x; P = e{" + repeated("x = 1; ", 20'000) + "} -> Skip;"),
      "");
  EXPECT_EQ(message_of("var a = [1" + repeated(", 2", 20'000) + "];"), "");
  EXPECT_EQ(messages_of(repeated("var x;", 5'000)).size(), kMostErrors);
  EXPECT_EQ(messages_of(repeated("' ", 50'000)).size(), kMostErrors);
  EXPECT_EQ(messages_of(repeated("P(;", 50'000)).size(), 1u);
  EXPECT_EQ(message_of("P = Skip" + repeated(" \\ {a}", 20'000) + ";"), "");
  EXPECT_EQ(messages_of("P = a;" + repeated("b(;", 100'000)).size(), 1u);
}

TEST(CspRobustness, MacrosThatExplodeAreRefused) {
  std::string twice = "var x; #define m0(v) v + v;\n";
  std::string chain = "var x; #define c0 x;\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = std::to_string(i - 1);
    twice += "#define m" + std::to_string(i) + "(v) call(m" + before +
             ", v) + call(m" + before + ", v);\n";
  }
  for (int i = 1; i < 6; ++i) {
    chain += "#define c" + std::to_string(i) + " c" + std::to_string(i - 1) +
             repeated(" + 1", 450) + ";\n";
  }
  const std::string large =
      "the model becomes too large when macros and indices are unfolded (at "
      "most 500000 nodes are allowed)";
  EXPECT_EQ(message_of(twice + "P = [call(m59, x) > 0] Skip;"), large);
  EXPECT_EQ(message_of(chain + "P = [c5 > 0] Skip;"),
            "this is nested too deeply when macros are unfolded (at most 2000 "
            "levels are allowed)");
  EXPECT_EQ(message_of("var x; P = [&& i:{0..9999}; j:{0..9999}@(x == i)] "
                       "Skip;"),
            large);
  // Arguments that grow.
  std::string grow = "var x; #define d(v) v + v;\nP = [";
  for (int i = 0; i < 100; ++i) grow += "call(d, ";
  EXPECT_EQ(message_of(grow + "x" + repeated(")", 100) + "] Skip;"), large);
}

TEST(CspRobustness, HugeNumbersAreRefused) {
  for (const char* text : {
           "var a[2000000000];",
           "var a[50000][50000];",
           "var a = [0(2000000000)];",
           "var a = [1..2000000000];",
           "var a = [0(99999), 0(99999)];",
           "channel c[2000000000] 1;",
           "channel c 2000000000;",
           "P = ||| i:{0..2000000000}@Skip;",
           "P = ||| i:{0..999}; j:{0..999}@Skip;",
           "P = |||{2000000000}@Skip;",
           "P = Skip \\ {i:{0..2000000000}@a.i};",
           "var x; P = [|| i:{0..2000000000}@(x == i)] Skip;",
           "var x; P = e{var a[70000][70000]; x = 1} -> Skip;",
           "#define N 2000000000; var a[N * N];",
       }) {
    EXPECT_FALSE(messages_of(text).empty()) << text;
  }
}

TEST(CspRobustness, TextsThatAreTooLargeAreRefused) {
  const std::string text(std::size_t{17} << 20, ' ');
  EXPECT_EQ(errors_of(text),
            "m.csp: error: the model has 17825792 bytes, but at most 16777216 "
            "can be read\n");
  EXPECT_EQ(read_text("#include \"a\";", {{"a", text}}).errors.size(), 1u);
}

TEST(CspRobustness, FilesThatIncludeEachOtherForEverAreRefused) {
  int count = 0;
  const ReadResult result =
      read_module("m.csp", "#include \"0\";", [&](const std::string&) {
        ++count;
        return std::optional("#include \"" + std::to_string(count) + "\";");
      });
  ASSERT_EQ(result.errors.size(), 1u);
  EXPECT_STREQ(result.errors[0].what(), "more than 100 files are included");
}

}  // namespace
}  // namespace plumb::csp
