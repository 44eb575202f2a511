// SPDX-License-Identifier: Apache-2.0
// The states of a system, expanded when they are asked for, once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assertions/events.h"
#include "explore/shared_store.h"
#include "explore/side_table.h"
#include "lts/system.h"

namespace plumb::assertions {

class LazyGraph {
 public:
  using StateId = explore::StateId;

  struct Step {
    StateId target;
    EventId event;
  };

  // All must last.
  LazyGraph(const lts::System& system, Events& events)
      : system_(system), events_(events) {}

  // State 0.  Both return false if there is no more memory.
  bool start();
  bool expand(StateId state) {
    return rows_[state].begin != kNotYet || expand_now(state);
  }

  // A state that no step has led to; kNoState: there is no more memory.
  StateId add(lts::StateView state);

  const lts::System& system() const { return system_; }
  std::size_t states() const { return store_.size(); }
  lts::StateView state(StateId id) const { return store_[id]; }
  // Of states that were expanded: steps without faults, in the system's order.
  std::uint64_t begin(StateId state) const { return rows_[state].begin; }
  std::uint64_t end(StateId state) const {
    return rows_[state].begin + rows_[state].count;
  }
  const Step& operator[](std::uint64_t number) const { return steps_[number]; }
  bool has_fault(StateId state) const { return rows_[state].has_fault; }
  // No internal step is possible.  Steps that a bound cuts off might be
  // internal.
  bool is_stable(StateId state) const { return rows_[state].is_stable; }
  // As in Successors::cut, of all states expanded.
  std::uint64_t cut() const { return cut_; }

  // The label of the step with this number, or of the first fault.
  lts::Label label(StateId from, std::uint64_t number) const;
  struct Fault {
    lts::Label label;
    lts::StateBytes after;
  };
  Fault fault(StateId from) const;

  std::size_t bytes() const {
    return store_.bytes() + rows_.bytes() + steps_.bytes();
  }

 private:
  static constexpr std::uint64_t kNotYet = UINT64_MAX;
  struct Row {
    std::uint64_t begin = kNotYet;
    std::uint32_t count = 0;
    bool has_fault = false;
    bool is_stable = true;
  };

  bool expand_now(StateId state);

  const lts::System& system_;
  Events& events_;
  explore::SharedStore store_{
      explore::SharedStore::Options{.has_entries = false}};
  explore::SideTable<Row> rows_;
  explore::SideTable<Step> steps_;
  lts::Successors scratch_;
  std::uint64_t cut_ = 0;
};

}  // namespace plumb::assertions
