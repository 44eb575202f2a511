// SPDX-License-Identifier: Apache-2.0
// The race detector against the definition, on random executions.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "oracle/races.h"
#include "runtime/heap.h"
#include "runtime/races.h"

namespace plumb::testing {
namespace {

using oracle::Does;
using oracle::RaceEvent;
using runtime::Race;
using runtime::Races;
using Events = std::vector<RaceEvent>;

Races& detector() {
  EXPECT_TRUE(runtime::races().reserve());
  return runtime::races();
}

// Tells the detector of one event; its pc is its number, from 1.
const Race* tell(Races& races, const RaceEvent& e, std::uintptr_t pc) {
  switch (e.does) {
    case Does::kRead:
      return races.read(e.thread, e.address, e.size, pc);
    case Does::kWrite:
      return races.write(e.thread, e.address, e.size, pc);
    case Does::kLoad:
      return races.atomic_load(e.thread, e.address, e.size, e.order, pc);
    case Does::kStore:
      return races.atomic_store(e.thread, e.address, e.size, e.order, pc);
    case Does::kUpdate:
      return races.atomic_update(e.thread, e.address, e.size, e.order, pc);
    case Does::kFree:
      return races.freed(e.thread, e.address, e.size, pc);
    case Does::kAllocate:
      races.allocated(e.address, e.size);
      return nullptr;
    case Does::kFence:
      races.fence(e.thread, e.order);
      return nullptr;
    case Does::kSpawn:
      races.spawn(e.thread, e.other);
      return nullptr;
    case Does::kJoin:
      races.join(e.thread, e.other);
      return nullptr;
    case Does::kAcquire:
      races.acquire(e.thread, e.address);
      return nullptr;
    case Does::kRelease:
      races.release(e.thread, e.address);
      return nullptr;
  }
  return nullptr;
}

// How an execution is drawn: how much of what it has.
struct Mix {
  std::size_t events = 0;
  unsigned threads = 0;
  unsigned window = 0;  // bytes that are used
  std::uintptr_t base = 0;
  unsigned plain = 0;  // of 100
  unsigned atomic = 0;
  unsigned fence = 0;
  unsigned object = 0;
  unsigned block = 0;
  bool mixed_sizes = false;
};

class Draw {
 public:
  explicit Draw(std::mt19937& random) : random_(random) {}

  Events execution() {
    mix_ = draw_mix();
    events_.clear();
    alive_ = {0};
    spawned_ = 1;
    while (events_.size() < mix_.events) add();
    return events_;
  }

 private:
  unsigned below(unsigned bound) {
    return static_cast<unsigned>(random_() % bound);
  }

  Mix draw_mix() {
    // In the region and outside, and across two pages.
    constexpr std::uintptr_t kBases[] = {
        runtime::kHeap + 64, runtime::kHeap + 3 * runtime::kHeapBytes + 4088,
        0x555555558000, 0x7ffff7ffaff8};
    Mix mix;
    mix.events = 8 + below(40);
    mix.threads = below(4) == 0 ? 5 + below(8) : 2 + below(3);
    mix.window = 8 + 8 * below(3);
    mix.base = kBases[below(4)];
    mix.plain = 5 + below(30);
    mix.atomic = 20 + below(60);
    mix.fence = below(25);
    mix.object = below(30);
    mix.block = below(10);
    mix.mixed_sizes = below(2) != 0;
    return mix;
  }

  void place(RaceEvent& event) {
    constexpr std::size_t kSizes[] = {1, 2, 4, 8, 16};
    event.size = mix_.mixed_sizes ? kSizes[below(5)] : 4;
    event.size = std::min<std::size_t>(event.size, mix_.window);
    const auto places = static_cast<unsigned>(mix_.window - event.size + 1);
    const bool is_odd = mix_.mixed_sizes && below(6) == 0;
    const std::size_t step = is_odd ? 1 : event.size;
    event.address = mix_.base + below(places) / step * step;
  }

