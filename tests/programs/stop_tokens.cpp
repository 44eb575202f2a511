// SPDX-License-Identifier: Apache-2.0
// Who is asked to stop: compilers forget to announce some of what <stop_token>
// does, and it is decided all the same, without an audit of each execution.
#include <plumb/test.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace {

// A callback that may be too late, or be dropped while it runs.
void ask_beside_a_callback() {
  std::atomic<int> calls = 0;
  std::stop_source source;
  std::thread asks([&] { source.request_stop(); });
  {
    const std::stop_callback callback(source.get_token(), [&] { ++calls; });
  }
  asks.join();
  PLUMB_ASSERT(calls <= 1);
}

}  // namespace

PLUMB_TEST(a_callback_is_called_by_who_asks) {
  test.run([] {
    std::atomic<int> calls = 0;
    std::stop_source source;
    {
      const std::stop_callback callback(source.get_token(), [&] { ++calls; });
      std::thread([&] { source.request_stop(); }).join();
    }
    PLUMB_ASSERT(calls == 1);
  });
}
PLUMB_TEST(a_callback_is_dropped_meanwhile) {
  test.run(ask_beside_a_callback);
}
PLUMB_TEST(a_callback_may_be_called) {
  test.expect("assertion").run([] {
    std::atomic<int> calls = 0;
    std::stop_source source;
    std::thread asks([&] { source.request_stop(); });
    {
      const std::stop_callback callback(source.get_token(), [&] { ++calls; });
    }
    asks.join();
    PLUMB_ASSERT(calls == 0);
  });
}

PLUMB_TEST(who_waits_is_told_and_asked_to_stop) {
  test.run([] {
    std::mutex mutex;
    std::condition_variable_any condition;
    bool is_ready = false;
    std::jthread waits([&](std::stop_token stop) {
      std::unique_lock lock(mutex);
      if (condition.wait(lock, stop, [&] { return is_ready; })) {
        PLUMB_ASSERT(is_ready);
      }
    });
    {
      const std::lock_guard lock(mutex);
      is_ready = true;
    }
    condition.notify_one();
  });
}
