// SPDX-License-Identifier: Apache-2.0
// Schedules that are run to find out about loops.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/execution.h"
#include "sched/random.h"
#include "sched/scheduler.h"

namespace plumb::harness {

// Calls see() at the ends of executions, as long as it lives.
template <typename See>
class LookAtEnd final : public runtime::Onlooker {
 public:
  explicit LookAtEnd(See& see) : see_(see) { runtime::onlooker = this; }
  ~LookAtEnd() override { runtime::onlooker = nullptr; }
  LookAtEnd(const LookAtEnd&) = delete;
  LookAtEnd& operator=(const LookAtEnd&) = delete;
  void look() override { see_(); }

 private:
  See& see_;
};

// Runs some events of one execution in the same order, then stops; or as soon
// as one is not what the plan has.
class Probe final : public sched::Scheduler {
 public:
  explicit Probe(std::vector<sched::Event> plan) : plan_(std::move(plan)) {}

  bool start_run() override { return true; }
  bool repeat_run() override {
    done_ = 0;
    strayed_ = false;
    return true;
  }
  sched::ThreadId pick(const sched::Situation& situation) override {
    if (strayed_ || done_ == plan_.size()) return sched::kNoThread;
    const sched::ThreadId thread = plan_[done_].thread;
    const bool can = (situation.enabled & sched::bit(thread)) != 0;
    return can ? thread : sched::kNoThread;
  }
  std::uint32_t choose(sched::ThreadId, std::uint32_t) override {
    return done_ < plan_.size() ? plan_[done_].choice : 0;
  }
  void saw(const sched::Event& b) override {
    const sched::Event& a = plan_[done_++];
    strayed_ |= a.address != b.address || a.size != b.size ||
                a.seen != b.seen || a.kind != b.kind || a.writes != b.writes ||
                a.thread != b.thread || a.choice != b.choice;
  }
  void end_run(sched::RunEnd, sched::ThreadMask, const sched::Event*) override {
  }

  bool went_as_planned() const { return !strayed_ && done_ == plan_.size(); }

 private:
  std::vector<sched::Event> plan_;
  std::size_t done_ = 0;
  bool strayed_ = false;
};

// Runs events as planned; then one more of a thread, which fails; then so many
// more of it.
class FailureProbe final : public sched::Scheduler {
 public:
  FailureProbe(const std::vector<sched::Event>& plan, sched::ThreadId thread,
               std::size_t more)
      : plan_(plan), thread_(thread), last_(plan.size() + more) {}

  bool start_run() override { return true; }
  bool repeat_run() override {
    seen_.clear();
    return true;
  }
  sched::ThreadId pick(const sched::Situation& situation) override {
    if (is_over()) return sched::kNoThread;
    const sched::ThreadId thread =
        seen_.size() < plan_.size() ? plan_[seen_.size()].thread : thread_;
    const bool can = (situation.enabled & sched::bit(thread)) != 0;
    return can ? thread : sched::kNoThread;
  }
  std::uint32_t choose(sched::ThreadId, std::uint32_t) override {
    if (seen_.size() < plan_.size()) return plan_[seen_.size()].choice;
    return seen_.size() == plan_.size();
  }
  void saw(const sched::Event& event) override { seen_.push_back(event); }
  void end_run(sched::RunEnd, sched::ThreadMask, const sched::Event*) override {
  }

  bool is_over() const { return seen_.size() > last_; }
  sched::ThreadId thread() const { return thread_; }
  const std::vector<sched::Event>& seen() const { return seen_; }

  // Did it fail and then only write, for itself, what was there already?
  bool only_redid() const {
    if (!is_over() || seen_[plan_.size()].choice == 0) return false;
    for (std::size_t i = plan_.size() + 1; i < seen_.size(); ++i) {
      if (!seen_[i].writes || !seen_[i].is_silent) return false;
      for (const sched::Event& other : plan_) {
        if (other.thread != thread_ && sched::dependent(other, seen_[i])) {
          return false;
        }
      }
    }
    return true;
  }

 private:
  const std::vector<sched::Event>& plan_;
  std::vector<sched::Event> seen_;
  sched::ThreadId thread_;
  std::size_t last_;
};

// Runs events as planned, and then whatever is possible, by chance, for a
// while.
class WayOut final : public sched::Scheduler {
 public:
  WayOut(std::vector<sched::Event> plan, std::uint64_t seed)
      : plan_(std::move(plan)), dice_(seed) {}

  bool start_run() override { return true; }
  bool repeat_run() override {
    done_ = 0;
    return true;
  }
  sched::ThreadId pick(const sched::Situation& situation) override {
    if (done_ >= plan_.size() + kMostSteps) return sched::kNoThread;
    if (done_ >= plan_.size()) {
      return sched::nth(situation.enabled,
                        dice_.below(sched::count(situation.enabled)));
    }
    const sched::ThreadId thread = plan_[done_].thread;
    const bool can = (situation.enabled & sched::bit(thread)) != 0;
    return can ? thread : sched::kNoThread;
  }
  std::uint32_t choose(sched::ThreadId, std::uint32_t bound) override {
    return done_ < plan_.size() ? plan_[done_].choice : dice_.below(bound);
  }
  void saw(const sched::Event&) override { ++done_; }
  void end_run(sched::RunEnd, sched::ThreadMask, const sched::Event*) override {
  }

 private:
  static constexpr std::size_t kMostSteps = 2'000;

  std::vector<sched::Event> plan_;
  sched::Dice dice_;
  std::size_t done_ = 0;
};

}  // namespace plumb::harness
