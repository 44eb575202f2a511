// SPDX-License-Identifier: Apache-2.0
#include "runtime/races.h"

#include <gtest/gtest.h>

#include <string>

namespace plumb::testing {
namespace {

using runtime::AccessKind;
using runtime::Race;
using runtime::Races;
using runtime::ThreadId;

enum MemoryOrder { kRelaxed, kConsume, kAcquire, kRelease, kBoth, kSeqCst };

// Places: x and y are words; they lie in the heap.
constexpr std::uintptr_t kX = runtime::kHeap + 160;
constexpr std::uintptr_t kY = runtime::kHeap + 320;
constexpr std::uintptr_t kGlobal = 0x555555559ff8;

// Thread 0 starts threads 1, 2 and 3; then everything is concurrent.
class DataRaces : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(races_.reserve());
    start();
  }

  void start() {
    races_.start_run();
    for (ThreadId child = 1; child <= 3; ++child) races_.spawn(0, child);
  }

  bool read(ThreadId t, std::uintptr_t at, std::size_t size = 8) {
    return races_.read(t, at, size, 0x100 + t) == nullptr;
  }
  bool write(ThreadId t, std::uintptr_t at, std::size_t size = 8) {
    return races_.write(t, at, size, 0x200 + t) == nullptr;
  }
  bool load(ThreadId t, std::uintptr_t at, int order, std::size_t size = 8) {
    return races_.atomic_load(t, at, size, order, 0x300 + t) == nullptr;
  }
  bool store(ThreadId t, std::uintptr_t at, int order, std::size_t size = 8) {
    return races_.atomic_store(t, at, size, order, 0x400 + t) == nullptr;
  }
  bool update(ThreadId t, std::uintptr_t at, int order, std::size_t size = 8) {
    return races_.atomic_update(t, at, size, order, 0x500 + t) == nullptr;
  }

  Races& races_ = runtime::races();
};

TEST_F(DataRaces, AreTwoAccessesOfWhichOneWrites) {
  EXPECT_TRUE(write(1, kX));
  EXPECT_FALSE(write(2, kX));
  start();
  EXPECT_TRUE(write(1, kX));
  EXPECT_FALSE(read(2, kX));
  start();
  EXPECT_TRUE(read(1, kX));
  EXPECT_FALSE(write(2, kX));
  start();
  EXPECT_TRUE(read(1, kX));
  EXPECT_TRUE(read(2, kX));
  EXPECT_TRUE(read(3, kX));
  EXPECT_FALSE(write(3, kX)) << "two others read it";
}

TEST_F(DataRaces, NameBothPartiesAndTheBytesThatTheyShare) {
  races_.write(1, kX + 2, 4, 111);
  const Race* race = races_.read(2, kX, 4, 222);
  ASSERT_NE(race, nullptr);
  EXPECT_EQ(race->address, kX + 2);
  EXPECT_EQ(race->size, 2u);
  EXPECT_EQ(race->thread, 2);
  EXPECT_EQ(race->pc, 222u);
  EXPECT_EQ(race->kind, AccessKind::kRead);
  EXPECT_EQ(race->other, 1);
  EXPECT_EQ(race->other_pc, 111u);
  EXPECT_EQ(race->other_kind, AccessKind::kWrite);
  EXPECT_STREQ(runtime::describe(*race),
               "nothing orders this read and the write before it");
}

TEST_F(DataRaces, ArePlainAccessesWithAtomicOnesToo) {
  EXPECT_TRUE(store(1, kX, kSeqCst));
  EXPECT_TRUE(store(2, kX, kSeqCst)) << "atomic accesses never race";
  EXPECT_FALSE(read(3, kX));
  start();
  EXPECT_TRUE(load(1, kX, kSeqCst));
  EXPECT_TRUE(read(2, kX));
  EXPECT_FALSE(write(3, kX));
  start();
  EXPECT_TRUE(read(1, kX));
  EXPECT_TRUE(load(2, kX, kSeqCst));
  EXPECT_FALSE(update(3, kX, kSeqCst));
  start();
  EXPECT_TRUE(write(1, kX));
  const Race* race = races_.atomic_load(2, kX, 8, kSeqCst, 5);
  ASSERT_NE(race, nullptr);
  EXPECT_EQ(race->kind, AccessKind::kAtomicRead);
}

