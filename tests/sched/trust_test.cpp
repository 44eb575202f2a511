// SPDX-License-Identifier: Apache-2.0
#include "sched/trust.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "oracle/memory_models.h"
#include "support/weak_programs.h"
#include "support/weak_run.h"

namespace plumb::sched {
namespace {

using oracle::all_graphs;
using oracle::Axioms;
using oracle::WeakGraphs;
using oracle::WeakProgram;
using oracle::WeakStep;
using oracle::WeakThread;
using test_support::add;
using test_support::kRelaxed;
using test_support::kX;
using test_support::kY;
using test_support::load;
using test_support::lock;
using test_support::LockStyle;
using test_support::program;
using test_support::search;
using test_support::store;
using test_support::unlock;
using test_support::WeakSearch;

std::size_t count(const WeakProgram& program, MemoryModel model) {
  const WeakSearch found = search(program, model);
  EXPECT_EQ(found.complete, found.graphs.complete.size()) << "twice";
  EXPECT_FALSE(found.diverged);
  return found.graphs.complete.size();
}

// Graphs of the search without the lines of locations that nobody uses.
bool agrees(const WeakProgram& program, int locations, MemoryModel model,
            std::size_t& graphs, LockStyle style = LockStyle::kInPlace) {
  const WeakGraphs all =
      all_graphs(program, locations, static_cast<Axioms>(model));
  const WeakSearch found = search(program, model, locations, nullptr, style);
  // Who waits may have seen several writes that do not let it go on.
  const bool once = style == LockStyle::kInPlace;
  graphs += all.complete.size();
  return !found.diverged && found.complete == found.graphs.complete.size() &&
         (!once || found.stuck == found.graphs.stuck.size()) &&
         found.graphs.complete == all.complete &&
         found.graphs.stuck == all.stuck;
}

constexpr MemoryModel kModels[] = {MemoryModel::kSc, MemoryModel::kTso,
                                   MemoryModel::kRc11};

// Like stores that are followed by loads, where locks are given back by a
// store; but not where they are taken in between.
TEST(Trust, GivingBackALockLetsLaterLoadsGoFirstUnderTso) {
  const WeakProgram given_back =
      program({{lock(2), store(kX, 1), unlock(2), load(kY)},
               {lock(3), store(kY, 1), unlock(3), load(kX)}});
  EXPECT_EQ(count(given_back, MemoryModel::kSc), 3u);
  EXPECT_EQ(count(given_back, MemoryModel::kTso), 4u);
  const WeakProgram taken =
      program({{store(kX, 1), lock(2), load(kY), unlock(2)},
               {store(kY, 1), lock(3), load(kX), unlock(3)}});
  EXPECT_EQ(count(taken, MemoryModel::kTso), 3u);
  EXPECT_EQ(count(taken, MemoryModel::kRc11), 4u);
}

TEST(Trust, VisitsTheGraphsOfTheAxiomsEachOnce) {
  std::size_t graphs = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    test_support::WeakShape shape;
    shape.threads = 2 + static_cast<int>(random() % 2);
    shape.locations = 1 + static_cast<int>(random() % 2);
    shape.steps = shape.threads == 3 ? 3 : 4;
    const WeakProgram program =
        test_support::random_weak_program(random, shape);
    for (const MemoryModel model : kModels) {
      EXPECT_TRUE(agrees(program, shape.locations, model, graphs))
          << "seed " << seed << ", model " << static_cast<int>(model);
    }
  }
  EXPECT_GT(graphs, 8'000u);
}

TEST(Trust, VisitsTheGraphsOfProgramsWithLocksEachOnce) {
  std::size_t graphs = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    test_support::WeakShape shape;
    shape.threads = 2 + static_cast<int>(random() % 2);
    shape.locations = 1 + static_cast<int>(random() % 2);
    shape.steps = 2;
    shape.locks = true;
    const WeakProgram program =
        test_support::random_weak_program(random, shape);
    std::size_t steps = 0;
    for (const WeakThread& thread : program) steps += thread.size();
    if (steps > 11) continue;
    const MemoryModel model = kModels[seed % 3];
    for (const LockStyle style :
         {LockStyle::kInPlace, LockStyle::kVisited, LockStyle::kTold}) {
      EXPECT_TRUE(agrees(program, shape.locations + 2, model, graphs, style))
          << "seed " << seed << ", model " << static_cast<int>(model)
          << ", style " << static_cast<int>(style);
    }
  }
  EXPECT_GT(graphs, 500u);
}

// A read is revisited although, after it, a lock waited and then went on: the
// write depends on what the lock waited for, but not on its being given back.
TEST(Trust, RevisitsWhatIsBeforeALockThatWaited) {
  const WeakProgram program = {{load(kX), lock(2), unlock(2)},
                               {lock(2), store(kY, 1), unlock(2)},
                               {load(kY), store(kX, 1)}};
  WeakProgram with_branches = test_support::program(program);
  with_branches[2][0].next[0] = -1;
  for (const MemoryModel model : kModels) {
    EXPECT_EQ(count(with_branches, model), 5u);
  }
}

// Locks may wait in three ways; the oracle is too slow for these programs.
TEST(Trust, WaysToWaitForLocksHaveTheSameGraphs) {
  std::size_t graphs = 0;
  for (unsigned seed = 200; seed <= 500; ++seed) {
    std::mt19937 random(seed);
    const WeakProgram program = test_support::random_weak_program(
        random, {.threads = 3, .locations = 2, .steps = 3, .locks = true});
    std::size_t steps = 0;
    for (const WeakThread& thread : program) steps += thread.size();
    if (steps > 14) continue;
    const MemoryModel model = kModels[seed % 3];
    const auto found = [&](LockStyle style) {
      const WeakSearch all = search(program, model, 4, nullptr, style);
      EXPECT_EQ(all.complete, all.graphs.complete.size()) << "seed " << seed;
      return all.graphs.complete;
    };
    const auto visited = found(LockStyle::kVisited);
    EXPECT_EQ(found(LockStyle::kInPlace), visited) << "seed " << seed;
    EXPECT_EQ(found(LockStyle::kTold), visited) << "seed " << seed;
    graphs += visited.size();
  }
  EXPECT_GT(graphs, 1'000u);
}

TEST(Trust, StrongerModelsHaveFewerGraphs) {
  std::size_t weak = 0, weaker = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const WeakProgram program = test_support::random_weak_program(
        random, {.threads = 3, .locations = 2, .steps = 4});
    const auto sc = search(program, MemoryModel::kSc).graphs.complete;
    const auto tso = search(program, MemoryModel::kTso).graphs.complete;
    const auto rc11 = search(program, MemoryModel::kRc11).graphs.complete;
    EXPECT_TRUE(std::includes(tso.begin(), tso.end(), sc.begin(), sc.end()))
        << seed;
    EXPECT_TRUE(std::includes(rc11.begin(), rc11.end(), tso.begin(), tso.end()))
        << seed;
    weaker += rc11.size() > tso.size();
    weak += tso.size() > sc.size();
  }
  EXPECT_GT(weak, 3u);
  EXPECT_GT(weaker, 10u);
}

// Each step is a call: which may be over before another one begins?
TEST(Trust, KnowsWhatCanBeEnforcedFromOutside) {
  std::size_t allowed = 0, denied = 0, by_more_than_hb = 0;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    std::mt19937 random(seed);
    const WeakProgram program = test_support::random_weak_program(
        random, {.threads = 2 + static_cast<int>(seed % 2),
                 .locations = 2,
                 .steps = 3});
    const MemoryModel model = kModels[seed % 3];
    const auto visit = [&](const ExecutionGraph& graph) {
      test_support::MarkedGraph marks = test_support::marked(graph, 2);
      for (const auto& a : marks.calls) {
        for (const auto& b : marks.calls) {
          if (a.first.thread == b.first.thread) continue;
          marks.graph.extra = {{a.end, b.begin}};
          const bool expected =
              satisfies(marks.graph, static_cast<Axioms>(model));
          EXPECT_EQ(graph.allows(model, a.last, b.first), expected)
              << "seed " << seed;
          (expected ? allowed : denied) += 1;
          by_more_than_hb += !expected && !graph.hb(b.first, a.last);
        }
      }
    };
    search(program, model, 2, visit);
  }
  EXPECT_GT(allowed, 1'000u);
  EXPECT_GT(denied, 1'000u);
  EXPECT_GT(by_more_than_hb, 1'000u);
}

// Orders that are none of intervals: there, pairs are not enough.
TEST(Trust, KnowsWhatCanBeEnforcedAtOnce) {
  std::size_t allowed = 0, denied = 0, by_more_than_pairs = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const WeakProgram program = test_support::random_weak_program(
        random, {.threads = 3, .locations = 2, .steps = 2});
    const MemoryModel model =
        seed % 2 == 0 ? MemoryModel::kTso : MemoryModel::kRc11;
    const auto visit = [&](const ExecutionGraph& graph) {
      test_support::MarkedGraph marks = test_support::marked(graph, 2);
      for (int round = 0; round < 6; ++round) {
        std::vector<ExecutionGraph::OutsideEdge> edges;
        marks.graph.extra.clear();
        bool pairs = true;
        for (const auto& from : marks.calls) {
          for (const auto& to : marks.calls) {
            if (from.first.thread == to.first.thread || random() % 6 != 0) {
              continue;
            }
            edges.push_back({from.last, to.first});
            marks.graph.extra.emplace_back(from.end, to.begin);
            pairs &= graph.allows(model, from.last, to.first);
          }
        }
        if (edges.empty()) continue;
        const bool expected =
            satisfies(marks.graph, static_cast<Axioms>(model));
        EXPECT_EQ(graph.allows_all(model, edges), expected) << "seed " << seed;
        (expected ? allowed : denied) += 1;
        by_more_than_pairs += pairs && !expected;
      }
    };
    search(program, model, 2, visit);
  }
  EXPECT_GT(allowed, 1'000u);
  EXPECT_GT(denied, 1'000u);
  EXPECT_GT(by_more_than_pairs, 100u);
}

// The lemma that judges rely on: an order of calls can be enforced iff each of
// its pairs can.
TEST(Trust, PairsAreEnoughToKnowWhichHistoriesThereAre) {
  std::size_t histories = 0, refused = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const WeakProgram program = test_support::random_weak_program(
        random, {.threads = 3, .locations = 2, .steps = 2});
    const auto visit = [&](const ExecutionGraph& graph) {
      test_support::MarkedGraph marks = test_support::marked(graph, 2);
      for (int round = 0; round < 6; ++round) {
        // Intervals at random moments: those of a thread one after another.
        const std::size_t calls = marks.calls.size();
        std::vector<int> begins(calls), ends(calls);
        for (std::size_t i = 0; i < calls; ++i) {
          const bool first = i == 0 || marks.calls[i].first.thread !=
                                           marks.calls[i - 1].first.thread;
          const int least = first ? 0 : ends[i - 1] + 1;
          begins[i] = least + static_cast<int>(random() % 3);
          ends[i] = begins[i] + static_cast<int>(random() % 3);
        }
        bool pairs = true, forced = true;
        std::vector<ExecutionGraph::OutsideEdge> edges;
        marks.graph.extra.clear();
        for (std::size_t a = 0; a < calls; ++a) {
          for (std::size_t b = 0; b < calls; ++b) {
            if (a == b) continue;
            const auto& from = marks.calls[a];
            const auto& to = marks.calls[b];
            const bool before = ends[a] < begins[b];
            forced &= before || !graph.hb(from.last, to.first);
            if (!before || from.first.thread == to.first.thread) continue;
            marks.graph.extra.emplace_back(from.end, to.begin);
            edges.push_back({from.last, to.first});
            pairs &= graph.allows(MemoryModel::kRc11, from.last, to.first);
          }
        }
        if (!forced) continue;
        ++histories;
        refused += !pairs;
        EXPECT_EQ(satisfies(marks.graph, Axioms::kRc11), pairs)
            << "seed " << seed;
        EXPECT_EQ(graph.allows_all(MemoryModel::kRc11, edges), pairs)
            << "seed " << seed;
      }
    };
    search(program, MemoryModel::kRc11, 2, visit);
  }
  EXPECT_GT(histories, 1'000u);
  EXPECT_GT(refused, 300u);
}

TEST(Trust, NeedsNoExecutionInVainForLocks) {
  std::vector<WeakThread> threads;
  std::size_t orders = 1;
  for (std::size_t users = 1; users <= 5; ++users) {
    threads.push_back({lock(kX), unlock(kX)});
    orders *= users;
    const WeakSearch found = search(program(threads), MemoryModel::kRc11);
    EXPECT_EQ(found.complete, orders);
    EXPECT_EQ(found.stuck + found.abandoned, 0u);
  }
}

TEST(Trust, FindsDeadlocks) {
  const WeakSearch found =
      search(program({{lock(kX), lock(kY), unlock(kY), unlock(kX)},
                      {lock(kY), lock(kX), unlock(kX), unlock(kY)}}),
             MemoryModel::kRc11);
  EXPECT_EQ(found.complete, 2u);
  EXPECT_EQ(found.stuck, 1u);
}

}  // namespace
}  // namespace plumb::sched
