// SPDX-License-Identifier: Apache-2.0
#include "base/samples.h"

#include <algorithm>
#include <utility>

namespace plumb {

namespace {

thread_local Samples* current = nullptr;
thread_local std::uint64_t begun = 0;  // steps

}  // namespace

Samples* Samples::of_this_thread() {
  return current;
}

void Samples::set_for_this_thread(Samples* samples) {
  current = samples;
  begun = 0;
}

void Samples::begin_steps(std::uint64_t steps) {
  if (current == nullptr) return;
  current->add(std::exchange(begun, steps));
}

Samples::Counting::Counting(Samples& samples) : before_(current) {
  set_for_this_thread(&samples);
}

Samples::Counting::~Counting() {
  set_for_this_thread(before_);
}

void Samples::add(std::uint64_t more) {
  const std::uint64_t count = count_.fetch_add(more) + more;
  const double now =
      std::chrono::duration<double>(Clock::now() - start_).count();
  if (count > 0 && now >= next_) take({now, count});
}

// Who comes while another takes one need not take one as well.
void Samples::take(Point point) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || point.seconds < next_) return;
  // Two places are for where it begins and ends.
  if (size_ + 2 == kMost) {
    for (std::size_t i = 0; i < size_ / 2; ++i) points_[i] = points_[2 * i + 1];
    size_ /= 2;
    interval_ *= 2;
  }
  points_[size_++] = point;
  next_ = point.seconds + interval_;
}

std::vector<Samples::Point> Samples::until(Point last) const {
  const std::lock_guard lock(mutex_);
  std::vector<Point> out = {{0, 0}};
  out.insert(out.end(), points_.begin(),
             points_.begin() + static_cast<std::ptrdiff_t>(size_));
  last.count = std::max(last.count, count_.load());
  last.seconds = std::max(last.seconds, out.back().seconds);
  out.push_back(last);
  return out;
}

}  // namespace plumb
