// SPDX-License-Identifier: Apache-2.0
// How fast states are stored and found again, and what each costs in memory.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "explore/shared_store.h"

namespace {

using plumb::explore::SharedStore;

SharedStore::Options without_entries(std::size_t threads) {
  SharedStore::Options options;
  options.threads = threads;
  options.has_entries = false;
  return options;
}

// State i of `length` bytes, or of length - 4 to length + 3 bytes: mostly
// zeros, as states are, with the numbers scattered over them.
class States {
 public:
  States(std::size_t length, bool varied)
      : length_(length), varied_(varied), bytes_(length + 4) {}

  plumb::lts::StateView operator()(std::uint64_t i) {
    const std::size_t length = varied_ ? length_ - 4 + i % 8 : length_;
    for (std::size_t at = 0; at < 5; ++at) {
      bytes_[at * (length_ - 4) / 5] = static_cast<std::uint8_t>(i >> 6 * at);
    }
    return {bytes_.data(), length};
  }

 private:
  std::size_t length_;
  bool varied_;
  std::vector<std::uint8_t> bytes_;
};

// Arguments: states, length, whether lengths vary.
void insert_new(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  States states(static_cast<std::size_t>(state.range(1)), state.range(2) != 0);
  double bytes = 0;
  for (auto _ : state) {
    SharedStore store(without_entries(1));
    for (std::uint64_t i = 0; i < count; ++i) store.insert(states(i));
    if (store.size() != count) state.SkipWithError("states are missing");
    bytes = static_cast<double>(store.bytes()) / static_cast<double>(count);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["bytes_per_state"] = bytes;
}

// Looks up old states in an order that no cache foresees; with batches of
// `range(3)` that are prefetched, or one by one (0).
void find_old(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  States states(static_cast<std::size_t>(state.range(1)), state.range(2) != 0);
  const auto batch = static_cast<std::uint64_t>(state.range(3));
  SharedStore store(without_entries(1));
  for (std::uint64_t i = 0; i < count; ++i) store.insert(states(i));
  std::uint64_t next = 0, found = 0;
  const auto pick = [count](std::uint64_t n) { return n * 7919 % count; };
  for (auto _ : state) {
    for (std::uint64_t i = 0; i < batch; ++i) {
      store.prefetch(SharedStore::hash(states(pick(next + i))));
    }
    for (std::uint64_t i = 0; i < batch; ++i) {
      store.prefetch_match(SharedStore::hash(states(pick(next + i))));
    }
    for (std::uint64_t i = 0; i < (batch == 0 ? 1 : batch); ++i) {
      found += store.find(states(pick(next++))) != plumb::explore::kNoState;
    }
  }
  if (found != next) state.SkipWithError("states are missing");
  state.SetItemsProcessed(static_cast<std::int64_t>(next));
}

// Each of range(3) threads inserts all states, in its own order: most inserts
// find the state there.
void insert_shared(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  const auto threads = static_cast<std::size_t>(state.range(3));
  double bytes = 0;
  for (auto _ : state) {
    SharedStore store(without_entries(threads));
    const auto work = [&](std::size_t thread) {
      States states(static_cast<std::size_t>(state.range(1)),
                    state.range(2) != 0);
      const SharedStore::Session session(store);
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto next = states(i ^ thread * 64);
        store.insert(thread, next, SharedStore::hash(next));
      }
    };
    std::vector<std::thread> others;
    for (std::size_t t = 1; t < threads; ++t) others.emplace_back(work, t);
    work(0);
    for (auto& other : others) other.join();
    bytes = static_cast<double>(store.bytes()) / static_cast<double>(count);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(3));
  state.counters["bytes_per_state"] = bytes;
}

BENCHMARK(insert_shared)
    ->Args({10'000'000, 12, 0, 1})
    ->Args({10'000'000, 12, 0, 2})
    ->Args({10'000'000, 60, 1, 1})
    ->Args({10'000'000, 60, 1, 2})
    ->Args({100'000, 12, 0, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(insert_new)
    ->Args({10'000'000, 12, 0})
    ->Args({10'000'000, 12, 1})
    ->Args({10'000'000, 60, 0})
    ->Args({10'000'000, 60, 1})
    ->Args({100'000, 12, 0})
    ->Args({100'000, 60, 1})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(find_old)
    ->Args({10'000'000, 12, 0, 0})
    ->Args({10'000'000, 12, 0, 32})
    ->Args({10'000'000, 60, 1, 0})
    ->Args({10'000'000, 60, 1, 32});

}  // namespace
