// SPDX-License-Identifier: Apache-2.0
// Loops in execution graphs: which rounds may be left out, and which must not.
#include <plumb/test.h>

#include <atomic>
#include <thread>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// Who is late has one try less; and may have acquired what others released.
template <std::memory_order kTry, std::memory_order kFail>
void tries_again(plumb::Test& test) {
  test.memory("rc11").run([] {
    std::atomic<int> count{0}, x{0};
    std::thread one([&] {
      x.store(1, kRelaxed);
      count.store(1, std::memory_order_release);
    });
    std::thread other([&] {
      int old = count.load(std::memory_order_acquire);
      while (!count.compare_exchange_strong(old, 7, kTry, kFail)) {
      }
      PLUMB_ASSERT(old == 0 || x.load(kRelaxed) == 1);
    });
    one.join();
    other.join();
  });
}

}  // namespace

PLUMB_TEST(who_tries_again_relaxed_has_acquired_nothing) {
  tries_again<kRelaxed, kRelaxed>(test.expect("assertion"));
}
PLUMB_TEST(who_tries_again_acquires) {
  tries_again<std::memory_order_acquire, std::memory_order_acquire>(test);
}

// Who waits, and lets others go on meanwhile.
PLUMB_TEST(waits_and_yields) {
  test.memory("rc11").run([] {
    std::atomic<bool> is_there{false};
    int message = 0;
    std::thread other([&] {
      message = 1;
      is_there.store(true, std::memory_order_release);
    });
    while (!is_there.load(std::memory_order_acquire)) std::this_thread::yield();
    PLUMB_ASSERT(message == 1);
    other.join();
  });
}

// Nobody will tell it.
PLUMB_TEST(waits_in_vain) {
  test.memory("rc11").expect("livelock").run([] {
    std::atomic<bool> is_there{false};
    std::thread other(
        [&] { is_there.store(false, std::memory_order_release); });
    while (!is_there.load(std::memory_order_acquire)) {
    }
    other.join();
  });
}

// It counts what it read, so no round is like another.
PLUMB_TEST(counts_its_rounds) {
  test.memory("rc11").expect("assertion").run([] {
    std::atomic<int> x{0};
    std::thread other([&] { x.store(1, kRelaxed); });
    int rounds = 0;
    while (x.load(kRelaxed) == 0 && rounds < 3) ++rounds;
    PLUMB_ASSERT(rounds != 2);
    other.join();
  });
}
