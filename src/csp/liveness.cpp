// SPDX-License-Identifier: Apache-2.0
// Which variables a process may still read before it writes them.
#include "csp/liveness.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "csp/tree.h"

namespace plumb::csp {

namespace {}  // namespace

Liveness::Liveness(const Nodes& nodes)
    : nodes_(nodes),
      live_(nodes.nodes.size()),
      never_dead_(nodes.module->variables.size()) {
  find_whole_assignments();
  // Children were made before their parents, so one round settles all but
  // what references lead back to.
  for (bool more = true; more;) {
    more = false;
    for (NodeId id = 0; id < nodes.nodes.size(); ++id) more |= update(id);
  }
}

void Liveness::find_whole_assignments() {
  const auto look = [this](const Expression& e) {
    if (e.kind != ExprKind::kAssign) return;
    const Expression& place = *e.children[0];
    if (place.kind != ExprKind::kGlobal) return;
    const auto variable = static_cast<std::size_t>(place.number);
    if (!nodes_.module->variables[variable].dimensions.empty()) {
      never_dead_[variable] = true;
    }
  };
  for (const Definition& definition : nodes_.module->processes) {
    visit(*definition.body, look);
  }
}

bool Liveness::update(NodeId id) {
  return live_[id].add(live_before(nodes_[id]));
}

Cells Liveness::live_before(const Node& node) const {
  Cells live;
  if (node.is_frame) {
    // Its holes are those of what waits behind it.
    for (const Child& waiting : node.children) live.add(live_[waiting.node]);
    add_reads(node.events, node.holes, live);
    return live;
  }
  for (const Child& child : node.children) {
    add_child(child, node.holes, live);
    add_reads(child.holes, node.holes, live);
  }
  if (node.kind == NodeKind::kReference) add_reference(node, live);
  if (node.has_block) {
    Footprint block;
    CellFinder(*nodes_.module, node.holes).look(*node.statement, block);
    block.writes.for_each([&](const Cell& cell) {
      if (cell.index != nullptr) live.remove(cell);
    });
    live.add(block.reads);
  }
  add_reads(node.events, node.holes, live);
  add_reads(node.conditions, node.holes, live);
  add_reads(node.arguments, node.holes, live);
  add_reads(node.fields, node.holes, live);
  add_reads(node.indices, node.holes, live);
  add_reads(node.copies, node.holes, live);
  add_reads(node.channel_index, node.holes, live);
  for (const PatternShape& pattern : node.patterns) {
    add_reads(pattern.value, node.holes, live);
  }
  return live;
}

void Liveness::add_reads(const Compiled& code, std::uint32_t holes,
                         Cells& out) const {
  if (code.tree == nullptr || !code.open) return;
  Footprint found;
  CellFinder(*nodes_.module, holes).look(*code.tree, found);
  out.add(found.reads);
}

void Liveness::add_reads(const std::vector<Compiled>& codes,
                         std::uint32_t holes, Cells& out) const {
  for (const Compiled& code : codes) add_reads(code, holes, out);
}

void Liveness::add_reads(const std::vector<IndexShape>& indices,
                         std::uint32_t holes, Cells& out) const {
  for (const IndexShape& index : indices) {
    add_reads(index.values, holes, out);
    add_reads(index.low, holes, out);
    add_reads(index.high, holes, out);
  }
}

void Liveness::add_reads(const std::vector<EventShape>& events,
                         std::uint32_t holes, Cells& out) const {
  for (const EventShape& event : events) {
    add_reads(event.fields, holes, out);
    add_reads(event.indices, holes, out);
  }
}

void Liveness::add_child(const Child& child, std::uint32_t holes,
                         Cells& out) const {
  std::vector<ExprPtr> expressions;
  for (const Compiled& hole : child.holes) {
    expressions.push_back(hole.over_holes(holes));
  }
  live_[child.node].for_each(
      [&](const Cell& cell) { out.add(substituted(cell, expressions)); });
}

void Liveness::add_reference(const Node& node, Cells& out) const {
  const DefinitionShape& definition = nodes_.definitions[node.process];
  std::vector<ExprPtr> arguments;
  for (const Compiled& argument : node.arguments) {
    arguments.push_back(argument.over_holes(node.holes));
  }
  std::vector<ExprPtr> parameters;
  for (const Compiled& hole : definition.body.holes) {
    parameters.push_back(hole.tree);
  }
  live_[definition.body.node].for_each([&](const Cell& cell) {
    out.add(substituted(substituted(cell, parameters), arguments));
  });
}

DeadValues::DeadValues(std::shared_ptr<const Nodes> nodes,
                       const Liveness& liveness, const Watched& watched,
                       lts::StateView initial)
    : nodes_(std::move(nodes)),
      words_((nodes_->layout->slots().size() + kMaskWord - 1) / kMaskWord),
      live_anyway_(words_),
      of_node_(nodes_->nodes.size()) {
  Valuation first(*nodes_->layout);
  first.decode(initial.data(), initial.data() + initial.size());
  for (std::uint32_t i = 0; i < nodes_->layout->slots().size(); ++i) {
    first_values_.push_back(first.slot(i));
  }
  for (std::size_t i = 0; i < nodes_->module->variables.size(); ++i) {
    const Layout::Entry& entry = nodes_->layout->variables()[i];
    if (liveness.never_dead()[i]) set(live_anyway_, entry.first, entry.length);
  }
  Footprint seen;
  const CellFinder finder(*nodes_->module, 0);
  for (const std::uint32_t proposition : watched.propositions) {
    finder.look(*nodes_->module->propositions[proposition].expression, seen);
  }
  for (const ExprPtr& expression : watched.expressions) {
    finder.look(*expression, seen);
  }
  LiveCells always;
  seen.reads.for_each([&](const Cell& cell) { add(cell, always); });
  mark(always, {}, first, live_anyway_);
  for (NodeId id = 0; id < of_node_.size(); ++id) {
    liveness.of(id).for_each(
        [&](const Cell& cell) { add(cell, of_node_[id]); });
  }
}

void DeadValues::set(Mask& mask, std::size_t first, std::size_t count) const {
  mask.resize(words_);
  for (std::size_t i = first; i < first + count; ++i) {
    mask[i / kMaskWord] |= std::uint64_t{1} << (i % kMaskWord);
  }
}

void DeadValues::add(const Cell& cell, LiveCells& out) const {
  const Layout::Entry& entry = nodes_->layout->variables()[cell.variable];
  if (cell.index == nullptr) {
    set(out.always, entry.first, entry.length);
    return;
  }
  if (cell.index->kind == ExprKind::kInteger) {
    const std::int64_t index = cell.index->number;
    if (index >= 0 && index < entry.length) {
      set(out.always, entry.first + static_cast<std::size_t>(index), 1);
    }
    return;
  }
  Element element{entry.first, entry.length, {}};
  element.index.program = compile(*cell.index, *nodes_->layout);
  if (cell.index->kind == ExprKind::kBound) {
    element.index.slot = static_cast<std::int32_t>(cell.index->number);
  }
  out.elements.push_back(std::move(element));
}

void DeadValues::mark(const LiveCells& cells, std::span<const Datum> holes,
                      Valuation& valuation, Mask& live) const {
  for (std::size_t i = 0; i < cells.always.size(); ++i) {
    live[i] |= cells.always[i];
  }
  for (const Element& element : cells.elements) {
    std::int64_t index = 0;
    if (element.index.slot >= 0) {
      const Datum& hole = holes[static_cast<std::size_t>(element.index.slot)];
      if (!hole.is_plain()) continue;  // reading it would be a fault
      index = hole.number();
    } else {
      Context context{valuation, holes, nullptr, {}};
      try {
        index = evaluate_number(element.index.program, context);
      } catch (const RuntimeFault&) {
        continue;  // likewise
      }
    }
    if (index < 0 || index >= element.length) continue;
    set(live, element.first + static_cast<std::size_t>(index), 1);
  }
}

bool DeadValues::apply(lts::StateView term, Valuation& valuation) const {
  thread_local Mask live;
  thread_local std::vector<Datum> holes;
  live = live_anyway_;
  const std::uint8_t* at = term.data();
  for (std::uint64_t left = 1; left > 0; --left) {
    const auto id = static_cast<NodeId>(read_number(at));
    const Node& node = (*nodes_)[id];
    holes.clear();
    for (std::uint32_t i = 0; i < node.holes; ++i) {
      holes.push_back(read_datum(at));
    }
    mark(of_node_[id], holes, valuation, live);
    if (node.is_frame) left += operands_of(node, at);
  }
  bool changed = false;
  for (std::size_t word = 0; word < words_; ++word) {
    for (std::uint64_t dead = ~live[word]; dead != 0; dead &= dead - 1) {
      const std::size_t i =
          word * kMaskWord + static_cast<std::size_t>(std::countr_zero(dead));
      if (i >= first_values_.size()) break;
      Datum& value = valuation.slot(static_cast<std::uint32_t>(i));
      if (value == first_values_[i]) continue;
      value = first_values_[i];
      changed = true;
    }
  }
  return changed;
}

}  // namespace plumb::csp
