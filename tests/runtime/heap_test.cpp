// SPDX-License-Identifier: Apache-2.0
#include "runtime/heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace plumb::testing {
namespace {

using runtime::BlockInfo;
using runtime::BlockState;
using runtime::Fault;
using runtime::Freed;
using runtime::Heap;
using runtime::HeapMode;

constexpr HeapMode kModes[] = {HeapMode::kLifo, HeapMode::kFifo,
                               HeapMode::kQuarantine};

Heap& start(HeapMode mode) {
  EXPECT_TRUE(runtime::heap().reserve());
  runtime::heap().start_run(mode);
  return runtime::heap();
}

std::uintptr_t number(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

void* take(Heap& heap, std::size_t bytes, runtime::ThreadId thread = 0) {
  return heap.allocate(thread, bytes, 16, 0);
}

TEST(Heap, GivesTheSameAddressesInEveryExecution) {
  for (const HeapMode mode : kModes) {
    std::vector<void*> first, second;
    for (auto* addresses : {&first, &second}) {
      Heap& heap = start(mode);
      for (std::size_t i = 0; i < 200; ++i) {
        addresses->push_back(take(heap, i % 50));
        if (i % 3 == 2) heap.release(0, addresses->at(i - 1), 0);
      }
    }
    EXPECT_EQ(first, second);
  }
}

// Two threads, in two orders; both free what the other one allocated.
TEST(Heap, GivesAThreadAddressesThatDependOnItsOwnPastOnly) {
  for (const HeapMode mode : kModes) {
    std::vector<void*> got[2][2];
    for (const int order : {0, 1}) {
      Heap& heap = start(mode);
      void* blocks[2] = {take(heap, 24, 0), take(heap, 24, 1)};
      for (const int turn : {0, 1}) {
        const int thread = turn ^ order;
        const auto id = static_cast<runtime::ThreadId>(thread);
        heap.release(id, blocks[1 - thread], 0);
        got[order][thread].push_back(take(heap, 24, id));
        got[order][thread].push_back(take(heap, 24, id));
      }
    }
    EXPECT_EQ(got[0][0], got[1][0]);
    EXPECT_EQ(got[0][1], got[1][1]);
  }
}

TEST(Heap, GivesOutWhatWasFreedLastFirstIfLifo) {
  Heap& heap = start(HeapMode::kLifo);
  void* const a = take(heap, 20);
  void* const b = take(heap, 20);
  heap.release(0, a, 0);
  heap.release(0, b, 0);
  EXPECT_EQ(take(heap, 20), b);
  EXPECT_TRUE(heap.reused());
  EXPECT_EQ(take(heap, 20), a);
  EXPECT_NE(take(heap, 20), a);
  EXPECT_FALSE(heap.reused());
}

TEST(Heap, GivesOutWhatWasFreedFirstFirstIfFifo) {
  Heap& heap = start(HeapMode::kFifo);
  void* const a = take(heap, 20);
  void* const b = take(heap, 20);
  void* const c = take(heap, 20);
  for (void* block : {b, a, c}) heap.release(0, block, 0);
  EXPECT_EQ(take(heap, 20), b);
  EXPECT_EQ(take(heap, 20), a);
  heap.release(0, b, 0);
  EXPECT_EQ(take(heap, 20), c);
  EXPECT_EQ(take(heap, 20), b);
  EXPECT_FALSE(heap.block_of(number(take(heap, 20))).begin == number(a));
}

TEST(Heap, GivesNothingOutTwiceInQuarantine) {
  Heap& heap = start(HeapMode::kQuarantine);
  void* const a = take(heap, 20);
  heap.release(0, a, 0);
  for (int i = 0; i < 100; ++i) EXPECT_NE(take(heap, 20), a);
}

TEST(Heap, PutsWhatAThreadFreesOnItsOwnList) {
  Heap& heap = start(HeapMode::kLifo);
  void* const a = take(heap, 40, 1);
  heap.release(2, a, 0);
  EXPECT_NE(take(heap, 40, 1), a);
  EXPECT_EQ(take(heap, 40, 2), a);
}

TEST(Heap, GivesWhatOneThreadFreesToAnyIfShared) {
  Heap& heap = start(HeapMode::kShared);
  void* const a = take(heap, 40, 1);
  void* const b = take(heap, 40, 2);
  heap.release(1, a, 0);
  heap.release(2, b, 0);
  EXPECT_EQ(take(heap, 40, 3), b);
  EXPECT_EQ(take(heap, 40, 2), a);
  EXPECT_EQ(heap.place_of(heap.block_of(number(a))), heap.place_of(40, 16));
  EXPECT_NE(heap.place_of(40, 16), heap.place_of(400, 16));
}

TEST(Heap, ForgetsItsListsWithTheExecution) {
  Heap& heap = start(HeapMode::kLifo);
  void* const a = take(heap, 32);
  void* const b = take(heap, 32);
  heap.release(0, b, 0);
  start(HeapMode::kLifo);
  EXPECT_EQ(take(heap, 32), a);
  EXPECT_FALSE(heap.reused());
}

TEST(Heap, FillsFreshMemoryAndKeepsTheContentsOfReusedBlocks) {
  Heap& heap = start(HeapMode::kLifo);
  auto* const block = static_cast<unsigned char*>(take(heap, 30));
  EXPECT_TRUE(std::all_of(block, block + 30, [](unsigned char byte) {
    return byte == Heap::kFresh;
  }));
  std::memcpy(block, "old contents", 12);
  heap.release(0, block, 0);
  EXPECT_EQ(std::memcmp(block, "old contents", 12), 0) << "while free";
  EXPECT_EQ(take(heap, 30), block);
  EXPECT_EQ(std::memcmp(block, "old contents", 12), 0);
  // Another execution starts from fresh memory.
  start(HeapMode::kLifo);
  EXPECT_EQ(take(heap, 30), block);
  EXPECT_EQ(block[0], Heap::kFresh);
}

TEST(Heap, OverwritesWhatIsFreedInQuarantine) {
  Heap& heap = start(HeapMode::kQuarantine);
  auto* const block = static_cast<unsigned char*>(take(heap, 30));
  heap.release(0, block, 0);
  EXPECT_TRUE(std::all_of(block, block + 30, [](unsigned char byte) {
    return byte == Heap::kDead;
  }));
}

TEST(Heap, AlignsBlocksAsAsked) {
  Heap& heap = start(HeapMode::kLifo);
  for (std::size_t alignment = 16; alignment <= 1 << 16; alignment *= 2) {
    take(heap, 1);
    for (const std::size_t bytes : {1u, 16u, 100u, 5000u}) {
      void* const block = heap.allocate(0, bytes, alignment, 0);
      ASSERT_EQ(number(block) % alignment, 0u);
      heap.release(0, block, 0);
      EXPECT_EQ(heap.allocate(0, bytes, alignment, 0), block);
    }
  }
  // One that is not aligned enough is not taken.
  void* block = nullptr;
  do {
    block = heap.allocate(0, 48, 32, 0);
  } while (number(block) % 64 == 0);
  heap.release(0, block, 0);
  EXPECT_EQ(number(heap.allocate(0, 48, 64, 0)) % 64, 0u);
  EXPECT_EQ(heap.allocate(0, 48, 32, 0), block);
}

TEST(Heap, TellsEveryWrongFreeFromARightOne) {
  for (const HeapMode mode : kModes) {
    Heap& heap = start(mode);
    auto* const block = static_cast<char*>(take(heap, 40));
    for (int i = 1; i < 40; ++i) {
      EXPECT_EQ(heap.release(0, block + i, 0), Freed::kInterior);
    }
    EXPECT_EQ(heap.release(0, block - 16, 0), Freed::kNotABlock);
    EXPECT_EQ(heap.release(0, block + 40, 0), Freed::kNotABlock);
    EXPECT_EQ(heap.release(0, block + 48, 0), Freed::kNotABlock);
    EXPECT_EQ(heap.release(0, block + 4096, 0), Freed::kNotABlock);
    EXPECT_EQ(heap.release(0, &heap, 0), Freed::kNotABlock);
    EXPECT_EQ(heap.may_release(block), Freed::kOk);
    EXPECT_EQ(heap.release(0, block, 0), Freed::kOk);
    EXPECT_EQ(heap.may_release(block), Freed::kDoubleFree);
    EXPECT_EQ(heap.release(1, block, 0), Freed::kDoubleFree);
    start(mode);
    EXPECT_EQ(heap.release(0, block, 0), Freed::kNotABlock)
        << "of an earlier execution";
  }
}

// All accesses around blocks of all small sizes, against the definition.
TEST(Heap, AllowsAccessesInsideOfBlocksOnly) {
  for (std::size_t size = 0; size <= 40; ++size) {
    Heap& heap = start(HeapMode::kLifo);
    take(heap, 16);
    const std::uintptr_t begin = number(take(heap, size));
    take(heap, 16);
    for (std::uintptr_t at = begin - 16; at < begin + 56; ++at) {
      if (at >= begin + (size + 15) / 16 * 16 + 16 && size > 0) break;
      if (size == 0 && at >= begin + 32) break;
      for (std::size_t bytes = 1; bytes <= 16; ++bytes) {
        const bool fits = at >= begin && at + bytes <= begin + size;
        ASSERT_EQ(heap.check(at, bytes), fits ? Fault::kNone : Fault::kOverflow)
            << bytes << " bytes at " << static_cast<long>(at - begin)
            << " of a block of " << size;
      }
    }
  }
}

TEST(Heap, FindsAccessesWhereNothingWasAllocated) {
  Heap& heap = start(HeapMode::kLifo);
  const std::uintptr_t begin = number(take(heap, 16, 3));
  EXPECT_EQ(heap.check(begin + 1000, 4), Fault::kOverflow);
  EXPECT_EQ(heap.check(begin - runtime::kHeapBytes, 4), Fault::kOverflow)
      << "of a thread that allocated nothing";
  start(HeapMode::kLifo);
  EXPECT_EQ(heap.check(begin, 4), Fault::kOverflow)
      << "of an earlier execution";
  const int local = 0;
  EXPECT_EQ(heap.check(number(&local), 4), Fault::kNone);
  EXPECT_EQ(heap.check(runtime::kHeap - 8, 8), Fault::kNone) << "a stack";
}

TEST(Heap, FindsAccessesToWhatAlignmentLeftOut) {
  Heap& heap = start(HeapMode::kLifo);
  for (int i = 0; i < 300; ++i) take(heap, 16);
  start(HeapMode::kLifo);  // what the side table says of those is old
  const std::uintptr_t small = number(take(heap, 16));
  const std::uintptr_t aligned = number(heap.allocate(0, 16, 4096, 0));
  for (std::uintptr_t at = small + 16; at < aligned; at += 4) {
    ASSERT_EQ(heap.check(at, 4), Fault::kOverflow);
    ASSERT_EQ(heap.block_of(at).begin, small);
  }
}

TEST(Heap, FindsUseAfterFreeInQuarantineOnly) {
  for (const HeapMode mode : kModes) {
    Heap& heap = start(mode);
    void* const block = take(heap, 24);
    heap.release(0, block, 0);
    EXPECT_EQ(heap.check(number(block) + 8, 8), mode == HeapMode::kQuarantine
                                                    ? Fault::kUseAfterFree
                                                    : Fault::kNone);
    EXPECT_EQ(heap.check(number(block) + 24, 8), Fault::kOverflow);
  }
}

TEST(Heap, ChecksAReusedBlockByItsNewSize) {
  Heap& heap = start(HeapMode::kLifo);
  void* const block = take(heap, 32);
  heap.release(0, block, 0);
  ASSERT_EQ(take(heap, 17), block);
  EXPECT_EQ(heap.check(number(block) + 16, 1), Fault::kNone);
  EXPECT_EQ(heap.check(number(block) + 17, 1), Fault::kOverflow);
}

TEST(Heap, KnowsWhoAllocatedAndFreedABlockAndWhere) {
  Heap& heap = start(HeapMode::kQuarantine);
  const std::uintptr_t begin = number(heap.allocate(2, 20, 16, 111));
  BlockInfo info = heap.block_of(begin + 19);
  EXPECT_EQ(info.begin, begin);
  EXPECT_EQ(info.size, 20u);
  EXPECT_EQ(info.state, BlockState::kAllocated);
  EXPECT_EQ(info.allocated_by, 2);
  EXPECT_EQ(info.allocated_at, 111u);
  EXPECT_EQ(info.freed_by, sched::kNoThread);
  heap.release(5, reinterpret_cast<void*>(begin), 222);
  info = heap.block_of(begin);
  EXPECT_EQ(info.state, BlockState::kFreed);
  EXPECT_EQ(info.freed_by, 5);
  EXPECT_EQ(info.freed_at, 222u);
  EXPECT_EQ(heap.block_of(begin + 20).state, BlockState::kRedZone);
  EXPECT_EQ(heap.block_of(begin + 40).begin, begin) << "just behind it";
  EXPECT_EQ(heap.block_of(begin - 1).begin, 0u);
  EXPECT_EQ(heap.block_of(begin + 4096).state, BlockState::kNeverUsed);
}

TEST(Heap, CountsWhatWasNotFreed) {
  Heap& heap = start(HeapMode::kLifo);
  EXPECT_EQ(heap.leaks().blocks, 0u);
  void* const freed = heap.allocate(1, 10, 16, 1);
  heap.allocate(2, 20, 16, 2);
  heap.allocate(2, 30, 16, 3);
  heap.release(2, freed, 0);
  heap.allocate(2, 5, 16, 4);  // takes what was freed
  const runtime::Leaks leaks = heap.leaks();
  EXPECT_EQ(leaks.blocks, 3u);
  EXPECT_EQ(leaks.bytes, 55u);
  EXPECT_EQ(leaks.first.allocated_at, 4u);
  std::vector<std::uintptr_t> pcs;
  heap.each_live([&](const BlockInfo& i) { pcs.push_back(i.allocated_at); });
  EXPECT_EQ(pcs, (std::vector<std::uintptr_t>{4, 2, 3}));
}

TEST(Heap, CountsFreesAndReusesOfASearch) {
  Heap& heap = start(HeapMode::kLifo);
  heap.start_search();
  for (int run = 0; run < 3; ++run) {
    start(HeapMode::kLifo);
    heap.release(0, take(heap, 8), 0);
    heap.release(0, take(heap, 8), 0);
  }
  EXPECT_EQ(heap.frees(), 6u);
  EXPECT_EQ(heap.reuses(), 3u);
}

TEST(Heap, KnowsWhichMemoryWasGivenOut) {
  Heap& heap = start(HeapMode::kFifo);
  const std::uintptr_t a = number(take(heap, 100, 4));
  const std::uintptr_t b = number(take(heap, 100, 2));
  heap.release(4, reinterpret_cast<void*>(a), 0);
  EXPECT_EQ(heap.operations(), 3u);
  std::vector<std::uintptr_t> begins;
  heap.each_used([&](std::uintptr_t begin, std::size_t bytes) {
    begins.push_back(begin);
    EXPECT_GE(bytes, 100u);
    EXPECT_LT(bytes, 200u);
  });
  EXPECT_EQ(begins, (std::vector{b, a}));
  start(HeapMode::kFifo);
  EXPECT_EQ(heap.operations(), 0u);
}

// LIMIT: 64 MiB for each thread and execution.
TEST(Heap, GivesNullWhenAnArenaIsFull) {
  Heap& heap = start(HeapMode::kLifo);
  EXPECT_EQ(take(heap, runtime::kHeapBytes), nullptr);
  EXPECT_EQ(take(heap, ~std::size_t{0}), nullptr);
  int blocks = 0;
  while (take(heap, 4 << 20) != nullptr) ++blocks;
  EXPECT_GE(blocks, 12);
  EXPECT_LT(blocks, 16);
  EXPECT_NE(take(heap, 100, 1), nullptr) << "another thread has its own";
}

// Blocks of all sizes: they never overlap, and hold what was written.
TEST(Heap, KeepsBlocksApart) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    Heap& heap = start(kModes[round % 3]);
    std::map<std::uintptr_t, std::size_t> blocks;
    for (int i = 0; i < 300; ++i) {
      const auto thread = static_cast<runtime::ThreadId>(random() % 3);
      if (!blocks.empty() && random() % 2 == 0) {
        auto victim = blocks.lower_bound(runtime::kHeap +
                                         random() % (3 * runtime::kHeapBytes));
        if (victim == blocks.end()) victim = blocks.begin();
        auto* const bytes = reinterpret_cast<unsigned char*>(victim->first);
        const auto mark = static_cast<unsigned char>(victim->second);
        ASSERT_EQ(std::count(bytes, bytes + victim->second, mark),
                  static_cast<long>(victim->second));
        ASSERT_EQ(heap.release(thread, bytes, 0), Freed::kOk);
        blocks.erase(victim);
        continue;
      }
      const std::size_t size = random() % (std::size_t{1} << random() % 15);
      const std::size_t alignment = std::size_t{16} << random() % 3;
      void* const block = heap.allocate(thread, size, alignment, 0);
      ASSERT_EQ(number(block) % alignment, 0u);
      ASSERT_EQ(heap.size_of(block), size);
      std::memset(block, static_cast<unsigned char>(size), size);
      ASSERT_TRUE(blocks.emplace(number(block), size).second);
    }
    ASSERT_EQ(heap.leaks().blocks, blocks.size());
    for (const auto& [begin, size] : blocks) {
      ASSERT_EQ(heap.check(begin, std::max<std::size_t>(size, 1)),
                size == 0 ? Fault::kOverflow : Fault::kNone);
    }
  }
}

}  // namespace
}  // namespace plumb::testing
