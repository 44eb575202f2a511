// SPDX-License-Identifier: Apache-2.0
// Shares a time limit out among jobs, so that no job starves the others.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <vector>

namespace plumb {

// Jobs are run in rounds.  In the first one each gets a small part of the time,
// which is enough for most of them; those that it was not enough for are begun
// anew in the next round, with equal parts of what is left, as long as they can
// have at least twice as much as before.  Without a time limit, or for one job,
// there is one round, and no share.
class TimeShares {
 public:
  using Clock = std::chrono::steady_clock;

  // So many jobs, of which `workers` run at a time; 0: the time is not shared.
  TimeShares(Clock::time_point deadline, std::size_t jobs, std::size_t workers);

  // A job of this round begins now, and may run until then.  Thread-safe.
  Clock::time_point begin();
  // It did not come to its end.  Thread-safe.
  void ran_out(std::size_t job);

  // The jobs of this round, in order.
  const std::vector<std::size_t>& jobs() const { return jobs_; }
  // Goes on with those that ran out, if that is worth while; else false.
  bool next_round();

 private:
  Clock::duration share_of(std::size_t jobs) const;

  const Clock::time_point deadline_;
  const std::size_t workers_;
  std::mutex mutex_;
  std::vector<std::size_t> jobs_;
  std::size_t waiting_ = 0;           // have not begun in this round
  std::vector<std::size_t> ran_out_;  // in this round
  std::size_t round_ = 0;
  Clock::duration longest_share_ = {};  // of this round
  const bool is_alone_;                 // one round, and no share
};

}  // namespace plumb
