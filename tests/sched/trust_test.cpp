// SPDX-License-Identifier: Apache-2.0
#include "sched/trust.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "oracle/memory_models.h"
#include "support/weak_run.h"

namespace plumb::sched {
namespace {

using oracle::all_graphs;
using oracle::Axioms;
using oracle::WeakGraphs;
using oracle::WeakProgram;
using oracle::WeakStep;
using oracle::WeakThread;
using test_support::LockStyle;
using test_support::search;
using test_support::WeakSearch;
using Do = WeakStep::Do;

constexpr int kRelaxed = 0, kAcquire = 2, kRelease = 3;
constexpr int kX = 0, kY = 1, kZ = 2;

WeakStep load(int location, int order = kRelaxed) {
  return {.what = Do::kLoad, .location = location, .order = order};
}
WeakStep store(int location, int value, int order = kRelaxed) {
  return {
      .what = Do::kStore, .location = location, .order = order, .value = value};
}
WeakStep add(int location, int order = kRelaxed) {
  return {.what = Do::kAdd, .location = location, .order = order, .value = 1};
}
WeakStep fence(int order) {
  return {.what = Do::kFence, .order = order};
}
WeakStep lock(int location) {
  return {.what = Do::kLock, .location = location};
}
WeakStep unlock(int location) {
  return {.what = Do::kUnlock, .location = location};
}

// Steps without branches.
WeakProgram program(std::vector<WeakThread> threads) {
  for (WeakThread& thread : threads) {
    for (std::size_t i = 0; i + 1 < thread.size(); ++i) {
      thread[i].next[0] = thread[i].next[1] = static_cast<int>(i + 1);
    }
  }
  return threads;
}

std::size_t count(const WeakProgram& program, MemoryModel model) {
  const WeakSearch found = search(program, model);
  EXPECT_EQ(found.complete, found.graphs.complete.size()) << "twice";
  EXPECT_FALSE(found.diverged);
  return found.graphs.complete.size();
}

// Names and counts are those of GenMC's tests.
struct Litmus {
  const char* name;
  WeakProgram program;
  std::size_t sc, rc11;
};

constexpr int kSc = kSeqCst;
const std::vector<Litmus> kLitmusTests = {
    {"SB", program({{store(kX, 1), load(kY)}, {store(kY, 1), load(kX)}}), 3, 4},
    {"SB+4sc",
     program({{store(kX, 1, kSc), load(kY, kSc)},
              {store(kY, 1, kSc), load(kX, kSc)}}),
     3, 3},
    {"SB+3sc+acq",
     program({{store(kX, 1, kSc), load(kY, kAcquire)},
              {store(kY, 1, kSc), load(kX, kSc)}}),
     3, 4},
    {"SB+3sc+rel",
     program({{store(kX, 1, kRelease), load(kY, kSc)},
              {store(kY, 1, kSc), load(kX, kSc)}}),
     3, 4},
    {"SB+scfs",
     program({{store(kX, 1), fence(kSc), load(kY)},
              {store(kY, 1), fence(kSc), load(kX)}}),
     3, 3},
    {"SB+2sc+scf",
     program({{store(kX, 1, kSc), load(kY, kSc)},
              {store(kY, 1), fence(kSc), load(kX)}}),
     3, 3},
    {"SB+rfis",
     program({{store(kX, 1), load(kX), load(kY)},
              {store(kY, 1), load(kY), load(kX)}}),
     3, 4},
    {"MP",
     program({{store(kX, 1), store(kY, 1, kRelease)},
              {load(kY, kAcquire), load(kX)}}),
     3, 3},
    {"MP+rels+acq",
     program({{store(kX, 1), store(kY, 1)}, {load(kY), load(kX)}}), 3, 4},
    {"LB", program({{load(kX), store(kY, 1)}, {load(kY), store(kX, 1)}}), 3, 3},
    {"LB3",
     program({{load(kX), store(kY, 1)},
              {load(kY), store(kZ, 1)},
              {load(kZ), store(kX, 1)}}),
     7, 7},
    {"2+2W",
     program({{store(kX, 1), store(kY, 2)}, {store(kY, 1), store(kX, 2)}}), 3,
     4},
    {"2+2W+4sc",
     program({{store(kX, 1, kSc), store(kY, 2, kSc)},
              {store(kY, 1, kSc), store(kX, 2, kSc)}}),
     3, 3},
    {"2+2W+3sc+rel",
     program({{store(kX, 1, kRelease), store(kY, 2, kSc)},
              {store(kY, 1, kSc), store(kX, 2, kSc)}}),
     3, 4},
    {"2+2W+scfs",
     program({{store(kX, 1), fence(kSc), store(kY, 2)},
              {store(kY, 1), fence(kSc), store(kX, 2)}}),
     3, 3},
    {"CoRR", program({{store(kX, 1), store(kX, 2)}, {load(kX), load(kX)}}), 6,
     6},
    {"CoWR", program({{store(kX, 1), load(kX)}, {store(kX, 2)}}), 3, 3},
    {"IRIW-acq-sc",
     program({{store(kX, 1, kSc)},
              {load(kX, kAcquire), load(kY, kSc)},
              {load(kY, kAcquire), load(kX, kSc)},
              {store(kY, 1, kSc)}}),
     15, 16},
    {"W+RWC",
     program({{store(kX, 1), store(kZ, 1, kRelease)},
              {load(kZ, kAcquire), fence(kSc), load(kY)},
              {store(kY, 1), fence(kSc), load(kX)}}),
     7, 7},
    {"RWC+syncs",
     program({{store(kX, 1)},
              {load(kX), fence(kSc), load(kY)},
              {store(kY, 1), fence(kSc), load(kX)}}),
     7, 7},
    {"WRC+dep",
     program({{store(kX, 1)}, {load(kX), store(kY, 1)}, {load(kY), load(kX)}}),
     7, 8},
    {"isa2",
     program({{store(kX, 1), store(kY, 1, kRelease)},
              {load(kY, kAcquire), store(kZ, 1, kRelease)},
              {load(kZ, kAcquire), load(kX)}}),
     7, 7},
    {"S", program({{store(kX, 2), store(kY, 1)}, {load(kY), store(kX, 1)}}), 3,
     4},
    {"S+rel+acq",
     program({{store(kX, 2), store(kY, 1, kRelease)},
              {load(kY, kAcquire), store(kX, 1)}}),
     3, 3},
    {"inc+inc+inc", program({{add(kX)}, {add(kX)}, {add(kX)}}), 6, 6},
};

TEST(Trust, CountsTheGraphsOfLitmusTestsAsOthersDo) {
  for (const Litmus& litmus : kLitmusTests) {
    EXPECT_EQ(count(litmus.program, MemoryModel::kSc), litmus.sc)
        << litmus.name;
    EXPECT_EQ(count(litmus.program, MemoryModel::kRc11), litmus.rc11)
        << litmus.name;
  }
}

TEST(Trust, ReordersOnlyStoresAndLaterLoadsUnderTso) {
  for (const Litmus& litmus : kLitmusTests) {
    const std::string name = litmus.name;
    const bool is_weak =
        name == "SB" || name == "SB+rfis" || name == "SB+3sc+rel";
    EXPECT_EQ(count(litmus.program, MemoryModel::kTso),
              litmus.sc + (is_weak ? 1u : 0u))
        << name;
  }
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
