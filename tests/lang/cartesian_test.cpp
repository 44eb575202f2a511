// SPDX-License-Identifier: Apache-2.0
#include "lang/reduce_test_support.h"

namespace plumb::lang {
namespace {

TEST(Cartesian, RunsSequencesThatMeetOnlyAtTheirEnds) {
  const std::string text =
      "object o { shared int x, y, z; role a: 1 process { f } "
      "role b: others { g }\n"
      "void f() { x = 1;\nx = 2;\nx = 3;\nz = 1; }\n"
      "void g() { y = 1;\ny = 2;\ny = 3;\nz = 2; } }\n"
      "check o safe with 2 processes, 1 operation;\n";
  Walk walk(text, wanted(false, PartialOrder::kCartesian));
  walk.take("0: f()").take("1: g()");
  EXPECT_EQ(walk.transitions(), (Strings{"0: 2 3 4 5", "1: 6 7 8 9"}));
}

// Process 1 waits for what process 0 writes halfway.
TEST(Cartesian, EndsASequenceWhereSomebodyWaitsForIt) {
  const std::string text =
      "object o { shared int x, y; role a: 1 process { f } "
      "role b: others { g }\n"
      "void f() { y = 1;\ny = 2;\nx = 1;\ny = 3; }\n"
      "void g() { skip;\nawait x == 1; } }\n"
      "check o safe with 2 processes, 1 operation;\n";
  Walk walk(text, wanted(false, PartialOrder::kCartesian));
  walk.take("0: f()").take("1: g()").take("1: 6");
  EXPECT_EQ(walk.transitions(), Strings{"0: 2 3 4"});
  EXPECT_EQ(walk.out().waiting, 2u);
}

// Process 0 may call this or that, and what it does then is in one piece.
TEST(Cartesian, BeginsEachCallWithAllThatNobodyElseMeets) {
  const std::string text =
      "object o { shared int x, y, z; role a: 1 process { f, h } "
      "role b: others { g }\n"
      "void f() { x = 1;\nx = 2;\nz = 1; }\n"
      "void g() { y = 1; z = 2; }\n"
      "void h() { x = 3;\nx = 4; } }\n"
      "check o safe with 2 processes, 1 operation;\n";
  Walk walk(text, wanted(true, PartialOrder::kCartesian));
  EXPECT_EQ(walk.transitions(),
            (Strings{"0: f() 2 3 4 return", "0: h() 6 7 return",
                     "1: g() 5 5 return"}));
}

// More ways to call than are worth following.
TEST(Cartesian, BeginsManyCallsWithTheirFirstSteps) {
  Walk walk(
      "object o { shared int 0..99 x, y; role a: 1 process { f } "
      "role b: others { g }\n"
      "void f(int 0..99 v) { x = v;\nx = 1; }\n"
      "void g() { y = 1;\ny = 2;\nx = 2; } }\n"
      "check o safe with 2 processes, 1 operation;\n",
      wanted(true, PartialOrder::kCartesian));
  const Strings all = walk.transitions();
  ASSERT_EQ(all.size(), 101u);
  EXPECT_EQ(all[99], "0: f(99) 2");
  EXPECT_EQ(all[100], "1: g() 4 5 6 return");
}

// Whether there is room for a cell depends on what the others drop.
TEST(Cartesian, EndsASequenceWhereACellIsMade) {
  Walk walk(object("shared int x; shared N top;",
                   {"skip;", "skip; N n = new N;", "skip;", "top = n;"},
                   "2 processes, cells 4"),
            wanted(false, PartialOrder::kCartesian));
  walk.take("0: f()");
  EXPECT_TRUE(walk.has("0: 2 3"));
  EXPECT_FALSE(walk.has("0: 2 3 4"));
}

// Process 0 goes round in circles until it sees y; what it has seen of x by
// then matters, so process 1 must not hurry on to write y.
TEST(Cartesian, DropsACircleOnlyIfNobodyElseMeetsIt) {
  Walk walk(
      "object o { shared int x, y, z; role a: 1 process { f } "
      "role b: others { g }\n"
      "int f() { while (true) { int s = x;\n"
      "if (y == 1) return s; } }\n"
      "void g() { z = 1;\nz = 2;\ny = 1;\nx = 1; } }\n"
      "check o safe with 2 processes, 1 operation;\n",
      wanted(false, PartialOrder::kCartesian));
  walk.take("0: f()").take("1: g()");
  EXPECT_EQ(walk.transitions(), Strings{"1: 4 5"});
}

}  // namespace
}  // namespace plumb::lang
