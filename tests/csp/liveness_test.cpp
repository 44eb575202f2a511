// SPDX-License-Identifier: Apache-2.0
// Variables that nobody will read are put back, and no others.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "csp/small_graphs.h"

namespace plumb::csp {
namespace {

// States of P when all variables count, and when dead ones are put back.
struct Sizes {
  std::size_t whole, reset;
  friend bool operator==(const Sizes&, const Sizes&) = default;
};

Sizes sizes_of(const std::string& text, const Watched& watched = {}) {
  const auto module = module_of(text);
  const Process reference = reference_to(*module, "P");
  const Model whole(module, {false, false});
  const Model reset(module, {false, true});
  return {graph_of(*whole.system(reference, watched)).states.size(),
          graph_of(*reset.system(reference, watched)).states.size()};
}

TEST(CspLiveness, WhatIsNeverReadIsAlwaysDead) {
  EXPECT_EQ(sizes_of("var x; Q = a{x = 1} -> b -> Q; P = Q;"), (Sizes{3, 2}));
}

TEST(CspLiveness, WhatIsReadIsLive) {
  EXPECT_EQ(sizes_of("var x; Q = a{x = 1} -> b.x -> c -> Q; P = Q;"),
            (Sizes{4, 3}));
  EXPECT_EQ(sizes_of("var x; Q = a{x = 1 - x} -> Q; P = Q;"), (Sizes{2, 2}));
  EXPECT_EQ(
      sizes_of("var x; R(v) = b.v -> Q; Q = a{x = 1} -> c -> R(x); P = Q;"),
      (Sizes{4, 3}));
}

TEST(CspLiveness, WhatIsWatchedIsLive) {
  const std::string text =
      "var x; #define p (x == 1); Q = a{x = 1} -> b -> Q; P = Q;";
  EXPECT_EQ(sizes_of(text, {{0}, {}}), (Sizes{3, 3}));
  EXPECT_EQ(sizes_of(text), (Sizes{3, 2}));
}

TEST(CspLiveness, LocalsOfProcessesAreToldApartByTheirParameters) {
  // l[i] is read by process i alone, right after it was written.
  const std::string begin = "var x; var l[2]; Q(i) = a.i{l[i] = 1 - x;} -> ";
  const std::string end = "P = ||| i:{0..1} @ Q(i);";
  const Sizes own = sizes_of(begin + "b{x = l[i];} -> c -> Q(i);" + end);
  // Each is in one of three places, in one of them with a local; and x.
  EXPECT_LE(own.reset, 4u * 4u * 2u);
  EXPECT_GT(own.whole, 4u * 4u * 2u);
  // Here the other one's is read too.
  EXPECT_GT(sizes_of(begin + "b{x = l[1 - i];} -> c -> Q(i);" + end).reset,
            own.reset);
}

TEST(CspLiveness, AWriteThatMayNotHappenDoesNotKill) {
  EXPECT_EQ(sizes_of("var x; var y; Q = a{x = 1 - x} -> "
                     "b{if (y == 1) {x = 0}} -> Q; P = Q;"),
            (Sizes{4, 4}));
  EXPECT_EQ(sizes_of("var x; var y; Q = a{x = 1 - x} -> b{if (y == 1) {x = 0} "
                     "else {x = 1}} -> c -> R; R = d{x = 1} -> Q; P = R;"),
            (Sizes{5, 4}));
}

TEST(CspLiveness, OneComponentsWriteDoesNotKillForAnother) {
  EXPECT_EQ(graph_of("var x; Q = a{x = 1} -> b{x = 0} -> Q; R = c.x -> R;"
                     "P = Q ||| R;",
                     {false, true})
                .lines,
            graph_of("var x; Q = a{x = 1} -> b{x = 0} -> Q; R = c.x -> R;"
                     "P = Q ||| R;")
                .lines);
}

TEST(CspLiveness, ArraysThatAreAssignedAsAWholeStayAsTheyAre) {
  EXPECT_EQ(sizes_of("var l[2]; Q = a{l = [1, 2]} -> b -> Q; P = Q;"),
            (Sizes{3, 3}));
}

}  // namespace
}  // namespace plumb::csp
