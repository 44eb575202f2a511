// SPDX-License-Identifier: Apache-2.0
// Lets one thread work alone while the others wait where it does no harm.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>

namespace plumb::explore {

// Threads are inside between enter() and leave(), and call wait() there every
// so often if is_wanted().  A thread that is inside may ask for a moment
// alone(): it comes when all others inside wait, or have left.
//
// No deadlock: a thread that waits, here or in alone(), counts as waiting for
// everybody, and one that is outside counts for nobody.  What a thread must
// not do is wait for another one by other means while it is inside.
class Gate {
 public:
  // With one thread nothing is locked, and enter() need not be called.
  explicit Gate(std::size_t threads) : threads_(threads) {}

  void enter();
  void leave();
  bool is_wanted() const { return wanted_.load(std::memory_order_relaxed); }
  // Lets others have their moments alone; helps if they work together().
  void wait();

  // Calls `work` while no other thread is inside or all who are wait.  Others
  // may have been alone before: `work` looks again whether it is needed.
  template <typename Work>
  void alone(Work work) {
    if (threads_ == 1) {
      work();
      return;
    }
    std::unique_lock lock(mutex_);
    begin_alone(lock);
    work();
    end_alone();
  }
  // Calls `work` in all threads that wait, and in this one, at once, and
  // returns when all have come back.  Only from inside of alone().
  void together(const std::function<void()>& work);

 private:
  void begin_alone(std::unique_lock<std::mutex>& lock);
  void end_alone();
  void wait_for_turn(std::unique_lock<std::mutex>& lock);

  const std::size_t threads_;
  std::atomic<bool> wanted_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::size_t inside_ = 0, waiting_ = 0, helping_ = 0;
  const std::function<void()>* work_ = nullptr;
  std::uint64_t rounds_ = 0;  // how often together() was called
};

}  // namespace plumb::explore
