// SPDX-License-Identifier: Apache-2.0
#include "report/cell_names.h"

#include <gtest/gtest.h>

namespace plumb::report {
namespace {

lts::StepText renaming(std::vector<std::uint32_t> names) {
  lts::StepText text;
  text.names = std::move(names);
  return text;
}

TEST(CellNames, AreThoseOfTheStatesAtFirst) {
  CellNames names;
  EXPECT_EQ(names.translated("top: #2 -> #10, c = 3"), "top: #2 -> #10, c = 3");
}

TEST(CellNames, FollowACellThatStatesCallDifferently) {
  CellNames names;
  EXPECT_EQ(names.translated("top: #1 -> #2"), "top: #1 -> #2");
  // The new top comes first in the state after: it was #2.
  names.step(renaming({2, 1}));
  EXPECT_EQ(names.translated("read top = #1, #1.next = #2"),
            "read top = #2, #2.next = #1");
  names.step(renaming({2}));  // the top was dropped
  EXPECT_EQ(names.translated("top = #1"), "top = #1");
}

TEST(CellNames, AreNeverGivenTwice) {
  CellNames names;
  EXPECT_EQ(names.translated("#1: new Node"), "#1: new Node");
  names.step(renaming({}));  // nothing refers to it any more
  EXPECT_EQ(names.translated("#1: new Node"), "#2: new Node");
}

TEST(CellNames, StayWhereAStepSaysNothing) {
  CellNames names;
  names.step(renaming({2, 1}));
  names.step(lts::StepText{});
  EXPECT_EQ(names.translated("#1"), "#2");
}

TEST(CellNames, AreTranslatedInNamesAndValuesOfVariables) {
  CellNames names;
  names.step(renaming({2, 1}));
  const auto variables = names.translated(
      std::vector<lts::Variable>{{"#1", "{ next = #2 }"}, {"top", "#1"}});
  EXPECT_EQ(variables[0].name, "#2");
  EXPECT_EQ(variables[0].value, "{ next = #1 }");
  EXPECT_EQ(variables[1].value, "#2");
}

TEST(CellNames, LeaveOtherTextsAlone) {
  CellNames names;
  names.step(renaming({3, 2, 1}));
  EXPECT_EQ(names.translated("# #x #0 #99999999999999999999 #"),
            "# #x #0 #99999999999999999999 #");
}

}  // namespace
}  // namespace plumb::report
