// SPDX-License-Identifier: Apache-2.0
#include "explore/state_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "explore/parent_log.h"
#include "explore/varint.h"

namespace plumb::explore {
namespace {

TEST(Varint, TakesAByteForEachSevenBits) {
  std::uint8_t bytes[kMostVarintBytes];
  for (unsigned bits = 0; bits < 64; ++bits) {
    const std::uint64_t number = std::uint64_t{1} << bits;
    std::uint64_t read = 0;
    const std::uint8_t* const end = write_varint(bytes, number);
    EXPECT_EQ(end - bytes, 1 + static_cast<std::ptrdiff_t>(bits / 7));
    EXPECT_EQ(read_varint(bytes, read), end);
    EXPECT_EQ(read, number);
  }
  std::uint64_t read = 0;
  EXPECT_EQ(write_varint(bytes, UINT64_MAX), bytes + kMostVarintBytes);
  read_varint(bytes, read);
  EXPECT_EQ(read, UINT64_MAX);
}

struct Expected {
  lts::StateBytes state;
  std::uint32_t tag;
};

void expect_front(StateQueue& queue, std::deque<Expected>& expected) {
  const StateQueue::Entry entry = queue.pop();
  ASSERT_TRUE(std::ranges::equal(entry.state, expected.front().state));
  ASSERT_EQ(entry.tag, expected.front().tag);
  expected.pop_front();
}

TEST(StateQueue, GivesStatesInTheirOrder) {
  std::mt19937 random(1);
  StateQueue queue;
  std::deque<Expected> expected;
  for (int i = 0; i < 200'000; ++i) {
    // Longer for a while, then shorter; a state may be larger than a chunk.
    const bool grows = i / 20'000 % 2 == 0;
    if (!expected.empty() && random() % 8 < (grows ? 3u : 5u)) {
      expect_front(queue, expected);
      if (HasFatalFailure()) return;
      continue;
    }
    const std::size_t length = i == 70'000 ? 3 << 20 : random() % 200;
    expected.push_back({lts::StateBytes(length, static_cast<std::uint8_t>(i)),
                        static_cast<std::uint32_t>(random())});
    ASSERT_TRUE(queue.push(expected.back().state, expected.back().tag));
    ASSERT_EQ(queue.size(), expected.size());
  }
  while (!expected.empty()) {
    expect_front(queue, expected);
    if (HasFatalFailure()) return;
  }
  EXPECT_TRUE(queue.empty());
}

TEST(StateQueue, HoldsNoMoreThanWhatWaits) {
  StateQueue queue;
  const lts::StateBytes state(100, 7);
  for (int i = 0; i < 100; ++i) queue.push(state, 1);
  for (int i = 0; i < 100'000; ++i) {
    queue.push(state, 1);
    queue.pop();
  }
  EXPECT_GE(queue.peak_bytes(), 102u * 101);
  EXPECT_LT(queue.peak_bytes(), std::size_t{3} << 20) << "not 10 MB";
}

TEST(StateQueue, ShowsAStateUntilTheNextIsAskedFor) {
  StateQueue queue;
  const lts::StateBytes state(1000, 7), other(1000, 8);
  queue.push(state, 0);
  const StateQueue::Entry entry = queue.pop();
  for (int i = 0; i < 5000; ++i) queue.push(other, 0);
  EXPECT_TRUE(std::ranges::equal(entry.state, state));
}

TEST(ParentLog, TellsHowEachWasReached) {
  std::mt19937 random(2);
  ParentLog log;
  std::vector<ParentLog::Entry> expected;
  std::uint64_t parent = 0;
  for (int i = 0; i < 20'000; ++i) {
    parent += random() % 64 == 0 ? random() % 100'000 : random() % 3;
    const std::uint64_t transition =
        random() % 64 == 0 ? random() : random() % 18;
    expected.push_back({parent, transition});
    ASSERT_TRUE(log.add(expected.back()));
  }
  ASSERT_EQ(log.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); i += 7) {
    ASSERT_EQ(log[i].parent, expected[i].parent) << i;
    ASSERT_EQ(log[i].transition, expected[i].transition) << i;
  }
}

TEST(ParentLog, TakesAByteForMostEntries) {
  ParentLog log;
  for (std::uint64_t i = 0; i < 100'000; ++i) log.add({i, i % 15});
  EXPECT_LT(log.bytes(), 102'000u);
}

}  // namespace
}  // namespace plumb::explore
