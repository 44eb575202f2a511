// SPDX-License-Identifier: Apache-2.0
// Steps of operators: interleaving, synchronisation, channels, hiding.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "csp/small_graphs.h"

namespace plumb::csp {
namespace {

TEST(CspOperators, InterleavingGoesOnFromEachSide) {
  EXPECT_EQ(graph_of("P = a -> Skip ||| b -> Skip;").lines,
            Lines({"0 a 1", "0 b 2", "1 b 3", "2 a 3", "3 tick 4"}));
}

TEST(CspOperators, AnInterleavingTerminatesWithItsLastComponent) {
  EXPECT_EQ(graph_of("P = Skip ||| a -> Skip;").lines,
            Lines({"0 a 1", "1 tick 2"}));
  EXPECT_EQ(graph_of("P = Skip ||| a -> Stop;").lines, Lines({"0 a 1"}));
}

TEST(CspOperators, AnIndexedInterleavingIsAVector) {
  // Four states for each of two components that can be told apart.
  EXPECT_EQ(graph_of("P = ||| x:{0..1} @ (a -> b -> Stop);").states.size(), 9u);
}

TEST(CspOperators, CountedCopiesAreAMultiset) {
  EXPECT_EQ(graph_of("P = |||{2} @ (a -> b -> Stop);").lines,
            Lines({"0 a 1", "1 b 2", "1 a 3", "2 a 4", "3 b 4", "4 b 5"}));
}

TEST(CspOperators, CountedCopiesTerminateTogether) {
  EXPECT_EQ(graph_of("P = |||{2} @ (a -> Skip);").lines,
            Lines({"0 a 1", "1 a 2", "2 tick 3"}));
}

TEST(CspOperators, UnboundedCopiesAreMadeWhenTheyStep) {
  // At most x copies are in the middle; one that is fresh again is gone.
  EXPECT_EQ(graph_of("var n; Q = [n < 2] a{n = n + 1} -> b{n = n - 1} -> Q;"
                     "P = |||{..} @ Q;")
                .lines,
            Lines({"0 a 1", "1 b 0", "1 a 2", "2 b 1"}));
}

TEST(CspOperators, CopiesMeetEachOtherOnChannels) {
  EXPECT_EQ(
      graph_of("channel c 0; P = |||{2} @ (c!1 -> Stop [] c?x -> Stop);").lines,
      Lines({"0 c.1 1"}));
  EXPECT_EQ(
      graph_of("channel c 0; P = |||{1} @ (c!1 -> Stop [] c?x -> Stop);").lines,
      Lines());
  EXPECT_EQ(
      graph_of("channel c 0; Q = c!1 -> Q [] c?x -> Q; P = |||{..} @ Q;").lines,
      Lines({"0 c.1 0"}));
}

TEST(CspOperators, ParallelComponentsShareTheEventsOfBothAlphabets) {
  EXPECT_EQ(graph_of("P = (a -> c -> Skip) || (b -> c -> Skip);").lines,
            Lines({"0 a 1", "0 b 2", "1 b 3", "2 a 3", "3 c 4", "4 tick 5"}));
}

TEST(CspOperators, ParallelComponentsTerminateTogether) {
  EXPECT_EQ(graph_of("P = Skip || (a -> Skip);").lines,
            Lines({"0 a 1", "1 tick 2"}));
}

TEST(CspOperators, AnEventOfTheAlphabetThatNobodyElseOffersIsBlocked) {
  EXPECT_EQ(graph_of("P = (a -> Stop) || (b -> a -> Stop);").lines,
            Lines({"0 b 1", "1 a 2"}));
  // In the alphabet by the reference, though never reached.
  EXPECT_EQ(
      graph_of("Q = b -> Stop; P = (a -> Stop) || ([false] a -> Q);").lines,
      Lines());
}

TEST(CspOperators, EventsWithProgramsNeverSynchronise) {
  EXPECT_EQ(graph_of("var x; P = (a{x = 1} -> Stop) || (a -> Stop);").lines,
            Lines({"0 a 1", "0 a 2", "1 a 3", "2 a 3"}));
  // Though the event is in the alphabet of both.
  EXPECT_EQ(
      graph_of("var x; P = (a{x = 1} -> a -> Stop) || (a -> b -> Stop);").lines,
      Lines({"0 a 1", "1 a 2", "2 b 3"}));
}

TEST(CspOperators, AlphabetsFollowReferencesWithTheirArguments) {
  EXPECT_EQ(graph_of("Q(i) = a.i -> R(i + 1); R(i) = b.i -> Stop;"
                     "P = Q(0) || (b.1 -> Stop) || (b.2 -> Stop);")
                .lines,
            Lines({"0 a.0 1", "0 b.2 2", "1 b.1 3", "1 b.2 4", "2 a.0 4",
                   "3 b.2 5", "4 b.1 5"}));
}

TEST(CspOperators, AnAlphabetThatIsGivenIsUsed) {
  EXPECT_EQ(graph_of("#alphabet Q {a, b}; Q = a -> Stop;"
                     "P = Q || (b -> Stop);")
                .lines,
            Lines({"0 a 1"}));
  EXPECT_EQ(graph_of("#alphabet Q {x:{0..i} @ a.x}; Q(i) = a.0 -> Stop;"
                     "P = Q(1) || (a.1 -> Stop [] a.2 -> Stop);")
                .lines,
            Lines({"0 a.0 1", "0 a.2 2", "1 a.2 3", "2 a.0 3"}));
}

TEST(CspOperators, AnAlphabetThatCannotBeComputedIsAFault) {
  const SmallGraph graph =
      graph_of("channel c 1; Q = c?x -> a.x -> Stop; P = Q || (a.1 -> Stop);");
  ASSERT_EQ(graph.lines.size(), 1u);
  EXPECT_EQ(
      graph.lines[0],
      "0 fault: line 1: the alphabet of a component cannot be computed -");
}

TEST(CspOperators, AnAlphabetOfTooManyProcessesIsAFault) {
  // LIMIT: Alphabets::kMostInstances.
  const SmallGraph graph =
      graph_of("Q(i) = a.i -> Q(i + 1); P = Q(0) || (a.0 -> Stop);");
  ASSERT_EQ(graph.lines.size(), 1u);
  EXPECT_EQ(graph.lines[0].substr(0, 30), "0 fault: line 1: the alphabet ");
}

TEST(CspOperators, IndexedParallelSynchronisesAll) {
  EXPECT_EQ(graph_of("P = || x:{0..2} @ (a.x -> go -> Stop);").states.size(),
            9u);
}

TEST(CspOperators, ThreeOfAKindSynchroniseInAllWays) {
  EXPECT_EQ(
      graph_of("P = (a -> b -> Stop [] a -> c -> Stop) || (a -> Stop);").lines,
      Lines({"0 a 1", "0 a 2", "1 b 3", "2 c 3"}));
}

TEST(CspOperators, HiddenEventsAreInternalAndShownInBrackets) {
  EXPECT_EQ(graph_of("P = (a.1 -> a.2 -> b -> Stop) \\ {a.1, b};").lines,
            Lines({"0 [a.1] 1", "1 a.2 2", "2 [b] 3"}));
  EXPECT_EQ(graph_of("Q(n) = (a.1 -> a.2 -> Stop) \\ {x:{0..n} @ a.x};"
                     "P = Q(1);")
                .lines,
            Lines({"0 [a.1] 1", "1 a.2 2"}));
}

TEST(CspOperators, HiddenEventsAreNotInTheAlphabet) {
  EXPECT_EQ(graph_of("P = ((a -> Stop) \\ {a}) || (a -> Stop);").lines.size(),
            4u);
}

TEST(CspOperators, AnInterruptTakesOverWithAVisibleEvent) {
  EXPECT_EQ(
      graph_of("P = (a -> b -> Skip) interrupt (tau -> c -> Stop);").lines,
      Lines({"0 a 1", "0 tau 2", "1 b 3", "1 tau 4", "2 a 4", "2 c 5",
             "3 tick 5", "3 tau 6", "4 b 6", "4 c 5", "6 tick 5", "6 c 5"}));
}

TEST(CspOperators, AtomicGoesFirstAndGivesWayWhenItIsBlocked) {
  EXPECT_EQ(graph_of("P = atomic{a -> b -> Skip} ||| c -> Stop;").lines,
            Lines({"0 a 1", "1 b 2", "2 c 3"}));
  EXPECT_EQ(graph_of("var x; P = atomic{a -> [x == 1] b -> Skip} ||| "
                     "c{x = 1} -> d -> Stop;")
                .lines,
            Lines({"0 a 1", "1 c 2", "2 b 3", "3 d 4"}));
  EXPECT_EQ(graph_of("P = atomic{a -> Skip} ||| atomic{b -> Skip} ||| c -> "
                     "Stop;")
                .lines,
            Lines({"0 a 1", "0 b 2", "1 b 3", "2 a 3", "3 c 4"}));
}

TEST(CspOperators, ASynchronousChannelIsOneEventOfTwo) {
  EXPECT_EQ(
      graph_of("channel c 0; var x; P = (c!1.2 -> Stop) ||| "
               "(c?y.z{x = y + z;} -> a.x.y -> Stop) ||| (c?1.1 -> Stop);")
          .lines,
      Lines({"0 c.1.2 1", "1 a.3.1 2"}));
}

TEST(CspOperators, ChannelsMeetInsideOfNestedOperators) {
  EXPECT_EQ(graph_of("channel c 0; P = ((c!1 -> Skip); b -> Stop) || "
                     "((d -> Stop) ||| (c?x -> (Skip; e -> Stop)));")
                .labels(0),
            Lines({"c.1", "d"}));
}

TEST(CspOperators, TheSendersProgramRunsBeforeTheReceivers) {
  EXPECT_EQ(
      graph_of("channel c 0; var x = 1; P = (c!5{x = x * 10} -> Stop) ||| "
               "(c?y{x = x + y} -> a.x -> Stop);")
          .lines,
      Lines({"0 c.5 1", "1 a.15 2"}));
}

TEST(CspOperators, ABufferedChannelIsFirstInFirstOut) {
  EXPECT_EQ(graph_of("channel c 2; P = c!1 -> c!2 -> c!3 -> Stop ||| "
                     "(c?x -> c?y -> a.x.y -> Stop);")
                .labels(0),
            Lines({"c!1"}));
  const SmallGraph graph =
      graph_of("channel c 2; P = c!1 -> c!2 -> c?x -> c?y -> a.x.y -> Stop;");
  EXPECT_EQ(graph.lines,
            Lines({"0 c!1 1", "1 c!2 2", "2 c?1 3", "3 c?2 4", "4 a.1.2 5"}));
}

TEST(CspOperators, AFullBufferBlocksAndPatternsMustMatch) {
  EXPECT_EQ(graph_of("channel c 1; P = c!1 -> c!2 -> Stop;").lines,
            Lines({"0 c!1 1"}));
  EXPECT_EQ(graph_of("channel c 1; P = c!1 -> (c?2 -> Stop [] c?[x > 1]x -> "
                     "Stop [] c?x.y -> Stop [] c?[x == 1]x -> a.x -> Stop);")
                .lines,
            Lines({"0 c!1 1", "1 c?1 2", "2 a.1 3"}));
}

TEST(CspOperators, ChannelArraysAreNamedWithTheirIndex) {
  EXPECT_EQ(graph_of("channel c[2] 1; P = c[1]!5 -> c[0]?x -> Stop [] "
                     "c[0]!6 -> c[0]?x -> a.x -> Stop;")
                .lines,
            Lines({"0 c[1]!5 1", "0 c[0]!6 2", "2 c[0]?6 3", "3 a.6 4"}));
}

TEST(CspOperators, ProcessesCanBeCounted) {
  const auto module =
      module_of("#define n #Q(); Q = a -> b -> Skip; P = |||{2} @ Q;");
  const Model model(module, {});
  const SmallGraph graph = graph_of(*model.system(reference_to(*module, "P")));
  EXPECT_EQ(model.value(*module->propositions[0].expression, graph.states[0]),
            Datum::integer(2));
  EXPECT_EQ(
      model.value(*module->propositions[0].expression, graph.states.back()),
      Datum::integer(0));
}

TEST(CspOperators, ActorsAreTheComponentsThatTakePart) {
  const auto module =
      module_of("P = (a -> c -> Stop) || (b -> c -> Stop) || (d -> Stop);");
  const Model model(module, {});
  const auto system = model.system(reference_to(*module, "P"));
  EXPECT_EQ(system->processes(), 3u);
  std::map<std::string, std::uint64_t> actors;
  const SmallGraph graph = graph_of(*system);
  lts::Successors out;
  for (const lts::StateBytes& state : graph.states) {
    system->successors(state, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      actors[text_of_label(*system, out.label(i))] =
          system->actors(out.label(i));
    }
  }
  EXPECT_EQ(actors["a"], 1u);
  EXPECT_EQ(actors["b"], 2u);
  EXPECT_EQ(actors["c"], 3u);
  EXPECT_EQ(actors["d"], 4u);
}

const char kPhilosophers[] =
    "#define N 3;"
    "Phil(i) = get.i.(i + 1) % N -> get.i.i -> eat.i -> put.i.(i + 1) % N -> "
    "put.i.i -> Phil(i);"
    "Fork(x) = get.x.x -> put.x.x -> Fork(x) [] "
    "get.(x - 1) % N.x -> put.(x - 1) % N.x -> Fork(x);"
    "P = || x:{0..N - 1} @ (Phil(x) || Fork(x));";

TEST(CspOperators, AHidingListIsReadOnceAndStays) {
  for (const bool reset : {false, true}) {
    const SmallGraph graph = graph_of(
        "var x; P = (tau{x = 1} -> Skip [] tau{x = 2} -> Skip); "
        "((e.1 -> s{x = 1} -> e.2 -> Stop) \\ {e.x});",
        {.pat_identity = false, .reset_dead_variables = reset});
    EXPECT_EQ(graph.labels(1), Lines({"[e.1]"}));
    EXPECT_EQ(graph.labels(2), Lines({"e.1"}));
    EXPECT_EQ(graph.labels(3), Lines({"s"}));
    EXPECT_EQ(graph.labels(4), Lines({"s"}));
    EXPECT_EQ(graph.labels(5), Lines({"e.2"}));
    EXPECT_EQ(graph.labels(6), Lines({"[e.2]"}));
  }
}

TEST(CspOperators, AHidingListWithIndicesIsReadOnceAndStays) {
  const SmallGraph graph = graph_of(
      "var a[2]; P = s{a[1] = 3} -> ((e.3 -> t{a[1] = 4} -> e.3 -> e.4 -> "
      "Stop) "
      "\\ {i:{0..1} @ e.a[i]});");
  EXPECT_EQ(graph.labels(1), Lines({"[e.3]"}));
  EXPECT_EQ(graph.labels(3), Lines({"[e.3]"}));
  EXPECT_EQ(graph.labels(4), Lines({"e.4"}));
}

TEST(CspOperators, AMessageThatIsReceivedUnderAHidingResolvesAChoice) {
  const SmallGraph graph = graph_of(
      "channel c 0; P = c!1 -> Stop ||| "
      "((c?x -> e -> Stop \\ {c.1}) [*] h -> Stop);");
  EXPECT_EQ(graph.labels(0), Lines({"c.1", "h"}));
  EXPECT_EQ(graph.labels(1), Lines({"e"}));
}

TEST(CspOperators, AnUnknownAlphabetStopsNobodyElse) {
  const SmallGraph graph =
      graph_of("var x; P = (e.x -> Stop || e.0 -> Stop) ||| a -> b -> Stop;");
  ASSERT_EQ(graph.labels(0).size(), 2u);
  EXPECT_EQ(graph.labels(0)[0].substr(0, 6), "fault:");
  EXPECT_EQ(graph.labels(0)[1], "a");
}

TEST(CspOperators, AStateWithVeryManyStepsHasNoneThatWeKnowOf) {
  // LIMIT: Steps::kMostMoves; here 2 to the power of 18.
  const auto module =
      module_of("Q = e -> Stop [] e -> a -> Stop; P = || x:{0..17} @ Q;");
  const Model model(module, {});
  const auto system = model.system(reference_to(*module, "P"));
  lts::Successors out;
  system->successors(system->initial(), out);
  EXPECT_EQ(out.size(), 0u);
  ASSERT_EQ(system->bounds().size(), 2u);
  EXPECT_EQ(out.cut, 2u);
  EXPECT_FALSE(system->bounds()[1].by_user);
}

TEST(CspOperators, ThreePhilosophersAreThePublishedGraph) {
  for (const bool pat : {false, true}) {
    const SmallGraph graph = graph_of(
        kPhilosophers, {.pat_identity = pat, .reset_dead_variables = false});
    EXPECT_EQ(graph.states.size(), 35u);
    EXPECT_EQ(graph.transitions, 66u);
    EXPECT_EQ(graph.stuck, 1u);
  }
}

}  // namespace
}  // namespace plumb::csp
