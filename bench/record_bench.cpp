// SPDX-License-Identifier: Apache-2.0
// What recording costs an event, with the clocks of plumb/record.h and with
// those that were considered and left out.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>

#include "plumb/record.h"

namespace {

using plumb::record::CounterClock;
using plumb::record::Recorder;
using plumb::record::Stamp;

// Nothing: what is left is the cost of the buffer.
struct NoClock {
  Stamp invocation() { return ++count; }
  Stamp completion() { return ++count; }
  static thread_local Stamp count;
};
thread_local Stamp NoClock::count = 1;

// Says nothing about when the call really began: its reads may come first.
struct SteadyClock {
  Stamp invocation() { return now(); }
  Stamp completion() { return now(); }
  static Stamp now() {
    return static_cast<Stamp>(
        std::chrono::steady_clock::now().time_since_epoch().count());
  }
};

#ifdef PLUMB_RECORD_HAS_TSC
// The processor may move the reading of the counter into the call.
struct UnorderedTsc {
  Stamp invocation() { return __builtin_ia32_rdtsc(); }
  Stamp completion() { return __builtin_ia32_rdtsc(); }
};

// Waits for the call's reads, but not for its writes to be seen.
struct UndrainedTsc : plumb::record::TscClock {
  Stamp completion() {
    unsigned processor;
    const Stamp stamp = __builtin_ia32_rdtscp(&processor);
    __asm__ volatile("" : : : "memory");
    return stamp;
  }
};

// As TscClock, with mfence in place of a locked instruction.
struct FencedTsc : plumb::record::TscClock {
  Stamp completion() {
    __builtin_ia32_mfence();
    __builtin_ia32_lfence();
    return __builtin_ia32_rdtsc();
  }
};

// As TscClock, with rdtscp in place of lfence and rdtsc.
struct LockedTscp : plumb::record::TscClock {
  Stamp completion() {
    unsigned processor;
    __asm__ volatile("lock orl $0, (%%rsp)" : : : "memory", "cc");
    return __builtin_ia32_rdtscp(&processor);
  }
};
#endif

constexpr int kIterations = 1'000'000;  // bounds the memory: 72 MB a thread

// One call, two events, an iteration.  With room reserved, the figures show
// the clock; without, also what the system takes for fresh memory.
template <typename Clock, bool kReserve = true>
void record_calls(benchmark::State& state) {
  static std::unique_ptr<Recorder<Clock>> recorder;
  static std::atomic<int> ready;
  if (state.thread_index() == 0) {
    recorder = std::make_unique<Recorder<Clock>>(kReserve ? kIterations : 0);
    ready = 0;
  }
  std::optional<plumb::record::Process<Clock>> me;
  std::int64_t value = 0;
  for (auto _ : state) {
    // Google Benchmark lets the threads meet only at the start of the loop.
    if (!me) {
      state.PauseTiming();
      me = recorder->process();
      ++ready;
      while (ready < state.threads()) std::this_thread::yield();
      state.ResumeTiming();
    }
    me->invoke("enq", value);
    benchmark::DoNotOptimize(++value);
    me->ok(value);
  }
  // Wall time of a thread over its events.
  state.counters["per_event"] = benchmark::Counter(
      2.0 * static_cast<double>(state.iterations()),
      benchmark::Counter::kAvgThreadsRate | benchmark::Counter::kInvert);
}

// 1, 2, 4, ... up to what the machine has, at least 2.
void set_threads(benchmark::internal::Benchmark* bench) {
  const unsigned processors = std::thread::hardware_concurrency();
  bench->ThreadRange(1, std::max(2, static_cast<int>(processors)));
}

#define PLUMB_RECORD_BENCH(...)                 \
  BENCHMARK_TEMPLATE(record_calls, __VA_ARGS__) \
      ->Iterations(kIterations)                 \
      ->Apply(set_threads)                      \
      ->UseRealTime()

PLUMB_RECORD_BENCH(plumb::record::BestClock);
PLUMB_RECORD_BENCH(plumb::record::BestClock, false);
PLUMB_RECORD_BENCH(CounterClock);
PLUMB_RECORD_BENCH(SteadyClock);
#ifdef PLUMB_RECORD_HAS_TSC
PLUMB_RECORD_BENCH(plumb::record::TscClock);
PLUMB_RECORD_BENCH(LockedTscp);
PLUMB_RECORD_BENCH(FencedTsc);
PLUMB_RECORD_BENCH(UndrainedTsc);
PLUMB_RECORD_BENCH(UnorderedTsc);
#endif
PLUMB_RECORD_BENCH(NoClock);

}  // namespace
