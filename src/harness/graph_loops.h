// SPDX-License-Identifier: Apache-2.0
// Spin loops in execution graphs: awaits, whose reads stay revisitable.
//
// A thread that came back to where it was, having changed nothing, would do
// the same again until it reads something else.  It is stopped there; when a
// write that it could read is added, the search lets it read that in another
// execution (sched::Trust).  What is left out has iterations that change
// nothing, and without them the graph is consistent as well.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/loops.h"
#include "runtime/picture.h"
#include "sched/graph_scheduler.h"

namespace plumb::harness {

class GraphLoops final : public runtime::LoopGuard {
 public:
  explicit GraphLoops(const sched::GraphScheduler& search);
  ~GraphLoops() override;
  GraphLoops(const GraphLoops&) = delete;
  GraphLoops& operator=(const GraphLoops&) = delete;

  runtime::LoopAnswer at_repeat(const runtime::LoopQuestion& question) override;
  runtime::LoopAnswer at_weak_success(const sched::Event&) override {
    return runtime::LoopAnswer::kGoOn;
  }

  // All that still live are stopped or wait.  Would the stopped ones go round
  // for ever: did they read what is there in the end?
  bool is_livelock(sched::ThreadMask cut) const;

 private:
  bool changes_nothing(const runtime::LoopQuestion& question) const;

  // Where a thread was, at a place in its code.
  struct Seen {
    std::uint32_t run = 0;
    std::uint64_t site = 0;
    std::uint32_t position = 0;
    runtime::Picture picture;
  };

  const sched::GraphScheduler& search_;
  std::vector<Seen> seen_[sched::kMaxThreads];
  std::vector<std::uint32_t> circle_[sched::kMaxThreads];  // its events
  sched::ThreadMask will_get_on_ = 0;  // they failed for no reason
};

}  // namespace plumb::harness
