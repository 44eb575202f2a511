// SPDX-License-Identifier: Apache-2.0
// Random walks over consistent execution graphs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sched/graph_run.h"
#include "sched/random.h"

namespace plumb::sched {

// Somebody else picks threads at random; some of their reads read what is no
// longer latest, and some of their writes go before others in mo, as often as a
// throw of dice before each run has it: in a quarter of the runs none.  Any
// graph that the model allows may come, since each has an order of its events
// along po and rf.
class GraphWalk final : public GraphRun {
 public:
  GraphWalk(MemoryModel model, std::unique_ptr<Recorded> threads,
            std::uint64_t seed)
      : model_(model), threads_(std::move(threads)), dice_(seed) {}

  bool start_run() override;
  ThreadId pick(const Situation& situation) override {
    return rejects_run_ ? kNoThread : threads_->pick(situation);
  }
  bool fails(ThreadId thread) override;
  bool updated(ThreadId thread, const Bytes& value) override;
  void saw(const Event& event) override {
    GraphRun::saw(event);
    threads_->saw(event);
  }
  void end_run(RunEnd end, ThreadMask waiting, const Event* pending) override {
    threads_->end_run(end, waiting, pending);
  }

 private:
  Source source_of(EventId read) override;
  std::size_t place_of(EventId write) override;
  std::uint32_t outcome_of(std::uint32_t bound) override;
  // One in so many; never, if that is 0.
  bool one_in(std::uint32_t many) {
    return many != 0 && dice_.below(many) == 0;
  }

  const MemoryModel model_;
  const std::unique_ptr<Recorded> threads_;
  Dice dice_;
  std::uint32_t strays_one_in_ = 0;
  bool is_failure_ = false;   // what is chosen next fails for no reason, or not
  bool rejects_run_ = false;  // what was done last is inconsistent
};

}  // namespace plumb::sched
