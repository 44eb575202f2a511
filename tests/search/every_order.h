// SPDX-License-Identifier: Apache-2.0
// The slow search that others are compared with.
#pragma once

#include <vector>

#include "sched/scheduler.h"

namespace plumb::search_test {

// Every order there is, one after another.
class EveryOrder final : public sched::Scheduler {
 public:
  bool start_run() override {
    at_ = 0;
    while (started_ && !path_.empty() && path_.back().left == 0) {
      path_.pop_back();
    }
    if (started_ && path_.empty()) return false;
    if (started_) take_next(path_.back());
    started_ = true;
    return true;
  }
  bool repeat_run() override {
    at_ = 0;
    return true;
  }
  sched::ThreadId pick(const sched::Situation& situation) override {
    if (at_ == path_.size()) {
      path_.push_back({0, situation.enabled});
      take_next(path_.back());
    }
    return path_[at_++].taken;
  }
  std::uint32_t choose(sched::ThreadId, std::uint32_t) override { return 0; }
  void saw(const sched::Event&) override {}
  void end_run(sched::RunEnd, sched::ThreadMask, const sched::Event*) override {
  }

 private:
  struct Point {
    sched::ThreadId taken = 0;
    sched::ThreadMask left = 0;
  };
  static void take_next(Point& point) {
    point.taken = static_cast<sched::ThreadId>(__builtin_ctz(point.left));
    point.left &= point.left - 1;
  }
  std::vector<Point> path_;
  std::size_t at_ = 0;
  bool started_ = false;
};

}  // namespace plumb::search_test
