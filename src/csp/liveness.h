// SPDX-License-Identifier: Apache-2.0
// Which variables a process may still read before it writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "csp/cells.h"
#include "csp/csp_system.h"
#include "csp/model_options.h"
#include "csp/node.h"
#include "csp/valuation.h"

namespace plumb::csp {

// A cell is live in a term if some leaf of it may read the cell before that
// leaf itself has surely written it: what other components write does not
// matter, since they may be slow.  So the value of a cell that is live in no
// leaf is never read, and states that differ in dead cells only are strongly
// bisimilar (each step of one is a step of the other, with the same label,
// and the states after it differ in dead cells only).
//
// The usual backward analysis over nodes, with indices over holes.
class Liveness {
 public:
  explicit Liveness(const Nodes& nodes);

  const Cells& of(NodeId node) const { return live_[node]; }
  // Arrays that are assigned as a whole may change their shape: always live.
  const std::vector<bool>& never_dead() const { return never_dead_; }

 private:
  void find_whole_assignments();
  // Returns whether the node has more live cells than before.
  bool update(NodeId id);
  Cells live_before(const Node& node) const;
  void add_reads(const Compiled& code, std::uint32_t holes, Cells& out) const;
  void add_reads(const std::vector<Compiled>& codes, std::uint32_t holes,
                 Cells& out) const;
  void add_reads(const std::vector<IndexShape>& indices, std::uint32_t holes,
                 Cells& out) const;
  void add_reads(const std::vector<EventShape>& events, std::uint32_t holes,
                 Cells& out) const;
  void add_child(const Child& child, std::uint32_t holes, Cells& out) const;
  void add_reference(const Node& node, Cells& out) const;

  const Nodes& nodes_;
  std::vector<Cells> live_;
  std::vector<bool> never_dead_;  // by variable
};

// Puts dead cells back to their first values.
class DeadValues : public CspSystem::Forget {
 public:
  // What is watched is live in all states.
  DeadValues(std::shared_ptr<const Nodes> nodes, const Liveness& liveness,
             const Watched& watched, lts::StateView initial);

  bool apply(lts::StateView term, Valuation& valuation) const override;

 private:
  using Mask = std::vector<std::uint64_t>;
  struct Element {
    std::uint32_t first = 0, length = 0;
    Compiled index;
  };
  struct LiveCells {
    Mask always;  // empty: none
    std::vector<Element> elements;
  };

  void add(const Cell& cell, LiveCells& out) const;
  void set(Mask& mask, std::size_t first, std::size_t count) const;
  void mark(const LiveCells& cells, std::span<const Datum> holes,
            Valuation& valuation, Mask& live) const;

  std::shared_ptr<const Nodes> nodes_;
  std::size_t words_;
  Mask live_anyway_;
  std::vector<LiveCells> of_node_;
  std::vector<Datum> first_values_;
};

}  // namespace plumb::csp
