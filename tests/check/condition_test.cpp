// SPDX-License-Identifier: Apache-2.0
#include "check/condition.h"

#include <gtest/gtest.h>

#include "base/input_error.h"
#include "spec/catalogue.h"

namespace plumb::check {
namespace {

std::string error_of(const std::string& text) {
  try {
    const Condition condition = parse_condition(text);
    require_factors_fit(condition, *spec::make("queue"));
    return "no error";
  } catch (const InputError& error) {
    return error.describe();
  }
}

TEST(Condition, IsReadAsItIsWritten) {
  for (const char* text :
       {"linearizable", "sequential", "quiescent", "quiescent+sequential",
        "quasi(deq=2)", "quasi(deq=2, enq=0)", "quiescent+quasi(deq=1)",
        "sequential+quasi(enq=3)"}) {
    EXPECT_EQ(parse_condition(text).to_string(), text);
  }
}

TEST(Condition, MayHaveBlanksAndAnyOrder) {
  EXPECT_EQ(
      parse_condition(" quasi ( enq = 0 ,deq=2 ) + quiescent ").to_string(),
      "quiescent+quasi(deq=2, enq=0)");
}

TEST(Condition, WithFactorsOfZeroIsNotRelaxed) {
  EXPECT_FALSE(parse_condition("quasi(deq=0)").relaxed());
  EXPECT_TRUE(parse_condition("quasi(deq=0,enq=1)").relaxed());
}

TEST(Condition, IsLocalUnlessItKeepsProgramOrder) {
  EXPECT_TRUE(parse_condition("linearizable").local());
  EXPECT_TRUE(parse_condition("quiescent").local());
  EXPECT_FALSE(parse_condition("sequential").local());
  EXPECT_FALSE(parse_condition("quiescent+sequential").local());
}

TEST(Condition, ErrorsSayWhatIsWrongAndWhatWasExpected) {
  EXPECT_EQ(error_of("linearisable"),
            "plumb: error: condition 'linearisable': unknown word "
            "'linearisable'\n"
            "hint: did you mean 'linearizable'? there are linearizable, "
            "sequential, quiescent and quasi(OPERATION=FACTOR, ...), combined "
            "with '+'\n");
  EXPECT_EQ(error_of("quasi"),
            "plumb: error: condition 'quasi': 'quasi' needs factors in "
            "parentheses\n"
            "hint: write quasi(deq=2), say: how far each operation may be "
            "off\n");
  EXPECT_EQ(error_of("quasi(deq)"),
            "plumb: error: condition 'quasi(deq)': 'deq' is no factor\n"
            "hint: a factor is OPERATION=NUMBER, as in quasi(deq=2)\n");
  EXPECT_EQ(error_of("quasi(deq=-1)"),
            "plumb: error: condition 'quasi(deq=-1)': '-1' is no factor\n"
            "hint: a factor is a whole number from 0 to 1000\n");
  EXPECT_EQ(error_of("quasi(deq=1,deq=2)"),
            "plumb: error: condition 'quasi(deq=1,deq=2)': 'deq' has two "
            "factors\nhint: leave one out\n");
  EXPECT_EQ(error_of("linearizable+sequential"),
            "plumb: error: condition 'linearizable+sequential': "
            "'linearizable' already implies the rest\n"
            "hint: leave the others out, or leave 'linearizable' out\n");
  EXPECT_EQ(error_of("quiescent+quiescent"),
            "plumb: error: condition 'quiescent+quiescent': 'quiescent' "
            "stands there twice\nhint: leave one out\n");
  EXPECT_EQ(error_of("quasi(dek=1)"),
            "plumb: error: condition 'quasi(dek=1)': queue has no operation "
            "'dek'\nhint: did you mean 'deq'? its operations are 'enq', "
            "'deq'\n");
}

TEST(Condition, NoTextCrashesTheParser) {
  for (const char* text : {"", "+", "(", ")", "quasi(", "quasi)", "quasi()",
                           "quasi(=)", "((((", "quasi(a=1))", "+quiescent"}) {
    EXPECT_NE(error_of(text), "no error") << text;
  }
}

}  // namespace
}  // namespace plumb::check
