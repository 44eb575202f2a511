// SPDX-License-Identifier: Apache-2.0
// Conditions and their bounds in check lines.
#include <gmock/gmock.h>

#include "lang/front_end_test_support.h"
#include "lang/machine_test_support.h"

namespace plumb::lang {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kQueue =
    "object q implements queue { shared int x;\n"
    "  void enq(int v) { x = v; } int deq() { return empty; } }\n";

std::string property_of(const std::string& condition) {
  return module_of(kQueue + ("check q " + condition + " with 1 process;"))
      ->checks[0]
      .property;
}

TEST(Conditions, AreHandedOnAsPeopleWriteThem) {
  EXPECT_EQ(property_of("quasi ( deq=2,enq = 0 )"), "quasi(deq=2, enq=0)");
  EXPECT_EQ(property_of("quasi(urgent { enq(1 ..2),deq->-1 } = 1)"),
            "quasi(urgent{enq(1..2), deq -> -1}=1)");
  EXPECT_EQ(property_of("quiescent + out_of_order(deq=2)+late(deq=1)"),
            "quiescent+out_of_order(deq=2)+late(deq=1)");
  EXPECT_EQ(property_of("stuttering(enq=1)+sequential"),
            "stuttering(enq=1)+sequential");
  EXPECT_EQ(property_of("linearizable"), "linearizable");
  // What stands in parentheses is not looked at here.
  EXPECT_EQ(property_of("quasi(deq=1+x(2))"), "quasi(deq=1+x(2))");
  // Whoever reads conditions must see that these are two words.
  EXPECT_EQ(property_of("quasi(deq enq=1 2)"), "quasi(deq enq=1 2)");
}

constexpr Case kMistakes[] = {
    {"check q stuterring(enq=1) with 1 process;",
     "unknown property 'stuterring' (did you mean 'stuttering'?)"},
    {"check q quasi(deq=1+fast(2))+fast with 1 process;",
     "unknown property 'fast' ('linearizable', 'quasi(...)', 'quiescent', "
     "'sequential', 'safe', 'deadlock_free', 'lock_free', 'wait_free', "
     "'obstruction_free' and 'satisfies FORMULA' can be checked)"},
    {"check q late(deq=1)+safe with 1 process;",
     "'late(deq=1)+safe' cannot be combined (write one check for each "
     "property)"},
    {"check q quasi(deq=1 with 1 process;", "unexpected ';', expected ')'"},
    {"check q quasi(a{enq(1) with 1 process;", "unexpected ';', expected '}'"},
    {"check q quasi(a{enq(1)) with 1 process;", "unexpected ')', expected '}'"},
    {"check q quasi(a[1) with 1 process;", "unexpected ')', expected ']'"},
    {"check q quasi(deq=1) by relation with 1 process;",
     "'quasi(deq=1)' cannot be checked 'by relation' (only 'linearizable' and "
     "'quiescent' can)"},
    {"check q quiescent by hand with 1 process;",
     "unexpected 'hand', expected 'relation' after 'by'"},
    {"check q quiescent by relation with 1 process;",
     "'q' has no relation (write 'relation { ... }' into it: what its states "
     "stand for)"},
    {"check q linearizable with 1 process, busy 3;",
     "'busy' is no bound of 'linearizable' (it bounds the busy periods of "
     "'quiescent')"},
    {"check q quiescent with 1 process, busy 3, busy 4;",
     "busy periods are given twice"},
    {"check q quiescent with 1 process, busy true;",
     "this is bool, but a number of operations is int"},
    {"check q quiescent with 1 process, 3 busy;",
     "unexpected 'busy', expected what the bound counts (bounds are '3 "
     "processes', 'values 1..2', '2 operations', 'busy 6', 'cells 6' and "
     "'NAME = 4')"},
};

TEST(Conditions, MistakesAreSaid) {
  for (const Case& wanted : kMistakes) {
    EXPECT_THAT(messages_of(kQueue + std::string(wanted.text)),
                ElementsAre(wanted.message))
        << wanted.text;
  }
}

TEST(Conditions, BusyIsABound) {
  const Compiled made = compiled(
      kQueue + std::string("check q quiescent with 2 processes, values 1, "
                           "busy 2 + 4;"));
  EXPECT_EQ(made.model.busy, 6u);
  EXPECT_EQ(made.model.bounds,
            "2 processes, value 1, any number of operations, at most 6 "
            "operations between quiescent moments");
  EXPECT_EQ(compiled(kQueue + std::string("check q quiescent with 1 process, "
                                          "values 1;"))
                .model.busy,
            0u);
  EXPECT_THAT(
      complaint(kQueue + std::string("check q quiescent with 1 "
                                     "process, values 1, busy 0;")),
      ::testing::HasSubstr("busy periods of 0 operations are not possible"));
}

TEST(Conditions, ArgumentsAreThoseThatClientsMayPass) {
  const Compiled made = compiled(
      "spec s { void a(int v) { skip; } void b() { skip; } void c() { skip; }\n"
      "  void d(bool x, int 3..4 y) { skip; } }\n"
      "object o implements s { role r: 1 process { d, a }\n"
      "  void b() { skip; } void d(bool x, int 3..4 y) { skip; }\n"
      "  void a(int v) { skip; } }\n"
      "check o linearizable with 1 process, values 1..2;\n"
      "check o linearizable with 2 processes, values 1;");
  const auto pair = [](bool x, std::int64_t y) {
    const Value items[] = {Value::boolean(x), Value::integer(y)};
    return Value::list(items);
  };
  // No process is left that could call b, and there is no c.
  EXPECT_THAT(made.model.arguments,
              ElementsAre(ElementsAre(Value::integer(1), Value::integer(2)),
                          IsEmpty(), IsEmpty(),
                          ElementsAre(pair(false, 3), pair(false, 4),
                                      pair(true, 3), pair(true, 4))));
  const Model second =
      compile(*made.module, made.module->checks[1], Settings{});
  EXPECT_THAT(second.arguments[0], ElementsAre(Value::integer(1)));
  EXPECT_THAT(second.arguments[1], ElementsAre(Value()));
}

TEST(Conditions, AreLaidOut) {
  const std::string wanted =
      "check q quasi(urgent{enq(1..2), deq -> -1..2}=1, enq=0)+quiescent\n"
      "    with 2 processes, values 1..2, busy 3 + 1;\n"
      "check q quiescent by relation with 2 processes, busy 6;\n"
      "check q quasi(deq=1) with 2 processes, values 1..2, busy 3,\n"
      "    AAAAAAAAAAAAAAAAA = 4;\n"
      "check spec quasi(deq=1) queue(4) refines lossy(N + 1) with values "
      "1..2;\n";
  EXPECT_EQ(format_model("m.plumb", wanted), wanted);
  EXPECT_EQ(
      format_model("m.plumb",
                   "check q quasi( urgent { enq( 1 .. 2 ),deq->-1..2 } = 1,enq"
                   " =0 ) + quiescent with 2 processes,values 1..2,busy 3+1;\n"
                   "check q quiescent by  relation with 2 processes,busy 6;\n"
                   "check q quasi(deq = 1) with 2 processes, values 1..2, busy"
                   " 3, AAAAAAAAAAAAAAAAA=4;\n"
                   "check spec quasi(deq=1)queue(4)refines lossy(N+1)"
                   " with values 1..2;\n"),
      wanted);
}

}  // namespace
}  // namespace plumb::lang
