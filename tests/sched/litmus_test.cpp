// SPDX-License-Identifier: Apache-2.0
// How many graphs litmus tests have: names and counts are those of GenMC's
// tests, the programs were written anew.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sched/trust.h"
#include "support/weak_programs.h"
#include "support/weak_run.h"

namespace plumb::sched {
namespace {

using oracle::WeakProgram;
using oracle::WeakThread;
using test_support::add;
using test_support::compare_exchange;
using test_support::fence;
using test_support::kAcquire;
using test_support::kRelease;
using test_support::kSc;
using test_support::kX;
using test_support::kY;
using test_support::kZ;
using test_support::load;
using test_support::lock;
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

struct Litmus {
  const char* name;
  WeakProgram program;
  std::size_t sc, rc11;
};

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
    {"2+2W+3sc+rel1",
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
    {"S+rel+acq, always",
     program({{store(kX, 2), store(kY, 1, kRelease)},
              {load(kY, kAcquire), store(kX, 1)}}),
     3, 3},
    {"three updates", program({{add(kX)}, {add(kX)}, {add(kX)}}), 6, 6},
};

TEST(Litmus, CountsTheGraphsOfLitmusTestsAsOthersDo) {
  for (const Litmus& litmus : kLitmusTests) {
    EXPECT_EQ(count(litmus.program, MemoryModel::kSc), litmus.sc)
        << litmus.name;
    EXPECT_EQ(count(litmus.program, MemoryModel::kRc11), litmus.rc11)
        << litmus.name;
  }
}

TEST(Litmus, ReordersOnlyStoresAndLaterLoadsUnderTso) {
  for (const Litmus& litmus : kLitmusTests) {
    const std::string name = litmus.name;
    const bool is_weak =
        name == "SB" || name == "SB+rfis" || name == "SB+3sc+rel";
    EXPECT_EQ(count(litmus.program, MemoryModel::kTso),
              litmus.sc + (is_weak ? 1u : 0u))
        << name;
  }
}

// The thread goes on only if its first step reads an odd value.
WeakProgram if_odd(std::size_t thread, WeakProgram program) {
  program[thread][0].next[0] = -1;
  return program;
}

const std::vector<Litmus> kMoreLitmusTests = {
    {"2+2W+2sc+scf",
     program({{store(kX, 1, kSc), store(kY, 2, kSc)},
              {store(kY, 1), fence(kSc), store(kX, 2)}}),
     3, 3},
    {"2+2W+3sc+rel2",
     program({{store(kX, 1, kSc), store(kY, 2, kRelease)},
              {store(kY, 1, kSc), store(kX, 2, kSc)}}),
     3, 4},
    {"2CoWR", program({{store(kX, 1), load(kX)}, {store(kX, 2), load(kX)}}), 4,
     4},
    {"CoRR0", program({{store(kX, 1)}, {load(kX)}, {load(kX)}}), 4, 4},
    {"CoRR1",
     program({{store(kX, 1), store(kX, 2)},
              {load(kX), load(kX)},
              {load(kX), load(kX)}}),
     36, 36},
    {"CoRR2",
     program({{store(kX, 1)},
              {store(kX, 2)},
              {load(kX), load(kX)},
              {load(kX), load(kX)}}),
     72, 72},
    {"CoRW", program({{load(kX), store(kX, 1)}, {store(kX, 2)}}), 3, 3},
    {"LB+acq",
     program({{load(kX, kAcquire), store(kY, 1)}, {load(kY), store(kX, 1)}}), 3,
     3},
    {"LB+rel",
     program({{load(kX), store(kY, 1, kRelease)}, {load(kY), store(kX, 1)}}), 3,
     3},
    {"MP+rel+acq",
     if_odd(1, program({{store(kX, 1), store(kY, 1, kRelease)},
                        {load(kY, kAcquire), load(kX)}})),
     2, 2},
    {"MP+rel+acqf",
     if_odd(1, program({{store(kX, 1), store(kY, 1, kRelease)},
                        {load(kY), fence(kAcquire), load(kX)}})),
     2, 2},
    {"MP+relf+acq",
     if_odd(1, program({{store(kX, 1), fence(kRelease), store(kY, 1)},
                        {load(kY, kAcquire), load(kX)}})),
     2, 2},
    {"MP+relf+acqf",
     if_odd(1, program({{store(kX, 1), fence(kRelease), store(kY, 1)},
                        {load(kY), fence(kAcquire), load(kX)}})),
     2, 2},
    {"S+rel+acq",
     if_odd(1, program({{store(kX, 2), store(kY, 1, kRelease)},
                        {load(kY, kAcquire), store(kX, 1)}})),
     2, 2},
    {"S+rel+acqf",
     if_odd(1, program({{store(kX, 2), store(kY, 1, kRelease)},
                        {load(kY), fence(kAcquire), store(kX, 1)}})),
     2, 2},
    {"S+relf+acq",
     if_odd(1, program({{store(kX, 2), fence(kRelease), store(kY, 1)},
                        {load(kY, kAcquire), store(kX, 1)}})),
     2, 2},
    {"S+relf+acqf",
     if_odd(1, program({{store(kX, 2), fence(kRelease), store(kY, 1)},
                        {load(kY), fence(kAcquire), store(kX, 1)}})),
     2, 2},
    {"W+JW", program({{store(kX, 1), store(kX, 2)}}), 1, 1},
    {"W+RRR+W",
     program({{store(kX, 1)}, {load(kX), load(kX), load(kX)}, {store(kX, 2)}}),
     20, 20},
    {"Z6+acq",
     program({{store(kX, 1), store(kY, 1, kRelease)},
              {load(kY, kAcquire), store(kZ, 1, kRelease)},
              {load(kZ, kAcquire), store(kX, 2)}}),
     7, 7},
    {"casdep",
     program({{compare_exchange(kX, 0, 1)}, {compare_exchange(kX, 0, 2)}}), 2,
     2},
    {"cii", program({{compare_exchange(kX, 0, 1)}, {add(kX)}, {add(kX)}}), 6,
     6},
    {"rii", program({{load(kX), add(kX)}, {add(kX)}}), 3, 3},
    {"riwi", program({{add(kX)}, {store(kX, 1), add(kX)}}), 3, 3},
    {"inc2w", program({{add(kX)}, {store(kX, 1)}, {store(kX, 2)}}), 6, 6},
    {"rinc+wr", program({{add(kX)}, {store(kX, 1), load(kX)}}), 3, 3},
    {"wcii",
     program(
         {{store(kX, 1)}, {compare_exchange(kX, 1, 2)}, {add(kX)}, {add(kX)}}),
     24, 24},
    {"cumul-release",
     program({{store(kX, 1), fence(kRelease), store(kY, 1)},
              {load(kY), store(kZ, 1)},
              {load(kZ), fence(kAcquire), load(kX)}}),
     7, 8},
    {"relacq-B-cumul",
     program({{store(kX, 1), store(kY, 1, kRelease)},
              {load(kY), store(kZ, 1, kRelease)},
              {load(kZ, kAcquire), load(kX)}}),
     7, 8},
    {"peterZ",
     program({{store(kX, 1), store(kY, 1, kRelease)},
              {load(kY, kAcquire), fence(kSc), load(kZ)},
              {store(kZ, 1), fence(kSc), load(kX)}}),
     7, 7},
    {"default", program({{store(kX, 1)}, {store(kX, 2)}, {load(kX), load(kX)}}),
     12, 12},
    {"small0", program({{store(kX, 1), load(kX)}, {store(kX, 2)}, {load(kX)}}),
     9, 9},
    {"small1", program({{store(kX, 1)}, {load(kX)}, {load(kX)}, {load(kX)}}), 8,
     8},
    {"detour", program({{store(kX, 1)}, {load(kX), store(kX, 2)}, {load(kX)}}),
     9, 9},
    {"fr+w+w+w+reads",
     program({{store(kX, 1)},
              {store(kX, 2)},
              {store(kX, 3)},
              {load(kX), load(kX), load(kX), load(kX)}}),
     210, 210},
    {"inc+inc+RR+W+RR",
     program({{add(kX)},
              {add(kX)},
              {load(kX), load(kX)},
              {store(kX, 4)},
              {load(kX), load(kX)}}),
     600, 600},
    // A later store of the same thread does not continue a release sequence.
    {"relseq",
     program({{store(kX, 1), store(kY, 1, kRelease), store(kY, 2)},
              {add(kY)},
              {load(kY, kAcquire), load(kX)}}),
     16, 20},
};

TEST(Litmus, HasAsManyGraphsWithBranchesUpdatesAndFences) {
  for (const Litmus& litmus : kMoreLitmusTests) {
    EXPECT_EQ(count(litmus.program, MemoryModel::kSc), litmus.sc)
        << litmus.name;
    EXPECT_EQ(count(litmus.program, MemoryModel::kRc11), litmus.rc11)
        << litmus.name;
  }
}

// Programs that grow: counts for the first size, and for those that follow, in
// sc and in rc11.
struct Family {
  const char* name;
  int first;
  std::vector<std::size_t> sc, rc11;
  WeakThread (*thread)(int number, int all);
  WeakThread beside = {};  // one more thread
};
const std::vector<Family> kFamilies = {
    {"ainc",
     2,
     {2, 6, 24, 120, 720},
     {2, 6, 24, 120, 720},
     [](int, int) -> WeakThread { return {add(kX)}; }},
    {"binc",
     2,
     {4, 36, 576},
     {4, 36, 576},
     [](int, int) -> WeakThread {
       return {add(kX), add(kY)};
     }},
    {"cinc",
     2,
     {8, 216, 13824},
     {8, 216, 13824},
     [](int, int) -> WeakThread {
       return {add(kX), add(kY), add(kZ)};
     }},
    {"inc",
     2,
     {4, 36, 576},
     {4, 36, 576},
     [](int i, int) -> WeakThread {
       return {load(kX), store(kX, i + 1)};
     }},
    {"rw",
     2,
     {4, 36, 576},
     {4, 36, 576},
     [](int i, int) -> WeakThread {
       return {store(kX, i + 1), load(kX)};
     }},
    {"cas",
     2,
     {2, 3, 4, 5},
     {2, 3, 4, 5},
     [](int, int) -> WeakThread { return {compare_exchange(kX, 0, 1)}; }},
    {"casrot",
     2,
     {2, 5, 14, 43, 144, 523},
     {2, 5, 14, 43, 144, 523},
     [](int i, int) -> WeakThread { return {compare_exchange(kX, i, i + 1)}; }},
    {"casw",
     2,
     {6, 66, 1200},
     {6, 66, 1200},
     [](int i, int all) -> WeakThread {
       return {compare_exchange(kX, 0, i + 1), store(kX, all + i + 1)};
     }},
    {"wcas",
     2,
     {5, 13, 33, 81, 193, 449},
     {5, 13, 33, 81, 193, 449},
     [](int, int) -> WeakThread { return {compare_exchange(kX, 1, 2)}; },
     {store(kX, 1)}},
    {"wainc",
     2,
     {6, 24, 120},
     {6, 24, 120},
     [](int, int) -> WeakThread { return {add(kX)}; },
     {store(kX, 1)}},
    {"readers",
     8,
     {256},
     {256},
     [](int, int) -> WeakThread { return {load(kX)}; },
     {store(kX, 1)}},
    {"N-writers",
     6,
     {720},
     {720},
     [](int i, int) -> WeakThread { return {store(kX, i + 1)}; }},
    {"lockinc",
     2,
     {2, 6, 24, 120},
     {2, 6, 24, 120},
     [](int, int) -> WeakThread {
       return {lock(kZ), add(kX), unlock(kZ)};
     }},
    {"lock2inc",
     2,
     {2, 6, 24, 120},
     {2, 6, 24, 120},
     [](int, int) -> WeakThread {
       return {lock(kZ), add(kX), add(kY), unlock(kZ)};
     }},
    {"N-writes-lock",
     2,
     {2, 6, 24},
     {2, 6, 24},
     [](int i, int) -> WeakThread {
       return {lock(kZ), store(kX, i + 1), unlock(kZ)};
     }},
    {"binc-locks",
     2,
     {4, 36, 576},
     {4, 36, 576},
     [](int, int) -> WeakThread {
       constexpr int kOther = 3;
       return {lock(kZ),     add(kX), unlock(kZ),
               lock(kOther), add(kY), unlock(kOther)};
     }},
};

TEST(Litmus, GrowsAsOthersHaveIt) {
  for (const Family& family : kFamilies) {
    for (std::size_t i = 0; i < family.sc.size(); ++i) {
      const int size = family.first + static_cast<int>(i);
      std::vector<WeakThread> threads;
      if (!family.beside.empty()) threads.push_back(family.beside);
      for (int t = 0; t < size; ++t) {
        threads.push_back(family.thread(t, size));
      }
      const WeakProgram all = program(threads);
      EXPECT_EQ(count(all, MemoryModel::kSc), family.sc[i])
          << family.name << ' ' << size;
      EXPECT_EQ(count(all, MemoryModel::kRc11), family.rc11[i])
          << family.name << ' ' << size;
    }
  }
}

}  // namespace
}  // namespace plumb::sched
