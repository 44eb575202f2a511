// SPDX-License-Identifier: Apache-2.0
// The slow interpreter of CSP# against facts about PAT.
#include "support/csp_walker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "csp/read.h"
#include "support/csp_graph.h"

namespace plumb::walked {
namespace {

using Labels = std::vector<std::string>;

StepGraph graph_of(const std::string& text) {
  const csp::ReadResult read = csp::read_module("model", text, {});
  for (const InputError& error : read.errors) ADD_FAILURE() << error.what();
  if (read.module == nullptr) return {{{}}};
  const auto graph =
      walked_graph(*read.module, read.module->assertions[0].subject, 100'000);
  EXPECT_TRUE(graph) << "too many states";
  return graph.value_or(StepGraph{{{}}});
}

// Of one process P().
StepGraph process(const std::string& text, const std::string& before = "") {
  return graph_of(before + "\nP() = " + text +
                  ";\n#assert P() deadlockfree;\n");
}

Labels labels(const StepGraph& graph, std::size_t state) {
  Labels made;
  for (const StepGraph::Edge& edge : graph.edges[state]) {
    made.push_back(edge.label);
  }
  return made;
}

// All traces to the end, as texts; requires: no loops.
std::set<std::string> traces(const StepGraph& graph, std::size_t state = 0) {
  if (graph.edges[state].empty()) return {""};
  std::set<std::string> made;
  for (const StepGraph::Edge& edge : graph.edges[state]) {
    for (const std::string& rest : traces(graph, edge.to)) {
      made.insert(" " + edge.label + rest);
    }
  }
  return made;
}

using Traces = std::set<std::string>;

TEST(CspWalker, ThreePhilosophersHaveTheStatesOfPat) {
  const StepGraph graph = graph_of(R"(
    #define N 3;
    Phil(i) = get.i.(i+1)%N -> get.i.i -> eat.i -> put.i.(i+1)%N -> put.i.i
              -> Phil(i);
    Fork(x) = get.x.x -> put.x.x -> Fork(x)
              [] get.(x-1)%N.x -> put.(x-1)%N.x -> Fork(x);
    College() = || x:{0..N-1} @ (Phil(x) || Fork(x));
    #assert College() deadlockfree;
  )");
  EXPECT_EQ(graph.edges.size(), 35u);
  EXPECT_EQ(graph.transitions(), 66u);
  EXPECT_EQ(std::count_if(graph.edges.begin(), graph.edges.end(),
                          [](const auto& edges) { return edges.empty(); }),
            1);
}

TEST(CspWalker, AGuardHasNoStepOfItsOwn) {
  EXPECT_EQ(
      traces(process("[x == 1] a -> Skip [] [x == 0] b -> Skip", "var x;")),
      Traces{" b terminate"});
}

TEST(CspWalker, IfAndCaseAreOneInternalStep) {
  EXPECT_EQ(traces(process("if (x == 0) {a -> Skip}", "var x;")),
            Traces{" tau a terminate"});
  EXPECT_EQ(traces(process("if (x == 1) {a -> Skip}", "var x;")),
            Traces{" tau terminate"});
  EXPECT_EQ(traces(process("case {x == 1: a -> Skip x == 0: b -> Skip "
                           "default: c -> Skip}",
                           "var x;")),
            Traces{" tau b terminate"});
}

TEST(CspWalker, IfaIsDecidedWithTheFirstStep) {
  EXPECT_EQ(traces(process("(ifa (x == 0) {a -> Stop} else {b -> Stop}) ||| "
                           "t{x = 1} -> Stop",
                           "var x;")),
            (Traces{" a t", " t b"}));
}

TEST(CspWalker, IfbWaitsAndItsCheckIsAStep) {
  EXPECT_EQ(traces(process("(ifb (x == 1) {a -> Stop}) ||| t{x = 1} -> Stop",
                           "var x;")),
            Traces{" t tau a"});
}

TEST(CspWalker, SkipBeforeSomethingIsThatThing) {
  const StepGraph graph = process("(a -> Skip); b -> Skip");
  EXPECT_EQ(traces(graph), Traces{" a b terminate"});
  EXPECT_EQ(process("a -> (Skip; b -> Stop) [] c -> b -> Stop").edges.size(),
            3u);
}

TEST(CspWalker, WhatEndsOtherwiseGoesOnWithAnInternalStep) {
  EXPECT_EQ(traces(process("(a -> Skip ||| Skip); b -> Stop")),
            Traces{" a tau b"});
}

TEST(CspWalker, ArgumentsAreReadWithTheFirstStep) {
  EXPECT_EQ(traces(graph_of("var h; Q(v) = e.v -> Stop;"
                            "P() = (a -> Q(h)) ||| b{h = 1} -> Stop;"
                            "#assert P() deadlockfree;")),
            (Traces{" a b e.1", " a e.0 b", " b a e.1"}));
}

TEST(CspWalker, EventsAreNamedBeforeTheirProgramRuns) {
  EXPECT_EQ(traces(process("e.(h+1){h = h + 1} -> e.h -> Stop", "var h;")),
            Traces{" e.1 e.1"});
}

TEST(CspWalker, FoldedTextsAreOneProcess) {
  EXPECT_EQ(graph_of("Q(i) = r.(i - 1) -> Stop;"
                     "P() = a -> Q(1) [] b -> r.0 -> Stop [] c -> r.(1-1) "
                     "-> Stop; #assert P() deadlockfree;")
                .edges.size(),
            4u);
}

TEST(CspWalker, AGeneralChoiceIsResolvedByAnInternalStep) {
  EXPECT_EQ(traces(process("(tau -> a -> Stop) [] b -> Stop")),
            (Traces{" b", " tau a"}));
}

TEST(CspWalker, AnExternalChoiceIsNot) {
  EXPECT_EQ(traces(process("(tau -> a -> Stop) [*] b -> Stop")),
            (Traces{" b", " tau a", " tau b"}));
}

TEST(CspWalker, AnInternalChoiceIsAStep) {
  EXPECT_EQ(traces(process("a -> Stop <> b -> Stop")),
            (Traces{" tau a", " tau b"}));
}

TEST(CspWalker, CopiesAreCountedAndIndexedOnesAreNot) {
  EXPECT_EQ(process("||| {2} @ (a -> b -> Stop)").edges.size(), 6u);
  EXPECT_EQ(process("||| i:{0..1} @ (a -> b -> Stop)").edges.size(), 9u);
}

TEST(CspWalker, AsManyCopiesAsOneLikes) {
  const StepGraph graph = process(
      "||| {..} @ ([x < 2] a{x = x + 1} -> b{x = x - 1} -> Skip)", "var x;");
  EXPECT_EQ(graph.edges.size(), 3u);
  EXPECT_EQ(labels(graph, 0), Labels{"a"});
}

TEST(CspWalker, EventsWithProgramsNeverSynchronise) {
  EXPECT_EQ(traces(process("a{x = 1} -> Stop || a -> Stop", "var x;")),
            Traces{" a a"});
  EXPECT_EQ(traces(process("a -> b -> Stop || a -> c -> Stop")),
            (Traces{" a b c", " a c b"}));
}

TEST(CspWalker, AnAlphabetOverrides) {
  EXPECT_EQ(traces(graph_of("Q(i) = a.i -> Stop;"
                            "#alphabet Q {x:{0..1}@a.x};"
                            "P() = Q(0) || (a.0 -> a.1 -> Stop);"
                            "#assert P() deadlockfree;")),
            Traces{" a.0"});
}

TEST(CspWalker, SynchronousChannelsAreOneEvent) {
  EXPECT_EQ(traces(process("c!1.2 -> Stop ||| c?x.2 -> d!x -> Stop",
                           "channel c 0; channel d 1;")),
            Traces{" c.1.2 d!1"});
  EXPECT_EQ(traces(process("c!1 -> Stop ||| c?2 -> Stop", "channel c 0;")),
            Traces{""});
}

TEST(CspWalker, BufferedChannelsWaitForRoomAndForMessages) {
  EXPECT_EQ(traces(process("c!1 -> c!2 -> Stop ||| c?x -> e.x -> Stop",
                           "channel c 1;")),
            (Traces{" c!1 c?1 c!2 e.1", " c!1 c?1 e.1 c!2"}));
  EXPECT_EQ(
      traces(process("c[1]!7 -> c[1]?[x > 7]x -> Stop", "channel c[2] 1;")),
      Traces{" c[1]!7"});
}

TEST(CspWalker, HiddenEventsAreInternal) {
  EXPECT_EQ(traces(process("(a.0 -> a.1 -> b -> Stop) \\ {i:{0..0}@a.i, b}")),
            Traces{" tau a.1 tau"});
}

TEST(CspWalker, AnInterruptTakesOver) {
  EXPECT_EQ(traces(process("(a -> b -> Stop) interrupt c -> Stop")),
            (Traces{" a b c", " a c", " c"}));
}

TEST(CspWalker, WhatIsAtomicGoesFirst) {
  EXPECT_EQ(traces(process("atomic{a -> b -> Stop} ||| c -> Stop")),
            Traces{" a b c"});
  EXPECT_EQ(traces(process("atomic{a -> b -> Stop} ||| atomic{c -> Stop}")),
            (Traces{" a b c", " a c b", " c a b"}));
}

TEST(CspWalker, FaultsAreSteps) {
  EXPECT_EQ(traces(process("a{x = 3} -> Stop", "var x:{0..2};")),
            Traces{" fault"});
  EXPECT_EQ(traces(process("assert(x == 1)", "var x;")), Traces{" fault"});
  EXPECT_EQ(traces(process("a.(1 / x) -> Stop [] b -> Stop", "var x;")),
            (Traces{" b", " fault"}));
  EXPECT_EQ(traces(graph_of("P() = P() [] a -> Stop; #assert P() "
                            "deadlockfree;")),
            Traces{" fault"});
  EXPECT_EQ(traces(process("a{q.Dequeue()} -> Stop", "var<Queue> q;")),
            Traces{" fault"});
}

TEST(CspWalker, ReceiversMayFailToo) {
  EXPECT_EQ(traces(process("c!1 -> Stop ||| c?[1 / x == 0]y -> Stop",
                           "channel c 0; var x;")),
            Traces{" fault"});
}

TEST(CspWalker, ProcessesAreCounted) {
  EXPECT_EQ(traces(graph_of("#define n #Q(); Q() = a -> b -> Stop;"
                            "P() = Q() ||| [n == 0] c -> Stop;"
                            "#assert P() deadlockfree;")),
            Traces{" a b c"});
}

TEST(CspWalker, AnyInitialValueIsChosenFirst) {
  EXPECT_EQ(traces(process("e.x -> Stop", "var x:{0..2} = *;")),
            (Traces{" tau e.0", " tau e.1", " tau e.2"}));
}

TEST(CspWalker, TheSieveOfPrimes) {
  const StepGraph graph = graph_of(R"(
    channel c[4] 0;
    Source(n) = if (n <= 7) {c[0]!n -> Source(n + 1)} else {Stop};
    Filter(i) = c[i]?p -> prime.p -> Cell(i, p);
    Cell(i, p) = c[i]?x -> if (x % p == 0) {Cell(i, p)}
                           else {c[i + 1]!x -> Cell(i, p)};
    Sieve() = (Source(2) ||| Filter(0) ||| Filter(1) ||| Filter(2)
               ||| Filter(3)) \ {n:{0..3}@prime.n};
    #assert Sieve() deadlockfree;
  )");
  std::set<std::string> seen;
  for (const auto& edges : graph.edges) {
    for (const StepGraph::Edge& edge : edges) seen.insert(edge.label);
  }
  EXPECT_TRUE(seen.contains("prime.5") && seen.contains("prime.7"));
  EXPECT_FALSE(seen.contains("prime.4") || seen.contains("prime.6"));
  EXPECT_FALSE(seen.contains("prime.3"));
  EXPECT_FALSE(seen.contains("fault"));
}

TEST(CspWalker, LibraryObjectsAreValues) {
  EXPECT_EQ(traces(process("{s.Add(2); s.Add(1); s.Add(2);} -> "
                           "e.(s.Get(0)).(s.Count()) -> "
                           "{t.Push(4); t.Push(5); y = t.Pop();} -> "
                           "e.y.(t.Peek()) -> {q.Enqueue(1); q.Enqueue(2); "
                           "q.Dequeue();} -> e.(q.First()) -> Stop",
                           "var<Set> s; var<Stack> t; var<Queue> q; var y;")),
            Traces{" tau e.1.2 tau e.5.4 tau e.2"});
}

TEST(Bisimulation, TellsBranchingFromTraces) {
  const StepGraph early = process("a -> b -> Stop [] a -> c -> Stop");
  const StepGraph late = process("a -> (b -> Stop [] c -> Stop)");
  EXPECT_NE(difference(early, late), "");
  EXPECT_EQ(difference(early, process("a -> c -> Stop [] a -> b -> Stop "
                                      "[] a -> b -> Stop")),
            "");
  EXPECT_EQ(difference(late, process("a -> b -> Stop"))
                .substr(0, std::string("only the first").size()),
            "only the first");
}

}  // namespace
}  // namespace plumb::walked
