// SPDX-License-Identifier: Apache-2.0
// CSP# models as transition systems against the slow interpreter.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "support/csp_agreement.h"
#include "support/csp_random.h"

namespace plumb::walked {
namespace {

TEST(CspAgreement, OfModelsThatOnceDiffered) {
  const char* const kModels[] = {
      // Bound names in the range of an indexed condition.
      "var y; P(p) = if ((|| k:{0..p}@(k == y))) {a -> Skip} "
      "else {b -> Skip}; #assert P(1) deadlockfree;",
      // A list of hidden events that reads a variable.
      "var x; P() = (tau{x = 1} -> Skip [] tau{x = 2} -> Skip); "
      "((e.1 -> e.2 -> Skip) \\ {e.x}); #assert P() deadlockfree;",
      // A receiver's guard that fails.
      "channel c 0; var x; P() = c!1 -> Stop ||| c?[1 / x == 0]y -> Stop; "
      "#assert P() deadlockfree;",
      // A message resolves a choice, though it is hidden around the receiver.
      "channel c 0; P() = c!1 -> Stop ||| "
      "((c?x -> e -> Stop \\ {c.1}) [*] h -> Stop); #assert P() deadlockfree;",
      // An alphabet that cannot be computed takes nothing from others.
      "var x; P() = (e.x -> Stop || e.0 -> Stop) ||| a -> b -> Stop; "
      "#assert P() deadlockfree;",
      // Calls without a step, several operators deep.
      "var x; D(p) = ifa (x == 0) {((e.p -> D(1 - p) [] (Skip; D(1 - p))) [] "
      "((Skip [] Stop) \\ {h}))}; P() = D(0) || D(1); "
      "#assert P() deadlockfree;",
  };
  for (const char* text : kModels) {
    const Agreement found = compare_semantics(text, 1'000);
    EXPECT_EQ(found.difference, "") << text;
    EXPECT_TRUE(found.compared) << text;
  }
}

TEST(CspAgreement, OfSomeRandomModels) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    const std::string text = csp::random_csp_model(random);
    ASSERT_EQ(compare_semantics(text, 300).difference, "")
        << "seed " << seed << "\n"
        << text;
  }
}

}  // namespace
}  // namespace plumb::walked
