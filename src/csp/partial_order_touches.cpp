// SPDX-License-Identifier: Apache-2.0
// What the steps of a process may touch: the next ones, and all later ones.
#include "csp/partial_order_touches.h"

#include <algorithm>
#include <utility>

#include "csp/tree.h"

namespace plumb::csp {

bool Touches::add(const Touches& other) {
  const bool more = reads.add(other.reads);
  return writes.add(other.writes) || more;
}

std::uint32_t end_of_channel(const Module& module, std::uint32_t channel) {
  return static_cast<std::uint32_t>(module.variables.size()) + 2 * channel;
}

std::uint32_t front_of_channel(const Module& module, std::uint32_t channel) {
  return end_of_channel(module, channel) + 1;
}

void TouchFinder::look(const Expression& e, Touches& found) const {
  switch (e.kind) {
    case ExprKind::kGlobal:
      found.reads.add({static_cast<std::uint32_t>(e.number), nullptr, ""});
      return;
    case ExprKind::kAssign:
      look(*e.children[1], found);
      write(*e.children[0], found);
      return;
    case ExprKind::kStep:
      look(*e.children[0], found);
      write(*e.children[0], found);
      return;
    case ExprKind::kMethod:
      // Many change what they are called on.
      write(*e.children[0], found);
      break;
    case ExprKind::kChannel: {
      const auto channel = static_cast<std::uint32_t>(e.number);
      const Expression* index =
          e.children.empty() ? nullptr : e.children[0].get();
      found.reads.add(cell_of_buffer(end_of_channel(module_, channel), index));
      found.reads.add(
          cell_of_buffer(front_of_channel(module_, channel), index));
      break;
    }
    default:
      break;
  }
  const bool is_element =
      e.kind == ExprKind::kElement && e.children[0]->kind == ExprKind::kGlobal;
  if (is_element) found.reads.add(cells_.cell_of(e));
  for (std::size_t i = is_element ? 1 : 0; i < e.children.size(); ++i) {
    if (e.children[i] != nullptr) look(*e.children[i], found);
  }
  for (const Index& index : e.indices) {
    for (const ExprPtr& value : index.values) look(*value, found);
    if (index.low != nullptr) look(*index.low, found);
    if (index.high != nullptr) look(*index.high, found);
  }
  if (e.block != nullptr) look(*e.block, found);
}

void TouchFinder::write(const Expression& place, Touches& found) const {
  switch (place.kind) {
    case ExprKind::kGlobal:
      found.writes.add({static_cast<std::uint32_t>(place.number), nullptr, ""});
      return;
    case ExprKind::kElement:
      for (std::size_t i = 1; i < place.children.size(); ++i) {
        look(*place.children[i], found);
      }
      if (place.children[0]->kind == ExprKind::kGlobal) {
        found.writes.add(cells_.cell_of(place));
      } else {
        write(*place.children[0], found);
      }
      return;
    case ExprKind::kField:
      look(*place.children[0], found);  // the rest of it stays as it is
      write(*place.children[0], found);
      return;
    default:
      look(place, found);
  }
}

void TouchFinder::look(const Statement& s, Touches& found) const {
  if (s.expression != nullptr) look(*s.expression, found);
  for (const StatementPtr& child : s.children) look(*child, found);
}

void TouchFinder::look(const Compiled& code, Touches& found) const {
  if (code.tree != nullptr && code.open) look(*code.tree, found);
}

void TouchFinder::look(const std::vector<Compiled>& codes,
                       Touches& found) const {
  for (const Compiled& code : codes) look(code, found);
}

void TouchFinder::look(const std::vector<IndexShape>& indices,
                       Touches& found) const {
  for (const IndexShape& index : indices) {
    look(index.values, found);
    look(index.low, found);
    look(index.high, found);
  }
}

void TouchFinder::look(const std::vector<EventShape>& events,
                       Touches& found) const {
  for (const EventShape& event : events) {
    look(event.fields, found);
    look(event.indices, found);
  }
}

Cell TouchFinder::cell_of_buffer(std::uint32_t variable,
                                 const Expression* index) const {
  if (index == nullptr || !cells_.is_over_holes(*index)) {
    return {variable, nullptr, ""};
  }
  return {variable, std::make_shared<Expression>(*index), key(*index)};
}

void TouchFinder::look_at_buffer(const Node& node, Touches& found) const {
  if (node.synchronous) return;
  const Expression* index =
      node.has_channel_index ? node.channel_index.tree.get() : nullptr;
  const std::uint32_t variable = node.kind == NodeKind::kSend
                                     ? end_of_channel(module_, node.channel)
                                     : front_of_channel(module_, node.channel);
  found.writes.add(cell_of_buffer(variable, index));
}

namespace {

std::vector<ExprPtr> over_holes(const std::vector<Compiled>& codes,
                                std::uint32_t holes) {
  std::vector<ExprPtr> all;
  for (const Compiled& code : codes) all.push_back(code.over_holes(holes));
  return all;
}

bool add_substituted(const Cells& from, const std::vector<ExprPtr>& holes,
                     Cells& to) {
  bool more = false;
  from.for_each(
      [&](const Cell& cell) { more |= to.add(substituted(cell, holes)); });
  return more;
}

bool add_substituted(const Touches& from, const std::vector<ExprPtr>& holes,
                     Touches& to) {
  const bool more = add_substituted(from.reads, holes, to.reads);
  return add_substituted(from.writes, holes, to.writes) || more;
}

}  // namespace

NodeTouches::NodeTouches(const Nodes& nodes)
    : nodes_(nodes),
      next_(nodes.nodes.size()),
      later_(nodes.nodes.size()),
      held_(nodes.nodes.size()),
      atomic_(nodes.nodes.size()),
      heads_(nodes.definitions.size()),
      assigned_whole_(nodes.module->variables.size()) {
  find_heads();
  find_whole_assignments();
  for (NodeId id = 0; id < nodes.nodes.size(); ++id) find_own(id);
  for (bool more = true; more;) {
    more = false;
    for (NodeId id = 0; id < nodes.nodes.size(); ++id) more |= update(id);
  }
}

std::vector<std::uint32_t> NodeTouches::calls_of(
    std::uint32_t definition) const {
  std::vector<std::uint32_t> calls;
  std::vector<bool> seen(nodes_.nodes.size());
  std::vector<NodeId> stack = {nodes_.definitions[definition].body.node};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (seen[id]) continue;
    seen[id] = true;
    if (nodes_[id].kind == NodeKind::kReference) {
      calls.push_back(nodes_[id].process);
    }
    for (const Child& child : nodes_[id].children) stack.push_back(child.node);
  }
  return calls;
}

