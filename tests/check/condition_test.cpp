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
        "sequential+quasi(enq=3)",
        "quasi(low{insert(1..2), remove_min -> 1..2}=1, deq=2)",
        "quasi(both{enq(-3), deq}=0)", "quasi(won{cas -> true}=2)",
        "out_of_order(deq=2)", "late(pop=1)", "stuttering(inc=2)",
        "quiescent+out_of_order(deq=2)+late(deq=2)+stuttering(deq=1)"}) {
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

TEST(Condition, KnowsWhichRelaxationsItHas) {
  const Condition named = parse_condition("quasi(a{enq}=1, deq=0)");
  EXPECT_TRUE(named.quasi() && named.relaxed() && !named.transformed());
  const Condition late = parse_condition("late(deq=1)");
  EXPECT_TRUE(!late.quasi() && late.relaxed() && late.transformed());
  EXPECT_FALSE(parse_condition("out_of_order(deq=0)").relaxed());
}

TEST(Condition, MembersOfAClassAreToldByArgumentAndResult) {
  const Condition condition =
      parse_condition("quasi(low{insert(1..2), remove_min -> 1..2}=1)");
  const MemberPattern& insert = condition.classes.at(0).members.at(0);
  const MemberPattern& remove = condition.classes.at(0).members.at(1);
  EXPECT_TRUE(insert.matches(Value::integer(2), Value()));
  EXPECT_FALSE(insert.matches(Value::integer(3), Value()));
  EXPECT_TRUE(remove.matches(Value(), Value::integer(1)));
  EXPECT_FALSE(remove.matches(Value(), Value::integer(0)));
  EXPECT_FALSE(remove.matches(Value(), Value::text("1")));
  const std::vector<Value> pair{Value::integer(2), Value::integer(9)};
  EXPECT_TRUE(insert.matches(Value::list(pair), Value()));
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
            "sequential, quiescent, quasi(OPERATION=FACTOR, ...), and, spelled "
            "like quasi, out_of_order, late and stuttering, combined with "
            "'+'\n");
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

TEST(Condition, ErrorsOfClassesSayWhatIsWrongAndWhatWasExpected) {
  EXPECT_EQ(error_of("quasi(a{deq -> 1..3}=1, b{enq, deq -> 3}=2)"),
            "plumb: error: condition 'quasi(a{deq -> 1..3}=1, b{enq, deq -> "
            "3}=2)': the classes 'a' and 'b' overlap: 'deq -> 1..3' and 'deq "
            "-> 3' have operations in common\n"
            "hint: no operation may be in two classes\n");
  for (const char* touching : {"quasi(a{deq -> 1..3}=1, b{deq -> 3..5}=1)",
                               "quasi(a{deq -> 3..5}=1, b{deq -> 1..3}=1)",
                               "quasi(a{deq}=1, b{deq}=1)",
                               "quasi(a{enq(1)}=1, b{enq(2), enq(1)}=1)"}) {
    EXPECT_NE(error_of(touching).find("overlap"), std::string::npos);
  }
  EXPECT_EQ(error_of("quasi(a{deq -> 1..2}=1, b{deq -> 3..5, enq}=1)"),
            "no error");
  EXPECT_EQ(error_of("quasi(a{deq -> 1}=1, deq=2)"),
            "plumb: error: condition 'quasi(a{deq -> 1}=1, deq=2)': 'deq -> 1' "
            "of class 'a' has a factor of its own, deq=2, as well\n"
            "hint: no operation may be in two classes\n");
  EXPECT_EQ(error_of("quasi(a{enq(3..1)}=1)"),
            "plumb: error: condition 'quasi(a{enq(3..1)}=1)': the range "
            "'3..1' is empty\nhint: write 1..3\n");
  EXPECT_EQ(error_of("quasi(a{enq(x)}=1)"),
            "plumb: error: condition 'quasi(a{enq(x)}=1)': 'x' is no value "
            "that a class can ask for\n"
            "hint: classes speak of whole numbers, as in insert(1) or "
            "insert(1..3), and of true and false\n");
  EXPECT_EQ(error_of("quasi(a{deq(1)}=1)"),
            "plumb: error: condition 'quasi(a{deq(1)}=1)': 'deq(1)' asks for "
            "an argument, but 'deq' has none\n"
            "hint: write deq for all of them, or deq -> 1..2 for those with "
            "these results\n");
  EXPECT_EQ(error_of("quasi(a{enq -> 1}=1)"),
            "plumb: error: condition 'quasi(a{enq -> 1}=1)': 'enq -> 1' asks "
            "for a result, but 'enq' has none\n"
            "hint: write enq for all of them, or enq(1..2) for those with "
            "these arguments\n");
  EXPECT_EQ(error_of("quasi(a{}=1)"),
            "plumb: error: condition 'quasi(a{}=1)': '' says no operations\n"
            "hint: a class has members such as insert, insert(1), "
            "insert(1..3), remove_min -> 1..3\n");
}

TEST(Condition, RelaxationsAreAppliedFromLeftToRight) {
  EXPECT_FALSE(parse_condition("late(deq=1)+stuttering(deq=1)").stutters_first);
  EXPECT_EQ(parse_condition("stuttering(deq=1)+late(deq=1)").to_string(),
            "stuttering(deq=1)+late(deq=1)");
  EXPECT_EQ(parse_condition("stuttering(deq=1)").to_string(),
            "stuttering(deq=1)");
  EXPECT_EQ(parse_condition("quasi(deq=1)+stuttering(deq=1)").to_string(),
            "quasi(deq=1)+stuttering(deq=1)");
  EXPECT_THROW(parse_condition("stuttering(deq=1)+quasi(deq=1)"), InputError);
  EXPECT_THROW(
      parse_condition("late(deq=1)+stuttering(deq=1)+out_of_order(deq=1)"),
      InputError);
}

TEST(Condition, ErrorsOfOtherRelaxationsSayWhatIsWrong) {
  EXPECT_EQ(error_of("quasi(deq=1)+late(deq=1)"),
            "plumb: error: condition 'quasi(deq=1)+late(deq=1)': quasi(...) "
            "can only be followed by stuttering(...)\n"
            "hint: out_of_order(...), late(...) and stuttering(...) can be "
            "combined with each other, and each of all four with an order\n");
  EXPECT_EQ(error_of("late(enq=1)"),
            "plumb: error: condition 'late(enq=1)': 'enq' takes nothing out "
            "of queue\nhint: late is for 'deq'\n");
  EXPECT_EQ(error_of("out_of_order(a{deq}=1)"),
            "plumb: error: condition 'out_of_order(a{deq}=1)': "
            "out_of_order(...) knows no classes\n"
            "hint: give each operation its factor: out_of_order(deq=2)\n");
  try {
    require_factors_fit(parse_condition("out_of_order(take=1)"),
                        *spec::make("bag"));
    ADD_FAILURE() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.describe(),
              "plumb: error: condition 'out_of_order(take=1)': bag gives its "
              "items in no order that an operation could be out of\n"
              "hint: out_of_order is for takes of queue, stack, deque and "
              "priority_queue, blocking and bounded ones too; quasi(...) and "
              "stuttering(...) are for any object\n");
  }
}

TEST(Condition, NoTextCrashesTheParser) {
  for (const char* text : {"",
                           "+",
                           "(",
                           ")",
                           "quasi(",
                           "quasi)",
                           "quasi()",
                           "quasi(=)",
                           "((((",
                           "quasi(a=1))",
                           "+quiescent",
                           "quasi(a{=1)",
                           "quasi(a}=1)",
                           "quasi({}=1)",
                           "quasi(a{b(=1)",
                           "quasi(a{->}=1)",
                           "quasi(a{b->}=1)",
                           "quasi(a{b(..)}=1)",
                           "quasi(a{}{}=1)",
                           "late()",
                           "late",
                           "stuttering(deq=",
                           "quasi(a{deq}1)"}) {
    EXPECT_NE(error_of(text), "no error") << text;
  }
}

}  // namespace
}  // namespace plumb::check
