// SPDX-License-Identifier: Apache-2.0
// The states of a system, expanded when they are asked for, once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assertions/events.h"
#include "explore/expander.h"
#include "explore/expansion.h"
#include "explore/side_table.h"
#include "explore/state_store.h"
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
  LazyGraph(const lts::System& system, Events& events,
            const explore::ExpanderOptions& options)
      : system_(system), events_(events), expander_(system, options) {}

  // State 0.  Both return false if there is no more memory.
  bool start();
  bool expand(StateId state) {
    return rows_[state].begin != kNotYet || expand_now(state);
  }

  // Of use to expand(), if that is asked for these states later: see Expander.
  bool wants(std::size_t waiting, std::uint64_t now) {
    return expander_.wants(waiting, now);
  }
  bool has_room_ahead() const { return expander_.room() > 0; }
  void expand_ahead(StateId state, std::uint64_t due) {
    if (rows_[state].begin == kNotYet) expander_.hand_out(state, store_, due);
  }
  void begin_ahead() { expander_.begin(); }

  // From now on renamings are kept: Label::operation has their numbers, see
  // lts::permutation_of().
  void keep_renamings() { keeps_renamings_ = true; }
  // Of a step's target, from the system's own state; 0: none.
  std::uint16_t renaming(std::uint64_t number) const {
    return keeps_renamings_ ? renamings_[number] : std::uint16_t{0};
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
  std::uint64_t left_out() const { return left_out_; }

  // The label of the step with this number, or of the first fault.
  lts::Label label(StateId from, std::uint64_t number) const;
  struct Fault {
    lts::Label label;
    lts::StateBytes after;
  };
  Fault fault(StateId from) const;

  std::size_t bytes() const {
    return store_.bytes() + rows_.bytes() + steps_.bytes() + renamings_.bytes();
  }
  std::size_t state_bytes() const { return store_.state_bytes(); }

 private:
  static constexpr std::uint64_t kNotYet = UINT64_MAX;
  struct Row {
    std::uint64_t begin = kNotYet;
    std::uint32_t count = 0;
    bool has_fault = false;
    bool is_stable = true;
  };

  bool expand_now(StateId state);
  StateId look_up(std::size_t step);

  const lts::System& system_;
  Events& events_;
  explore::StateStore store_;
  explore::SideTable<Row> rows_;
  explore::SideTable<Step> steps_;
  bool keeps_renamings_ = false;
  explore::SideTable<std::uint16_t> renamings_;  // of steps
  explore::Expander expander_;
  explore::Expansion scratch_;
  std::uint64_t cut_ = 0, left_out_ = 0;
};

}  // namespace plumb::assertions
