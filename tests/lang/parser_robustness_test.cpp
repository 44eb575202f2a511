// SPDX-License-Identifier: Apache-2.0
// Whatever is read: either a model or errors, never a crash.
#include <random>

#include "lang/front_end_test_support.h"
#include "lang/lexer.h"

namespace plumb::lang {
namespace {

// Reads a text as the tool does; what comes back must be sound.
void read_and_format(const std::string& text) {
  const Reading reading = read_model("m.plumb", text);
  ASSERT_LE(reading.errors.size(), kMostErrors);
  ASSERT_TRUE(reading.module != nullptr || !reading.errors.empty());
  std::pair<std::size_t, std::size_t> last{0, 0};
  for (const InputError& error : reading.errors) {
    const std::pair at{error.place().line, error.place().column};
    ASSERT_LT(last, at) << "in order, one for each place\n" << text;
    ASSERT_STRNE(error.what(), "");
    ASSERT_GE(error.place().length, 1u);
    ASSERT_LE(error.place().column, error.place().text.size() + 1);
    ASSERT_FALSE(error.describe().empty());
    last = at;
  }
  // A model with errors is seldom laid out: most do not even parse.
  if (!reading.errors.empty() && text.size() % 8 != 0) return;
  try {
    const std::string formatted = format_model("m.plumb", text);
    ASSERT_EQ(format_model("m.plumb", formatted), formatted) << text;
  } catch (const InputError&) {
    ASSERT_FALSE(reading.errors.empty()) << text;
  }
}

std::vector<std::string> tokens_of(const std::string& text) {
  const Source source("m.plumb", text);
  Diagnostics diagnostics(source, 1);
  std::vector<std::string> tokens;
  for (const Token& token : lex(source, diagnostics).tokens) {
    tokens.emplace_back(source.text(token.span));
  }
  tokens.pop_back();
  return tokens;
}

TEST(Robustness, RandomTokensGiveErrors) {
  const std::vector<std::string> pool = tokens_of(kEverything);
  std::mt19937 random(7);
  std::size_t clean = 0;
  for (int round = 0; round < 10'000; ++round) {
    std::string text;
    // Half of them begin like an object, to get further.
    if (round % 2 == 0) text = "object a { shared int x; void op() { ";
    const std::size_t length = random() % 60;
    for (std::size_t i = 0; i < length; ++i) {
      text += pool[random() % pool.size()] + " ";
    }
    ASSERT_NO_FATAL_FAILURE(read_and_format(text)) << text;
    clean += read_model("", text).errors.empty() ? 1u : 0u;
  }
  EXPECT_LT(clean, 500u) << "few are models";
}

// One token dropped, doubled, or put in the place of another: near to valid.
TEST(Robustness, ChangedTokensGiveErrorsOrModels) {
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
    ASSERT_NO_FATAL_FAILURE(read_and_format(text));
  }
}

TEST(Robustness, TruncatedModelsGiveErrors) {
  std::vector<std::string> texts = sample_models();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    // The long ones of the examples at every 97th byte only.
    const std::size_t step = i < 1 + std::size(kCareless) ? 1 : 97;
    for (std::size_t end = 0; end < texts[i].size(); end += step) {
      ASSERT_NO_FATAL_FAILURE(read_and_format(texts[i].substr(0, end)));
    }
  }
}

TEST(Robustness, FlippedBytesGiveErrorsOrModels) {
  std::mt19937 random(9);
  for (const std::string& text : sample_models()) {
    for (int round = 0; round < 40; ++round) {
      std::string changed = text;
      const std::size_t count = 1 + random() % 3;
      for (std::size_t i = 0; i < count; ++i) {
        changed[random() % changed.size()] = static_cast<char>(random() % 256);
      }
      ASSERT_NO_FATAL_FAILURE(read_and_format(changed));
    }
  }
}

TEST(Robustness, RandomBytesGiveErrors) {
  std::mt19937 random(10);
  for (int round = 0; round < 1'000; ++round) {
    std::string text(random() % 200, ' ');
    for (char& c : text) c = static_cast<char>(random() % 256);
    ASSERT_NO_FATAL_FAILURE(read_and_format(text));
  }
}

std::string repeated(const std::string& part, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += part;
  return all;
}

std::string in_body(const std::string& statements) {
  return "object a { shared int x; void op() {" + statements + "} }";
}