TEST_F(DataRaces, AreNotBetweenNeighbours) {
  for (std::uintptr_t i = 0; i < 8; ++i) {
    EXPECT_TRUE(write(static_cast<ThreadId>(1 + i % 2), kX + i, 1));
  }
  EXPECT_TRUE(write(1, kY, 4));
  EXPECT_TRUE(write(2, kY + 4, 4));
  EXPECT_TRUE(write(1, kY, 4)) << "again";
  EXPECT_FALSE(read(1, kY, 8)) << "both halves";
}

TEST_F(DataRaces, AreFoundAcrossWordsAndSizes) {
  EXPECT_TRUE(write(1, kX + 15, 1));
  EXPECT_FALSE(read(2, kX, 16));
  start();
  EXPECT_TRUE(write(1, kX + 6, 4)) << "not aligned";
  EXPECT_FALSE(write(2, kX + 8, 1));
  start();
  EXPECT_TRUE(write(1, kX, 1000));
  EXPECT_FALSE(write(2, kX + 999, 1));
  start();
  EXPECT_TRUE(write(1, kX, 1000));
  EXPECT_TRUE(write(2, kX + 1000, 1));
}

TEST_F(DataRaces, AreFoundInMemoryOutsideOfTheHeap) {
  EXPECT_TRUE(write(1, kGlobal, 8));
  EXPECT_TRUE(write(2, kGlobal + 8, 8)) << "on the next page";
  EXPECT_FALSE(write(2, kGlobal, 8));
  start();
  EXPECT_TRUE(write(1, 8, 4)) << "null pointers crash later, by themselves";
}

TEST_F(DataRaces, DoNotOutliveTheExecution) {
  EXPECT_TRUE(write(1, kX));
  EXPECT_TRUE(write(1, kGlobal));
  EXPECT_TRUE(store(1, kY, kRelease));
  start();
  EXPECT_TRUE(write(2, kX));
  EXPECT_TRUE(write(2, kGlobal));
  EXPECT_TRUE(write(2, kY));
}

TEST_F(DataRaces, AreAvoidedByStartingAndJoiningThreads) {
  races_.start_run();
  EXPECT_TRUE(write(0, kX));
  races_.spawn(0, 1);
  EXPECT_TRUE(write(1, kX));
  EXPECT_TRUE(write(0, kY));
  EXPECT_FALSE(write(1, kY)) << "after the start";
  races_.start_run();
  races_.spawn(0, 1);
  EXPECT_TRUE(write(1, kX));
  races_.join(0, 1);
  EXPECT_TRUE(write(0, kX));
}

TEST_F(DataRaces, AreAvoidedByALock) {
  for (const ThreadId t : {ThreadId{1}, ThreadId{2}, ThreadId{1}}) {
    races_.acquire(t, kY);
    EXPECT_TRUE(write(t, kX));
    races_.release(t, kY);
  }
  races_.acquire(0, kY + 4);
  EXPECT_FALSE(read(0, kX)) << "another lock in the same word";
}

// Message passing: x is written, then the flag y is set.
TEST_F(DataRaces, AreAvoidedByReleaseAndAcquire) {
  for (const int release : {kRelaxed, kRelease, kSeqCst}) {
    for (const int acquire : {kRelaxed, kConsume, kAcquire, kSeqCst}) {
      start();
      EXPECT_TRUE(write(1, kX));
      store(1, kY, release);
      load(2, kY, acquire);
      EXPECT_EQ(read(2, kX), release != kRelaxed && acquire != kRelaxed)
          << release << ", " << acquire;
    }
  }
}

