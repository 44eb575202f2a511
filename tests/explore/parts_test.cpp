// SPDX-License-Identifier: Apache-2.0
#include "explore/parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "explore/shared_store.h"

namespace plumb::explore {
namespace {

using lts::StateBytes;
using lts::StateView;

StateBytes copy(StateView view) {
  return {view.begin(), view.end()};
}

// States of parts of 2, 3 and 1 bytes and a rest of up to 9 bytes, of which
// each has about so many contents.
const std::vector<std::uint32_t> kCuts = {2, 5, 6};
StateBytes random_state(std::uint32_t contents, std::mt19937& random) {
  StateBytes state(6 + random() % 10);
  std::size_t at = 0;
  for (const std::size_t end :
       {std::size_t{2}, std::size_t{5}, std::size_t{6}, state.size()}) {
    auto content = static_cast<std::uint32_t>(random() % contents);
    for (; at < end; ++at, content >>= 8) {
      state[at] = static_cast<std::uint8_t>(content);
    }
  }
  return state;
}

SharedStore::Options with_cuts(std::size_t threads = 1) {
  SharedStore::Options options;
  options.threads = threads;
  options.cuts = kCuts;
  return options;
}

TEST(Parts, AgreeWithAMapOnTheIdsAndContentsOfStates) {
  std::mt19937 random(1);
  for (const std::uint32_t contents : {1u, 2u, 7u, 100u, 60'000u}) {
    SharedStore store(with_cuts());
    std::map<StateBytes, StateId> model;
    StateBytes buffer;
    for (int i = 0; i < 20'000; ++i) {
      const StateBytes state = random_state(contents, random);
      const auto [entry, is_new] =
          model.try_emplace(state, static_cast<StateId>(model.size()));
      ASSERT_EQ(store.find(state), is_new ? kNoState : entry->second);
      store.prefetch_match(SharedStore::hash(state));
      const auto inserted = store.insert(state);
      ASSERT_EQ(inserted.id, entry->second);
      ASSERT_EQ(inserted.is_new, is_new);
      ASSERT_EQ(copy(store.get(inserted.id, buffer)), state);
    }
    for (const auto& [state, id] : model) {
      ASSERT_EQ(copy(store.get(id, buffer)), state);
      ASSERT_EQ(store.find(state), id);
    }
    EXPECT_EQ(store.size(), model.size());
    EXPECT_FALSE(store.full());
  }
}

TEST(Parts, OfShortStatesMayBeEmpty) {
  SharedStore store(with_cuts());
  StateBytes buffer;
  std::vector<StateBytes> states;
  for (std::size_t length = 0; length < 20; ++length) {
    states.push_back(StateBytes(length, 0));
    ASSERT_EQ(store.insert(states.back()).id, length);
  }
  for (StateId id = 0; id < 20; ++id) {
    EXPECT_EQ(copy(store.get(id, buffer)), states[id]);
  }
}

TEST(Parts, TakeLittleMemory) {
  SharedStore::Options options;
  options.has_entries = false;
  SharedStore plain(options);
  options.cuts = {10, 20, 30};
  SharedStore packed(options);
  StateBytes state(40);
  for (std::uint32_t i = 0; i < 300'000; ++i) {
    for (std::size_t part = 0; part < 4; ++part) {
      state[part * 10 + 5] = static_cast<std::uint8_t>(i >> part * 5 & 31);
    }
    ASSERT_EQ(plain.insert(state).id, i);
    ASSERT_EQ(packed.insert(state).id, i);
  }
  EXPECT_LT(packed.bytes(), plain.bytes() / 3);
  EXPECT_EQ(packed.state_bytes(), plain.state_bytes());
}

TEST(Parts, AreSharedByThreads) {
  constexpr std::size_t kThreads = 4;
  for (const std::uint32_t contents : {3u, 40u, 20'000u}) {
    SharedStore store(with_cuts(kThreads));
    std::vector<std::map<StateBytes, StateId>> seen(kThreads);
    std::vector<std::size_t> added(kThreads);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(static_cast<unsigned>(t / 2));  // two alike
        const SharedStore::Session session(store);
        StateBytes buffer;
        for (int i = 0; i < 15'000; ++i) {
          const StateBytes state = random_state(contents, random);
          const auto [id, is_new] =
              store.insert(t, state, SharedStore::hash(state), {7, 8});
          ASSERT_NE(id, kNoState);
          ASSERT_EQ(copy(store.get(id, buffer)), state);
          ASSERT_EQ(store.entry(id).b, 8u);
          ASSERT_EQ(seen[t].try_emplace(state, id).first->second, id);
          added[t] += is_new;
        }
      });
    }
    for (auto& thread : threads) thread.join();
    std::map<StateBytes, StateId> all;
    std::set<StateId> ids;
    std::size_t sum = 0;
    for (std::size_t t = 0; t < kThreads; ++t) {
      sum += added[t];
      for (const auto& [state, id] : seen[t]) {
        ASSERT_EQ(all.try_emplace(state, id).first->second, id);
        ids.insert(id);
      }
    }
    EXPECT_EQ(all.size(), ids.size());
    EXPECT_EQ(sum, ids.size());
    EXPECT_EQ(store.size(), ids.size());
    StateBytes buffer;
    for (const auto& [state, id] : all) {
      ASSERT_EQ(copy(store.get(id, buffer)), state);
      ASSERT_EQ(store.find(state), id);
    }
  }
}

}  // namespace
}  // namespace plumb::explore
