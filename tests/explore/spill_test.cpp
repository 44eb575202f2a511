// SPDX-License-Identifier: Apache-2.0
#include "explore/spill.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/budget.h"
#include "explore/memory.h"
#include "explore/shared_store.h"

namespace plumb::explore {
namespace {

using lts::StateBytes;

constexpr std::size_t kMega = std::size_t{1} << 20;

// Sanitizers take memory of their own.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PLUMB_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PLUMB_SANITIZED
#endif

class SpillTest : public ::testing::Test {
 protected:
  void TearDown() override {
    Spill::disable();
    std::filesystem::remove_all(folder_);
  }
  SpillTest() { std::filesystem::create_directories(folder_); }

  // In a process of its own, which is given a folder: what other tests have
  // left in the heap would be measured, too.
  void expect_right_alone(void (*test)(const std::string& folder)) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
          test(folder_);
          TearDown();
          std::fputs(HasFailure() ? "wrong" : "right", stderr);
          std::_Exit(HasFailure() ? 1 : 0);
        },
        ::testing::ExitedWithCode(0), "right");
  }

  const std::string folder_ = std::filesystem::temp_directory_path() /
                              ("plumb_spill_test_" + std::to_string(getpid()));
};

StateBytes number(std::uint64_t n, std::size_t length) {
  StateBytes bytes(length);
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<std::uint8_t>(n >> 8 * i);
  }
  return bytes;
}

// Numbers up to about i, most of them near i, as states are found again.
std::uint64_t pick(std::uint64_t i) {
  const std::uint64_t scattered = i * 0x9E3779B97F4A7C15 >> 40;
  return i % 8 == 0 ? scattered % (i / 3 + 1) : i / 3 + scattered % 1000;
}

// All ids that one thread gets, and the largest resident memory on the way.
struct Filled {
  std::vector<StateId> ids;
  std::size_t most = 0;
};
Filled fill(SharedStore& store, std::uint64_t count, std::size_t length) {
  Filled run;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t n = pick(i);
    run.ids.push_back(store.insert(number(n, length + n % 2)).id);
    if (i % 1000 == 0) run.most = std::max(run.most, resident_bytes());
  }
  return run;
}

void fill_in_less_memory(const std::string& folder) {
  constexpr std::uint64_t kCount = 600'000;
  auto plain = std::make_unique<SharedStore>();
  const Filled expected = fill(*plain, kCount, 200);
  const std::size_t size = plain->size();
  ASSERT_GT(plain->bytes(), 40 * kMega);
  plain.reset();
  const std::size_t before = resident_bytes();
  ASSERT_EQ(Spill::enable(folder, before + 16 * kMega), "");
  SharedStore store;
  const Filled run = fill(store, kCount, 200);
  EXPECT_EQ(run.ids, expected.ids);
  EXPECT_EQ(store.size(), size);
  EXPECT_TRUE(Spill::is_used());
  EXPECT_GT(Spill::bytes_on_disk(), 20 * kMega);
#ifndef PLUMB_SANITIZED
  // The ids that are kept here count too.
  EXPECT_LT(run.most, before + 24 * kMega);
#endif
  for (std::uint64_t i = 0; i < kCount; i += 7) {
    const std::uint64_t n = pick(i);
    const StateBytes state = number(n, 200 + n % 2);
    ASSERT_EQ(store.find(state), run.ids[i]);
    ASSERT_TRUE(std::ranges::equal(store[run.ids[i]], state));
  }
}

TEST_F(SpillTest, GivesTheSameIdsInLessMemory) {
  expect_right_alone(fill_in_less_memory);
}

