// SPDX-License-Identifier: Apache-2.0
// All executions with few preemptions, fewest first.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/random.h"

namespace plumb::sched {

// A preemption is a switch away from a thread that could go on
// [MusuvathiQadeer07].  First all executions without any, then those with
// exactly one, and so on up to a bound.
class Bounded final : public Recorded {
 public:
  explicit Bounded(std::uint32_t most) : most_(most) {}
  bool start_run() override;
  bool repeat_run() override;
  ThreadId pick(const Situation& situation) override;
  std::uint32_t choose(ThreadId, std::uint32_t bound) override;

  std::uint32_t preemptions() const { return bound_; }
  // Did no execution want more preemptions than were allowed so far?  Then
  // these were all.
  bool complete() const { return !wanted_more_; }

 private:
  struct Point {
    std::uint32_t taken = 0;
    std::uint32_t count = 1;
    std::uint32_t spent = 0;  // preemptions before it
  };
  std::uint32_t decide(std::uint32_t count);

  std::vector<Point> path_;
  std::size_t at_ = 0;
  std::uint32_t spent_ = 0;  // preemptions of this run so far
  std::uint32_t bound_ = 0;
  std::uint32_t most_;
  bool started_ = false;
  bool wanted_more_ = false;
};

}  // namespace plumb::sched
