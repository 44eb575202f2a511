// SPDX-License-Identifier: Apache-2.0
#include "sched/graph_walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>

#include "oracle/memory_models.h"
#include "support/weak_run.h"

namespace plumb::sched {
namespace {

using oracle::Axioms;

constexpr MemoryModel kModels[] = {MemoryModel::kSc, MemoryModel::kTso,
                                   MemoryModel::kRc11};

// Of `programs` random ones of this shape, walks see no graph that the axioms
// do not have, and in the end all of them.
void compare(unsigned programs, bool locks) {
  std::size_t all = 0, rejected = 0, runs_in_all = 0;
  for (unsigned seed = 1; seed <= programs; ++seed) {
    std::mt19937 random(seed);
    test_support::WeakShape shape;
    shape.threads = 2 + static_cast<int>(random() % 2);
    shape.locations = 1 + static_cast<int>(random() % 2);
    shape.steps = shape.threads == 3 || locks ? 2 : 4;
    shape.locks = locks;
    const oracle::WeakProgram program =
        test_support::random_weak_program(random, shape);
    const MemoryModel model = kModels[seed % 3];
    const int locations = shape.locations + (locks ? 2 : 0);
    const oracle::WeakGraphs expected =
        all_graphs(program, locations, static_cast<Axioms>(model));
    all += expected.complete.size();
    std::uint64_t runs = 500;
    for (bool found_all = false; !found_all; runs *= 4) {
      const test_support::WeakSearch found =
          test_support::walk(program, model, locations, runs, seed);
      ASSERT_TRUE(std::includes(
          expected.complete.begin(), expected.complete.end(),
          found.graphs.complete.begin(), found.graphs.complete.end()))
          << "seed " << seed;
      ASSERT_TRUE(std::includes(expected.stuck.begin(), expected.stuck.end(),
                                found.graphs.stuck.begin(),
                                found.graphs.stuck.end()))
          << "seed " << seed;
      found_all = found.graphs.complete.size() == expected.complete.size() &&
                  found.graphs.stuck.size() == expected.stuck.size();
      ASSERT_TRUE(found_all || runs < 500'000) << "seed " << seed;
      rejected += found.abandoned;
      runs_in_all += runs;
    }
  }
  EXPECT_GT(all, programs * 3u);
  EXPECT_LT(rejected * 20, runs_in_all);
}

TEST(GraphWalk, ComesToAllGraphsOfTheAxiomsAndNoOthers) {
  compare(150, false);
}

TEST(GraphWalk, TakesLocks) {
  compare(60, true);
}

}  // namespace
}  // namespace plumb::sched
