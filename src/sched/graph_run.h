// SPDX-License-Identifier: Apache-2.0
// Execution graphs that are made in one run, from nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sched/graph_scheduler.h"

namespace plumb::sched {

// Each event is added when it is done; who derives from this says which write
// a read reads, and where a write stands in mo.
class GraphRun : public GraphScheduler {
 public:
  bool start_run() override;
  std::uint32_t choose(ThreadId thread, std::uint32_t bound) override;
  Read read(ThreadId thread, const ReadLabel& label, const Bytes& initial,
            Next next) override;
  bool wrote(ThreadId thread, std::uint64_t key, const Bytes& value, int order,
             const Bytes& initial) override;
  bool updated(ThreadId thread, const Bytes& value) override;
  void fence(ThreadId thread, int order) override;
  void spawned(ThreadId thread, ThreadId child) override;
  void joined(ThreadId thread, ThreadId child) override;
  const ExecutionGraph& graph() const final { return graph_; }

 protected:
  struct Source {
    EventId write;
    bool fails = false;  // for no reason
  };
  // Requires: the read reads what there was initially, for now.
  virtual Source source_of(EventId read) = 0;
  // Requires: the write is not in mo yet.
  virtual std::size_t place_of(EventId write) = 0;
  virtual std::uint32_t outcome_of(std::uint32_t bound) = 0;

  ExecutionGraph graph_;

 private:
  EventId add(ThreadId thread, GraphKind kind);
  bool is_latest(EventId write) const {
    return graph_.latest(graph_[write].location) == write;
  }
};

}  // namespace plumb::sched
