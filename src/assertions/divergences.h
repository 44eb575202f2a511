// SPDX-License-Identifier: Apache-2.0
// From which states internal steps may go on for ever.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "assertions/lazy_graph.h"
#include "base/budget.h"

namespace plumb::assertions {

// Searches depth-first over internal steps, as far as it is asked, and
// remembers.  A step to a state that is still open closes a cycle, which all
// open states reach.
class Divergences {
 public:
  using StateId = LazyGraph::StateId;

  explicit Divergences(LazyGraph& graph) : graph_(graph) {}

  // Nothing if the budget or memory is spent.
  std::optional<bool> from(StateId state, Budget& budget);
  // Internal steps from such a state to a state on a cycle of them, and around
  // it; how many there are before the cycle.  Short, if not always shortest.
  struct Way {
    std::vector<std::uint64_t> steps;
    std::size_t before_cycle = 0;
  };
  Way way(StateId state) const;
  std::size_t bytes() const { return marks_.size(); }

 private:
  enum class Mark : std::uint8_t { kNew, kOpen, kNot, kDiverges };
  struct Frame {
    StateId state;
    std::uint64_t next;
  };

  bool open(StateId state);
  std::vector<std::uint64_t> shortest(StateId from, StateId to) const;
  StateId on_cycle(StateId state) const;

  LazyGraph& graph_;
  std::vector<Mark> marks_;
  std::vector<Frame> frames_;
};

}  // namespace plumb::assertions
