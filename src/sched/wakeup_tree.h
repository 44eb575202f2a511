// SPDX-License-Identifier: Apache-2.0
// Sequences of events that must still be explored, as an ordered tree.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/event.h"

namespace plumb::sched {

// The nodes of all wakeup trees of a search [AbdullaEtAl14], in one pool.  A
// tree is a list of branches; the first is explored first, and a branch that
// is done is removed.
class WakeupTrees {
 public:
  using Branch = std::uint32_t;
  static constexpr Branch kNone = UINT32_MAX;

  struct Node {
    Event event;
    Branch first = kNone;  // what follows it
    Branch next = kNone;   // its younger sibling
  };

  Node& operator[](Branch branch) { return nodes_[branch]; }
  const Node& operator[](Branch branch) const { return nodes_[branch]; }

  Branch make(const Event& event) {
    if (free_ == kNone) {
      nodes_.push_back({event, kNone, kNone});
      return static_cast<Branch>(nodes_.size() - 1);
    }
    const Branch made = free_;
    free_ = nodes_[made].next;
    nodes_[made] = {event, kNone, kNone};
    return made;
  }

  // Gives a branch without followers back.
  void drop(Branch branch) {
    nodes_[branch].next = free_;
    free_ = branch;
  }

  // Appends a branch to the list that begins at `first`.
  void append(Branch& first, Branch branch) {
    if (first == kNone) {
      first = branch;
      return;
    }
    Branch last = first;
    while (nodes_[last].next != kNone) last = nodes_[last].next;
    nodes_[last].next = branch;
  }

  std::size_t size() const { return nodes_.size(); }

 private:
  std::vector<Node> nodes_;
  Branch free_ = kNone;
};

}  // namespace plumb::sched
