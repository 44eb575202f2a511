// SPDX-License-Identifier: Apache-2.0
#include "lang/program_system.h"
#include "lang/reduce_test_support.h"

namespace plumb::lang {
namespace {

constexpr auto kTight = PartialOrder::kNone;

TEST(Reduce, GivesTheSystemItselfIfNothingIsWanted) {
  const Compiled made = compiled(object("shared int x;", {"x = 1;"}));
  const lts::Reduced reduced = reduce(
      made.model, made.model.specification.get(), lts::Reductions::none());
  EXPECT_EQ(reduced.system, made.model.system);
  EXPECT_TRUE(reduced.notes.empty());
}

TEST(Reduce, LetsACallBeginWithItsFirstStepAndEndWithItsLast) {
  Walk walk(object("shared int x;", {"x = 1;", "x = 2;", "x = 3;"}),
            wanted(true, kTight));
  EXPECT_EQ(walk.transitions(), (Strings{"0: f() 2", "1: f() 2"}));
  walk.take("0: f()").take("0: 3");
  EXPECT_EQ(walk.transitions(), (Strings{"0: 4 return", "1: f() 2"}));
}

TEST(Reduce, MakesACallWithOneStepOrNoneOneTransition) {
  EXPECT_EQ(Walk(object("shared int x;", {"x = 1;"}, "1 process"),
                 wanted(true, kTight))
                .transitions(),
            Strings{"0: f() 2 return"});
  EXPECT_EQ(Walk(object("shared int x;", {"return;"}, "1 process"),
                 wanted(true, kTight))
                .transitions(),
            Strings{"0: f() return"});
}

TEST(Reduce, BeginsNoCallThatWouldWait) {
  Walk walk(object("shared int x;", {"await x == 1;", "x = 2;"}),
            wanted(true, kTight));
  EXPECT_EQ(walk.transitions(), Strings{});
  EXPECT_EQ(walk.out().waiting, 0u);
}

TEST(Reduce, KeepsEveryOutcomeOfTheFirstStep) {
  Walk walk(object("shared int x;", {"choose { x = 1; } or {", "x = 2; }"},
                   "1 process"),
            wanted(true, kTight));
  EXPECT_EQ(walk.transitions(),
            (Strings{"0: f() 2 return", "0: f() 2 return"}));
}

TEST(Reduce, EndsATransitionWithAFault) {
  Walk walk(
      object("shared int 0..1 x;", {"x = x + 1;", "x = x + 1;"}, "1 process"),
      wanted(true, PartialOrder::kBoth));
  walk.take("0: f() 2");
  EXPECT_EQ(Walk(object("shared int x;", {"assert x == 1;"}, "1 process"),
                 wanted(true, kTight))
                .transitions(),
            Strings{"0: f() fault"});
}

TEST(Reduce, TellsOfABoundThatKeepsACallFromBeginning) {
  Walk walk(object("shared seq<int, 1> s;", {"push_back(s, 1);"}, "1 process"),
            wanted(true, kTight));
  walk.take("0: f() 2 return");
  EXPECT_EQ(walk.transitions(), Strings{});
  EXPECT_NE(walk.out().cut, 0u);
  // The cell is made by the invocation, and one is there already.
  Walk cells(object("shared N top = new N;", {"N n = new N;", "top = n;"},
                    "1 process, cells 1"),
             wanted(true, kTight));
  EXPECT_EQ(cells.transitions(), Strings{});
  EXPECT_NE(cells.out().cut, 0u);
}

TEST(Reduce, DoesNotPutOffAMarkThatTheInvocationPasses) {
  const std::string text = object("shared int x;", {"linearize;", "x = 1;"});
  EXPECT_EQ(Walk(text, wanted(true, kTight, true)).transitions(),
            (Strings{"0: f()!", "1: f()!"}));
  EXPECT_EQ(Walk(text, wanted(true, kTight, false)).transitions(),
            (Strings{"0: f()! 3 return", "1: f()! 3 return"}));
}

TEST(ProgramSystem, SaysWhereThePartsOfAStateBegin) {
  const Compiled made = compiled(object("shared int 0..3 x, y; shared N top;",
                                        {"x = 1;", "y = x;"},
                                        "2 processes, 3 operations, cells 4"));
  const auto* system =
      dynamic_cast<const ProgramSystem*>(made.model.system.get());
  const Program& program = system->program();
  EXPECT_EQ(system->cuts(),
            (std::vector<std::uint32_t>{program.client, program.frames,
                                        program.frames + program.frame_size,
                                        program.heap}));
  EXPECT_EQ(program.client, 3u);
}

}  // namespace
}  // namespace plumb::lang
