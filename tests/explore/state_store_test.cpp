// SPDX-License-Identifier: Apache-2.0
#include "explore/state_store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace plumb::explore {
namespace {

using lts::StateBytes;
using lts::StateView;

std::size_t below(std::size_t bound, std::mt19937& random) {
  return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
}

StateBytes random_bytes(std::size_t length, std::size_t symbols,
                        std::mt19937& random) {
  StateBytes bytes(length);
  for (auto& byte : bytes) {
    byte = static_cast<std::uint8_t>(below(symbols, random));
  }
  return bytes;
}

StateBytes number(std::uint64_t n, std::size_t length) {
  StateBytes bytes(length);
  for (std::size_t i = 0; i < std::min<std::size_t>(8, length); ++i) {
    bytes[i] = static_cast<std::uint8_t>(n >> 8 * i);
  }
  return bytes;
}

StateBytes copy(StateView view) {
  return {view.begin(), view.end()};
}

// Inserts `states` and compares all that the store says with a std::map.
void compare_with_a_map(const std::vector<StateBytes>& states) {
  StateStore store;
  std::map<StateBytes, StateId> model;
  std::vector<StateView> views;
  for (const StateBytes& state : states) {
    const auto [entry, is_new] =
        model.try_emplace(state, static_cast<StateId>(model.size()));
    ASSERT_EQ(store.find(state), is_new ? kNoState : entry->second);
    const auto inserted = store.insert(state);
    ASSERT_EQ(inserted.id, entry->second);
    ASSERT_EQ(inserted.is_new, is_new);
    if (is_new) views.push_back(store[inserted.id]);
    ASSERT_EQ(store.size(), model.size());
  }
  for (const auto& [state, id] : model) {
    ASSERT_EQ(copy(store[id]), state);
    ASSERT_EQ(store[id].data(), views[id].data()) << "it moved";
    ASSERT_EQ(store.find(state), id);
  }
  EXPECT_FALSE(store.full());
}

TEST(StateStore, NumbersStatesInOrderOfFirstInsertion) {
  StateStore store;
  EXPECT_EQ(store.insert(StateBytes{7, 0}).id, 0u);
  EXPECT_EQ(store.insert(StateBytes{8, 0}).id, 1u);
  const auto again = store.insert(StateBytes{7, 0});
  EXPECT_EQ(again.id, 0u);
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(store.size(), 2u);
}

TEST(StateStore, TellsTheEmptyStateFromZeros) {
  StateStore store;
  EXPECT_TRUE(store.insert(StateBytes{}).is_new);
  EXPECT_FALSE(store.insert(StateBytes{}).is_new);
  for (std::size_t n = 1; n < 100; ++n) {
    EXPECT_TRUE(store.insert(StateBytes(n, 0)).is_new) << n;
  }
  EXPECT_TRUE(store[0].empty());
  EXPECT_EQ(store[99].size(), 99u);
}

TEST(StateStore, AgreesWithAMapOnStatesOfOneLength) {
  std::mt19937 random(1);
  for (std::size_t length : {0u, 1u, 2u, 3u, 4u, 7u, 8u, 9u, 12u, 16u, 17u, 32u,
                             33u, 60u, 64u, 65u, 300u}) {
    std::vector<StateBytes> states;
    for (int i = 0; i < 3000; ++i) {
      states.push_back(random_bytes(length, 2, random));
    }
    compare_with_a_map(states);
  }
}

TEST(StateStore, AgreesWithAMapOnStatesOfManyLengths) {
  std::mt19937 random(2);
  for (std::size_t longest : {2u, 10u, 50u, 300u, 3000u}) {
    std::vector<StateBytes> states;
    for (int i = 0; i < 4000; ++i) {
      const std::size_t length = below(longest + 1, random);
      states.push_back(random_bytes(length, 1 + below(3, random), random));
    }
    compare_with_a_map(states);
  }
}

TEST(StateStore, AgreesWithAMapWhenASecondLengthComesLate) {
  std::mt19937 random(3);
  for (std::size_t first : {0u, 1u, 27u, 28u, 29u, 1000u, 5000u}) {
    std::vector<StateBytes> states;
    for (std::size_t i = 0; i < first; ++i) states.push_back(number(i, 12));
    for (int i = 0; i < 300; ++i) {
      states.push_back(random_bytes(below(14, random), 2, random));
    }
    compare_with_a_map(states);
  }
}

// Chunks end inside blocks of ids, and states are longer than a chunk.
TEST(StateStore, KeepsStatesLongerThanAnyBlock) {
  std::mt19937 random(4);
  std::vector<StateBytes> states;
  for (std::size_t length :
       {65534u, 65535u, 65536u, 70000u, 3u, 9000000u, 5u, 66000u}) {
    states.push_back(random_bytes(length, 256, random));
    states.push_back(states[below(states.size(), random)]);
  }
  for (int i = 0; i < 400; ++i) {
    states.push_back(random_bytes(30000 + below(40, random), 256, random));
  }
  compare_with_a_map(states);
}

TEST(StateStore, KeepsManyLongStatesOfOneLength) {
  StateStore store;
  for (std::uint64_t i = 0; i < 5; ++i) {
    ASSERT_EQ(store.insert(number(i, 9000000)).id, i);
  }
  for (std::uint64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(store.find(number(i, 9000000)), i);
  }
}

TEST(StateStore, KeepsAMillionStatesThroughAllGrowth) {
  for (const bool varied : {false, true}) {
    const auto state = [varied](std::uint64_t i) {
      return number(i * 0x10001, varied ? 8 + i % 9 : 11);
    };
    StateStore store;
    for (std::uint64_t i = 0; i < 1'000'000; ++i) {
      ASSERT_EQ(store.insert(state(i)).id, i);
    }
    for (std::uint64_t i = 0; i < 1'000'000; ++i) {
      ASSERT_EQ(store.find(state(i)), i);
      ASSERT_EQ(copy(store[static_cast<StateId>(i)]), state(i));
    }
    EXPECT_EQ(store.find(state(1'000'000)), kNoState);
    EXPECT_LT(store.bytes(), 26'000'000u);
  }
}

TEST(StateStore, IsEmptyAndUsefulAfterBeingMovedFrom) {
  for (const bool varied : {false, true}) {
    StateStore first;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      first.insert(number(i, varied ? 2 + i % 3 : 3));
    }
    const StateView view = first[500];
    StateStore second(std::move(first));
    EXPECT_EQ(second.size(), 1000u);
    EXPECT_EQ(second[500].data(), view.data());
    EXPECT_EQ(second.find(number(999, varied ? 2 : 3)), 999u);
    EXPECT_EQ(first.size(), 0u);  // NOLINT: moved from, on purpose
    EXPECT_EQ(first.find(number(1, 3)), kNoState);
    EXPECT_EQ(first.insert(number(77, 5)).id, 0u);
    EXPECT_EQ(first.insert(number(78, 5)).id, 1u);
    first = std::move(second);
    EXPECT_EQ(first.size(), 1000u);
    EXPECT_EQ(first.find(number(77, 5)), kNoState);
    EXPECT_EQ(second.size(), 0u);
  }
}

