// SPDX-License-Identifier: Apache-2.0
// Sets of states that a specification may be in after a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assertions/divergences.h"
#include "assertions/lazy_graph.h"
#include "base/budget.h"
#include "base/flat_table.h"

namespace plumb::assertions {

using SetId = std::uint32_t;

// Each set is kept once, and closed: it has what internal steps of its members
// lead to.  Steps are remembered.
class SpecificationSets {
 public:
  using StateId = LazyGraph::StateId;
  using EventSet = std::vector<EventId>;  // sorted
  static constexpr SetId kEmpty = 0;
  static constexpr SetId kStopped = UINT32_MAX;

  SpecificationSets(const lts::System& specification, Events& events,
                    Budget& budget, std::uint64_t state_limit);

  // These two give kStopped if no set could be made; see why().
  SetId initial();
  SetId step(SetId set, EventId event);
  // The set by other names; a number of lts::permutation_of().  Like step().
  SetId renamed(SetId set, std::uint16_t renaming);
  // Why a function stopped: a limit, or a fault of the specification.
  const std::string& why() const { return why_; }

  bool is_subset(SetId set, SetId of) const;
  std::span<const StateId> members(SetId set) const {
    return {pool_.data() + begins_[set], begins_[set + 1] - begins_[set]};
  }
  // What stable members offer: the smallest of these sets.  A stable state that
  // offers A refuses all that is not in A, so that a state may refuse no more
  // than the specification iff what it offers includes one of them.
  const std::vector<EventSet>& acceptances(SetId set);
  // Nothing if that could not be found out; see why().
  std::optional<bool> diverges(SetId set);
  // All events that are possible after the trace.
  EventSet possible(SetId set) const;

  const LazyGraph& graph() const { return graph_; }
  std::size_t size() const { return begins_.size() - 1; }
  std::size_t bytes() const {
    return graph_.bytes() + divergences_.bytes() +
           pool_.capacity() * sizeof(StateId) +
           begins_.size() * (sizeof(std::uint64_t) * 4) +
           (steps_.size() + renamed_.size() + renamed_states_.size()) * 20;
  }

 private:
  bool has_room() const;  // for one set more, and a step to it
  SetId stop(std::string why);
  StateId renamed_state(StateId state, std::uint16_t renaming);
  // Of scratch_, made closed.
  SetId closed();
  SetId intern();

  LazyGraph graph_;
  Divergences divergences_;
  Budget& budget_;
  const std::uint64_t limit_;          // of states; 0: none
  std::vector<StateId> pool_;          // members, one set after the other
  std::vector<std::uint64_t> begins_;  // and the end
  std::vector<std::uint64_t> signatures_;
  FlatMap<std::uint64_t, std::vector<SetId>> by_hash_;
  FlatMap<std::uint64_t, SetId> steps_, renamed_;
  FlatMap<std::uint64_t, StateId> renamed_states_;
  FlatMap<SetId, std::vector<EventSet>> acceptances_;
  std::vector<std::uint8_t> diverges_;  // 0: not known yet, 1: no, 2: yes
  std::vector<StateId> scratch_;
  std::vector<std::uint32_t> seen_;  // by state: the last closure it was in
  std::uint32_t closures_ = 0;
  std::string why_;
};

}  // namespace plumb::assertions
