// SPDX-License-Identifier: Apache-2.0
#include "history/shape_cache.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "history/reading.h"

namespace plumb::history {
namespace {

class ShapeCacheTest : public ::testing::Test {
 protected:
  void learn(std::string line) {
    line += '\n';
    const std::string padded = line + std::string(600, ' ');
    const Event event = parser_.parse_line(
        std::string_view(padded).substr(0, line.size() - 1), 1);
    cache_.learn(line, parser_, event);
  }
  // The event's process and value, or "no".
  std::string match(const std::string& line) {
    const std::string text = line + "\n" + std::string(600, '9');
    const ShapeCache::Match match = cache_.match(text.data());
    if (match.event == nullptr) return "no";
    EXPECT_EQ(match.size, line.size() + 1);
    return match.event->process.to_string() + " " +
           match.event->value.to_string();
  }

  JsonEventParser parser_{[](std::string_view) { return std::uint16_t{0}; },
                          "test"};
  ShapeCache cache_;
};

TEST_F(ShapeCacheTest, FitsOtherIntegersAndNothingElse) {
  EXPECT_EQ(match(R"({"process": 1, "f": "deq", "value": 5})"), "no");
  learn(R"({"process": 1, "f": "deq", "value": 5})");
  EXPECT_EQ(match(R"({"process": 1, "f": "deq", "value": 5})"), "1 5");
  EXPECT_EQ(match(R"({"process": 20, "f": "deq", "value": -17})"), "20 -17");
  EXPECT_EQ(match(R"({"process": 0, "f": "deq", "value": -0})"), "0 0");
  EXPECT_EQ(match(R"({"process": 0, "f": "deq", "value": 999999999999999999})"),
            "0 999999999999999999");
  EXPECT_EQ(match(R"({"process": 0, "f": "deq", "value": 12345678})"),
            "0 12345678");
  for (const char* line :
       {R"({"process": 01, "f": "deq", "value": 5})",
        R"({"process": 1, "f": "deq", "value": 1.5})",
        R"({"process": 1, "f": "deq", "value": 1e5})",
        R"({"process": 1, "f": "deq", "value": -})",
        R"({"process": 1, "f": "deq", "value": --5})",
        R"({"process": 1, "f": "deq", "value": 1000000000000000000})",
        R"({"process": 1, "f": "deq", "value": 5} )",
        R"({"process": 1, "f": "deq", "value": "5"})",
        R"({"process": 1, "f": "enq", "value": 5})",
        R"({"process":1, "f": "deq", "value": 5})",
        R"({"process": 1, "f": "deq", "value": })"}) {
    EXPECT_EQ(match(line), "no") << line;
  }
}

TEST_F(ShapeCacheTest, FlatListsAreHolesAndOthersAreNot) {
  learn(R"({"process": 1, "value": [1, 2]})");
  learn(R"({"process": 1, "value": [1, "x"]})");
  learn(R"({"process": 1, "value": []})");
  EXPECT_EQ(match(R"({"process": 7, "value": [30, -4]})"), "7 [30, -4]");
  EXPECT_EQ(match(R"({"process": 7, "value": [30, -4, 5]})"), "no");
  EXPECT_EQ(match(R"({"process": 7, "value": [2, "x"]})"), "no");
  EXPECT_EQ(match(R"({"process": 7, "value": []})"), "7 []");
}

TEST_F(ShapeCacheTest, KeepsWhatIsUsedWhenItIsFull) {
  learn(R"({"process": 1, "value": 1})");
  for (int i = 0; i < 1000; ++i) {
    learn("{\"process\": 1, \"value\": \"" + std::to_string(i) + "\"}");
    ASSERT_EQ(match(R"({"process": 3, "value": 4})"), "3 4") << i;
    ASSERT_LE(cache_.size(), 64u);
  }
}

// Makes lines that are nearly alike, most of them right, with values of many
// kinds; a line, or a byte of one, is wrong now and then.
std::string random_text(std::mt19937& random) {
  const auto pick = [&](const std::vector<std::string>& words) {
    return words[random() % words.size()];
  };
  std::string text;
  std::vector<std::string> open(3);
  const std::size_t lines = 2 + random() % 40;
  for (std::size_t i = 0; i < lines; ++i) {
    const std::size_t process = random() % open.size();
    std::string& f = open[process];
    const bool invoke = f.empty() != (random() % 100 == 0);
    if (invoke) f = pick({"write", "write", "read", "cas"});
    std::string line = "{\"process\": " + std::to_string(process);
    line += ", \"type\": \"" +
            (invoke ? "invoke" : pick({"ok", "ok", "ok", "fail", "info"}));
    line += "\", \"f\": \"" + f + "\", \"value\": ";
    line += f == "cas" ? pick({"[1, 2]", "[30,  4]", "[1,2]", "[1, [2, 3]]"})
                       : pick({"1", "22", "[1, 2]", "null", "1.0", "-12", "-0",
                               "123456789012345678", "1234567890123456789"});
    if (random() % 200 == 0) line += pick({"0", "07", "e1", ".5", ", 3"});
    line += pick({"", "", "", ", \"time\": 5", ", \"time\": 1.5"});
    line += pick({"}", "}", "} ", "}\r"});
    if (!invoke) f.clear();
    if (random() % 200 == 0) line[random() % line.size()] ^= 1;
    text += line + "\n";
  }
  return text + std::string(random() % 2 * 1000, ' ');
}

TEST(Shapes, MakeNoDifferenceOnRandomLines) {
  std::mt19937 random(20);
  int read = 0, wrong = 0;
  for (int round = 0; round < 4'000; ++round) {
    const std::string text = random_text(random);
    ReadOptions with, without;
    without.remember_shapes = false;
    with.keys = without.keys = ReadOptions::Keys(random() % 3);
    const std::string error = error_of(text, "register", with);
    ASSERT_EQ(error, error_of(text, "register", without)) << text;
    ++(error.empty() ? read : wrong);
    if (!error.empty()) continue;
    ASSERT_EQ(shown_text(text, "register", with),
              shown_text(text, "register", without))
        << text;
  }
  EXPECT_GT(read, 400) << "too few texts can be read";
  EXPECT_GT(wrong, 400) << "too few texts are wrong";
}

// A correct history, so that nearly all lines are read by their shape.
TEST(Shapes, MakeNoDifferenceOnALongHistory) {
  std::mt19937 random(21);
  std::string text;
  std::vector<std::string> open(5);
  for (int i = 0; i < 50'000; ++i) {
    const std::size_t process = random() % open.size();
    std::string& f = open[process];
    const bool invoke = f.empty();
    if (invoke) f = random() % 2 == 0 ? "enq" : "deq";
    text += "{\"process\": " + std::to_string(process) + ", \"type\": \"" +
            (invoke ? "invoke" : "ok") + "\", \"f\": \"" + f +
            "\", \"value\": " + std::to_string(random() >> random() % 32) +
            ", \"time\": " + std::to_string(i) + "}\n";
    if (!invoke) f.clear();
  }
  ReadOptions without;
  without.remember_shapes = false;
  EXPECT_EQ(shown_text(text, "queue"), shown_text(text, "queue", without));
}

}  // namespace
}  // namespace plumb::history
