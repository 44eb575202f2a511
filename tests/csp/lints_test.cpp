// SPDX-License-Identifier: Apache-2.0
// Warnings: told where there is a trap, silent where there is none.
#include "csp/front_end_test_support.h"

namespace plumb::csp {
namespace {

using Warnings = std::vector<std::string>;

// "line: message" for each warning, without hints.
Warnings traps_in(const std::string& text) {
  const auto module = module_of(text);
  Warnings all;
  for (const Warning& warning : module->warnings) {
    all.push_back(std::to_string(module->source->line(warning.span)) + ": " +
                  warning.what);
  }
  return all;
}

TEST(CspLints, ArgumentsThatReadVariablesAreToldOnce) {
  const std::string late =
      "2: 'H' is read when 'Loop' takes its first step, not when it is "
      "called: others may change it before";
  const std::string loop = "Loop(i, v) = b.v{H = v} -> Skip;\n";
  EXPECT_EQ(traps_in("var H; S = P(0) ||| P(1);\n"
                     "P(i) = a -> Loop(i, H + 1) [] c -> Loop(i, H);\n" +
                     loop),
            Warnings{late});
  EXPECT_EQ(
      traps_in("var H; S = P(0) [] P(1);\nP(i) = a -> Loop(i, H);\n" + loop),
      Warnings{})
      << "one process alone";
  EXPECT_EQ(traps_in("var H; S = P(0) ||| P(1);\nP(i) = a -> Loop(i, H);\n"
                     "Loop(i, v) = b.v -> Skip;\n"),
            Warnings{})
      << "nobody writes";
}

TEST(CspLints, EventsWithBlocksThatWouldSynchroniseAreTold) {
  const std::string what =
      "' has a block, so it is never synchronised: the sides of '||' each do "
      "it on their own";
  EXPECT_EQ(traps_in("var x;\nP = a{x = 1} -> b -> Skip;\n"
                     "Q = a -> b -> Skip;\nS = P || Q;"),
            Warnings{"2: 'a" + what});
  EXPECT_EQ(traps_in("var x;\nP(i) = a.i{x = 1} -> Skip;\n"
                     "Q(i) = a.i -> Skip;\nS = P(1) || Q(0) || Q(1);"),
            Warnings{"2: 'a.i" + what});
  EXPECT_EQ(traps_in("var x;\nP(i) = go{x = 1} -> a.i{x = 2} -> Skip;\n"
                     "S = || i:{0..2}@P(i);"),
            Warnings{"2: 'go" + what})
      << "a.0 and a.1 are different events";
}

TEST(CspLints, EventsWithBlocksThatCannotMeetAreNotTold) {
  EXPECT_EQ(traps_in("var x; P = a{x = 1} -> Skip; Q = a -> Skip;"
                     "S = P ||| Q;"),
            Warnings{})
      << "interleaved";
  EXPECT_EQ(traps_in("var x; P = a.1{x = 1} -> Skip; Q = a.2 -> Skip;"
                     "S = P || Q;"),
            Warnings{});
  EXPECT_EQ(traps_in("var x; P = a{x = 1} -> Skip; Q = a.2 -> Skip;"
                     "S = P || Q;"),
            Warnings{});
  EXPECT_EQ(traps_in("var x; P = a{x = 1} -> Skip; Q = a -> Skip;"
                     "S = (P \\ {a}) || Q;"),
            Warnings{});
}

TEST(CspLints, HidingSetsThatMissOneAreTold) {
  const std::string process =
      "P(i) = get.i -> put.i -> P(i);\nA = ||| x:{0..2}@P(x);\n";
  EXPECT_EQ(traps_in(process + "S = A \\ {get.0, get.1};"),
            Warnings{"3: 'get.2' may happen, but is not hidden as 'get.0' is"});
  EXPECT_EQ(traps_in(process + "S = A \\ {get.0, get.1, get.2};"), Warnings{});
  EXPECT_EQ(traps_in(process + "S = A \\ {x:{0..2}@get.x};"), Warnings{});
  EXPECT_EQ(traps_in(process + "S = A \\ {x:{0..1}@get.x, put.0};"),
            Warnings{"3: 'get.2' may happen, but is not hidden as 'get.0' is"})
      << "one alone may be meant so";
  // Two values: combinations.
  EXPECT_EQ(traps_in("P(i) = [] j:{0..1}@e.i.j -> Skip;\n"
                     "S = (P(0) ||| P(1)) \\ {e.0.0, e.0.1, e.1.0};"),
            Warnings{"2: 'e.1.1' may happen, but is not hidden as 'e.0.0' is"});
  // What depends on variables is not known.
  EXPECT_EQ(traps_in("var H; P = e.H{H = 1} -> P;\nS = P \\ {e.0, e.1};"),
            Warnings{});
}

TEST(CspLints, HiddenEventsThatNobodyDoesAreTold) {
  const std::string process = "P = get.1 -> put -> P; channel c 0;\n";
  EXPECT_EQ(warnings_of(process + "S = P \\ {gett.1};"),
            Warnings{"2: 'gett.1' is hidden here, but the process never does "
                     "it (did you mean 'get'?)"});
  EXPECT_EQ(traps_in(process + "S = P \\ {get};"),
            Warnings{"2: 'get' is hidden with 0 values, but the process does "
                     "it with 1"});
  EXPECT_EQ(traps_in(process + "S = P \\ {get.1, put, c.1, tau};"), Warnings{});
}

const std::string kStale =
    "after this event, the value of 'v' is not read any more until it is "
    "assigned again, but it still tells states apart";

std::string stale_model(const std::string& last, const std::string& system) {
  return "var v[2]; var H;\n"
         "P(i) = read{v[i] = H} -> Q(i);\n"
         "Q(i) = if (v[i] == H) {\n" +
         last + "\n} else { again -> P(i) };\n" + system;
}

TEST(CspLints, StaleElementsAreTold) {
  const std::string system = "S = ||| x:{0..1}@P(x);";
  EXPECT_EQ(
      traps_in(stale_model("w.(v[i]){H = v[i] + 1} -> d -> P(i)", system)),
      Warnings{"4: " + kStale});
  EXPECT_EQ(
      traps_in(stale_model("w{H = v[i] + 1; v[i] = 0} -> d -> P(i)", system)),
      Warnings{})
      << "reset";
  EXPECT_EQ(traps_in(stale_model("w{H = v[i] + 1} -> P(i)", system)),
            Warnings{})
      << "assigned at once";
  EXPECT_EQ(traps_in(stale_model("w{H = 1} -> d -> e.(v[i]) -> P(i)",
                                 "S = P(0) ||| P(1);")),
            Warnings{})
      << "the last reading is followed by the assignment";
}

TEST(CspLints, ElementsThatOthersMayReadAreNotTold) {
  const std::string last = "w{H = v[i] + 1} -> d -> P(i)";
  const std::string system = "S = ||| x:{0..1}@P(x);";
  EXPECT_EQ(traps_in(stale_model(last, "S = P(0) ||| P(1);")).size(), 1u);
  for (const std::string& other : {
           std::string("S = P(0) ||| P(0);"),
           std::string("S = |||{2}@P(0);"),
           std::string("S = ||| x:{0..1}@P(x); T = S ||| S;"),
           std::string("S = ||| x:{0..1}@P(0);"),
           system + "R = r.(v[0]) -> Skip;",
           system + "R(j) = r.(v[1 - j]) -> Skip;",
           system + "#define goal v[0] == 1; #assert S reaches goal;",
           system + "#define goal v[0] == 1; #assert S |= <> goal;",
           system + "var w = [0]; R = r{w = v} -> Skip;",
           std::string("S = ||| x:{0..1}@T(x); T(i) = P(i) ||| P(i);"),
       }) {
    EXPECT_EQ(traps_in(stale_model(last, other)), Warnings{}) << other;
  }
}

TEST(CspLints, VariablesThatPatLeavesOutAreTold) {
  EXPECT_EQ(traps_in("hvar h;\nP = Skip;"),
            Warnings{"1: 'h' is an 'hvar': PAT leaves it out of states, and "
                     "may miss errors that depend on it"});
}

TEST(CspLints, ReceivingIntoAVariableIsTold) {
  EXPECT_EQ(traps_in("var x; channel c 0;\nP = c?x -> Skip;"),
            Warnings{"2: 'x' is a variable: only a value equal to it is "
                     "received here, and nothing is assigned"});
}

TEST(CspLints, EventsThatAreCalledLikeAChannelAreTold) {
  EXPECT_EQ(traps_in("channel c 0;\nP = c.1 -> Skip;"),
            Warnings{"2: 'c' is a channel, but this is an event of that name: "
                     "nothing is sent or received"});
}

TEST(CspLints, WarningsComeInTheOrderOfTheirPlaces) {
  const Warnings all =
      traps_in("P = a -> Skip;\nS = P \\ {b};\nhvar h;\nT = P \\ {c};");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0][0], '2');
  EXPECT_EQ(all[1][0], '3');
  EXPECT_EQ(all[2][0], '4');
}

// Many compositions of many processes: looking at all pairs would take hours.
TEST(CspLints, LargeModelsAreGivenUp) {
  std::string text = "P = Skip;\n";
  for (int i = 0; i < 2'000; ++i) {
    const std::string n = std::to_string(i);
    text += "P" + n + " = a" + n + " -> P" + std::to_string((i + 1) % 2'000) +
            ";\nS" + n + " = (P" + n + " || P) \\ {b};\n";
  }
  EXPECT_LE(module_of(text)->warnings.size(), 2'000u);
}

}  // namespace
}  // namespace plumb::csp