// Depth-first: what leads back to a definition that is still open closes a
// circle.
void NodeTouches::find_heads() {
  enum class Mark : std::uint8_t { kNew, kOpen, kDone };
  struct Frame {
    std::uint32_t definition;
    std::vector<std::uint32_t> calls;
  };
  std::vector<Mark> marks(heads_.size(), Mark::kNew);
  std::vector<Frame> stack;
  const auto open = [&](std::uint32_t definition) {
    marks[definition] = Mark::kOpen;
    stack.push_back({definition, calls_of(definition)});
  };
  for (std::uint32_t root = 0; root < heads_.size(); ++root) {
    if (marks[root] == Mark::kNew) open(root);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.calls.empty()) {
        marks[top.definition] = Mark::kDone;
        stack.pop_back();
        continue;
      }
      const std::uint32_t next = top.calls.back();
      top.calls.pop_back();
      if (marks[next] == Mark::kOpen) heads_[next] = true;
      if (marks[next] == Mark::kNew) open(next);
    }
  }
}

void NodeTouches::find_whole_assignments() {
  const auto look = [this](const Expression& e) {
    if (e.kind != ExprKind::kAssign) return;
    const Expression& place = *e.children[0];
    if (place.kind != ExprKind::kGlobal) return;
    assigned_whole_[static_cast<std::size_t>(place.number)] = true;
  };
  for (const Definition& definition : nodes_.module->processes) {
    visit(*definition.body, look);
  }
}

