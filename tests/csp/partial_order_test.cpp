// SPDX-License-Identifier: Apache-2.0
// Components that go first, and all that keeps them from it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "assertions/assertions.h"
#include "base/budget.h"
#include "csp/small_graphs.h"
#include "support/csp_observer.h"

namespace plumb::csp {
namespace {

using Events = Observed::Events;

// Of the process P: how many states and steps there are, and how many are left
// when only some steps are taken.
struct Sizes {
  std::size_t states = 0, reduced_states = 0;
  std::size_t first_steps = 0, reduced_first_steps = 0;  // of the initial state
  std::size_t left_out = 0;                              // of all steps
};

// Also sees to it that who observes cannot tell the difference.
Sizes sizes_of(const std::string& text, const Observed& observed = {},
               bool watches = false) {
  const auto module = module_of(text);
  const Process reference = reference_to(*module, "P");
  const Model model(module, {false, false, true});
  Watched watched;
  if (watches) watched.propositions = {0};
  const auto whole = model.system(reference, watched);
  const auto reduced = model.system(reference, watched, std::nullopt, observed);
  const Observer left(model, whole, watched, observed);
  const Observer right(model, reduced, watched, observed);
  Budget budget;
  for (const bool back : {false, true}) {
    const verify::Outcome outcome = assertions::refines(
        back ? right : left, back ? left : right,
        assertions::Semantics::kFailuresDivergences, {}, budget);
    EXPECT_EQ(outcome.answer, check::Answer::kHolds)
        << (back ? "more: " : "missing: ") << outcome.reason << "\n"
        << text;
  }
  const SmallGraph all = graph_of(*whole), few = graph_of(*reduced);
  EXPECT_LE(few.states.size(), all.states.size());
  const Lines first = all.labels(0);
  for (const std::string& label : few.labels(0)) {
    EXPECT_NE(std::count(first.begin(), first.end(), label), 0) << text;
  }
  return {all.states.size(), few.states.size(), all.labels(0).size(),
          few.labels(0).size(), all.transitions - few.transitions};
}

void expect_all_first_steps(const std::string& text,
                            const Observed& observed = {},
                            bool watches = false) {
  const Sizes sizes = sizes_of(text, observed, watches);
  EXPECT_EQ(sizes.reduced_first_steps, sizes.first_steps) << text;
}

void expect_fewer_steps(const std::string& text, const Observed& observed = {},
                        bool watches = false) {
  EXPECT_GT(sizes_of(text, observed, watches).left_out, 0u) << text;
}

const Observed kNothing{Events::kNone, {}};

TEST(CspAmpleSets, WhatNobodyMeetsGoesFirst) {
  const Sizes sizes = sizes_of(
      "var l[3];"
      "Q(i) = tau{l[i] = 1;} -> tau{l[i] = l[i] + 1;} -> e.i.l[i] -> Stop;"
      "P = ||| i:{0..2} @ Q(i);");
  // The internal steps one after the other; the rest in all orders.
  EXPECT_EQ(sizes.states, 64u);
  EXPECT_EQ(sizes.reduced_states, 6u + 8u);
}

TEST(CspAmpleSets, WithoutObserversEventsGoFirstToo) {
  const std::string text = "Q(i) = a.i -> b.i -> Stop; P = Q(0) ||| Q(1);";
  EXPECT_EQ(sizes_of(text).reduced_states, 9u);
  EXPECT_EQ(sizes_of(text, kNothing).reduced_states, 5u);
  // Of b.1 the order matters, but there is nothing else to see.
  EXPECT_EQ(sizes_of(text, {Events::kNamed, {"b.1"}}).reduced_states, 5u);
  EXPECT_EQ(sizes_of(text, {Events::kNamed, {"b.1", "b.0"}}).reduced_states,
            6u);
}

TEST(CspAmpleSets, ComponentsAreFoundInsideOfHidingAndOthers) {
  const std::string q = "Q(i) = a.i -> b.i -> Stop;";
  EXPECT_EQ(sizes_of(q + "P = (Q(0) ||| Q(1)) \\ {a.0, a.1, b.0, b.1};")
                .reduced_states,
            5u);
  EXPECT_EQ(
      sizes_of(q + "P = Q(0) ||| (Q(1) ||| Q(2));", kNothing).reduced_states,
      7u);
  EXPECT_EQ(sizes_of(q + "P = Q(0) || Q(1);", kNothing).reduced_states, 5u);
  expect_fewer_steps("P = |||{3}@(a -> b -> Stop);", kNothing);
  expect_fewer_steps(q + "P = (Q(0) ||| (a -> Skip)); (b -> Skip);", kNothing);
}

TEST(CspAmpleSets, NobodyIsPutOffForEver) {
  // Either could go round alone.
  expect_all_first_steps("Q = tau -> Q; P = Q ||| (a -> Stop);");
  expect_fewer_steps(
      "var l; R = tau{l = 2;} -> Q; Q = tau{l = 1;} -> R;"
      "P = Q ||| (a -> b -> Stop);");
  expect_fewer_steps("Q = tau -> tau -> Q; P = Q ||| (a -> b -> Stop);");
  // Copies without end leave the process as it is.
  expect_all_first_steps(
      "P = ((|||{..}@(tau -> Skip)); (b -> Skip)) ||| (a -> Stop);");
}

TEST(CspAmpleSets, WhatOthersWillWriteIsNotReadFirst) {
  for (const std::string write : {"x = 1;", "x++;", "l[0] = 1;", "l = [1, 2];",
                                  "s.Add(1);", "l[y] = 1;", "t$Field = 1;"}) {
    for (const std::string read :
         {"tau{z = x + l[0] + s.Count() + t$Field;} -> e.z -> Stop",
          "[x + l[0] + s.Count() + t$Field == 0] tau -> e -> Stop",
          "if (x + l[0] + s.Count() + t$Field == 0) { e -> Stop }",
          "case { x + l[0] + s.Count() + t$Field == 0: e -> Stop }",
          "[y == 0] tau{z = x + l[0] + s.Count() + t$Field;} -> e.z -> Stop",
          "S", "R(x + l[0] + s.Count() + t$Field)"}) {
      const std::string text =
          "var x; var y; var z; var l[2]; var<Set> s; var<List> t;"
          "R(v) = tau -> e.v -> Stop;"
          "S = Skip; (tau{z = x + l[0] + s.Count() + t$Field;} -> e.z -> Stop);"
          "P = (a -> b{" +
          write + "} -> c -> Stop) ||| (" + read + ");";
      expect_all_first_steps(text);
    }
  }
}

TEST(CspAmpleSets, WhatOthersWillTouchIsNotWrittenFirst) {
  for (const std::string touch :
       {"a -> b.x -> Stop", "a -> tau{x = 2;} -> b -> Stop", "a -> R(x)",
        "a -> S", "(a -> Skip); (b.x -> Stop)",
        "a -> ifa (x == 1) { b -> Stop }", "a -> d!x -> Stop"}) {
    expect_all_first_steps(
        "var x; channel d 1; R(v) = b.v -> Stop; S = b.x -> Stop;"
        "P = (tau{x = 1;} -> c.x -> Stop) ||| (" +
        touch + ");");
  }
  expect_fewer_steps(
      "var x; var y; P = (tau{x = 1;} -> c.x -> Stop) ||| (a -> b.y -> Stop);");
}

TEST(CspAmpleSets, ElementsOfArraysAreToldApart) {
  const std::string begin = "var l[2]; Q(i, j) = tau{l[i] = 1 - l[i];} -> ";
  expect_fewer_steps(begin + "e.l[i] -> Stop; P = Q(0, 1) ||| Q(1, 0);");
  expect_all_first_steps(begin + "e.l[j] -> Stop; P = Q(0, 1) ||| Q(1, 0);");
  // It may have more of them than it was declared with.
  sizes_of(
      "var k[1]; P = a{k = [0, 0, 0];} -> "
      "((tau{k[2] = 1;} -> Stop) ||| (b -> c.k[2] -> Stop));");
  // An array that may get another length is one.
  expect_all_first_steps(begin +
                         "e.l[i]{l = [0, 0];} -> Stop;"
                         "P = Q(0, 1) ||| Q(1, 0);");
}

TEST(CspAmpleSets, WhatIsWatchedKeepsItsOrder) {
  const std::string text =
      "var x; var y; #define seen (x == 1 && y == 0);"
      "P = (tau{x = 1;} -> Stop) ||| (tau{y = 1;} -> Stop);";
  expect_fewer_steps(text);
  expect_all_first_steps(text, kNothing, true);
  expect_all_first_steps(
      "channel d 1; var y; #define seen (call(cempty, d) && y == 1);"
      "P = (d!1 -> Stop) ||| (tau{y = 1;} -> Stop);",
      kNothing, true);
}

TEST(CspAmpleSets, SendersAndReceiversMeetOnlyWhereOneHasToWait) {
  const std::string two = "channel d 2; ";
  // There is room, and only one sends.
  expect_fewer_steps(two + "P = (d!1 -> d!2 -> Stop) ||| (d?x -> d?y -> Stop);",
                     kNothing);
  // Two who send; two who receive.
  expect_all_first_steps(
      two + "P = (d!1 -> Stop) ||| (d!2 -> d?x -> e.x -> Stop);", kNothing);
  expect_all_first_steps(
      "channel d 1; P = (d!1 -> d!2 -> Stop [] a -> Stop) ||| "
      "(b -> d?x -> Stop);",
      {Events::kNamed, {"d!2", "a", "b"}});
  // Whether it is full, or empty, matters to some.
  expect_all_first_steps(
      "channel d 1; P = (d!1 -> Stop) ||| "
      "(a -> ifa (call(cempty, d)) { b -> Stop } else { c -> Stop });",
      {Events::kNamed, {"a", "b", "c"}});
  // Nothing to receive yet: there is another way as long as that is so.
  expect_all_first_steps(
      "channel d 1; P = (d?x -> b -> Stop [] tau -> c -> Stop) ||| "
      "(d!1 -> Stop);",
      {Events::kNamed, {"b", "c", "d!1"}});
  // No room yet, likewise.
  const Observed seen{Events::kNamed, {"b", "c", "d?1"}};
  expect_all_first_steps(
      "channel d 1; Q = d!2 -> b -> Stop [] tau -> c -> Stop;"
      "R = d?x -> Stop; P = d!1 -> (Q ||| R);",
      seen);
}

TEST(CspAmpleSets, WhoeverMayMeetAnotherWaits) {
  expect_all_first_steps(
      "channel c 0;"
      "P = (c!1 -> a -> Stop [] tau -> b -> Stop) ||| (c?x -> Stop);");
  expect_all_first_steps(
      "channel c 0;"
      "P = (c!1 -> a -> Stop [] tau -> b -> Stop) ||| (d -> c?x -> Stop);");
  expect_all_first_steps(
      "Q = m -> a -> Stop [] tau -> b -> Stop; R = d -> m -> Stop;"
      "P = Q || R;");
}

TEST(CspAmpleSets, WhoeverMayEndWaits) {
  for (const std::string sign : {"|||", "||"}) {
    expect_all_first_steps("P = (Skip [] tau -> b -> Skip) " + sign +
                           " (a -> Skip);");
    expect_all_first_steps(
        "var x; P = (ifa (x == 1) { c -> Skip } [] tau -> b -> Skip) " + sign +
        " (a -> Skip);");
  }
}

TEST(CspAmpleSets, WhatMayGoWrongDoesNotGoFirst) {
  expect_all_first_steps(
      "var l[2]; P = (tau{l[5] = 1;} -> Stop) ||| (a -> Stop);");
  expect_all_first_steps("P = (assert(false)) ||| (a -> b -> Stop);");
  expect_all_first_steps(
      "var l[2]; P = ([l[5] == 0] c -> Stop [] tau -> b -> Stop) ||| "
      "(a -> Stop);");
  // Somebody else's fault stays where it is.
  expect_fewer_steps(
      "var l[2]; P = (tau -> b -> Stop) ||| (a -> tau{l[5] = 1;} -> Stop);");
}

TEST(CspAmpleSets, AtomicGoesFirst) {
  // After the step nobody else could move.
  expect_all_first_steps(
      "P = (tau -> atomic{b -> c -> Stop}) ||| (a -> Stop);");
  expect_fewer_steps(
      "P = (tau -> d -> Stop) ||| (a -> atomic{b -> c -> Stop});");
  // What waits for it waits.
  expect_all_first_steps(
      "P = (tau -> d -> Stop) ||| atomic{b -> c -> Stop} ||| (a -> Stop);");
  // After the step they could take c together, before anything else.
  expect_all_first_steps(
      "Q = tau -> c -> Stop; R = atomic{c -> Stop};"
      "P = Q || R || (a -> b -> Stop);");
}

// Whoever waits in atomic{...} for a message, or for room, goes next once it is
// there.
TEST(CspAmpleSets, AMessageMayWakeWhatIsAtomic) {
  const std::string others =
      "R = [x == 0] a -> Stop [] [x == 1] b -> Stop; P = S ||| Q ||| R;";
  expect_all_first_steps(
      "var x; channel c 2; S = c!1 -> Stop;"
      "Q = atomic{c?y -> tau{x = 1;} -> Stop};" +
          others,
      {Events::kNamed, {"a", "b"}});
  sizes_of(
      "var x; channel c 2; S = c!1 -> Stop;"
      "Q = atomic{e -> c?y -> tau{x = 1;} -> Stop};" +
          others,
      {Events::kNamed, {"a", "b"}});
  sizes_of(
      "var x; channel c 1; S = c?y -> Stop;"
      "Q = atomic{c!1 -> c!2 -> tau{x = 1;} -> Stop};" +
          others,
      {Events::kNamed, {"a", "b"}});
  expect_fewer_steps(
      "var x; channel c 2; channel d 2; S = d!1 -> Stop;"
      "Q = atomic{c?y -> tau{x = 1;} -> Stop};" +
          others,
      kNothing);
}

TEST(CspAmpleSets, CopiesMeetEachOther) {
  expect_all_first_steps("var x; P = |||{2}@(tau{x = x + 1;} -> a.x -> Stop);");
  expect_all_first_steps(
      "var x; #define few (x < 2);"
      "P = (tau{x = 1 - x;} -> a.x -> Stop) ||| "
      "(|||{..}@([x == 0] b{x = 1;} -> Stop));");
}

TEST(CspAmpleSets, WhoCountsProcessesSeesAll) {
  expect_all_first_steps(
      "#define n #Q(); Q = tau -> Stop;"
      "P = Q ||| (a -> [n == 0] b -> Stop);");
}

TEST(CspAmpleSets, StuckStatesAreAsNearAsBefore) {
  const std::string text =
      "var f[3];"
      "Phil(i) = think.i -> sit.i -> [f[i] == 0] get.i.0{f[i] = 1;} ->"
      "  [f[(i + 1) % 3] == 0] get.i.1{f[(i + 1) % 3] = 1;} -> eat.i ->"
      "  put.i.0{f[i] = 0;} -> put.i.1{f[(i + 1) % 3] = 0;} -> Phil(i);"
      "P = ||| i:{0..2} @ Phil(i);";
  const auto module = module_of(text);
  const Model model(module, {false, true, true});
  const Process reference = reference_to(*module, "P");
  Budget budget;
  const auto whole =
      assertions::deadlock_free(*model.system(reference, {}), {}, budget);
  const auto reduced = assertions::deadlock_free(
      *model.system(reference, {}, std::nullopt, kNothing), {}, budget);
  ASSERT_TRUE(whole.path && reduced.path);
  EXPECT_EQ(whole.path->size(), reduced.path->size());
  EXPECT_LT(reduced.statistics.states, whole.statistics.states);
  EXPECT_GT(reduced.statistics.left_out, 0u);
}

}  // namespace
}  // namespace plumb::csp