TEST(StateStore, SaysThatItIsFullAndKeepsWhatItHas) {
  StateStore store(100);
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(store.insert(number(i, 4)).is_new);
  }
  EXPECT_FALSE(store.full());
  EXPECT_EQ(store.insert(number(42, 4)).id, 42u);
  EXPECT_FALSE(store.full()) << "nothing was turned away yet";
  const auto refused = store.insert(number(100, 4));
  EXPECT_EQ(refused.id, kNoState);
  EXPECT_FALSE(refused.is_new);
  EXPECT_TRUE(store.full());
  EXPECT_STREQ(store.why_full(), "the limit on states was reached");
  EXPECT_EQ(store.insert(number(42, 4)).id, 42u);
  EXPECT_EQ(store.size(), 100u);
  const StateStore other = std::move(store);
  EXPECT_TRUE(other.full());
  EXPECT_FALSE(store.full());  // NOLINT: moved from, on purpose
}

TEST(StateStore, FindsStatesByHashesMadeBefore) {
  std::mt19937 random(5);
  StateStore store;
  std::set<StateBytes> model;
  for (int round = 0; round < 500; ++round) {
    std::vector<StateBytes> states;
    for (int i = 0; i < 16; ++i) {
      states.push_back(random_bytes(below(40, random), 2, random));
    }
    for (const auto& state : states) store.prefetch(StateStore::hash(state));
    for (const auto& state : states) {
      store.prefetch_match(StateStore::hash(state));
    }
    for (const auto& state : states) {
      EXPECT_EQ(store.insert(state, StateStore::hash(state)).is_new,
                model.insert(state).second);
    }
  }
}

