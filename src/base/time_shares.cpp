// SPDX-License-Identifier: Apache-2.0
#include "base/time_shares.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace plumb {

namespace {

// Of a fair share, in the first round.
constexpr int kFirstPart = 10;

}  // namespace

TimeShares::TimeShares(Clock::time_point deadline, std::size_t jobs,
                       std::size_t workers)
    : deadline_(deadline),
      workers_(workers),
      jobs_(jobs),
      waiting_(jobs),
      is_alone_(deadline == Clock::time_point::max() || jobs <= 1 ||
                workers == 0) {
  std::iota(jobs_.begin(), jobs_.end(), std::size_t{0});
}

TimeShares::Clock::duration TimeShares::share_of(std::size_t jobs) const {
  const std::chrono::duration<double> left = deadline_ - Clock::now();
  const double part = static_cast<double>(std::min(workers_, jobs)) /
                      static_cast<double>(std::max<std::size_t>(jobs, 1));
  return std::chrono::duration_cast<Clock::duration>(
      std::max(left, left.zero()) * part);
}

TimeShares::Clock::time_point TimeShares::begin() {
  if (is_alone_) return deadline_;
  const std::lock_guard lock(mutex_);
  Clock::duration share = share_of(waiting_);
  if (round_ == 0) share /= kFirstPart;
  if (waiting_ > 0) --waiting_;
  longest_share_ = std::max(longest_share_, share);
  return std::min(deadline_, Clock::now() + share);
}

void TimeShares::ran_out(std::size_t job) {
  const std::lock_guard lock(mutex_);
  ran_out_.push_back(job);
}

bool TimeShares::next_round() {
  if (is_alone_ || ran_out_.empty()) return false;
  if (share_of(ran_out_.size()) < 2 * longest_share_) return false;
  jobs_ = std::exchange(ran_out_, {});
  std::sort(jobs_.begin(), jobs_.end());
  waiting_ = jobs_.size();
  longest_share_ = {};
  ++round_;
  return true;
}

}  // namespace plumb
