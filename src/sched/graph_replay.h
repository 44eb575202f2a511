// SPDX-License-Identifier: Apache-2.0
// Repeats an execution graph that was written down as steps.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/graph_scheduler.h"
#include "sched/random.h"

namespace plumb::sched {

// How far from what is latest a read or a write is, among what was done before
// it; twice that, and one more for a compare-exchange that fails for no reason.
std::uint16_t choice_of(const ExecutionGraph& graph, EventId event,
                        const Past& done);

// Does what it is told; at its end, whatever is possible, without switching if
// it can, reading and writing what is latest.
class GraphReplay final : public GraphScheduler {
 public:
  using Step = Recorded::Step;
  explicit GraphReplay(std::vector<Step> steps) : told_(std::move(steps)) {}

  bool start_run() override;
  bool repeat_run() override { return start_run(); }
  ThreadId pick(const Situation& situation) override;
  std::uint32_t choose(ThreadId thread, std::uint32_t bound) override;
  Read read(ThreadId thread, const ReadLabel& label, const Bytes& initial,
            Next next) override;
  bool wrote(ThreadId thread, std::uint64_t key, const Bytes& value, int order,
             const Bytes& initial) override;
  bool updated(ThreadId thread, const Bytes& value) override;
  void fence(ThreadId thread, int order) override;
  void spawned(ThreadId thread, ThreadId child) override;
  void joined(ThreadId thread, ThreadId child) override;
  const ExecutionGraph& graph() const override { return graph_; }

  // Was anything impossible that it was told?
  bool strayed() const { return strayed_; }
  // Has nothing changed for long, at the end of what it was told?
  bool goes_in_circles() const { return quiet_ >= kQuiet; }
  void saw(const Event& event) override;

 private:
  std::uint16_t choice() const;
  EventId add(ThreadId thread, GraphKind kind);
  bool is_latest(EventId write) const {
    return graph_.latest(graph_[write].location) == write;
  }

  std::vector<Step> told_;
  ExecutionGraph graph_;
  bool strayed_ = false;
  static constexpr std::uint32_t kSpinning = 100, kQuiet = 2000;
  std::uint32_t quiet_ = 0;  // events in a row that changed nothing
};

}  // namespace plumb::sched
