// SPDX-License-Identifier: Apache-2.0
#include "lang/reduce_test_support.h"

namespace plumb::lang {
namespace {

TEST(Persistent, GoesOnOverWhatNobodyWrites) {
  const std::string shared = "shared int x; shared int 0..3 limit = 2;";
  const Strings body = {"x = 1;", "int r = limit;", "r = limit;", "x = r;"};
  Walk walk(object(shared, body), wanted(false, PartialOrder::kPersistent));
  walk.take("0: f()");
  EXPECT_EQ(walk.transitions(), (Strings{"0: 2 3 4", "1: f()"}));
  EXPECT_EQ(walk.out().left_out, 2u);
  Walk writes(object(shared, {"x = 1;", "int r = limit;", "limit = r;"}),
              wanted(false, PartialOrder::kPersistent));
  writes.take("0: f()");
  EXPECT_EQ(writes.transitions(), (Strings{"0: 2", "1: f()"}));
}

// The second process has made its only call, so that nobody but the first can
// write x any more.
TEST(Persistent, GoesAloneOnceTheOthersAreThrough) {
  const Strings body = {"x = 1;", "x = 2;", "x = 3;"};
  Walk walk(object("shared int x;", body),
            wanted(true, PartialOrder::kPersistent));
  walk.take("0: f() 2").take("1: f() 2").take("1: 3").take("1: 4");
  EXPECT_EQ(walk.transitions(), Strings{"0: 3 4 return"});
  Walk unbounded(object("shared int x;", body, "2 processes"),
                 wanted(true, PartialOrder::kPersistent));
  unbounded.take("0: f() 2").take("1: f() 2").take("1: 3").take("1: 4");
  EXPECT_EQ(unbounded.transitions(), (Strings{"0: 3", "1: f() 2"}));
}

// A cell that was taken out of the object is the process's own.
TEST(Persistent, GoesOnInACellThatNobodyElseKnows) {
  const std::string shared =
      "shared N top = new N; shared N other = new N; shared int x;";
  const Strings body = {"N n = exchange(top, null);", "if (n != null) n.v = 1;",
                        "x = 1;"};
  Walk walk(object(shared, body), wanted(false, PartialOrder::kPersistent));
  walk.take("0: f()");
  EXPECT_EQ(walk.transitions(), (Strings{"0: 2 3", "1: f()"}));
  // Here the other process may have it too.
  Walk known(object(shared, {"N n = top;", "n.v = 1;", "top = null;"}),
             wanted(false, PartialOrder::kPersistent));
  known.take("0: f()").take("1: f()").take("0: 2").take("1: 2");
  EXPECT_EQ(known.transitions(), (Strings{"0: 3", "1: 3"}));
  // Here too, though no variable leads to it any more.
  Walk held(object(shared, {"N n = top;", "top = null;", "n.v = 1;"}),
            wanted(false, PartialOrder::kPersistent));
  held.take("0: f()").take("1: f()").take("0: 2").take("1: 2");
  held.take("0: 3").take("1: 3");
  EXPECT_EQ(held.transitions(), (Strings{"0: 4", "1: 4"}));
}

// The cell that the step finds out is not the one that it begins with.
TEST(Persistent, DoesNotTakeACellForAnother) {
  Walk walk(object("shared N other = new N; "
                   "shared N top = new N { next = other };",
                   {"N n = exchange(top, null);",
                    "atomic { if (n != null) { n = n.next; n.v = 1; } }",
                    "other.v = 2;"}),
            wanted(false, PartialOrder::kPersistent));
  walk.take("0: f()");
  EXPECT_EQ(walk.transitions(), (Strings{"0: 2", "1: f()"}));
}

// The cell that process 0 has freed may become one that process 1 makes.
TEST(Persistent, DoesNotTakeAFreedCellForItsOwn) {
  Walk walk(
      "object o { memory recycled; struct N { int 0..3 v; }\n"
      "shared N top = new N; shared int 0..3 x;\n"
      "role a: 1 process { f } role b: others { g }\n"
      "void f() { N n = exchange(top, null);\n"
      "delete n;\n"
      "int r = n.v;\n"
      "x = r; }\n"
      "void g() { N m = new N { v = 3 }; top = m; } }\n"
      "check o safe with 2 processes, 1 operation;\n",
      wanted(false, PartialOrder::kPersistent));
  walk.take("0: f()").take("0: 4");
  EXPECT_EQ(walk.transitions(), (Strings{"0: 5", "1: g()"}));
}

TEST(Persistent, SeesCopiesOfArrays) {
  const std::string shared = "shared int a[2], b[2]; shared int x;";
  Walk walk(object(shared, {"x = 1;", "atomic { a = b; }", "x = a[0];"}),
            wanted(false, PartialOrder::kPersistent));
  walk.take("0: f()");
  EXPECT_EQ(walk.transitions(), (Strings{"0: 2", "1: f()"}));
  Walk alone(
      object(shared, {"x = 1;", "int c[2]; atomic { c = b; }", "x = c[0];"}),
      wanted(false, PartialOrder::kPersistent));
  alone.take("0: f()");
  EXPECT_EQ(alone.transitions(), (Strings{"0: 2 3", "1: f()"}));
}

// What process 0 reads never changes, so that it could go round for ever; but
// then process 1 would never be asked.
TEST(Persistent, LetsNobodyGoRoundInCirclesAlone) {
  for (const auto order : {PartialOrder::kPersistent, PartialOrder::kCartesian,
                           PartialOrder::kBoth}) {
    Walk walk(
        "object o { shared int 0..1 one = 1; shared int x; role a: 1 process "
        "{ f } role b: others { g }\n"
        "void f() { while (one == 1) skip; }\n"
        "int g() { x = 1; return x; } }\n"
        "check o safe with 2 processes, 1 operation;\n",
        wanted(true, order));
    // A Cartesian vector leaves a call out that comes to nothing.
    if (order == PartialOrder::kPersistent) walk.take("0: f()");
    EXPECT_TRUE(walk.can_return(1)) << static_cast<int>(order);
  }
}

TEST(Persistent, KeepsMarksInOrderIfTheyMatter) {
  const std::string text =
      object("shared int x; shared int 0..3 limit = 2;",
             {"x = 1;", "linearize int r = limit;", "x = r;"});
  Walk seen(text, wanted(false, PartialOrder::kPersistent, true));
  seen.take("0: f()");
  EXPECT_EQ(seen.transitions(), (Strings{"0: 2", "1: f()"}));
  Walk hidden(text, wanted(false, PartialOrder::kPersistent, false));
  hidden.take("0: f()");
  EXPECT_EQ(hidden.transitions(), (Strings{"0: 2 3!", "1: f()"}));
}

// Who makes a cell may be kept from it by what the others hold.
TEST(Persistent, DoesNotGoOnWhereACellIsMade) {
  const Strings body = {"x = 1;", "int r = limit; N n = new N;", "top = n;"};
  Walk walk(object("shared N top; shared int x; shared int 0..3 limit = 2;",
                   body, "2 processes, cells 4"),
            wanted(false, PartialOrder::kPersistent));
  walk.take("0: f()");
  EXPECT_EQ(walk.transitions(), (Strings{"0: 2", "1: f()"}));
}

// Elements that are indexed by `self` belong to one process each.
TEST(Persistent, TellsTheElementsOfProcessesApart) {
  const Strings body = {"x = 1;", "a[self] = 1;", "a[self] = 2;"};
  Walk walk(object("shared int a[process]; shared int x;", body),
            wanted(false, PartialOrder::kPersistent));
  walk.take("0: f()");
  EXPECT_EQ(walk.transitions(), (Strings{"0: 2 3 4", "1: f()"}));
}

// Process 2 has nothing to do with what 0 and 1 are about to do, and they have
// made their calls.
TEST(Persistent, FindsSetsOfSeveralProcesses) {
  const std::string text =
      "object o { shared int x, y; role a: 2 processes { f } "
      "role b: others { g }\n"
      "void f() { x = 1;\n"
      "x = 2; }\n"
      "void g() { y = 1; y = 2; } }\n"
      "check o safe with 3 processes, 1 operation;\n";
  Walk walk(text, wanted(true, PartialOrder::kPersistent));
  walk.take("0: f()").take("1: f()");
  EXPECT_EQ(walk.transitions(), (Strings{"0: 3 return", "1: 3 return"}));
  EXPECT_EQ(walk.out().left_out, 1u);
}

}  // namespace
}  // namespace plumb::lang
