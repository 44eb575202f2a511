// SPDX-License-Identifier: Apache-2.0
// Sets of cells of a state, as bits.
#include "csp/partial_order_masks.h"

#include <utility>

namespace plumb::csp {

namespace {

void set(CellMask& mask, std::size_t bit) {
  mask[bit / kMaskWord] |= std::uint64_t{1} << (bit % kMaskWord);
}

bool has(const CellMask& mask, std::size_t bit) {
  return (mask[bit / kMaskWord] >> (bit % kMaskWord) & 1) != 0;
}

}  // namespace

TouchMasks::TouchMasks(std::shared_ptr<const Nodes> nodes,
                       const NodeTouches& touches)
    : nodes_(std::move(nodes)),
      assigned_whole_(touches.assigned_whole()),
      first_buffer_(static_cast<std::uint32_t>(nodes_->layout->slots().size())),
      words_((first_buffer_ + 2 * nodes_->layout->buffers().size() + kMaskWord -
              1) /
             kMaskWord) {
  for (NodeId id = 0; id < nodes_->nodes.size(); ++id) {
    next_.push_back(
        {list_of(touches.next(id).reads), list_of(touches.next(id).writes)});
    later_.push_back(
        {list_of(touches.later(id).reads), list_of(touches.later(id).writes)});
  }
}

TouchMasks::Element TouchMasks::row_of(std::uint32_t variable) const {
  const auto variables =
      static_cast<std::uint32_t>(nodes_->module->variables.size());
  if (variable < variables) {
    const Layout::Entry& entry = nodes_->layout->variables()[variable];
    return {entry.first, entry.length, 1, {}};
  }
  const Channel& channel = nodes_->module->channels[(variable - variables) / 2];
  return {first_buffer_ + 2 * channel.first + (variable - variables) % 2,
          channel.elements,
          2,
          {}};
}

TouchMasks::CellList TouchMasks::list_of(const Cells& cells) const {
  CellList list{CellMask(words_), {}};
  cells.for_each([&](const Cell& cell) {
    Element row = row_of(cell.variable);
    const bool is_whole =
        cell.index == nullptr || (cell.variable < assigned_whole_.size() &&
                                  assigned_whole_[cell.variable]);
    if (is_whole) {
      for (std::uint32_t i = 0; i < row.length; ++i) {
        set(list.always, row.first + i * row.step);
      }
      return;
    }
    row.index.tree = cell.index;
    row.index.program = compile(*cell.index, *nodes_->layout);
    if (cell.index->kind == ExprKind::kBound) {
      row.index.slot = static_cast<std::int32_t>(cell.index->number);
    } else if (cell.index->kind == ExprKind::kInteger) {
      const std::int64_t index = cell.index->number;
      if (index >= 0 && index < row.length) {
        set(list.always,
            row.first + static_cast<std::uint32_t>(index) * row.step);
      }
      return;
    }
    list.elements.push_back(std::move(row));
  });
  return list;
}

// An index that is wrong touches nothing: it is a fault whenever it comes.
void TouchMasks::add(const CellList& cells, std::span<const Datum> holes,
                     Context& context, CellMask& out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] |= cells.always[i];
  for (const Element& element : cells.elements) {
    std::int64_t index = 0;
    if (element.index.slot >= 0) {
      const Datum& hole = holes[static_cast<std::size_t>(element.index.slot)];
      if (!hole.is_plain()) continue;
      index = hole.number();
    } else {
      context.bound = holes;
      try {
        index = evaluate_number(element.index.program, context);
      } catch (const RuntimeFault&) {
        continue;
      }
    }
    if (index < 0 || index >= element.length) continue;
    set(out, element.first + static_cast<std::size_t>(index) * element.step);
  }
}

void TouchMasks::add_waiting(const Valuation& valuation,
                             TouchMask& next) const {
  const auto buffers =
      static_cast<std::uint32_t>(nodes_->layout->buffers().size());
  for (std::uint32_t buffer = 0; buffer < buffers; ++buffer) {
    const std::size_t end = first_buffer_ + 2 * buffer, front = end + 1;
    if (has(next.writes, end) && valuation.full(buffer)) {
      set(next.reads, front);
    }
    if (has(next.writes, front) && valuation.size(buffer) == 0) {
      set(next.reads, end);
    }
  }
}

void TouchMasks::add_other_ends(TouchMask& next) const {
  const auto buffers =
      static_cast<std::uint32_t>(nodes_->layout->buffers().size());
  for (std::uint32_t buffer = 0; buffer < buffers; ++buffer) {
    const std::size_t end = first_buffer_ + 2 * buffer, front = end + 1;
    if (!has(next.writes, end) && !has(next.writes, front)) continue;
    set(next.writes, end);
    set(next.writes, front);
  }
}

void TouchMasks::add_reads(const Expression& expression, CellMask& out) const {
  Touches found;
  Valuation none(*nodes_->layout);
  Context context{none};
  TouchFinder(*nodes_->module, 0).look(expression, found);
  add(list_of(found.reads), {}, context, out);
}

}  // namespace plumb::csp
