// SPDX-License-Identifier: Apache-2.0
#include "explore/ahead.h"

#include <algorithm>
#include <utility>

#include "base/threads.h"

namespace plumb::explore {

Ahead::Ahead(const lts::System& system, std::size_t threads)
    : system_(system), slots_(kSlots) {
  for (std::size_t i = 0; i < threads; ++i) {
    if (!start_thread(threads_, [this] { run(); })) break;
  }
}

Ahead::~Ahead() {
  stop_ = true;
  ++news_;
  news_.notify_all();
  threads_.clear();  // joins
}

std::size_t Ahead::room() const {
  if (bytes_.load(std::memory_order_relaxed) > kManyBytes) return 0;
  return kSlots - static_cast<std::size_t>(end_ - first_);
}

void Ahead::hand_out(StateId id, lts::StateView state, std::uint64_t due) {
  if (!numbers_.try_emplace(id, end_).second) return;
  Slot& next = slot(end_++);
  next.id = id;
  next.due = due;
  next.state.assign(state.begin(), state.end());
  next.is_done.store(0, std::memory_order_relaxed);
}

void Ahead::begin() {
  if (open_end_.load(std::memory_order_relaxed) == end_) return;
  open_end_.store(end_, std::memory_order_release);
  ++news_;
  news_.notify_all();
}

void Ahead::run() {
  while (!stop_) {
    const std::uint32_t news = news_;
    const bool is_full = bytes_.load(std::memory_order_relaxed) > kManyBytes;
    if (!is_full && work(kPortion)) continue;
    if (!stop_) news_.wait(news);
  }
}

bool Ahead::work(std::uint64_t most) {
  std::uint64_t at = begun_.load(std::memory_order_relaxed), count = 0;
  do {
    const std::uint64_t end = open_end_.load(std::memory_order_acquire);
    if (at >= end) return false;
    count = std::min(most, end - at);
  } while (
      !begun_.compare_exchange_weak(at, at + count, std::memory_order_relaxed));
  for (std::uint64_t i = at; i < at + count; ++i) expand(slot(i));
  return true;
}

void Ahead::expand(Slot& slot) {
  slot.bytes = 0;
  try {
    if (!stop_) slot.expansion.find(system_, slot.state);
    const lts::Successors& out = slot.expansion.successors;
    for (std::size_t i = 0; i < out.size(); ++i) {
      slot.bytes +=
          out.state(i).size() + out.labels(i).size() * sizeof(lts::Label);
    }
  } catch (...) {
    slot.error = std::current_exception();
  }
  bytes_.fetch_add(slot.bytes, std::memory_order_relaxed);
  slot.is_done.store(1, std::memory_order_release);
  slot.is_done.notify_one();
}

bool Ahead::take(StateId id, Expansion& out) {
  const auto found = numbers_.find(id);
  if (found == numbers_.end()) return false;
  begin();
  Slot& mine = slot(found->second);
  while (mine.is_done.load(std::memory_order_acquire) == 0) {
    if (!work(1)) mine.is_done.wait(0);
  }
  std::swap(out.successors, mine.expansion.successors);
  std::swap(out.hashes, mine.expansion.hashes);
  out.targets.clear();
  out.is_logged = false;
  const std::exception_ptr error = std::exchange(mine.error, nullptr);
  numbers_.erase(found);
  release(mine);
  drop_released();
  if (error) std::rethrow_exception(error);
  return true;
}

void Ahead::release(Slot& slot) {
  bytes_.fetch_sub(slot.bytes, std::memory_order_relaxed);
  if (slot.bytes > kLargeBytes) slot.expansion = Expansion();
  slot.id = kNoState;
}

void Ahead::drop_released() {
  while (first_ < end_ && slot(first_).id == kNoState) ++first_;
}

void Ahead::forget_before(std::uint64_t due) {
  for (; first_ < end_; ++first_) {
    Slot& oldest = slot(first_);
    if (oldest.id == kNoState) continue;
    if (oldest.due >= due ||
        oldest.is_done.load(std::memory_order_acquire) == 0) {
      return;
    }
    numbers_.erase(oldest.id);
    oldest.error = nullptr;
    release(oldest);
  }
}

}  // namespace plumb::explore
