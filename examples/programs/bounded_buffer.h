// SPDX-License-Identifier: Apache-2.0
// A bounded buffer: a lock and two condition variables.
//
// Source: C. A. R. Hoare, Monitors: an operating system structuring concept,
// CACM 17(10), 1974.
//
// A put waits while the buffer is full, a take while it is empty.  Linearizable
// as a queue whose takes wait.
//
// With one condition variable for both, one that is woken may be of the wrong
// kind: it goes back to sleep, and the one who could go on is never woken.  A
// wait that does not look again after it was woken takes from an empty buffer
// when a third thread was quicker.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>

struct BufferOptions {
  bool two_variables = true;
  bool look_again = true;
};

template <std::size_t kSize, BufferOptions kOptions = BufferOptions{}>
class BoundedBuffer {
 public:
  void enq(int value) {
    std::unique_lock guard(lock_);
    wait(changed_, guard, [this] { return items_.size() < kSize; });
    items_.push_back(value);
    filled().notify_one();
  }

  int deq() {
    std::unique_lock guard(lock_);
    wait(filled(), guard, [this] { return !items_.empty(); });
    if (items_.empty()) return 0;  // nothing was there after all
    const int value = items_.front();
    items_.pop_front();
    changed_.notify_one();
    return value;
  }

 private:
  template <typename Ready>
  void wait(std::condition_variable& variable,
            std::unique_lock<std::mutex>& guard, Ready ready) {
    if constexpr (kOptions.look_again) {
      variable.wait(guard, ready);
    } else if (!ready()) {
      variable.wait(guard);
    }
  }
  std::condition_variable& filled() {
    return kOptions.two_variables ? filled_ : changed_;
  }

  std::mutex lock_;
  std::condition_variable changed_, filled_;
  std::deque<int> items_;
};
