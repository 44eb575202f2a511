// SPDX-License-Identifier: Apache-2.0
// What only shows when the numbers are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lang/machine_test_support.h"

namespace plumb::lang {
namespace {

using ::testing::HasSubstr;

std::string with(const std::string& bounds, const std::string& members = "") {
  return "const N = 0;\nobject o { " + members +
         " shared int x; void f() { x = 1; } }\ncheck o safe with " + bounds +
         ";";
}

TEST(Compile, RefusesImpossibleNumbersOfProcesses) {
  EXPECT_THAT(complaint(with("0 processes")),
              HasSubstr("0 processes are not possible"));
  EXPECT_THAT(complaint(with("65 processes")),
              HasSubstr("a check takes 1 to 64 processes"));
  EXPECT_EQ(complaint(with("64 processes")), "");
}

TEST(Compile, RefusesEmptyRangesAndSizes) {
  EXPECT_THAT(complaint(with("1 process", "shared int 2..N y;")),
              HasSubstr("the range 2..0 is empty"));
  EXPECT_THAT(complaint(with("1 process", "shared int y[N];")),
              HasSubstr("'y' has 0 elements"));
  EXPECT_THAT(complaint(with("1 process", "shared seq<int, N> y;")),
              HasSubstr("the capacity of 'y' is 0"));
  EXPECT_THAT(complaint(with("1 process", "shared seq<int, 256> y;")),
              HasSubstr("a capacity is 1 to 255"));
  EXPECT_THAT(complaint(with("1 process", "shared int y[40000];")),
              HasSubstr("too large"));
  EXPECT_THAT(
      complaint(with("1 process", "shared int y[20000]; shared int z[20000];")),
      HasSubstr("at most 60000 are possible"));
}

TEST(Compile, AsksForValues) {
  EXPECT_THAT(complaint(with("1 process", "void g(int v) { x = v; }")),
              HasSubstr("add 'values 1..2' to the check"));
  EXPECT_THAT(
      complaint(with("1 process, values 2..1", "void g(int v) { x = v; }")),
      HasSubstr("there is no value in 2..1"));
  EXPECT_THAT(
      complaint(with("1 process, values 0..40000", "void g(int v) { x = v; }")),
      HasSubstr("do not fit an int"));
  EXPECT_THAT(
      complaint(with("1 process, values 0..20000", "void g(int v) { x = v; }")),
      HasSubstr("more than 10000 ways to call 'g'"));
}

TEST(Compile, RefusesImpossibleBounds) {
  EXPECT_THAT(complaint(with("1 process, 0 operations")),
              HasSubstr("0 operations are not possible"));
  EXPECT_THAT(complaint(with("1 process, cells 251", "struct S { int v; }")),
              HasSubstr("'cells' takes 1 to 250"));
  EXPECT_THAT(complaint("object o { struct S { S s; } shared S a = new S;"
                        "shared S b = new S; void f() { skip; } }"
                        "check o safe with 1 process, cells 1;"),
              HasSubstr("the first state has 2 cells already"));
}

TEST(Compile, RolesNeedTheirProcesses) {
  EXPECT_THAT(complaint(with("1 process", "role r: 2 processes { f }")),
              HasSubstr("takes 2 processes, but 1 of 1 are left"));
}

TEST(Compile, SettingsMustNameAConstant) {
  EXPECT_THAT(complaint(with("1 process"), {{"M", 1}}),
              HasSubstr("model.plumb has no constant 'M'"));
  EXPECT_EQ(complaint(with("1 process"), {{"N", 1}}), "");
}

TEST(Compile, TheCommandLineBeatsTheCheck) {
  const std::string text =
      "const N = 1; const M = N + 1; object o { int f() { return M; } }"
      "check o safe with 1 process, N = 5;";
  const auto result = [&](const Settings& settings) {
    const Compiled made = compiled(text, 0, settings);
    return *explore(*made.model.system).results.begin();
  };
  EXPECT_EQ(result({}), "f -> 6");
  EXPECT_EQ(result({{"N", 7}}), "f -> 8");
}

TEST(Compile, AFaultInInitIsAnError) {
  EXPECT_THAT(complaint(with("1 process", "init { assert false; }")),
              HasSubstr("the first state cannot be made: line 2: assertion "
                        "failed"));
}

TEST(Compile, BoundsAreTold) {
  const Compiled made = compiled(
      "const K = 1; object o implements stack(2) { struct S { S s; }"
      " void push(int v) { skip; } }"
      "check o safe with 3 processes, values 1..2, 4 operations, cells 6,"
      " K = 2;");
  EXPECT_EQ(made.model.bounds,
            "3 processes, values 1..2, 4 operations each, at most 2 items "
            "inside, at most 6 cells, K = 2");
  EXPECT_EQ(compiled(with("1 process")).model.bounds,
            "1 process, any number of operations");
}

TEST(Compile, InitRunsBeforeAnything) {
  const Space space = explore(
      "object o { struct N { int v; N next; } shared N top; shared int n;"
      " init { for (int i = 0; i < 3; i++) { top = new N { v = i,"
      "  next = top }; n++; } }"
      " int f() { return top.next.v + n; } }"
      "check o safe with 1 process;");
  EXPECT_THAT(space.results, ::testing::ElementsAre("f -> 4"));
}

// LIMIT: containers hold single values.
TEST(Compile, ContainersDoNotHoldContainers) {
  const Reading reading =
      read_model("m",
                 "object o { shared seq<seq<int>> q; void f() { skip; } }"
                 "check o safe with 1 process;");
  EXPECT_EQ(reading.errors.size(), 1u);
}

}  // namespace
}  // namespace plumb::lang
