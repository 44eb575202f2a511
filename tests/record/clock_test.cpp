// SPDX-License-Identifier: Apache-2.0
// The order rule of record/clock.h, seen from outside: real threads, real
// clocks, and objects whose results tell in which order things happened.
#include "plumb/record/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "plumb/record.h"

namespace plumb::record {
namespace {

struct Event {
  std::size_t process;
  bool invokes;
  int value;  // -1: null
};

// Enough of a reader for what write() gives.
template <typename Clock>
std::vector<Event> events_of(const Recorder<Clock>& recorder) {
  std::stringstream text;
  recorder.write(text);
  std::vector<Event> events;
  for (std::string line; std::getline(text, line);) {
    const std::string value = line.substr(line.rfind(' ') + 1);
    events.push_back({std::stoul(line.substr(12)),
                      line.find("\"invoke\"") != std::string::npos,
                      value == "null}" ? -1 : std::stoi(value)});
  }
  return events;
}

// Runs `work(process, index)` in threads that start together.
template <typename Clock, typename Work>
void run_threads(Recorder<Clock>& recorder, int count, const Work& work) {
  std::atomic<int> missing{count};
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i, me = recorder.process()]() mutable {
      for (--missing; missing > 0;) std::this_thread::yield();
      work(me, i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

template <typename Clock>
class EveryClock : public testing::Test {};
#ifdef PLUMB_RECORD_HAS_TSC
using Clocks = testing::Types<BestClock, CounterClock, TscClock>;
#else
using Clocks = testing::Types<CounterClock>;
#endif
struct ClockNames {
  template <typename Clock>
  static std::string GetName(int) {
    if (std::is_same_v<Clock, CounterClock>) return "Counter";
    return std::is_same_v<Clock, BestClock> ? "Best" : "Tsc";
  }
};
TYPED_TEST_SUITE(EveryClock, Clocks, ClockNames);

TYPED_TEST(EveryClock, KeepsTheOrderOfEachOfManyThreads) {
  constexpr int kThreads = 8, kCalls = 3000;
  Recorder<TypeParam> recorder;
  run_threads(recorder, kThreads, [](auto& me, int) {
    for (int i = 0; i < kCalls; ++i) me.record("add", i, [i] { return i; });
  });
  std::array<int, kThreads> seen{};
  for (const Event& event : events_of(recorder)) {
    const int before = seen.at(event.process)++;
    ASSERT_EQ(event.invokes, before % 2 == 0);
    ASSERT_EQ(event.value, before / 2);
  }
  for (const int events : seen) EXPECT_EQ(events, 2 * kCalls);
}

// The calls draw tickets, so a call with a smaller one took effect first.  An
// order that did not happen would show as a call that returned before another
// was invoked, but with the larger ticket.
TYPED_TEST(EveryClock, NeverClaimsAnOrderThatDidNotHappen) {
  constexpr int kThreads = 4, kCalls = 20'000;
  std::atomic<int> tickets{0};
  Recorder<TypeParam> recorder(kCalls);
  run_threads(recorder, kThreads, [&tickets](auto& me, int) {
    const auto draw = [&] {
      return tickets.fetch_add(1, std::memory_order_relaxed);
    };
    for (int i = 0; i < kCalls; ++i) me.record("inc", draw);
  });
  int largest = -1;
  std::array<int, kThreads> largest_at_invocation{};
  for (const Event& event : events_of(recorder)) {
    if (event.invokes) {
      largest_at_invocation.at(event.process) = largest;
    } else {
      ASSERT_GT(event.value, largest_at_invocation.at(event.process));
      largest = std::max(largest, event.value);
    }
  }
  EXPECT_EQ(largest, kThreads * kCalls - 1);
}

// A plain store still waits in the store buffer when the call is over.  Were
// its return stamped then, a later read would look wrong: without the locked
// instruction in TscClock::completion() this fails, given two free processors.
TYPED_TEST(EveryClock, StampsAReturnOnlyWhenOthersCanSeeTheStores) {
  constexpr int kCalls = 200'000;
  std::atomic<int> cell{0};
  Recorder<TypeParam> recorder(kCalls);
  run_threads(recorder, 2, [&cell](auto& me, int index) {
    const auto read = [&] { return cell.load(std::memory_order_acquire); };
    for (int i = 1; i <= kCalls; ++i) {
      const auto write = [&] { cell.store(i, std::memory_order_release); };
      index == 0 ? me.record("write", i, write) : void(me.record("read", read));
    }
  });
  int begun = 0, done = 0, done_at_invocation = 0;
  for (const Event& event : events_of(recorder)) {
    if (event.process == 0) {
      event.invokes ? begun = event.value : done = begun;
    } else if (event.invokes) {
      done_at_invocation = done;
    } else {
      ASSERT_GE(event.value, done_at_invocation);
      ASSERT_LE(event.value, begun);
    }
  }
}

}  // namespace
}  // namespace plumb::record
