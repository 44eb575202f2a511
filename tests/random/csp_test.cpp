// SPDX-License-Identifier: Apache-2.0
// Many random CSP# models against the slow interpreter.
#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>

#include "support/csp_agreement.h"
#include "support/csp_random.h"

namespace plumb::walked {
namespace {

TEST(RandomCsp, ModelsDoWhatTheRulesSay) {
  constexpr std::size_t kMostStates = 1'000;
  std::size_t compared = 0, with_fault = 0, with_end = 0, states = 0;
  for (unsigned seed = 1'000; seed < 1'700; ++seed) {
    std::mt19937 random(seed);
    const std::string text = csp::random_csp_model(random);
    const Agreement found = compare_semantics(text, kMostStates);
    ASSERT_EQ(found.difference, "") << "seed " << seed << "\n" << text;
    compared += found.compared ? 1 : 0;
    with_fault += found.has_fault ? 1 : 0;
    with_end += found.has_end ? 1 : 0;
    states += found.states;
  }
  EXPECT_GT(compared, 600u);
  EXPECT_GT(with_fault, 20u);
  EXPECT_GT(with_end, 60u);
  EXPECT_GT(states, 10'000u);
}

}  // namespace
}  // namespace plumb::walked