void NodeTouches::find_own(NodeId id) {
  const Node& node = nodes_[id];
  const TouchFinder finder(*nodes_.module, node.holes);
  Touches own;
  for (const Child& child : node.children) finder.look(child.holes, own);
  if (node.statement != nullptr) finder.look(*node.statement, own);
  finder.look(node.events, own);
  finder.look(node.conditions, own);
  finder.look(node.arguments, own);
  finder.look(node.fields, own);
  finder.look(node.indices, own);
  finder.look(node.copies, own);
  finder.look(node.channel_index, own);
  for (const PatternShape& pattern : node.patterns) {
    finder.look(pattern.value, own);
  }
  const bool is_channel =
      node.kind == NodeKind::kSend || node.kind == NodeKind::kReceive;
  if (is_channel) finder.look_at_buffer(node, own);
  later_[id].add(own);
  next_[id] = std::move(own);
  atomic_[id] = node.kind == NodeKind::kAtomic;
  // Copies without end: each first step makes the process larger.
  held_[id] = (is_channel && node.synchronous) ||
              node.kind == NodeKind::kReplicated ||
              (node.kind == NodeKind::kReference && heads_[node.process]);
}

// Skip; Q is Q.
bool NodeTouches::may_be_skip(NodeId id) const {
  const Node& node = nodes_[id];
  if (node.kind == NodeKind::kSkip) return true;
  if (node.kind != NodeKind::kSequence && node.kind != NodeKind::kAtomic) {
    return false;
  }
  return std::all_of(
      node.children.begin(), node.children.end(),
      [this](const Child& child) { return may_be_skip(child.node); });
}

bool NodeTouches::is_next(const Node& node, std::size_t child) const {
  if (node.is_frame) return false;
  switch (node.kind) {
    case NodeKind::kGuard:
    case NodeKind::kIfAtomic:
    case NodeKind::kGeneral:
    case NodeKind::kAtomic:
    case NodeKind::kExternal:
    case NodeKind::kInterleave:
    case NodeKind::kParallel:
    case NodeKind::kInterrupt:
    case NodeKind::kHide:
    case NodeKind::kCopies:
    case NodeKind::kReplicated:
      return true;
    case NodeKind::kSequence:
      return child == 0 || may_be_skip(node.children[0].node);
    default:
      return false;
  }
}

bool NodeTouches::mark(std::vector<bool>& marks, NodeId id, bool is_so) {
  if (!is_so || marks[id]) return false;
  marks[id] = true;
  return true;
}

bool NodeTouches::update(NodeId id) {
  const Node& node = nodes_[id];
  bool more = false;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    more |= update_child(id, node.children[i], is_next(node, i));
  }
  if (node.kind == NodeKind::kReference) more |= update_reference(id);
  return more;
}

bool NodeTouches::update_child(NodeId id, const Child& child, bool is_next) {
  bool more = mark(atomic_, id, atomic_[child.node]);
  if (nodes_[id].is_frame) {
    // Its holes are those of what waits behind it.
    return later_[id].add(later_[child.node]) || more;
  }
  const std::vector<ExprPtr> holes = over_holes(child.holes, nodes_[id].holes);
  more |= add_substituted(later_[child.node], holes, later_[id]);
  if (!is_next) return more;
  more |= add_substituted(next_[child.node], holes, next_[id]);
  return mark(held_, id, held_[child.node]) || more;
}

bool NodeTouches::update_reference(NodeId id) {
  const Node& node = nodes_[id];
  const DefinitionShape& definition = nodes_.definitions[node.process];
  const NodeId body = definition.body.node;
  const std::vector<ExprPtr> arguments = over_holes(node.arguments, node.holes);
  std::vector<ExprPtr> parameters;
  for (const Compiled& hole : definition.body.holes) {
    parameters.push_back(hole.tree);
  }
  const auto add = [&](const Touches& from, Touches& to) {
    Touches inside;
    add_substituted(from, parameters, inside);
    return add_substituted(inside, arguments, to);
  };
  bool more = mark(atomic_, id, atomic_[body]);
  more |= mark(held_, id, held_[body]);
  more |= add(next_[body], next_[id]);
  return add(later_[body], later_[id]) || more;
}

}  // namespace plumb::csp