TEST_F(DataRaces, AreThereForWhatComesAfterTheRelease) {
  store(1, kY, kRelease);
  EXPECT_TRUE(write(1, kX));
  load(2, kY, kAcquire);
  EXPECT_FALSE(read(2, kX));
}

TEST_F(DataRaces, AreAvoidedByAReleaseSequence) {
  EXPECT_TRUE(write(1, kX));
  store(1, kY, kRelease);
  update(3, kY, kRelaxed);
  load(2, kY, kAcquire);
  EXPECT_TRUE(read(2, kX));
}

// C++17 let stores of the same thread continue it; C++20 does not.
TEST_F(DataRaces, AreNotAvoidedWhenAStoreEndsTheSequence) {
  for (const ThreadId who : {ThreadId{1}, ThreadId{3}}) {
    start();
    EXPECT_TRUE(write(1, kX));
    store(1, kY, kRelease);
    store(who, kY, kRelaxed);
    load(2, kY, kAcquire);
    EXPECT_FALSE(read(2, kX));
  }
  start();
  EXPECT_TRUE(write(1, kX));
  store(1, kY, kRelease);
  races_.join(3, 1);
  EXPECT_TRUE(write(3, kY)) << "plain, and ordered";
  store(3, kY, kRelaxed);
  load(2, kY, kAcquire);
  EXPECT_FALSE(read(2, kX));
}

TEST_F(DataRaces, AreAvoidedByFences) {
  for (const bool released : {false, true}) {
    for (const bool acquired : {false, true}) {
      start();
      EXPECT_TRUE(write(1, kX));
      if (released) races_.fence(1, kRelease);
      store(1, kY, kRelaxed);
      load(2, kY, kRelaxed);
      if (acquired) races_.fence(2, kAcquire);
      EXPECT_EQ(read(2, kX), released && acquired);
    }
  }
  start();
  EXPECT_TRUE(write(1, kX));
  store(1, kY, kRelaxed);
  races_.fence(1, kSeqCst);
  load(2, kY, kAcquire);
  EXPECT_FALSE(read(2, kX)) << "the fence came too late";
}

TEST_F(DataRaces, AreThereForWhatComesAfterTheFence) {
  races_.fence(1, kRelease);
  EXPECT_TRUE(write(1, kX));
  store(1, kY, kRelaxed);
  load(2, kY, kAcquire);
  EXPECT_FALSE(read(2, kX));
}

// A fence of an earlier execution, in which there were more threads, must not
// show through.
TEST_F(DataRaces, AreNotAvoidedByAFenceOfAnEarlierExecution) {
  races_.spawn(0, 4);
  races_.spawn(0, 5);
  for (int i = 0; i < 9; ++i) races_.release(5, kY);
  races_.acquire(1, kY);
  races_.fence(1, kRelease);
  start();
  races_.fence(1, kRelease);
  races_.spawn(0, 4);
  races_.spawn(0, 5);
  EXPECT_TRUE(write(5, kX));
  store(1, kY, kRelaxed);
  load(2, kY, kAcquire);
  EXPECT_FALSE(read(2, kX));
}

// Two halves, and the whole of them: a load of one half takes what an update
// of both released.
TEST_F(DataRaces, AreAvoidedByAtomicsOfSeveralSizes) {
  EXPECT_TRUE(write(1, kX));
  update(1, kY, kBoth, 16);
  load(2, kY + 8, kAcquire, 8);
  EXPECT_TRUE(read(2, kX));
  load(3, kY + 12, kAcquire, 4);
  EXPECT_TRUE(read(3, kX));
}