TEST(Robustness, DeepNestingIsRefused) {
  const int n = 20'000;
  for (const std::string& text : {
           in_body("x = " + repeated("(", n) + "1" + repeated(")", n) + ";"),
           in_body("x = " + repeated("-", n) + "1;"),
           in_body("x = " + repeated("!", n) + "1;"),
           in_body("x = " + repeated("x[", n) + "1" + repeated("]", n) + ";"),
           in_body("x = " + repeated("min(1, ", n)),
           in_body("x = " + repeated("1 ? 1 : ", n) + "1;"),
           in_body(repeated("{", n) + repeated("}", n)),
           in_body(repeated("if (x == 1) ", n) + "skip;"),
           in_body(repeated("if (x == 1) skip; else ", n) + "skip;"),
           in_body(repeated("while (x == 1) ", n) + "skip;"),
           in_body(repeated("do ", n)),
           in_body(repeated("linearize ", n) + "skip;"),
           in_body(repeated("atomic {", n)),
           in_body(repeated("choose {", n)),
           in_body("x = " + repeated("new N { v = ", n)),
           "object a { shared " + repeated("seq<", n) + "int",
           "object a { shared int x" + repeated("[1]", n) + "; }",
           "check a quasi" + repeated("(", n) + ";",
           repeated("object a {", n),
       }) {
    const auto messages = messages_of(text);
    ASSERT_FALSE(messages.empty()) << text.substr(0, 60);
    ASSERT_NO_FATAL_FAILURE(read_and_format(text));
  }
  EXPECT_EQ(messages_of(in_body(repeated("{", n)))[0],
            "this is nested too deeply (at most 200 levels are allowed)");
}

TEST(Robustness, NestingThatSomebodyMightWriteIsRead) {
  EXPECT_EQ(errors_of(in_body(repeated("{", 150) + repeated("}", 150))), "");
  EXPECT_EQ(errors_of(in_body("x = " + repeated("(", 150) + "1" +
                              repeated(")", 150) + ";")),
            "");
  EXPECT_EQ(
      errors_of(in_body(repeated("if (x == 1) skip; else ", 150) + "skip;")),
      "");
}

// The limit of kMostParts: such trees are as deep as they are long.
TEST(Robustness, LongExpressionsAreRefused) {
  const std::string wrong =
      "this expression is too long (at most 1000 parts are allowed)";
  EXPECT_EQ(errors_of(in_body("x = 1" + repeated(" + x", 490) + ";")), "");
  for (const std::string& text : {"x = 1" + repeated(" + x", 510) + ";",
                                  "x = 1" + repeated(" + x", 100'000) + ";",
                                  "x = x" + repeated("[0]", 100'000) + ";",
                                  "x = x" + repeated(".next", 100'000) + ";"}) {
    ASSERT_EQ(messages_of(in_body(text)), std::vector<std::string>{wrong});
  }
}

TEST(Robustness, LongListsAreRead) {
  EXPECT_EQ(errors_of(in_body(repeated("x = 1; ", 20'000))), "");
  EXPECT_EQ(messages_of(repeated("const x = 1; ", 5'000)).size(), kMostErrors);
  EXPECT_EQ(messages_of(in_body(repeated("y = ; ", 20'000))).size(),
            kMostErrors);
  EXPECT_EQ(messages_of(repeated("@ ", 50'000)).size(), kMostErrors);
}

TEST(Robustness, LongChainsOfFunctionsAreRefused) {
  std::string members;
  for (int i = 0; i < 3'000; ++i) {
    members += "function void f" + std::to_string(i) + "() { f" +
               std::to_string(i + 1) + "(); }\n";
  }
  const std::string end = "function void f3000() { skip; }";
  EXPECT_NE(message_in_object(members + end).find("nested too deeply"),
            std::string::npos);
  EXPECT_NE(message_in_object(members + "function void f3000() { f9(); }")
                .find("calls itself through"),
            std::string::npos);
}

TEST(Robustness, TextsThatAreTooLargeAreRefused) {
  const std::string text(std::size_t{17} << 20, ' ');
  EXPECT_EQ(errors_of(text),
            "m.plumb: error: the model has 17825792 bytes, but at most "
            "16777216 can be read\n");
  EXPECT_THROW(format_model("m.plumb", text), InputError);
}

}  // namespace
}  // namespace plumb::lang