// Threads that find another one at work on the pages must not go on filling
// memory meanwhile: that one may be off its core for long.
void fill_by_threads_in_less_memory(const std::string& folder) {
  const std::size_t before = resident_bytes();
  ASSERT_EQ(Spill::enable(folder, before + 16 * kMega), "");
  constexpr std::size_t kThreads = 8;
  SharedStore store({.threads = kThreads});
  std::atomic<std::size_t> most = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&store, &most, t] {
      const SharedStore::Session session(store);
      for (std::uint64_t i = 0; i < 60'000; ++i) {
        const StateBytes state = number(i * kThreads + t, 200);
        store.insert(t, state, SharedStore::hash(state), {});
        if (i % 100 != 0) continue;
        const std::size_t now = resident_bytes();
        std::size_t was = most;
        while (now > was && !most.compare_exchange_weak(was, now)) continue;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(Spill::is_used());
  EXPECT_EQ(store.size(), 60'000 * kThreads);
#ifndef PLUMB_SANITIZED
  EXPECT_LT(most, before + 24 * kMega);
#endif
}

TEST_F(SpillTest, ThreadsTogetherStayWithinTheLimit) {
  expect_right_alone(fill_by_threads_in_less_memory);
}

TEST_F(SpillTest, WorksWithSeveralThreads) {
  ASSERT_EQ(Spill::enable(folder_, resident_bytes() + 12 * kMega), "");
  SharedStore store({.threads = 3});
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&store, t] {
      const SharedStore::Session session(store);
      for (std::uint64_t i = 0; i < 150'000; ++i) {
        const StateBytes state = number(i, 100 + i % 3);
        const auto got = store.insert(t, state, SharedStore::hash(state),
                                      {static_cast<std::uint32_t>(i), 0});
        ASSERT_NE(got.id, kNoState);
        ASSERT_EQ(store.entry(got.id).a, i);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(Spill::is_used());
  EXPECT_EQ(store.size(), 150'000u);
  for (std::uint64_t i = 0; i < 150'000; ++i) {
    const StateBytes state = number(i, 100 + i % 3);
    const StateId id = store.find(state);
    ASSERT_NE(id, kNoState);
    ASSERT_TRUE(std::ranges::equal(store[id], state));
    ASSERT_EQ(store.entry(id).a, i);
  }
}

TEST_F(SpillTest, BlocksKeepTheirAddressesAndContents) {
  ASSERT_EQ(Spill::enable(folder_, resident_bytes() + 6 * kMega), "");
  std::vector<Memory> blocks;
  for (std::uint8_t i = 0; i < 20; ++i) {
    blocks.emplace_back(2 * kMega);
    ASSERT_TRUE(blocks.back());
    std::fill_n(blocks.back().data(), blocks.back().size(), i);
    Spill::keep_within_limit();
    Spill::move();
  }
  EXPECT_TRUE(Spill::is_used());
  for (std::uint8_t i = 0; i < 20; ++i) {
    EXPECT_EQ(
        std::count(blocks[i].data(), blocks[i].data() + blocks[i].size(), i),
        static_cast<std::ptrdiff_t>(blocks[i].size()));
  }
  const std::size_t on_disk = Spill::bytes_on_disk();
  blocks.clear();
  EXPECT_GE(on_disk, 30 * kMega);
  EXPECT_EQ(Spill::bytes_on_disk(), 0u) << "space is given back";
  const Memory fresh(3 * kMega);
  EXPECT_EQ(std::count(fresh.data(), fresh.data() + fresh.size(), 0),
            static_cast<std::ptrdiff_t>(fresh.size()));
}

TEST_F(SpillTest, LeavesNoFileBehind) {
  ASSERT_EQ(Spill::enable(folder_, kMega), "");
  const Memory block(4 * kMega);
  ASSERT_TRUE(block);
  EXPECT_TRUE(Spill::is_used());
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(SpillTest, SaysWhyThereCanBeNoFile) {
  EXPECT_EQ(Spill::enable(folder_ + "/none", kMega),
            "no file can be made in '" + folder_ +
                "/none': No such file or directory");
  EXPECT_FALSE(Spill::is_enabled());
  const std::string file = folder_ + "/file";
  std::fclose(std::fopen(file.c_str(), "w"));
  EXPECT_EQ(Spill::enable(file, kMega),
            "no file can be made in '" + file + "': Not a directory");
  EXPECT_NE(Spill::enable("/proc", kMega), "");
}

// The same as on a full disk: a file cannot grow.
void fill_until_the_disk_ends(const std::string& folder) {
  const rlimit limit = {60 * kMega, 60 * kMega};
  setrlimit(RLIMIT_FSIZE, &limit);
  if (!Spill::enable(folder, resident_bytes() + 10 * kMega).empty()) {
    std::exit(2);
  }
  SharedStore store;
  std::uint64_t i = 0;
  while (store.insert(number(i, 100)).is_new) ++i;
  const bool is_right = store.full() && store.size() == i && i > 200'000 &&
                        store.find(number(0, 100)) == 0 &&
                        store.find(number(i - 1, 100)) == i - 1;
  std::fputs(store.why_full(), stderr);
  std::exit(is_right ? 0 : 1);
}

TEST_F(SpillTest, AFullDiskIsAnAnswer) {
  EXPECT_EXIT(fill_until_the_disk_ends(folder_), ::testing::ExitedWithCode(0),
              "there is no more memory or disk space");
}

}  // namespace
}  // namespace plumb::explore