TEST_F(DataRaces, AreFoundBetweenAFreeAndAnAccess) {
  EXPECT_TRUE(read(1, kX + 8));
  const Race* race = races_.freed(2, kX, 24, 7);
  ASSERT_NE(race, nullptr);
  EXPECT_EQ(race->kind, AccessKind::kFree);
  EXPECT_EQ(race->address, kX + 8);
  start();
  EXPECT_EQ(races_.freed(2, kX, 24, 7), nullptr);
  race = races_.atomic_load(1, kX + 16, 4, kSeqCst, 8);
  ASSERT_NE(race, nullptr);
  EXPECT_EQ(race->other_kind, AccessKind::kFree);
  EXPECT_EQ(race->other_pc, 7u);
}

TEST_F(DataRaces, AreNotBetweenTwoLivesOfABlock) {
  EXPECT_TRUE(write(1, kX));
  store(1, kX + 8, kRelease);
  races_.release(1, kX + 16);
  races_.join(2, 1);
  EXPECT_EQ(races_.freed(2, kX, 24, 7), nullptr);
  races_.allocated(kX, 24);
  EXPECT_TRUE(write(3, kX));
  load(3, kX + 8, kAcquire);
  races_.acquire(3, kX + 16);
  EXPECT_TRUE(write(1, kY));
  EXPECT_FALSE(write(3, kY)) << "nothing of the old life was acquired";
}

// What lets callers leave out all other checks.
TEST_F(DataRaces, AreNoQuestionForAnAccessThatIsKnown) {
  EXPECT_FALSE(races_.knows_read(1, kX, 8));
  EXPECT_TRUE(read(1, kX));
  EXPECT_TRUE(races_.knows_read(1, kX, 8));
  EXPECT_FALSE(races_.knows_write(1, kX, 8));
  EXPECT_FALSE(races_.knows_read(1, kX, 4)) << "other bytes";
  EXPECT_FALSE(races_.knows_read(2, kX, 8)) << "another thread";
  EXPECT_TRUE(write(1, kX));
  EXPECT_TRUE(races_.knows_write(1, kX, 8));
  EXPECT_TRUE(races_.knows_read(1, kX, 8));
  races_.release(1, kY);
  EXPECT_FALSE(races_.knows_write(1, kX, 8)) << "another epoch";
  EXPECT_TRUE(write(1, kX));
  EXPECT_EQ(races_.freed(1, kX, 8, 0), nullptr);
  EXPECT_FALSE(races_.knows_write(1, kX, 8)) << "freed";
  EXPECT_FALSE(races_.knows_read(1, kX, 8)) << "freed";
}

// LIMIT: full tables.  Here every word is read by two threads at once, which
// takes an entry each.
TEST_F(DataRaces, AreNoLongerToldWhenTheTablesAreFull) {
  std::uintptr_t at = kX;
  for (; !races_.missed(); at += 8) {
    ASSERT_LT(at, kX + runtime::kHeapBytes);
    ASSERT_TRUE(load(1, at, kRelaxed));
    ASSERT_TRUE(load(2, at, kRelaxed));
  }
  EXPECT_GT(at - kX, 100'000u * 8);
  EXPECT_TRUE(write(3, kX)) << "a race, but not told";
  start();
  EXPECT_FALSE(races_.missed());
  EXPECT_TRUE(load(1, kX, kRelaxed));
  EXPECT_FALSE(write(3, kX));
}

// LIMIT: the same for memory outside of the heap, of which 16,384 pages are
// watched.
TEST_F(DataRaces, AreNoLongerToldWhenTooManyPagesWereMet) {
  std::uintptr_t at = 0x700000000000;
  for (; !races_.missed(); at += 4096) {
    ASSERT_LT(at, 0x700010000000u);
    ASSERT_TRUE(write(1, at));
  }
  EXPECT_TRUE(write(2, at)) << "a race, but not told";
  start();
  EXPECT_TRUE(write(1, at));
  EXPECT_FALSE(write(2, at));
  EXPECT_FALSE(races_.missed());
}

}  // namespace
}  // namespace plumb::testing
