// SPDX-License-Identifier: Apache-2.0
// The transitions of all reachable states, for questions about cycles.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "explore/side_table.h"
#include "explore/state_store.h"
#include "lts/system.h"

namespace plumb::explore {

// Rows of transitions in the order of the states' ids, 8 bytes each.
//
// LIMIT: edge() of a transition is exact below 2^23; those above share the
// last number.  Programs have thousands.
class Graph {
 public:
  struct Transition {
    StateId target;
    std::uint32_t packed;  // kind: 3 bits, process: 6, edge: 23

    lts::LabelKind kind() const {
      return static_cast<lts::LabelKind>(packed & 7);
    }
    std::uint16_t process() const {
      return static_cast<std::uint16_t>(packed >> 3 & 63);
    }
    std::uint32_t edge() const { return packed >> 9; }
    bool is_of(const lts::Label& label) const { return packed == pack(label); }
  };
  static std::uint32_t pack(const lts::Label& label) {
    assert(label.process < 64);
    constexpr std::uint32_t kLastEdge = (1u << 23) - 1;
    const std::uint32_t edge = label.edge < kLastEdge ? label.edge : kLastEdge;
    return static_cast<std::uint32_t>(label.kind) |
           std::uint32_t{label.process} << 3 | edge << 9;
  }

  // Both return false if there is no more memory.
  bool start_row() { return starts_.push_back(transitions_.size()); }
  bool add(const lts::Label& label, StateId target) {
    return transitions_.push_back({target, pack(label)});
  }

  // States whose row was started; those with larger ids have none.
  std::size_t rows() const { return starts_.size(); }
  std::size_t transitions() const { return transitions_.size(); }
  // The transitions of `state` have the numbers from row_begin to row_end.
  std::uint64_t row_begin(StateId state) const {
    return state < starts_.size() ? starts_[state] : transitions_.size();
  }
  std::uint64_t row_end(StateId state) const {
    return state + std::size_t{1} < starts_.size() ? starts_[state + 1]
                                                   : transitions_.size();
  }
  const Transition& operator[](std::uint64_t number) const {
    return transitions_[number];
  }
  std::size_t bytes() const { return starts_.bytes() + transitions_.bytes(); }

 private:
  SideTable<std::uint64_t> starts_;
  SideTable<Transition> transitions_;
};

}  // namespace plumb::explore
