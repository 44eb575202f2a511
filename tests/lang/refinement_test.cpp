// SPDX-License-Identifier: Apache-2.0
#include "lang/refinement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lang/front_end_test_support.h"

namespace plumb::lang {
namespace {

using ::testing::ElementsAre;

constexpr const char* kSpecs =
    "const N = 2;\n"
    "enum Color { red, green }\n"
    "spec one(int k) { const TOP = k; seq<int> q;\n"
    "  bool enq(int v) { push_back(q, v); return true; }\n"
    "  int deq() { return empty; } }\n"
    "spec two { int deq() { return 1; } bool enq(int v) { return v == 1; } }\n"
    "spec wide(int k) { void f(int 0..k a, bool b) { skip; }\n"
    "  void g(Color c) { skip; } void h(process p) { skip; } }\n";

Comparison compared(const std::string& check, const Settings& settings = {}) {
  const auto module = module_of(kSpecs + check);
  return compile_refinement(*module, module->checks.at(0), settings);
}

std::string complaint(const std::string& check, const Settings& settings = {}) {
  try {
    compared(check, settings);
  } catch (const InputError& error) {
    return std::string(error.what()) + " (" + error.hint() + ")";
  }
  return "";
}

TEST(Refinement, ReadsBothSides) {
  const auto module =
      module_of(std::string(kSpecs) +
                "check spec quasi(deq=1, a{enq(1)}=2) queue(N+1) refines\n"
                "  late( deq=1 )+stuttering(enq = 2) one(3)\n"
                "  with values 1..N, 4 operations expect violated;");
  const Check& check = module->checks[0];
  ASSERT_NE(check.refinement, nullptr);
  EXPECT_EQ(check.object, nullptr);
  EXPECT_EQ(check.object_name, "spec quasi(deq=1, a{enq(1)}=2) queue(N+1)");
  EXPECT_EQ(check.property, "refines late(deq=1)+stuttering(enq=2) one(3)");
  EXPECT_EQ(check.refinement->left.relaxation, "quasi(deq=1, a{enq(1)}=2)");
  EXPECT_EQ(check.refinement->left.text, "queue(N+1)");
  EXPECT_EQ(check.refinement->left.specification, nullptr);
  EXPECT_EQ(check.refinement->right.relaxation,
            "late(deq=1)+stuttering(enq=2)");
  EXPECT_EQ(check.refinement->right.specification, module->objects[0].get());
  EXPECT_EQ(check.expect, Expectation::kViolated);
}

TEST(Refinement, KnowsTheOperationsByName) {
  const Comparison made =
      compared("check spec one(2) refines two with values 1..2;");
  EXPECT_THAT(made.codes, ElementsAre(1, 0));
  EXPECT_EQ(made.left.specification->name(), "one(2)");
  EXPECT_EQ(made.right.specification->name(), "two");
  EXPECT_THAT(made.left.arguments,
              ElementsAre(ElementsAre(Value::integer(1), Value::integer(2)),
                          ElementsAre(Value())));
  EXPECT_THAT(made.right.arguments,
              ElementsAre(ElementsAre(Value()),
                          ElementsAre(Value::integer(1), Value::integer(2))));
  EXPECT_EQ(made.operations, 0u);
  EXPECT_EQ(made.bounds, "values 1..2, any number of operations");
}

TEST(Refinement, TriesAllArgumentsOfTheTypesOfParameters) {
  const Comparison made =
      compared("check spec wide(1) refines wide(2) with 2 processes;");
  const auto pair = [](std::int64_t a, bool b) {
    const Value items[] = {Value::integer(a), Value::boolean(b)};
    return Value::list(items);
  };
  EXPECT_THAT(made.left.arguments,
              ElementsAre(ElementsAre(pair(0, false), pair(0, true),
                                      pair(1, false), pair(1, true)),
                          ElementsAre(Value::text("red"), Value::text("green")),
                          ElementsAre(Value::integer(0), Value::integer(1))));
  EXPECT_EQ(made.bounds, "2 processes, any number of operations");
}

TEST(Refinement, HasBoundsAndSettings) {
  const Comparison made = compared(
      "check spec queue(N) refines one(N) with values 1, 3 operations, N = 4, "
      "TOP = N;"
      "check spec queue refines queue;");
  EXPECT_EQ(made.left.specification->name(), "queue(4)");
  EXPECT_EQ(made.right.specification->name(), "one(4)");
  EXPECT_EQ(made.operations, 3u);
}

TEST(Refinement, TheCommandLineSetsConstants) {
  EXPECT_EQ(compared("check spec queue(N) refines one(1) with values 1, N = 3;",
                     {{"N", 7}})
                .left.specification->name(),
            "queue(7)");
  EXPECT_EQ(complaint("check spec two refines two with values 1;", {{"M", 1}}),
            "m.plumb has no constant 'M' (did you mean 'N'?)");
}

TEST(Refinement, ComplainsOfBounds) {
  EXPECT_EQ(complaint("check spec two refines one(1);"),
            "which values do the operations take? (add 'values 1..2' to the "
            "check)");
  EXPECT_EQ(complaint("check spec two refines one(1) with values 2..1;"),
            "there is no value in 2..1 (write the smaller number first)");
  EXPECT_EQ(complaint("check spec two refines one(1) with values 0..10000;"),
            "more than 10000 arguments are to be tried (use smaller ranges)");
  EXPECT_EQ(complaint("check spec map refines map with values 1..101;"),
            "more than 10000 arguments are to be tried (use smaller ranges)");
  EXPECT_EQ(complaint("check spec two refines queue(N - 2) with values 1;"),
            "the capacity in 'queue(0)' is '0', but it must be a whole number "
            "from 1 to 4294967295 ()");
  EXPECT_EQ(
      complaint("check spec two refines two with values 1, N - 2 operations;"),
      "0 operations are not possible (a comparison takes 1 to 10000)");
  EXPECT_EQ(complaint("check spec wide(1) refines wide(1) with 65 processes;"),
            "65 processes are not possible (a comparison takes 1 to 64)");
}

std::string message(const std::string& check) {
  std::string all;
  for (const std::string& one : messages_of(kSpecs + check)) {
    all += (all.empty() ? "" : "; ") + one;
  }
  return all;
}

constexpr Case kSidesThatDoNotFit[] = {
    {"check spec one refines two;",
     "'one' is given 0 arguments, but it takes 1"},
    {"check spec two(1) refines two;",
     "'two' is given 1 argument, but it takes none"},
    {"check spec one(true) refines two;", "this is bool, but 'k' is int"},
    {"check spec queue(1, 2) refines two;",
     "'queue' takes one argument, its capacity"},
    {"check spec set(1) refines set;",
     "'set' cannot have a capacity (these can: 'queue', 'stack', 'deque', "
     "'priority_queue', 'bag')"},
    {"check spec tow refines two;",
     "unknown specification 'tow' (did you mean 'two'?)"},
    {"object three { void f() { skip; } } check spec three refines two;",
     "'three' is an object, not a specification (objects are checked by "
     "'check three linearizable ...')"},
    {"check spec two refines queue;",
     "'enq' of 'two' returns bool, but that of 'queue' returns nothing"},
    {"check spec queue refines two;",
     "'enq' of 'queue' returns nothing, but that of 'two' returns bool"},
    {"check spec queue refines queue(3);",
     "'enq' of 'queue' returns nothing, but that of 'queue(3)' returns bool "
     "(the puts of a bounded container return whether there was room)"},
    {"spec odd { void deq() { skip; } void enq(int v) { skip; } }\n"
     "check spec odd refines queue;",
     "'deq' of 'odd' returns nothing, but that of 'queue' returns any value"},
    {"check spec queue refines stack;",
     "'queue' has no operation 'push', but 'stack' has (only specifications "
     "with the same operations can be compared)"},
    {"spec more { int deq() { return 1; } bool enq(int v) { return true; }\n"
     " void f() { skip; } } check spec more refines two;",
     "'two' has no operation 'f', but 'more' has (only specifications with "
     "the same operations can be compared)"},
    {"spec odd { int deq(int v) { return v; } bool enq(int v) { return true; "
     "} } check spec odd refines two;",
     "'deq' of 'odd' has 1 parameter, but that of 'two' has no parameters"},
    {"spec odd { int deq() { return 1; } bool enq(bool v) { return v; } }\n"
     "check spec two refines odd;",
     "'enq' of 'two' takes int, but that of 'odd' takes bool"},
    {"check spec wide(1) refines wide(2);",
     "'wide' depends on how many processes there are (write '... with 2 "
     "processes;'); 'wide' depends on how many processes there are (write "
     "'... with 2 processes;')"},
};

TEST(ErrorsInRefinements, SidesMustFit) {
  expect_messages(message, kSidesThatDoNotFit);
}

constexpr Case kOther[] = {
    {"check spec quiescent+quasi(deq=1) queue refines queue;",
     "'quiescent' relaxes no specification ('quasi(...)', "
     "'out_of_order(...)', 'late(...)' and 'stuttering(...)' do)"},
    {"check spec quasy(deq=1) queue refines queue;",
     "'quasy' relaxes no specification (did you mean 'quasi'?)"},
    {"check spec queue;",
     "unexpected ';', expected 'refines' and the specification to compare "
     "with"},
    {"check spec queue refines;",
     "unexpected ';', expected the name of a specification"},
    {"check spec refines queue;",
     "unexpected ';', expected 'refines' and the specification to compare "
     "with"},
    {"check spec queue(1 refines queue;", "unexpected ';', expected ')'"},
    {"check spec queue refines queue with cells 3;",
     "'cells' is no bound of a comparison of specifications (these are: "
     "'values 1..2', '6 operations', '2 processes' and 'NAME = 4')"},
    {"check spec queue refines queue with busy 3;",
     "'busy' is no bound of a comparison of specifications (these are: "
     "'values 1..2', '6 operations', '2 processes' and 'NAME = 4')"},
    {"check spec queue refines queue with M = 3;", "unknown constant 'M'"},
};

TEST(ErrorsInRefinements, AreSaid) {
  expect_messages(message, kOther);
}

}  // namespace
}  // namespace plumb::lang
