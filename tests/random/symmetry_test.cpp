// SPDX-License-Identifier: Apache-2.0
// Interchangeable processes and values in many random models, and in whole
// state spaces.
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <set>
#include <string>

#include "lang/machine_test_support.h"
#include "support/symmetric_models.h"
#include "support/symmetry_judge.h"

namespace plumb::lang {
namespace {

TEST(RandomSymmetry, ModelsTakeTheSameStepsByOtherNames) {
  std::size_t processes = 0, values = 0, states = 0, different = 0, twins = 0;
  for (unsigned seed = 1000; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    const Compiled made =
        compiled(random_symmetric_model(random, seed % 2 == 1));
    const Found found = find_in(made.model, true, true);
    if (found.symmetry == nullptr) continue;
    const Judgement said = judge(*made.model.system, found, 6, 60, random);
    ASSERT_EQ(said.wrong, "") << "seed " << seed;
    processes += found.groups.back() + 1 < found.groups.size() ? 1u : 0u;
    values += found.symmetry->values().empty() ? 0u : 1u;
    states += said.states;
    different += said.different;
    twins += said.twins;
  }
  EXPECT_GT(processes, 1000u);
  EXPECT_GT(values, 1000u);
  EXPECT_GT(twins, 10'000u);
  EXPECT_LT(different * 100, states);
}

// Each alone.
TEST(RandomSymmetry, ModelsWithOneKindOnlyTakeTheSameSteps) {
  for (unsigned seed = 0; seed < 600; ++seed) {
    std::mt19937 random(seed);
    const Compiled made = compiled(random_symmetric_model(random, true));
    const Found found = find_in(made.model, seed % 2 == 0, seed % 2 == 1);
    if (found.symmetry == nullptr) continue;
    const Judgement said = judge(*made.model.system, found, 4, 60, random);
    ASSERT_EQ(said.wrong, "") << "seed " << seed;
  }
}

using States = std::set<lts::StateBytes>;

// All that is reached; nothing if that is too much.
States reached(const lts::System& system, const lts::Symmetry* symmetry,
               std::size_t most) {
  const auto form = [&](lts::StateView state) {
    lts::StateBytes bytes(state.begin(), state.end());
    if (symmetry != nullptr) symmetry->canonicalize(bytes);
    return bytes;
  };
  States states = {form(system.initial())};
  std::deque<lts::StateBytes> open(states.begin(), states.end());
  lts::Successors out;
  while (!open.empty()) {
    system.successors(open.front(), out);
    open.pop_front();
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto [made, is_new] = states.insert(form(out.state(i)));
      if (is_new) open.push_back(*made);
    }
    if (states.size() > most) return {};
  }
  return states;
}

// A search that keeps canonical forms alone finds those of all states.  (A
// state with several forms may be there in one of them only.)
TEST(RandomSymmetry, SearchesOfCanonicalFormsMissNothing) {
  std::size_t spaces = 0, all = 0, kept = 0, absent = 0;
  for (unsigned seed = 0; seed < 1500 && spaces < 80; ++seed) {
    std::mt19937 random(seed);
    const Compiled made = compiled(random_symmetric_model(random, false));
    const Found found = find_in(made.model, true, true);
    if (found.symmetry == nullptr) continue;
    const lts::System& system = *made.model.system;
    const States states = reached(system, nullptr, 4'000);
    if (states.size() < 100) continue;
    const States forms = reached(system, found.symmetry.get(), 4'000);
    ++spaces;
    all += states.size();
    kept += forms.size();
    for (lts::StateBytes state : states) {
      found.symmetry->canonicalize(state);
      absent += forms.contains(state) ? 0u : 1u;
    }
    for (const lts::StateBytes& form : forms) {
      ASSERT_TRUE(states.contains(form)) << "seed " << seed;
    }
  }
  EXPECT_GT(spaces, 30u);
  EXPECT_LT(kept * 3, all);
  EXPECT_LT(absent * 200, all);
}

}  // namespace
}  // namespace plumb::lang
