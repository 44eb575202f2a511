// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(InputError, ShowsThePlaceTheLineAndTheWayOut) {
  const InputError error(Place{.source = "run.jsonl",
                               .line = 12,
                               .column = 3,
                               .length = 4,
                               .text = "a wrong line"},
                         "a word is wrong", "write another");
  EXPECT_EQ(error.describe(),
            "run.jsonl:12:3: error: a word is wrong\n"
            "  12 | a wrong line\n"
            "     |   ^~~~\n"
            "hint: write another\n");
}

TEST(InputError, NeedsNoPlace) {
  EXPECT_EQ(InputError("no such thing").describe(),
            "plumb: error: no such thing\n");
  EXPECT_EQ(InputError(Place{.source = "f", .text = ""}, "is empty").describe(),
            "f: error: is empty\n");
}

TEST(InputError, ShowsOnlyTheSurroundingsInAVeryLongLine) {
  const std::string line(10'000'000, 'x');
  const std::string shown = InputError(Place{.source = "f",
                                             .line = 1,
                                             .column = 5'000'000,
                                             .length = 1'000'000,
                                             .text = line},
                                       "wrong")
                                .describe();
  EXPECT_LT(shown.size(), 400u);
  EXPECT_NE(shown.find("..."), std::string::npos);
}

TEST(InputError, HidesControlCharactersAndSurvivesAColumnBehindTheEnd) {
  const std::string shown =
      InputError(
          Place{.source = "f", .line = 1, .column = 99, .text = "\x1b[31m"},
          "wrong")
          .describe();
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
}

TEST(Nearest, FindsSlipsAndLeavesStrangersAlone) {
  EXPECT_EQ(nearest("queu", {"stack", "queue"}), "queue");
  EXPECT_EQ(nearest("enqq", {"deq", "enq"}), "enq");
  EXPECT_EQ(nearest("banana", {"deq", "enq"}), "");
  EXPECT_EQ(nearest("", {"deq"}), "");
}

}  // namespace
}  // namespace plumb
