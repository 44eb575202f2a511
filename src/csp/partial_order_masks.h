// SPDX-License-Identifier: Apache-2.0
// Sets of cells of a state, as bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "csp/datum.h"
#include "csp/evaluate.h"
#include "csp/node.h"
#include "csp/partial_order_touches.h"
#include "csp/valuation.h"

namespace plumb::csp {

// A bit for each slot of the layout, then two for each buffer: its end and its
// front.
using CellMask = std::vector<std::uint64_t>;

struct TouchMask {
  CellMask reads, writes;

  void reset(std::size_t words) {
    reads.assign(words, 0);
    writes.assign(words, 0);
  }
};

// The cells of all nodes, ready to be looked up for the values of their holes.
class TouchMasks {
 public:
  TouchMasks(std::shared_ptr<const Nodes> nodes, const NodeTouches& touches);

  std::size_t words() const { return words_; }
  // Add what a leaf with these holes touches.  `context` is used.
  void add_next(NodeId node, std::span<const Datum> holes, Context& context,
                TouchMask& out) const {
    add(next_[node], holes, context, out);
  }
  void add_later(NodeId node, std::span<const Datum> holes, Context& context,
                 TouchMask& out) const {
    add(later_[node], holes, context, out);
  }
  // Whether a send has to wait is up to who receives, and the other way round.
  void add_waiting(const Valuation& valuation, TouchMask& next) const;
  // A message, or room for one, wakes who waits at the other end.
  void add_other_ends(TouchMask& next) const;
  // What an expression without holes reads.
  void add_reads(const Expression& expression, CellMask& out) const;

 private:
  // One element of a variable: slots first, first + step, ...
  struct Element {
    std::uint32_t first = 0, length = 0, step = 1;
    Compiled index;
  };
  struct CellList {
    CellMask always;
    std::vector<Element> elements;
  };
  struct TouchList {
    CellList reads, writes;
  };

  Element row_of(std::uint32_t variable) const;
  CellList list_of(const Cells& cells) const;
  static void add(const CellList& cells, std::span<const Datum> holes,
                  Context& context, CellMask& out);
  static void add(const TouchList& touches, std::span<const Datum> holes,
                  Context& context, TouchMask& out) {
    add(touches.reads, holes, context, out.reads);
    add(touches.writes, holes, context, out.writes);
  }

  std::shared_ptr<const Nodes> nodes_;
  std::vector<bool> assigned_whole_;
  std::uint32_t first_buffer_;  // its bit
  std::size_t words_;
  std::vector<TouchList> next_, later_;
};

}  // namespace plumb::csp
