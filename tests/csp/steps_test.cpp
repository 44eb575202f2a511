// SPDX-License-Identifier: Apache-2.0
// Steps of single processes: events, conditions, choices, references.
#include <gtest/gtest.h>

#include <string>

#include "base/limit_error.h"
#include "csp/small_graphs.h"
#include "report/trace.h"

namespace plumb::csp {
namespace {

TEST(CspSteps, StopDoesNothingAndSkipTerminatesOnce) {
  EXPECT_EQ(graph_of("P = Stop;").lines, Lines());
  EXPECT_EQ(graph_of("P = Skip;").lines, Lines({"0 tick 1"}));
}

TEST(CspSteps, AnEventHasItsFieldsAndIsNamedBeforeItsProgramRuns) {
  EXPECT_EQ(
      graph_of("var x = 3; P = a.x.(x + 1){x = 7;} -> b.x -> Stop;").lines,
      Lines({"0 a.3.4 1", "1 b.7 2"}));
}

TEST(CspSteps, TauAndABareProgramAreInternal) {
  const SmallGraph graph =
      graph_of("var x; P = tau{x = 1;} -> {x = 2} -> Stop;");
  EXPECT_EQ(graph.lines, Lines({"0 tau{x = 1;} 1", "1 tau{x = 2} 2"}));
}

TEST(CspSteps, AnEventSetOffersEachOfItsEvents) {
  EXPECT_EQ(graph_of("P = (a, b.1) -> c -> Stop;").lines,
            Lines({"0 a 1", "0 b.1 1", "1 c 2"}));
}

TEST(CspSteps, AGuardIsTestedWithTheFirstStep) {
  EXPECT_EQ(graph_of("var x; P = [x == 0] a{x = 1} -> P;").lines,
            Lines({"0 a 1"}));
}

TEST(CspSteps, AnIfIsAStepOfItsOwn) {
  EXPECT_EQ(
      graph_of("var x = 1; P = if (x > 0) { a -> Stop } else { b -> Stop };")
          .lines,
      Lines({"0 [if((x > 0))] 1", "1 a 2"}));
  EXPECT_EQ(graph_of("var x = 1; P = if (x > 1) { a -> Stop };").lines,
            Lines({"0 [if!((x > 1))] 1", "1 tick 2"}));
}

TEST(CspSteps, ConditionsShowTheValuesOfParameters) {
  EXPECT_EQ(graph_of("Q(i) = if (i + 1 >= 0) { a -> Stop }; P = Q(1);").lines,
            Lines({"0 [if((2 >= 0))] 1", "1 a 2"}));
}

TEST(CspSteps, AnIfaIsTestedWithTheFirstStep) {
  EXPECT_EQ(graph_of("var x; P = ifa (x == 0) { a{x = 1} -> P } else "
                     "{ b -> Stop };")
                .lines,
            Lines({"0 a 1", "1 b 2"}));
}

TEST(CspSteps, AnIfbWaitsAndThenTakesAStep) {
  EXPECT_EQ(graph_of("var x; P = (ifb (x == 1) { b -> Stop }) ||| "
                     "(a{x = 1} -> Stop);")
                .lines,
            Lines({"0 a 1", "1 [ifb((x == 1))] 2", "2 b 3"}));
}

TEST(CspSteps, ACaseIsOneStepToTheFirstThatHolds) {
  const std::string begin =
      "var x = 2; P = case { x == 1: a -> Stop x == 2: b -> Stop x > 0: c -> "
      "Stop";
  EXPECT_EQ(graph_of(begin + " default: d -> Stop };").lines,
            Lines({"0 [case((x == 2))] 1", "1 b 2"}));
  EXPECT_EQ(
      graph_of("var x; P = case { x == 1: a -> Stop default: d -> Stop };")
          .lines,
      Lines({"0 [case(default)] 1", "1 d 2"}));
}

TEST(CspSteps, AGeneralChoiceIsMadeByAnyStep) {
  EXPECT_EQ(graph_of("P = (tau -> a -> Stop) [] b -> Stop;").lines,
            Lines({"0 tau 1", "0 b 2", "1 a 2"}));
}

TEST(CspSteps, AnExternalChoiceStaysOpenForInternalSteps) {
  EXPECT_EQ(graph_of("P = (tau -> a -> Stop) [*] b -> Stop;").lines,
            Lines({"0 tau 1", "0 b 2", "1 a 2", "1 b 2"}));
}

TEST(CspSteps, AnInternalChoiceIsAStep) {
  EXPECT_EQ(graph_of("P = a -> Stop <> b -> Stop;").lines,
            Lines({"0 <> 1", "0 <> 2", "1 a 3", "2 b 3"}));
}

TEST(CspSteps, IndexedChoicesHaveOneBranchForEachValue) {
  EXPECT_EQ(graph_of("P = [] x:{1..2}; y:{x, 5} @ a.x.y -> Stop;").lines,
            Lines({"0 a.1.1 1", "0 a.1.5 1", "0 a.2.2 1", "0 a.2.5 1"}));
}

TEST(CspSteps, ArgumentsAreEvaluatedWithTheFirstStep) {
  const SmallGraph graph = graph_of(
      "var x; Q(v) = b.v -> Stop; P = a -> Q(x) ||| c{x = 1} -> Stop;");
  EXPECT_EQ(graph.lines, Lines({"0 a 1", "0 c 2", "1 b.0 3", "1 c 4", "2 a 4",
                                "3 c 5", "4 b.1 5"}));
}

TEST(CspSteps, ProcessesWithEqualTextsAreOneState) {
  // pop.(1 - 1), pop.i with i = 0 and pop.0 are the same.
  const SmallGraph graph = graph_of(
      "Q(i) = pop.(i - 1) -> Stop; R(i) = pop.i -> Stop;"
      "P = a -> Q(1) [] b -> R(0) [] c -> d -> pop.0 -> Stop"
      "  [] e -> pop.(1 - 1) -> Stop;",
      {.pat_identity = true, .reset_dead_variables = false});
  EXPECT_EQ(graph.lines, Lines({"0 a 1", "0 b 2", "0 c 3", "0 e 4", "1 pop.0 5",
                                "2 pop.0 5", "3 d 4", "4 pop.0 5"}));
}

TEST(CspSteps, InputsMakeProcessesThatAreAlikeOneState) {
  // x % 2 is what the process remembers.
  const SmallGraph graph = graph_of(
      "channel c 0; P = (c!1 -> Stop [] c!3 -> Stop) ||| "
      "(c?x -> a.(x % 2) -> Stop);");
  EXPECT_EQ(graph.lines, Lines({"0 c.1 1", "0 c.3 1", "1 a.1 2"}));
}

TEST(CspSteps, SkipThenAProcessIsThatProcess) {
  EXPECT_EQ(graph_of("P = a -> Skip; b -> Skip; c -> Stop;").lines,
            Lines({"0 a 1", "1 b 2", "2 c 3"}));
}

TEST(CspSteps, TerminationInAChoiceIsAnInternalStepOfASequence) {
  EXPECT_EQ(graph_of("P = (a -> Stop [] Skip); b -> Stop;").lines,
            Lines({"0 a 1", "0 terminate 2", "2 b 3"}));
}

TEST(CspSteps, AnAssertionThatHoldsIsSkip) {
  EXPECT_EQ(graph_of("var x; P = assert(x == 0);").lines, Lines({"0 tick 1"}));
}

TEST(CspSteps, AnAssertionThatFailsIsAFault) {
  EXPECT_EQ(
      graph_of("var x; P = a -> Stop [] assert(x == 1);").lines,
      Lines({"0 a 1", "0 fault: line 1: the assertion (x == 1) fails -"}));
}

TEST(CspSteps, WhatGoesWrongInAProgramIsAFault) {
  const SmallGraph graph =
      graph_of("var a[2]; var i = 2; P = x{a[i] = 1} -> Stop [] b -> Stop;");
  ASSERT_EQ(graph.lines.size(), 2u);
  EXPECT_EQ(graph.lines[0].substr(0, 9), "0 fault: ");
  EXPECT_EQ(graph.lines[1], "0 b 1");
}

TEST(CspSteps, WhatIsNotReachedDoesNotGoWrong) {
  EXPECT_EQ(graph_of("Q(i) = ifa (i == 0) { a -> Stop } else "
                     "{ b.(1 / i) -> Stop }; P = Q(0);")
                .lines,
            Lines({"0 a 1"}));
}

TEST(CspSteps, AProcessThatCallsItselfWithoutAStepIsAFault) {
  const std::string fault =
      "fault: line 1: process 'P' calls itself without a step in between";
  EXPECT_EQ(graph_of("P = P [] a -> Stop;").lines,
            Lines({"0 " + fault + " -"}));
  EXPECT_EQ(graph_of("Q = R; R = Q; P = Q;").lines.size(), 1u);
  EXPECT_EQ(graph_of("P = P; a -> Skip;").lines, Lines({"0 " + fault + " -"}));
  EXPECT_EQ(graph_of("P = (a -> Stop) ||| P;").labels(0), Lines({"a", fault}));
}

TEST(CspSteps, ACallOfItselfIsFoundHoweverManyOperatorsItNests) {
  // Each level would add the same events again, in ever more terms.
  const SmallGraph graph = graph_of(
      "var x; D(p) = ifa (x == 0) {((e.p -> D(1 - p) [] (Skip; D(1 - p))) [] "
      "((Skip [] Stop) \\ {h}))}; P = D(0) || D(1);");
  const std::string fault =
      "fault: line 1: process 'D' calls itself without a step in between";
  EXPECT_EQ(graph.labels(0), Lines({fault, fault}));
}

TEST(CspSteps, ACallWithOtherArgumentsInADeepTermIsEndless) {
  const SmallGraph graph = graph_of(
      "D(p) = e.p -> Stop [] ((((((((Skip; D(p + 1)) \\ {h}); Stop) \\ {i}); "
      "Stop) \\ {j}); Stop) \\ {k}); P = D(0);");
  ASSERT_EQ(graph.labels(0).size(), 1u);
  EXPECT_EQ(graph.labels(0)[0].substr(0, 6), "fault:");
}

TEST(CspSteps, AProcessThatOnlyNamesItselfBeginsWithItsName) {
  const ModelOptions pat{.pat_identity = true, .reset_dead_variables = false};
  EXPECT_EQ(graph_of("P = a -> P;", pat).lines, Lines({"0 a 0"}));
  EXPECT_EQ(graph_of("Q(i) = a.i -> Q(i); R = Q(1); P = R;").lines,
            Lines({"0 a.1 0"}));
  EXPECT_EQ(graph_of("Q = a -> Q; P = Q ||| Q;", pat).lines,
            Lines({"0 a 0", "0 a 0"}));
}

TEST(CspSteps, ARangeInAnExpressionMayHaveBoundNames) {
  const std::string text =
      "var y = 1; Q(p) = if ((|| k:{0..p} @ (k == y))) {a -> Skip} else "
      "{b -> Skip}; P = Q(";
  EXPECT_EQ(graph_of(text + "1);").labels(1), Lines({"a"}));
  EXPECT_EQ(graph_of(text + "0);").labels(1), Lines({"b"}));
}

TEST(CspSteps, WhatARangeReadsIsNotForgotten) {
  EXPECT_EQ(graph_of("var y; Q(p) = if ((|| k:{p..y} @ (k == 1))) {a -> Skip} "
                     "else {b -> Skip}; P = s{y = 1} -> Q(0);",
                     {.pat_identity = false, .reset_dead_variables = true})
                .labels(2),
            Lines({"a"}));
}

TEST(CspSteps, VeryManyCallsWithoutAStepCountAsEndless) {
  // LIMIT: kMostUnfoldings.
  const std::string text =
      "Q(n) = ifa (n == 0) { a -> Stop } else { Q(n - 1) }; P = Q(";
  EXPECT_EQ(graph_of(text + "100);").lines, Lines({"0 a 1"}));
  EXPECT_EQ(graph_of(text + "1000);").labels(0).size(), 1u);
  EXPECT_NE(graph_of(text + "1000);").labels(0)[0], "a");
}

TEST(CspSteps, VeryManyValuesOfAnIndexAreAFault) {
  // LIMIT: kMostComponents.
  const std::string text = "Q(n) = [] x:{1..n} @ a.x -> Stop; P = s -> Q(";
  EXPECT_EQ(graph_of(text + "9999);").labels(1).size(), 9999u);
  EXPECT_EQ(graph_of(text + "10001);").labels(1),
            Lines({"fault: line 1: an index has too many values"}));
}

TEST(CspSteps, OtherComponentsGoOnBesideOneThatCallsItself) {
  EXPECT_EQ(graph_of("Q = Q; P = a -> Stop ||| Q;").labels(0)[0], "a");
}

TEST(CspSteps, TermsThatGrowForEverAreCutAndSaySo) {
  // LIMIT: kDeepest nested processes.
  const auto module = module_of("Q = Skip; P = a -> (P; Q);");
  const Model model(module, {});
  const auto system = model.system(reference_to(*module, "P"));
  lts::StateBytes state = system->initial();
  lts::Successors out;
  std::size_t steps = 0;
  do {
    system->successors(state, out);
    if (out.size() == 0) break;
    const lts::StateView next = out.state(0);
    state.assign(next.begin(), next.end());
  } while (++steps < 5'000);
  EXPECT_EQ(out.cut, 1u);
  EXPECT_EQ(system->bounds().size(), 2u);
  EXPECT_LT(steps, 5'000u);
}

TEST(CspSteps, SeveralInitialValuationsAreChosenFirst) {
  EXPECT_EQ(graph_of("var x:{1..2} = *; P = a.x -> Stop;").lines,
            Lines({"0 choose initial values 1", "0 choose initial values 2",
                   "1 a.1 3", "2 a.2 4"}));
}

TEST(CspSteps, OneInitialValuationCanBeAskedFor) {
  const auto module = module_of("var x:{1..2} = *; P = a.x -> Stop;");
  const Model model(module, {});
  ASSERT_EQ(model.initial_valuations(), 2u);
  EXPECT_EQ(graph_of(*model.system(reference_to(*module, "P"), {}, 1)).lines,
            Lines({"0 a.2 1"}));
}

TEST(CspSteps, TheSieveHasNoStepsForItsGuards) {
  // Eratosthenes up to 12: eleven events, twelve states.
  const SmallGraph graph = graph_of(
      "#define N 12; var s[N + 1]; "
      "Q(i) = [i <= N && s[i] == 0] prime.i{var j = i + i; while (j <= N) "
      "{ s[j] = 1; j = j + i; }} -> Q(i + 1) [] [i <= N && s[i] == 1] "
      "composite.i -> Q(i + 1); P = Q(2);");
  EXPECT_EQ(graph.states.size(), 12u);
  EXPECT_EQ(graph.transitions, 11u);
}

TEST(CspSteps, PropositionsAndMeasuresAreReadFromStates) {
  const auto module = module_of(
      "var x; #define two (x == 2); P = a{x = 2} -> Stop;"
      "#assert P reaches two with max(x + 1);");
  const Model model(module, {});
  const auto system = model.system(*module->assertions[0].subject);
  lts::Successors out;
  system->successors(system->initial(), out);
  EXPECT_FALSE(model.holds(*system, 0, system->initial()));
  EXPECT_TRUE(model.holds(*system, 0, out.state(0)));
  EXPECT_EQ(model.measure(*module->assertions[0].measure, out.state(0)), 3);
}

TEST(CspSteps, APropositionWithoutAValueIsNeitherTrueNorFalse) {
  const auto module = module_of(
      "var x[2]; var i = 2; #define odd (x[i] == 1); P = Stop;"
      "#assert P reaches odd with min(x[i]);");
  const Model model(module, {});
  const auto system = model.system(*module->assertions[0].subject);
  EXPECT_THROW(model.holds(*system, 0, system->initial()), LimitError);
  EXPECT_THROW(model.measure(*module->assertions[0].measure, system->initial()),
               LimitError);
}

// The line of the first step of a process.
std::size_t first_line(const Model& model, const std::string& process) {
  const auto system = model.system(reference_to(model.module(), process));
  lts::Successors out;
  system->successors(system->initial(), out);
  return system->explain(system->initial(), out.label(0), out.state(0)).line;
}

TEST(CspSteps, EqualTextsHaveTheLineThatTheProcessCanComeTo) {
  const auto module = module_of(
      "P = a -> b -> Skip;\n"
      "Q = a -> b -> Skip;\n"
      "R = b -> Skip;\n"
      "Both = P ||| Q;\n"
      "OneOfThem = Q ||| Q;\n"
      "Inner = b -> Skip; \n"
      "InnerToo = Inner ||| Q;\n");
  const Model model(module, {});
  EXPECT_EQ(first_line(model, "P"), 1u);
  EXPECT_EQ(first_line(model, "Q"), 2u);
  EXPECT_EQ(first_line(model, "R"), 3u);
  EXPECT_EQ(first_line(model, "Both"), 0u);
  EXPECT_EQ(first_line(model, "OneOfThem"), 2u);
  EXPECT_EQ(first_line(model, "InnerToo"), 0u);
}

TEST(CspSteps, ExplanationsHaveLinesAndEffects) {
  const auto module = module_of("var x;\nP =\n  a.1{x = 2;} -> Stop;");
  const Model model(module, {});
  const auto system = model.system(reference_to(*module, "P"));
  lts::Successors out;
  system->successors(system->initial(), out);
  const lts::StepText text =
      system->explain(system->initial(), out.label(0), out.state(0));
  EXPECT_EQ(text.line, 3u);
  EXPECT_EQ(text.statement, "a.1");
  EXPECT_EQ(report::words_of(text.effects), "x: 0 -> 2");
}

TEST(CspSteps, HiddenVariablesThatAreReadAreRefusedForPatsCounts) {
  const auto module = module_of("hvar x; P = [x == 0] a{x = 1} -> P;");
  EXPECT_THROW(
      Model(module, {.pat_identity = true, .reset_dead_variables = false}),
      InputError);
  EXPECT_EQ(graph_of("hvar x; P = a{x = x + 1} -> P;",
                     {.pat_identity = true, .reset_dead_variables = false})
                .states.size(),
            1u);
}

}  // namespace
}  // namespace plumb::csp
