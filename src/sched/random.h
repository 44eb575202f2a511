// SPDX-License-Identifier: Apache-2.0
// Searches that choose at random, and one that repeats what it is told.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/scheduler.h"

namespace plumb::sched {

// xorshift64*: a few instructions, and good enough to choose threads with.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 2 + 1) { below(2); }
  std::uint32_t below(std::uint32_t bound) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    const std::uint64_t high = (state_ * 0x2545F4914F6CDD1Du) >> 32;
    return static_cast<std::uint32_t>(high * bound >> 32);
  }

 private:
  std::uint64_t state_;
};

// What was picked in the last run, for those that do not plan ahead.
class Recorded : public Scheduler {
 public:
  struct Step {
    ThreadId thread;
    bool is_choice;
    std::uint16_t choice;
  };
  const std::vector<Step>& steps() const { return steps_; }
  bool start_run() override {
    steps_.clear();
    return true;
  }
  void saw(const Event& event) override {
    steps_.push_back({event.thread, is_choice(event), event.choice});
  }
  void end_run(RunEnd, ThreadMask, const Event*) override {}

 private:
  std::vector<Step> steps_;
};

// One in so many things that may fail for no reason does.
inline constexpr std::uint32_t kFailsOneIn = 8;

// At every event any enabled thread, all alike.
class RandomWalk : public Recorded {
 public:
  explicit RandomWalk(std::uint64_t seed) : dice_(seed) {}
  ThreadId pick(const Situation& situation) override;
  std::uint32_t choose(ThreadId, std::uint32_t bound) override {
    return dice_.below(bound);
  }
  bool fails(ThreadId) override { return dice_.below(kFailsOneIn) == 0; }

 private:
  Dice dice_;
};

// Probabilistic concurrency testing [BurckhardtKMN10]: threads have random
// priorities, the highest runs, and at `depth` - 1 random moments the one that
// runs becomes the lowest.  A bug that needs d ordering constraints is found
// by a run with probability 1 / (n k^(d-1)) at least, n being the number of
// threads and k that of events.  We take k from the longest run so far.
class Pct final : public Recorded {
 public:
  Pct(std::uint64_t seed, std::uint32_t depth) : dice_(seed), depth_(depth) {}
  bool start_run() override;
  ThreadId pick(const Situation& situation) override;
  std::uint32_t choose(ThreadId, std::uint32_t bound) override {
    return dice_.below(bound);
  }
  bool fails(ThreadId) override { return dice_.below(kFailsOneIn) == 0; }

 private:
  Dice dice_;
  std::uint32_t depth_;
  std::uint32_t length_ = 16;
  std::uint32_t priority_[kMaxThreads] = {};
  std::vector<std::uint32_t> changes_;  // moments, in no order
};

// Does what it is told; at its end, whatever is possible, without switching
// if it can.
class Replay final : public Recorded {
 public:
  explicit Replay(std::vector<Step> steps) : told_(std::move(steps)) {}
  ThreadId pick(const Situation& situation) override;
  std::uint32_t choose(ThreadId, std::uint32_t bound) override;
  bool fails(ThreadId) override;
  // Was anything impossible that it was told?
  bool strayed() const { return strayed_; }
  // Has nothing changed for long, though everybody who could had a turn?
  bool goes_in_circles() const {
    return quiet_ >= kQuiet && (able_ & ~took_part_) == 0;
  }
  bool start_run() override {
    strayed_ = false;
    note_change();
    return Recorded::start_run();
  }
  bool repeat_run() override { return start_run(); }
  void saw(const Event& event) override;

 private:
  // Events in a row that change nothing: from the first number on, threads
  // take turns; with the second, they will never do anything else.
  static constexpr std::uint32_t kSpinning = 100, kQuiet = 2000;

  void note_change() {
    quiet_ = 0;
    able_ = took_part_ = 0;
  }

  std::vector<Step> told_;
  bool strayed_ = false;
  std::uint32_t quiet_ = 0;
  ThreadMask able_ = 0, took_part_ = 0;  // since the last change
};

}  // namespace plumb::sched