  void add() {
    RaceEvent event;
    event.thread = alive_[below(static_cast<unsigned>(alive_.size()))];
    if (add_thread_event(event)) return;
    constexpr int kOrders[] = {0, 0, 1, 2, 3, 4, 5};
    event.order = kOrders[below(7)];
    unsigned dice =
        below(mix_.plain + mix_.atomic + mix_.fence + mix_.object + mix_.block);
    if (dice < mix_.plain) {
      event.does = below(2) ? Does::kRead : Does::kWrite;
      place(event);
    } else if ((dice -= mix_.plain) < mix_.atomic) {
      constexpr Does kAtomics[] = {Does::kLoad, Does::kLoad, Does::kStore,
                                   Does::kUpdate};
      event.does = kAtomics[below(4)];
      place(event);
    } else if ((dice -= mix_.atomic) < mix_.fence) {
      event.does = Does::kFence;
    } else if ((dice -= mix_.fence) < mix_.object) {
      event.does = below(2) ? Does::kAcquire : Does::kRelease;
      event.address = mix_.base + below(2) * 4;
    } else {
      event.does = below(2) ? Does::kFree : Does::kAllocate;
      event.address = mix_.base + below(2) * 8;
      event.size = 8;
    }
    events_.push_back(event);
  }

  bool add_thread_event(RaceEvent& event) {
    const bool is_early = spawned_ < mix_.threads && below(3) == 0;
    if (is_early) {
      event.does = Does::kSpawn;
      event.other = static_cast<std::uint8_t>(spawned_++);
      alive_.push_back(event.other);
      events_.push_back(event);
      return true;
    }
    if (below(25) != 0 || alive_.size() < 2) return false;
    const std::size_t at = 1 + below(static_cast<unsigned>(alive_.size() - 1));
    event.other = alive_[at];
    event.does = Does::kJoin;
    alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(at));
    event.thread = alive_[below(static_cast<unsigned>(alive_.size()))];
    events_.push_back(event);
    return true;
  }

  std::mt19937& random_;
  Mix mix_;
  Events events_;
  std::vector<std::uint8_t> alive_;
  unsigned spawned_ = 1;
};

bool have(const oracle::RacingPairs& pairs, std::size_t a, std::size_t b) {
  return std::find(pairs.begin(), pairs.end(), std::pair(a, b)) != pairs.end();
}

bool covers(const RaceEvent& event, const Race& race) {
  return race.address >= event.address && race.size > 0 &&
         race.address + race.size <= event.address + event.size;
}

// The first event that has a race with one before it, or none.
std::size_t first_end(const oracle::RacingPairs& pairs, std::size_t none) {
  for (const auto& [i, j] : pairs) none = std::min(none, j);
  return none;
}

// Tells all events but those of a thread that is alone, if these may be left
// out; returns how many were told before a race came up.
std::size_t run(Races& races, const Events& events, bool all,
                const Race*& race) {
  races.start_run();
  std::size_t threads = 1;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Does does = events[i].does;
    threads += does == Does::kSpawn;
    const bool matters = all || threads > 1 || does == Does::kJoin;
    race = matters ? tell(races, events[i], i + 1) : nullptr;
    threads -= does == Does::kJoin;
    if (race != nullptr) return i;
  }
  return events.size();
}

TEST(RandomRaces, AreFoundIffTheyExistByTheDefinition) {
  std::mt19937 random(1807);
  Draw draw(random);
  Races& races = detector();
  int racy = 0;
  constexpr int kRounds = 60'000;
  for (int round = 0; round < kRounds; ++round) {
    const Events events = draw.execution();
    const oracle::RacingPairs pairs = oracle::data_races(events);
    racy += !pairs.empty();
    for (const bool all : {true, false}) {
      const Race* race = nullptr;
      const std::size_t end = run(races, events, all, race);
      ASSERT_EQ(end, first_end(pairs, events.size()))
          << "round " << round << (all ? "\n" : ", those alone left out\n")
          << to_text(events);
      if (race == nullptr) continue;
      const std::size_t other = race->other_pc - 1;
      ASSERT_EQ(race->pc, end + 1);
      ASSERT_TRUE(have(pairs, other, end)) << to_text(events);
      ASSERT_EQ(race->thread, events[end].thread);
      ASSERT_EQ(race->other, events[other].thread);
      ASSERT_TRUE(covers(events[end], *race) && covers(events[other], *race))
          << "round " << round << "\n"
          << to_text(events);
    }
  }
  // Neither answer is rare.
  EXPECT_GT(racy, kRounds / 5);
  EXPECT_LT(racy, kRounds * 4 / 5);
}

}  // namespace
}  // namespace plumb::testing
