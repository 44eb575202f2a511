// SPDX-License-Identifier: Apache-2.0
// What the steps of a process may touch: the next ones, and all later ones.
#pragma once

#include <cstdint>
#include <vector>

#include "csp/cells.h"
#include "csp/node.h"

namespace plumb::csp {

// Cells that may be read, and that may be written.  The buffers of a channel
// count as two variables: its end where messages are put, and its front.
struct Touches {
  Cells reads, writes;

  // Returns whether there is more now.
  bool add(const Touches& other);
};

// Numbers of such variables, behind those of the module.
std::uint32_t end_of_channel(const Module& module, std::uint32_t channel);
std::uint32_t front_of_channel(const Module& module, std::uint32_t channel);

// Finds touches in trees whose bound slots are holes.
class TouchFinder {
 public:
  // Slots from `holes` on are no holes: nothing is known of them.
  TouchFinder(const Module& module, std::uint32_t holes)
      : module_(module), cells_(module, holes) {}

  void look(const Expression& expression, Touches& found) const;
  void look(const Statement& statement, Touches& found) const;
  void look(const Compiled& code, Touches& found) const;
  void look(const std::vector<Compiled>& codes, Touches& found) const;
  void look(const std::vector<IndexShape>& indices, Touches& found) const;
  void look(const std::vector<EventShape>& events, Touches& found) const;
  // Of a kSend or kReceive: what it does to the buffer.
  void look_at_buffer(const Node& node, Touches& found) const;

 private:
  void write(const Expression& place, Touches& found) const;
  Cell cell_of_buffer(std::uint32_t variable, const Expression* index) const;

  const Module& module_;
  CellFinder cells_;
};

// Of all nodes of a module.  Like Liveness: indices are over holes, and what
// references lead to is followed until nothing new is found.
class NodeTouches {
 public:
  explicit NodeTouches(const Nodes& nodes);

  // By the next steps of a leaf, and by what decides whether there are any.
  const Touches& next(NodeId node) const { return next_[node]; }
  // By these and all that follow.
  const Touches& later(NodeId node) const { return later_[node]; }
  // The next steps may meet another process in a synchronous channel, or may
  // begin a round.  Each process that goes on for ever begins rounds for ever:
  // without references to certain definitions, of which each circle of
  // references has one, processes only become smaller.
  bool is_held(NodeId node) const { return held_[node]; }
  // There is an atomic{...}, now or later.
  bool has_atomic(NodeId node) const { return atomic_[node]; }
  // Arrays that are assigned as a whole, by variable: they may change their
  // length.
  const std::vector<bool>& assigned_whole() const { return assigned_whole_; }

 private:
  void find_heads();
  std::vector<std::uint32_t> calls_of(std::uint32_t definition) const;
  void find_whole_assignments();
  void find_own(NodeId id);
  bool may_be_skip(NodeId id) const;
  // Is the next step of this child one of the node's next steps?
  bool is_next(const Node& node, std::size_t child) const;
  // Returns whether more is known now.
  bool update(NodeId id);
  bool update_child(NodeId id, const Child& child, bool is_next);
  bool update_reference(NodeId id);
  bool mark(std::vector<bool>& marks, NodeId id, bool is_so);

  const Nodes& nodes_;
  std::vector<Touches> next_, later_;
  std::vector<bool> held_, atomic_;
  std::vector<bool> heads_;  // by definition
  std::vector<bool> assigned_whole_;
};

}  // namespace plumb::csp
