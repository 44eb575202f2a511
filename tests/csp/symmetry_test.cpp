// SPDX-License-Identifier: Apache-2.0
// Which indices of CSP# models are interchangeable, and which are not.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assertions/assertions.h"
#include "base/budget.h"
#include "csp/model.h"
#include "csp/small_graphs.h"
#include "csp/symmetry_systems.h"
#include "lts/permutation_number.h"
#include "support/csp_symmetry_judge.h"

namespace plumb::csp {
namespace {

// "3!": three indices; "3! 2!"; "3 in a ring"; else the first note.
std::string said_of(const std::string& text,
                    const std::vector<std::string>& watched = {}) {
  const auto module = module_of(text);
  const Model model(module, {});
  std::vector<ExprPtr> expressions;
  for (const Proposition& proposition : module->propositions) {
    for (const std::string& name : watched) {
      if (proposition.name == name) {
        expressions.push_back(proposition.expression);
      }
    }
  }
  const auto subject =
      std::make_shared<Process>(reference_to(*module, "System"));
  const Alike alike =
      model.alike({subject}, expressions, std::nullopt, lts::Reductions());
  if (alike.symmetry == nullptr) {
    return alike.notes.empty() ? "nothing" : alike.notes[0];
  }
  const auto judged =
      judge_symmetry(*model.system(*subject, Watched{}), *alike.symmetry, 300);
  EXPECT_EQ(judged.wrong, "") << text;
  EXPECT_EQ(judged.several, 0u) << text;
  std::string sizes;
  for (const NameSet& set : alike.symmetry->plan().sets) {
    sizes += (sizes.empty() ? "" : " ") + std::to_string(set.values.size());
    sizes += set.is_ring ? " in a ring" : "!";
  }
  return sizes;
}

const std::string kThree = "\nSystem() = |||i:{0..2}@P(i);";

TEST(CspSymmetryPlan, IndicesThatAreOnlyNamesAreInterchangeable) {
  EXPECT_EQ(said_of("P(i) = a.i -> b.i.3 -> P(i);" + kThree), "3!");
  EXPECT_EQ(said_of("var x = -1; var f[3]; P(i) = [x == -1] get.i{x = i;} -> "
                    "put.x{f[x] = 1; x = -1;} -> P(i);" +
                    kThree),
            "3!");
  EXPECT_EQ(said_of("P(i) = a.i -> P(i); System() = |||i:{1..3}@P(i);"), "3!");
  EXPECT_EQ(said_of("P(i) = a.i -> P(i); System() = |||i:{5, 2}@P(i);"), "2!");
}

TEST(CspSymmetryPlan, TheyGoThroughChannelsAndInputs) {
  EXPECT_EQ(said_of("channel c 2; channel d[3] 1; var last = -1;"
                    "P(i) = c!i -> d[i]?j.k{last = j;} -> got.i.j -> P(i);"
                    "Server() = c?i -> d[i]!i.7 -> Server();"
                    "System() = (|||i:{0..2}@P(i)) ||| Server();"),
            "3!");
  EXPECT_EQ(said_of("channel c 0; P(i) = c!i -> Skip;"
                    "Q() = c?i -> a.i -> Q();"
                    "System() = ((|||i:{0..2}@P(i)) ||| Q()) \\ "
                    "{i:{0..2}@c.i};"),
            "3!");
}

TEST(CspSymmetryPlan, ComponentsOfParallelMoveWithTheirNames) {
  EXPECT_EQ(said_of("P(i) = go -> a.i -> done -> P(i);"
                    "System() = ||i:{0..2}@P(i);"),
            "3!");
  EXPECT_EQ(said_of("P(i, j) = a.i -> b.j -> sync -> P(i, j);"
                    "System() = ||i:{0..1}; j:{4..5}@P(i, j);"),
            "2! 2!");
}

TEST(CspSymmetryPlan, SeveralKindsOfIndicesAreRenamedEach) {
  EXPECT_EQ(said_of("var r[2]; var w[3]; R(i) = read.i{r[i] = 1 - r[i];} -> "
                    "R(i); W(j) = write.j{w[j] = 1;} -> Stop;"
                    "System() = (|||i:{0..1}@R(i)) ||| (|||j:{0..2}@W(j));"),
            "2! 3!");
  // What is chosen, stored and compared only, is interchangeable as well.
  EXPECT_EQ(said_of("var x = -1; P(i) = []v:{7..9}@(set.i.v{x = v;} -> "
                    "get.i.x -> P(i));" +
                    kThree),
            "3! 3!");
}

TEST(CspSymmetryPlan, AMentionOfEachIndexIsOfNone) {
  const std::string text =
      "var f[3]; P(i) = [&& j:{0..2}@(f[j] == 0)] a.i{f[i] = 1;} -> "
      "b{f[i] = 0;} -> P(i); #define all && j:{0..2}@(f[j] == 1);"
      "#define one f[1] == 1; #define sum f[0] + f[1] + f[2] == 2;" +
      kThree;
  EXPECT_EQ(said_of(text, {"all", "sum"}), "3!");
  EXPECT_EQ(said_of(text, {"one"}),
            "process symmetry is off: line 1 names index 1");
}

TEST(CspSymmetryPlan, WhatTellsIndicesApartIsAnObstacle) {
  const std::string off = "process symmetry is off: line 1 ";
  EXPECT_EQ(said_of("P(i) = a.(i + 1) -> P(i);" + kThree),
            off + "computes with an index");
  EXPECT_EQ(
      said_of("var x = -1; P(i) = [i < x] a -> b{x = i;} -> P(i);" + kThree),
      off + "asks for the order of indices");
  EXPECT_EQ(said_of("P(i) = if (i == 0) { a -> P(i) } else { P(i) };" + kThree),
            off + "names index 0");
  EXPECT_EQ(said_of("var x = -1; P(i) = a{x = i; x++;} -> P(i);" + kThree),
            off + "computes with an index");
  EXPECT_EQ(said_of("var f[2]; P(i) = a{f[i] = 1;} -> P(i);" + kThree),
            off + "has no room for all indices");
  EXPECT_EQ(said_of("var f[3]; P(i) = a.f{f[i] = 1;} -> P(i);" + kThree),
            off + "uses an array of indices as a whole");
  EXPECT_EQ(said_of("#import \"PAT.Lib.Set\"; var<Set> s; "
                    "P(i) = a{s.Add(i);} -> P(i);" +
                    kThree),
            off + "passes an index to the library");
  EXPECT_EQ(said_of("P(i) = []j:{0..1}@(a.j -> b.i -> P(j));" + kThree),
            "process symmetry is off: line 1 goes over other indices");
  EXPECT_EQ(
      said_of("var f = [0, 0, 1]; P(i) = [f[i] == 1] a -> P(i);" + kThree),
      "process symmetry is off: the first state tells indices apart");
  EXPECT_EQ(said_of("P(i) = a.i -> P(i); System() = (|||i:{0..2}@P(i)) \\ "
                    "{a.0};"),
            off + "names index 0");
  EXPECT_EQ(said_of("P(i) = |||{..}@(a.i -> Skip);" + kThree),
            "process symmetry is off: there are unboundedly many processes");
}

const std::string kRing = "\nSystem() = ||i:{0..3}@P(i);";

TEST(CspSymmetryPlan, IndicesInARingAreTurned) {
  for (const char* next :
       {"(i + 1) % 4", "(i - 1) % 4", "(i - 1 + 4) % 4", "(4 + i - 1) % 4",
        "(1 + i) % 4", "((i + 1) % 4 + 1) % 4", "i % 4"}) {
    EXPECT_EQ(said_of("P(i) = a.i." + std::string(next) + " -> P(i);" + kRing),
              "4 in a ring")
        << next;
  }
  // A sentinel may stand where nothing is counted from.
  EXPECT_EQ(said_of("var held = [-1(4)]; P(i) = [held[(i + 1) % 4] == -1] "
                    "get.i{held[(i + 1) % 4] = i;} -> P(i);" +
                    kRing),
            "4 in a ring");
  EXPECT_EQ(said_of("var next = [1, 2, 3, 0]; P(i) = "
                    "[next[i] == (i + 1) % 4] a.i -> P(i);" +
                    kRing),
            "4 in a ring");
  // Through a channel, and beside indices that are not in it.
  EXPECT_EQ(said_of("channel c[4] 1; P(i) = c[(i + 1) % 4]!i -> c[i]?j -> "
                    "a.j.(j + 2) % 4 -> Stop; Q(k) = b.k -> Q(k);"
                    "System() = (|||i:{0..3}@P(i)) ||| (|||k:{0..1}@Q(k));"),
            "4 in a ring 2!");
}

TEST(CspSymmetryPlan, WhatIsNoTurnOfTheRingIsAnObstacle) {
  const std::string off = "process symmetry is off: line 1 ";
  const std::string computes = off + "computes with an index";
  for (const char* other : {"(i + 1) % 3", "(i + 1) % 5", "(i * 2) % 4",
                            "(i + i) % 4", "(4 - i) % 4", "(i + 1) % 4 + 1",
                            "(i / 1) % 4", "(i + 2147483647) % 4"}) {
    EXPECT_EQ(said_of("P(i) = a." + std::string(other) + " -> P(i);" + kRing),
              computes)
        << other;
  }
  EXPECT_EQ(said_of("P(i) = a.(i + 1) % 4 -> P(i);"
                    "System() = |||i:{1..4}@P(i);"),
            computes);
  // -1 is no index, and yet (-1 + 1) % 4 is one.
  EXPECT_EQ(said_of("var x = -1; P(i) = a.i{x = i;} -> b.(x + 1) % 4 -> P(i);" +
                    kRing),
            computes);
  EXPECT_EQ(said_of("channel c 1; P(i) = c!i -> P(i) [] c!-1 -> P(i) [] "
                    "c?j -> b.(j + 1) % 4 -> P(i);" +
                    kRing),
            computes);
  EXPECT_EQ(said_of("P(i) = a.(i + 1) % 4 -> ([i == 0] b -> P(i));" + kRing),
            off + "names index 0");
  EXPECT_EQ(said_of("P(i) = a.(i + 1) % 4 -> P(i);"
                    "System() = (|||i:{0..3}@P(i)) ||| P(4);"),
            computes);
  EXPECT_EQ(said_of("var turn = 0; P(i) = [turn == i] a.i{turn = "
                    "(i + 1) % 4;} -> P(i);" +
                    kRing),
            "process symmetry is off: the first state tells indices apart");
}

// All necklaces, no more: of 465 states, 3 look the same after each turn (all
// think, all are hungry, all hold one fork), 21 after half of one.
TEST(CspSymmetryPlan, PhilosophersAreCountedOnceForAllTurns) {
  const auto module = module_of(
      "Phil(i) = think.i -> get.i.(i + 1) % 4 -> get.i.i -> eat.i -> "
      "put.i.(i + 1) % 4 -> put.i.i -> Phil(i);"
      "Fork(x) = get.x.x -> put.x.x -> Fork(x) [] get.(x - 1 + 4) % 4.x -> "
      "put.(x - 1 + 4) % 4.x -> Fork(x);"
      "System() = ||x:{0..3}@(Phil(x) || Fork(x));");
  const Model model(module, {});
  const auto subject =
      std::make_shared<Process>(reference_to(*module, "System"));
  const Alike alike =
      model.alike({subject}, {}, std::nullopt, lts::Reductions());
  ASSERT_NE(alike.symmetry, nullptr);
  const auto judged =
      judge_symmetry(*model.system(*subject, Watched{}), *alike.symmetry, 1000);
  EXPECT_EQ(judged.wrong, "");
  EXPECT_EQ(judged.states, 465u);
  EXPECT_EQ(judged.several, 0u);
  EXPECT_EQ(judged.kept, 123u);  // (465 + 3 + 21 + 3) / 4
}

// LIMIT: 16 indices, since a permutation is one word.
// An index that is asked for itself: 0 is false, 1 is true.
TEST(CspSymmetryPlan, WhatIsAskedOfStatesIsNoIndex) {
  const std::string text =
      "var x = -1; P(i) = [x == -1] a.i{x = i;} -> Stop; #define taken x;"
      "#define by_any x != -1;" +
      kThree;
  EXPECT_EQ(said_of(text, {"by_any"}), "3!");
  EXPECT_EQ(said_of(text, {"taken"}),
            "process symmetry is off: line 1 asks for the value of an index");
}

// What stands behind the call of a macro belongs to the expression around it.
TEST(CspSymmetryPlan, AMacroBeforeAConstantDoesNotExcuseIt) {
  EXPECT_EQ(said_of("var x = -1; var y; #define m {y = 1; y == 1;};"
                    "P(i) = [x == -1] a.i{x = i;} -> "
                    "tau{if (call(m) && x == 0) { y = 2; }} -> Stop;" +
                    kThree),
            "process symmetry is off: line 1 names index 0");
}

// Values that are never read again become those of the first choice, which
// may be the name of one index.
TEST(CspSymmetryPlan, WhatIsForgottenNamesNoIndex) {
  const auto module = module_of(
      "var x:{0..2} = *; P(i) = [x == i] a.i -> b.i -> Stop;" + kThree);
  const auto subject =
      std::make_shared<Process>(reference_to(*module, "System"));
  for (const bool forgets : {false, true}) {
    const Model model(module, {false, forgets, false});
    const Alike alike =
        model.alike({subject}, {}, std::nullopt, lts::Reductions());
    EXPECT_EQ(alike.symmetry == nullptr, forgets);
    EXPECT_EQ(alike.notes.size(), forgets ? 1u : 0u);
  }
}

TEST(CspSymmetryPlan, ManyIndicesStayAsTheyAre) {
  EXPECT_EQ(said_of("P(i) = a.i -> Stop; System() = |||i:{1..17}@P(i);"),
            "process symmetry is off: there are more than 16 indices");
}

TEST(CspSymmetryPlan, TextsOfEventsAreRenamed) {
  const auto module = module_of(
      "channel c[2] 1; P(i) = a.i.1 -> c[i]!i.1 -> P(i);"
      "System() = |||i:{0..1}@P(i);");
  const Model model(module, {});
  const Alike alike =
      model.alike({std::make_shared<Process>(reference_to(*module, "System"))},
                  {}, std::nullopt, lts::Reductions());
  ASSERT_NE(alike.symmetry, nullptr);
  const auto swap = lts::Permutation::swap(0, 1);
  EXPECT_EQ(alike.symmetry->renamed("a.0.1", swap), "a.1.1");
  EXPECT_EQ(alike.symmetry->renamed("c[1]!0.1", swap), "c[0]!1.1");
  EXPECT_EQ(alike.symmetry->renamed("tick", swap), "tick");
  EXPECT_TRUE(alike.symmetry->keeps("tick"));
  EXPECT_FALSE(alike.symmetry->keeps("a.0.1"));
}

TEST(CspSymmetryPlan, NumbersOfPermutationsAreOneToOne) {
  lts::Permutation cycle;
  for (std::size_t i = 0; i < 8; ++i) cycle.set(i, (i + 3) % 8);
  EXPECT_EQ(lts::number_of({}), 0);
  EXPECT_EQ(lts::permutation_of(lts::number_of(cycle)), cycle);
  for (std::uint32_t number = 0; number < 40'320; number += 7) {
    const auto small = static_cast<std::uint16_t>(number);
    EXPECT_EQ(lts::number_of(lts::permutation_of(small)), small);
  }
}

// Two equal names lead to states that only renaming makes one.
TEST(CspSymmetryPlan, RenamingDoesNotMakeAProcessDeterministic) {
  const auto module =
      module_of("P(i) = go -> a.i -> Stop; System() = |||i:{0..1}@P(i);");
  const Model model(module, {});
  const auto subject =
      std::make_shared<Process>(reference_to(*module, "System"));
  const Alike alike =
      model.alike({subject}, {}, std::nullopt, lts::Reductions());
  ASSERT_NE(alike.symmetry, nullptr);
  Budget budget;
  const QuotientSystem quotient(model.system(*subject, Watched{}),
                                alike.symmetry, true);
  const auto outcome = assertions::deterministic(quotient, {}, budget);
  EXPECT_EQ(outcome.answer, check::Answer::kViolated);
  ASSERT_TRUE(outcome.path);
  EXPECT_EQ(outcome.path->size(), 1u);
}

// The loop closes by other names; as a run of the process it is gone round
// until it really does.
TEST(CspSymmetryPlan, LoopsAreGoneRoundUntilTheyClose) {
  const auto module = module_of(
      "var x = -1; P(i) = [x != i] tau{x = i;} -> P(i);"
      "System() = |||i:{0..1}@P(i);");
  const Model model(module, {});
  const auto subject =
      std::make_shared<Process>(reference_to(*module, "System"));
  const Alike alike =
      model.alike({subject}, {}, std::nullopt, lts::Reductions());
  ASSERT_NE(alike.symmetry, nullptr);
  Budget budget;
  const QuotientSystem quotient(model.system(*subject, Watched{}),
                                alike.symmetry, false);
  const auto outcome = assertions::divergence_free(quotient, {}, budget);
  ASSERT_TRUE(outcome.lasso);
  EXPECT_EQ(outcome.lasso->path.size() - outcome.lasso->back_to, 1u);
  const auto run = quotient.unfold(*outcome.lasso);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->path.size() - run->back_to, 2u);
  EXPECT_TRUE(lts::is_run_of(run->path, quotient.inner()));
}

}  // namespace
}  // namespace plumb::csp
