// SPDX-License-Identifier: Apache-2.0
#include "lang/reduce_test_support.h"

namespace plumb::lang {
namespace {

constexpr char kTake[] = "atomic { await !l; l = true; }";

TEST(Locks, GivesALockBackAtOnce) {
  const Strings body = {kTake, "x = 1;", "l = false;"};
  Walk walk(object("shared bool l; shared int x;", body),
            wanted(true, PartialOrder::kPersistent));
  walk.take("0: f() 2");
  EXPECT_EQ(walk.transitions(), Strings{"0: 3 4 return"});
}

// Does the step of line 3 take that of line 4 along, which gives a lock back?
bool gives_back_at_once(const Strings& body) {
  Walk walk(object("shared bool l; shared int x, y; "
                   "shared N top = new N { next = new N };",
                   body),
            wanted(true, PartialOrder::kPersistent));
  walk.take("0: f()");
  while (walk.has("0: 2")) walk.take("0: 2");
  return walk.has("0: 3 4");
}

TEST(Locks, WaitsWithALockThatSomebodyLooksAt) {
  EXPECT_TRUE(gives_back_at_once({kTake, "x = 1;", "l = false;", "x = 2;"}));
  EXPECT_FALSE(
      gives_back_at_once({kTake, "x = 1;", "l = false;", "if (l) x = 2;"}));
  EXPECT_FALSE(gives_back_at_once(
      {kTake, "x = 1;", "l = false;", "if (cas(l, false, true)) l = false;"}));
  EXPECT_FALSE(gives_back_at_once({kTake, "x = 1;", "l = false;", "await !l;"}))
      << "whether one waits is something to see, too";
}

TEST(Locks, WaitsWithALockThatMayBeHeldBySomebodyElse) {
  EXPECT_FALSE(
      gives_back_at_once({kTake, "x = 1;", "l = false;", "l = false;"}));
  EXPECT_FALSE(gives_back_at_once(
      {std::string("if (y == 0) { ") + kTake + " }", "x = 1;", "l = false;"}))
      << "it is taken on one of two ways only";
  EXPECT_FALSE(gives_back_at_once(
      {"atomic { await !l; l = x == 0; }", "x = 1;", "l = false;"}))
      << "what is stored may leave it free";
  EXPECT_FALSE(gives_back_at_once({"l = true;", "x = 1;", "l = false;"}));
  const std::string take = "atomic { await n.v == 0; n.v = 1; }";
  EXPECT_TRUE(gives_back_at_once(
      {"N n = top; N m = n; " + take, "x = 1;", "m.v = 0;", "top = n;"}));
  EXPECT_FALSE(gives_back_at_once({"N n = top; N m = n; if (y == 0) " + take +
                                       " else { y = 1; y = 2; y = 3; y = 4; }",
                                   "x = 1;", "m.v = 0;", "top = n;"}));
}

// On one of two ways there is one lock, which would be given back twice.
TEST(Locks, DoesNotTakeOneLockForTwo) {
  const std::string take = "atomic { await n.v == 0; n.v = 1; }";
  const std::string other =
      "{ m = top.next; N k = n; n = m; " + take + " n = k; }";
  const std::string same =
      "{ y = 1; y = 2; y = 3; y = 4; y = 5; y = 6; y = 7;"
      " y = 8; m = n; }";
  EXPECT_FALSE(gives_back_at_once(
      {"N n = top; " + take + " N m; if (y == 0) " + other + " else " + same,
       "x = 1;", "n.v = 0;", "m.v = 0;"}));
  EXPECT_TRUE(gives_back_at_once(
      {"N n = top; " + take + " N m; if (y == 0) " + other + " else " + other,
       "x = 1;", "n.v = 0;", "m.v = 0;"}));
}

// One lock for each cell, taken hand over hand.
TEST(Locks, KnowsWhichOfTwoLocksIsHeld) {
  const std::string text =
      "object o { struct N { bool held; N next; }\n"
      "shared N top = new N { next = new N { next = new N } }; shared int x;\n"
      "function void lock(N n) { atomic { await !n.held; n.held = true; } }\n"
      "void f() { N p = top; lock(p); N c = p.next; lock(c);\n"
      "while (c.next != null) { \n"
      "p.held = false;\n"
      "p = c; c = p.next; lock(c); }\n"
      "x = 1;\n"
      "p.held = false;\n"
      "c.held = false; x = 2; } }\n"
      "check o safe with 2 processes;\n";
  Walk walk(text, wanted(true, PartialOrder::kPersistent));
  walk.take("0: f()");
  std::size_t steps = 0;
  while (walk.transitions()[0].substr(0, 4) != "0: 8" && steps++ < 20) {
    walk.take("0: ");
  }
  EXPECT_EQ(walk.transitions()[0], "0: 8 9 10");
}

}  // namespace
}  // namespace plumb::lang
