// SPDX-License-Identifier: Apache-2.0
// Repeats an execution graph that was written down as steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/graph_run.h"
#include "sched/random.h"

namespace plumb::sched {

// How far from what is latest a read or a write is, among what was done before
// it; twice that, and one more for a compare-exchange that fails for no reason.
std::uint16_t choice_of(const ExecutionGraph& graph, EventId event,
                        const Past& done);

// Does what it is told; at its end, whatever is possible, without switching if
// it can, reading and writing what is latest.  Or it stops there.
class GraphReplay final : public GraphRun {
 public:
  using Step = Recorded::Step;
  enum class AtEnd : std::uint8_t { kGoesOn, kStops };
  explicit GraphReplay(std::vector<Step> steps, AtEnd at_end = AtEnd::kGoesOn)
      : told_(std::move(steps)), at_end_(at_end) {}

  bool start_run() override;
  bool repeat_run() override { return start_run(); }
  ThreadId pick(const Situation& situation) override;

  // Was anything impossible that it was told?
  bool strayed() const { return strayed_; }
  bool did_all() const { return !strayed_ && events().size() >= told_.size(); }
  // Has nothing changed for long, at the end of what it was told?
  bool goes_in_circles() const { return quiet_ >= kQuiet; }
  void saw(const Event& event) override;

 private:
  Source source_of(EventId read) override;
  std::size_t place_of(EventId write) override;
  std::uint32_t outcome_of(std::uint32_t bound) override;
  std::uint16_t choice() const;

  std::vector<Step> told_;
  AtEnd at_end_;
  bool strayed_ = false;
  static constexpr std::uint32_t kSpinning = 100, kQuiet = 2000;
  std::uint32_t quiet_ = 0;  // events in a row that changed nothing
};

}  // namespace plumb::sched
