// SPDX-License-Identifier: Apache-2.0
#include "explore/gate.h"

#include <cassert>

namespace plumb::explore {

void Gate::enter() {
  if (threads_ == 1) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !is_wanted(); });
  ++inside_;
}

void Gate::leave() {
  if (threads_ == 1) return;
  const std::lock_guard lock(mutex_);
  assert(inside_ > 0);
  --inside_;
  changed_.notify_all();
}

void Gate::wait() {
  std::unique_lock lock(mutex_);
  wait_for_turn(lock);
}

// A thread that is still on its way out when the next one asks to be alone
// counts as waiting all the time: it looks at `wanted_` before it goes on.
void Gate::wait_for_turn(std::unique_lock<std::mutex>& lock) {
  std::uint64_t helped = 0;
  ++waiting_;
  changed_.notify_all();
  while (is_wanted()) {
    if (work_ != nullptr && helped != rounds_) {
      const std::function<void()>* const work = work_;
      helped = rounds_;
      ++helping_;
      lock.unlock();
      (*work)();
      lock.lock();
      --helping_;
      changed_.notify_all();
    } else {
      changed_.wait(lock);
    }
  }
  --waiting_;
}

void Gate::begin_alone(std::unique_lock<std::mutex>& lock) {
  assert(inside_ > 0);
  while (is_wanted()) wait_for_turn(lock);
  wanted_.store(true, std::memory_order_relaxed);
  ++waiting_;
  changed_.wait(lock, [this] { return waiting_ == inside_; });
}

void Gate::end_alone() {
  --waiting_;
  wanted_.store(false, std::memory_order_relaxed);
  changed_.notify_all();
}

void Gate::together(const std::function<void()>& work) {
  if (threads_ == 1) {
    work();
    return;
  }
  // alone() holds the lock and goes on holding it.
  work_ = &work;
  ++rounds_;
  changed_.notify_all();
  mutex_.unlock();
  work();
  mutex_.lock();
  work_ = nullptr;
  std::unique_lock lock(mutex_, std::adopt_lock);
  changed_.wait(lock, [this] { return helping_ == 0; });
  lock.release();
}

}  // namespace plumb::explore
