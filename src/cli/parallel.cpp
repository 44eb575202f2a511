// SPDX-License-Identifier: Apache-2.0
#include "cli/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/threads.h"

namespace plumb::cli {

void in_order(std::size_t count, unsigned workers,
              const std::function<void(std::size_t)>& work,
              const std::function<void(std::size_t)>& done) {
  const auto alone = [&] {
    for (std::size_t i = 0; i < count; ++i) {
      work(i);
      done(i);
    }
  };
  if (workers <= 1 || count <= 1) return alone();
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> ended(count);  // guarded by mutex
  std::exception_ptr failure;      // guarded by mutex
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      std::exception_ptr mine;
      try {
        work(i);
      } catch (...) {
        mine = std::current_exception();
        next = count;
      }
      const std::lock_guard lock(mutex);
      ended[i] = true;
      if (mine && !failure) failure = mine;
      changed.notify_one();
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned w = 0; w < std::min<std::size_t>(workers, count); ++w) {
    if (!start_thread(threads, loop)) break;
  }
  if (threads.empty()) return alone();
  for (std::size_t i = 0; i < count; ++i) {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return ended[i] || failure; });
      if (failure) break;
    }
    done(i);
  }
  threads.clear();  // joins them
  if (failure) std::rethrow_exception(failure);
}

}  // namespace plumb::cli
