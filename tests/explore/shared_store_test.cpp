// SPDX-License-Identifier: Apache-2.0
#include "explore/shared_store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace plumb::explore {
namespace {

using lts::StateBytes;
using lts::StateView;

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

// What a state is like, in a test: its length for each number.
using Lengths = std::size_t (*)(std::uint64_t);
std::size_t uniform(std::uint64_t) {
  return 11;
}
std::size_t varied(std::uint64_t i) {
  return 4 + i % 29;
}
std::size_t late(std::uint64_t i) {
  return i < 20'000 ? 7 : 4 + i % 9;
}
std::size_t rarely_long(std::uint64_t i) {
  return i % 5000 == 4999 ? 300 + i % 7000 : 5 + i % 3;
}
std::size_t long_and_uniform(std::uint64_t) {
  return 400;
}
constexpr Lengths kLengths[] = {uniform, varied, late, rarely_long,
                                long_and_uniform};

// Inserts `states` and compares all that the store says with a std::map.
void compare_with_a_map(const std::vector<StateBytes>& states) {
  SharedStore store;
  std::map<StateBytes, StateId> model;
  std::vector<StateView> views;
  std::vector<StateBytes> copies;
  for (const StateBytes& state : states) {
    const auto [entry, is_new] =
        model.try_emplace(state, static_cast<StateId>(model.size()));
    ASSERT_EQ(store.find(state), is_new ? kNoState : entry->second);
    const auto inserted = store.insert(state);
    ASSERT_EQ(inserted.id, entry->second);
    ASSERT_EQ(inserted.is_new, is_new);
    if (is_new) {
      views.push_back(store[inserted.id]);
      copies.push_back(state);
    }
    ASSERT_EQ(store.size(), model.size());
  }
  std::size_t bytes = 0;
  for (const auto& [state, id] : model) {
    ASSERT_EQ(copy(store[id]), state);
    ASSERT_EQ(copy(views[id]), copies[id]) << "a view is no longer valid";
    ASSERT_EQ(store.find(state), id);
    bytes += state.size();
  }
  EXPECT_EQ(store.state_bytes(), bytes);
  EXPECT_FALSE(store.full());
}

TEST(SharedStore, AgreesWithAMap) {
  std::mt19937 random(1);
  for (const Lengths length : kLengths) {
    std::vector<StateBytes> states;
    for (int i = 0; i < 30'000; ++i) {
      const std::uint64_t n = random() % (1 + static_cast<unsigned>(i));
      states.push_back(number(n, length(n)));
    }
    compare_with_a_map(states);
  }
}

TEST(SharedStore, AgreesWithAMapOnShortStatesOfManyLengths) {
  std::mt19937 random(2);
  for (const std::size_t longest : {0u, 1u, 3u, 14u, 254u, 255u, 256u, 5000u}) {
    std::vector<StateBytes> states;
    for (int i = 0; i < 3000; ++i) {
      StateBytes state(random() % (longest + 1));
      for (auto& byte : state) byte = static_cast<std::uint8_t>(random() % 2);
      states.push_back(state);
    }
    compare_with_a_map(states);
  }
}

TEST(SharedStore, ChangesItsLayoutAfterAnyNumberOfStates) {
  for (const std::size_t first : {1u, 55u, 56u, 57u, 1000u}) {
    for (const std::size_t length : {12u, 0u, 255u, 256u}) {
      std::vector<StateBytes> states;
      for (std::size_t i = 0; i < first; ++i) states.push_back(number(i, 12));
      for (std::size_t i = 0; i < 5; ++i) {
        states.push_back(number(i + first, length));
      }
      for (std::size_t i = 0; i < 300; ++i) {
        states.push_back(number(i, 3 + i % 3));
      }
      compare_with_a_map(states);
    }
  }
}

TEST(SharedStore, KeepsStatesLongerThanAnyChunk) {
  std::vector<StateBytes> states;
  for (const std::size_t length : {70'000u, 3u, 9'000'000u, 5u, 8'388'608u}) {
    for (std::uint64_t i = 0; i < 2; ++i) states.push_back(number(i, length));
  }
  compare_with_a_map(states);
}

// What one thread inserted, and got.
struct Seen {
  std::uint64_t number;
  SharedStore::Inserted inserted;
};

// Each thread inserts about half of the numbers below `count`, in its own
// order, some of them twice.
std::vector<std::vector<Seen>> insert_from_threads(SharedStore& store,
                                                   std::size_t threads,
                                                   std::uint64_t count,
                                                   Lengths length) {
  std::vector<std::vector<Seen>> seen(threads);
  std::atomic<std::size_t> ready = 0;
  const auto work = [&](std::size_t thread) {
    std::mt19937_64 random(thread);
    ++ready;
    while (ready < threads) std::this_thread::yield();
    const SharedStore::Session session(store);
    for (std::uint64_t i = 0; i < count; ++i) {
      // All threads work in the same region, which moves.
      const std::uint64_t n = std::min(i + random() % 300, count - 1);
      if (random() % 2 == 0) continue;
      const StateBytes state = number(n, length(n));
      const std::uint64_t hash = SharedStore::hash(state);
      store.prefetch(hash);
      store.prefetch_match(hash);
      const auto inserted = store.insert(
          thread, state, hash,
          {static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(thread)});
      seen[thread].push_back({n, inserted});
      if (inserted.id == kNoState) break;
      // What others inserted can be read at once.
      ASSERT_EQ(store.entry(inserted.id).a, n);
      ASSERT_EQ(store.find(state), inserted.id);
      ASSERT_EQ(copy(store[inserted.id]), state);
    }
  };
  std::vector<std::thread> all;
  for (std::size_t t = 0; t < threads; ++t) all.emplace_back(work, t);
  for (auto& thread : all) thread.join();
  return seen;
}

std::vector<StateId> all_ids(const SharedStore& store) {
  StoreMark mark;
  std::vector<StateId> ids;
  for (const IdRange& range : store.added_since(mark)) {
    for (StateId id = range.begin; id < range.end; ++id) ids.push_back(id);
  }
  return ids;
}

// One id for each state, new for exactly one thread, whose entry stays.
void check(const SharedStore& store, const std::vector<std::vector<Seen>>& seen,
           Lengths length) {
  std::map<std::uint64_t, StateId> ids;
  std::map<std::uint64_t, std::size_t> first;
  for (std::size_t t = 0; t < seen.size(); ++t) {
    for (const auto& [n, inserted] : seen[t]) {
      if (inserted.id == kNoState) continue;
      ASSERT_EQ(ids.try_emplace(n, inserted.id).first->second, inserted.id);
      if (inserted.is_new) {
        ASSERT_TRUE(first.try_emplace(n, t).second) << "new twice";
      }
    }
  }
  std::set<StateId> used;
  for (const auto& [n, id] : ids) {
    ASSERT_TRUE(used.insert(id).second) << "two states with one id";
    ASSERT_EQ(copy(store[id]), number(n, length(n)));
    ASSERT_EQ(store.find(number(n, length(n))), id);
    ASSERT_TRUE(first.contains(n));
    ASSERT_EQ(store.entry(id).b, first[n]);
  }
  const std::vector<StateId> all = all_ids(store);
  EXPECT_TRUE(std::ranges::equal(all, used));
  EXPECT_EQ(store.size(), used.size());
  EXPECT_LE(store.end(), used.size() + 56 * seen.size());
}

TEST(SharedStore, ManyThreadsGetOneIdForEachState) {
  for (const Lengths length : kLengths) {
    for (const std::size_t threads : {1u, 2u, 5u}) {
      SharedStore store({.threads = threads});
      const auto seen = insert_from_threads(store, threads, 30'000, length);
      check(store, seen, length);
      EXPECT_FALSE(store.full());
    }
  }
}

TEST(SharedStore, ThreadsThatAreNotInsideHoldNobodyUp) {
  SharedStore store({.threads = 3});
  std::atomic<bool> done = false;
  const auto come_and_go = [&](std::size_t thread) {
    for (std::uint64_t i = 0; !done; ++i) {
      const SharedStore::Session session(store);
      const StateBytes state = number(i % 100, 5);
      store.insert(thread, state, SharedStore::hash(state));
    }
  };
  std::thread often(come_and_go, 1);
  {
    const SharedStore::Session session(store);
    for (std::uint64_t i = 0; i < 100'000; ++i) {  // thread 2 never comes
      const StateBytes state = number(i, 5);
      ASSERT_NE(store.insert(0, state, SharedStore::hash(state)).id, kNoState);
    }
  }
  done = true;
  often.join();
  EXPECT_EQ(store.size(), 100'000u);
}

TEST(SharedStore, TellsWhatWasAddedSince) {
  constexpr std::size_t kThreads = 3;
  SharedStore store({.threads = kThreads});
  StoreMark mark;
  EXPECT_TRUE(store.added_since(mark).empty());
  std::mt19937 random(7);
  std::uint64_t next = 0;
  for (int level = 0; level < 200; ++level) {
    std::set<StateId> added;
    for (std::uint64_t i = random() % 90; i > 0; --i, ++next) {
      const StateBytes state = number(next, 4);
      const SharedStore::Session session(store);
      added.insert(
          store.insert(random() % kThreads, state, SharedStore::hash(state))
              .id);
    }
    std::set<StateId> told;
    StateId last = 0;
    for (const IdRange& range : store.added_since(mark)) {
      EXPECT_TRUE(told.empty() || range.begin > last) << "not merged";
      ASSERT_LT(range.begin, range.end);
      last = range.end;
      for (StateId id = range.begin; id < range.end; ++id) told.insert(id);
    }
    ASSERT_EQ(told, added);
  }
  EXPECT_EQ(store.size(), next);
}

TEST(SharedStore, TakesExactlyAsManyStatesAsItsLimit) {
  for (const Lengths length : {uniform, varied, rarely_long}) {
    for (const StateId limit : {1u, 57u, 100u, 3001u}) {
      for (const std::size_t threads : {1u, 2u, 4u}) {
        SharedStore store({.limit = limit, .threads = threads});
        const auto seen = insert_from_threads(store, threads, 12'000, length);
        check(store, seen, length);
        EXPECT_TRUE(store.full());
        EXPECT_EQ(store.size(), limit);
        EXPECT_STREQ(store.why_full(), "the limit on states was reached");
      }
    }
  }
}

// Thread 1 has a block of ids, and does no more.
TEST(SharedStore, UsesIdsThatAnotherThreadLeft) {
  for (const Lengths length : {uniform, varied}) {
    SharedStore store({.limit = 100, .threads = 2});
    const SharedStore::Session session(store);
    const auto insert = [&](std::size_t thread, std::uint64_t n) {
      const StateBytes state = number(n, length(n));
      return store.insert(thread, state, SharedStore::hash(state)).is_new;
    };
    ASSERT_TRUE(insert(1, 0));
    for (std::uint64_t n = 1; n < 100; ++n) ASSERT_TRUE(insert(0, n)) << n;
    EXPECT_FALSE(insert(0, 100));
    EXPECT_FALSE(insert(1, 101));
    for (std::uint64_t n = 0; n < 100; ++n) {
      const StateBytes state = number(n, length(n));
      ASSERT_NE(store.find(state), kNoState);
      ASSERT_EQ(copy(store[store.find(state)]), state);
    }
  }
}

TEST(SharedStore, IsNotFullBeforeAStateWasTurnedAway) {
  SharedStore store({.limit = 100});
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(store.insert(number(i, 4)).is_new);
  }
  EXPECT_EQ(store.insert(number(42, 4)).id, 42u);
  EXPECT_FALSE(store.full());
  EXPECT_EQ(store.insert(number(100, 4)).id, kNoState);
  EXPECT_TRUE(store.full());
  EXPECT_EQ(store.insert(number(42, 4)).id, 42u);
  EXPECT_EQ(store.insert(number(42, 5)).id, kNoState);
}

TEST(SharedStore, KeepsAMillionStatesInLittleMemory) {
  for (const bool is_varied : {false, true}) {
    const auto state = [is_varied](std::uint64_t i) {
      return number(i * 0x10001, is_varied ? 8 + i % 9 : 11);
    };
    SharedStore store({.has_entries = false});
    for (std::uint64_t i = 0; i < 1'000'000; ++i) {
      ASSERT_EQ(store.insert(state(i)).id, i);
    }
    for (std::uint64_t i = 0; i < 1'000'000; ++i) {
      ASSERT_EQ(store.find(state(i)), i);
    }
    EXPECT_EQ(store.find(state(1'000'000)), kNoState);
    EXPECT_LT(store.bytes(), 23'000'000u);
  }
}

// Sanitizers need more address space than we could take away.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PLUMB_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PLUMB_SANITIZED
#endif

#ifndef PLUMB_SANITIZED
std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * 4096;
}

// With cuts, states are numbers of their parts.
void fill_until_memory_ends(std::size_t threads, std::size_t shortest,
                            const std::vector<std::uint32_t>& cuts = {}) {
  SharedStore store({.threads = threads, .cuts = cuts});
  std::vector<std::thread> all;
  std::atomic<bool> go = false, is_right = true;
  std::atomic<std::size_t> ready = 0;
  std::atomic<std::uint64_t> next = 0;
  for (std::size_t t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      // What a thread needs besides is there before memory ends, however late
      // it comes to run: the states below fit into one that malloc() keeps.
      std::vector<StateBytes> kept;
      for (std::size_t i = 0; i < 3; ++i) {
        kept.push_back(number(t, shortest + i));
      }
      kept.clear();
      const SharedStore::Session session(store);
      ++ready;
      while (!go) std::this_thread::yield();
      while (true) {
        const std::uint64_t i = next++;
        const StateBytes state = number(i, shortest + i % 3);
        const auto got = store.insert(t, state, SharedStore::hash(state));
        if (got.id == kNoState) break;
        if (!got.is_new) is_right = false;
      }
    });
  }
  // The stacks of threads count too, and what malloc() keeps for each.
  while (ready < threads) std::this_thread::yield();
  const std::size_t most = address_space() + (std::size_t{50} << 20);
  const rlimit limit = {most, most};
  setrlimit(RLIMIT_AS, &limit);
  go = true;
  for (auto& thread : all) thread.join();
  const std::size_t size = store.size();
  is_right = is_right && store.full() && size > 10'000 && size < next &&
             size + threads >= next && store.find(number(0, shortest)) < next;
  std::fputs(store.why_full(), stderr);
  std::_Exit(is_right ? 0 : 1);
}

TEST(SharedStore, SurvivesTheEndOfMemory) {
  // A process that has run nothing else: what others left in the heap would be
  // memory, too.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const std::size_t threads : {1u, 2u}) {
    for (const std::size_t shortest : {8u, 900u}) {
      EXPECT_EXIT(fill_until_memory_ends(threads, shortest),
                  ::testing::ExitedWithCode(0), "there is no more memory");
    }
    EXPECT_EXIT(fill_until_memory_ends(threads, 8, {2}),
                ::testing::ExitedWithCode(0), "there is no more memory");
    EXPECT_EXIT(fill_until_memory_ends(threads, 8, {1, 2, 3}),
                ::testing::ExitedWithCode(0), "there is no more memory");
  }
}
#endif  // PLUMB_SANITIZED

}  // namespace
}  // namespace plumb::explore