// Sanitizers need more address space than we could take away.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PLUMB_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define PLUMB_SANITIZED
#endif

#ifndef PLUMB_SANITIZED
void fill_until_memory_ends(std::size_t shortest) {
  const rlimit limit = {std::size_t{100} << 20, std::size_t{100} << 20};
  setrlimit(RLIMIT_AS, &limit);
  StateStore store;
  StateStore::Inserted last{};
  std::uint64_t i = 0;
  while ((last = store.insert(number(i, shortest + i % 3))).is_new) ++i;
  const bool is_right =
      last.id == kNoState && store.size() == i && i > 10'000 && store.full() &&
      store.find(number(0, shortest)) == 0 &&
      store.find(number(i - 1, shortest + (i - 1) % 3)) == i - 1;
  std::fputs(store.why_full(), stderr);
  std::exit(is_right ? 0 : 1);
}

TEST(StateStore, SurvivesTheEndOfMemory) {
  EXPECT_EXIT(fill_until_memory_ends(8), ::testing::ExitedWithCode(0),
              "there is no more memory");
  EXPECT_EXIT(fill_until_memory_ends(900), ::testing::ExitedWithCode(0),
              "there is no more memory");
}
#endif  // PLUMB_SANITIZED

// Each bit of a state must reach all parts of the hash that are used.
TEST(ByteString, HashesOfNearStatesDifferInHighAndLowBits) {
  for (std::size_t length : {1u, 3u, 5u, 8u, 12u, 20u, 40u, 70u}) {
    const StateBytes zero(length, 0);
    std::set<std::uint64_t> high = {StateStore::hash(zero) >> 32};
    std::set<std::uint64_t> low = {StateStore::hash(zero) & 0xFFFFFFFF};
    std::size_t count = 1;
    for (std::size_t bit = 0; bit < 8 * length; ++bit, ++count) {
      StateBytes state = zero;
      state[bit / 8] = static_cast<std::uint8_t>(1u << bit % 8);
      high.insert(StateStore::hash(state) >> 32);
      low.insert(StateStore::hash(state) & 0xFFFFFFFF);
    }
    EXPECT_EQ(high.size(), count) << length;
    EXPECT_EQ(low.size(), count) << length;
  }
}

TEST(ByteString, ComparesEveryByte) {
  for (std::size_t length = 0; length < 300; ++length) {
    const StateBytes state(length, 3);
    EXPECT_TRUE(same_bytes(state.data(), StateBytes(length, 3).data(), length));
    for (std::size_t i = 0; i < length; ++i) {
      StateBytes other = state;
      other[i] = 4;
      ASSERT_FALSE(same_bytes(state.data(), other.data(), length))
          << i << " of " << length;
    }
  }
}

TEST(SideTable, GrowsWithoutMoving) {
  SideTable<std::uint32_t> table;
  EXPECT_TRUE(table.empty());
  ASSERT_TRUE(table.push_back(5));
  const std::uint32_t* first = &table[0];
  for (std::uint32_t i = 1; i < 600'000; ++i) ASSERT_TRUE(table.push_back(i));
  EXPECT_EQ(&table[0], first);
  EXPECT_EQ(table[0], 5u);
  for (std::uint32_t i = 1; i < 600'000; ++i) ASSERT_EQ(table[i], i);
  SideTable<std::uint32_t> other = std::move(table);
  EXPECT_EQ(other.size(), 600'000u);
  EXPECT_TRUE(table.empty());  // NOLINT: moved from, on purpose
  EXPECT_TRUE(table.push_back(1));
}

}  // namespace
}  // namespace plumb::explore
