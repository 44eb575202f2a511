// SPDX-License-Identifier: Apache-2.0
// Makes the nodes of a module: see csp/node.h.
#include "csp/compile.h"

#include <algorithm>
#include <utility>

#include "csp/tree.h"

namespace plumb::csp {

namespace {

NodeKind kind_of(const Process& process) {
  switch (process.kind) {
    case ProcessKind::kStop:
      return NodeKind::kStop;
    case ProcessKind::kSkip:
      return NodeKind::kSkip;
    case ProcessKind::kPrefix:
    case ProcessKind::kEventSet:
      return NodeKind::kPrefix;
    case ProcessKind::kSend:
      return NodeKind::kSend;
    case ProcessKind::kReceive:
      return NodeKind::kReceive;
    case ProcessKind::kGuard:
      return NodeKind::kGuard;
    case ProcessKind::kIf:
      return NodeKind::kIf;
    case ProcessKind::kIfAtomic:
      return NodeKind::kIfAtomic;
    case ProcessKind::kIfBlocking:
      return NodeKind::kIfBlocking;
    case ProcessKind::kCase:
      return NodeKind::kCase;
    case ProcessKind::kAtomic:
      return NodeKind::kAtomic;
    case ProcessKind::kSequence:
      return NodeKind::kSequence;
    case ProcessKind::kGeneral:
      return NodeKind::kGeneral;
    case ProcessKind::kInternal:
      return NodeKind::kInternal;
    case ProcessKind::kExternal:
      return NodeKind::kExternal;
    case ProcessKind::kInterleave:
      if (process.unbounded) return NodeKind::kReplicated;
      return process.copies != nullptr ? NodeKind::kCopies
                                       : NodeKind::kInterleave;
    case ProcessKind::kParallel:
      return NodeKind::kParallel;
    case ProcessKind::kInterrupt:
      return NodeKind::kInterrupt;
    case ProcessKind::kHide:
      return NodeKind::kHide;
    case ProcessKind::kReference:
      return NodeKind::kReference;
    case ProcessKind::kAssert:
      return NodeKind::kAssert;
  }
  return NodeKind::kStop;
}

// P; Q; R is P; (Q; R), and P interrupt Q interrupt R is
// (P interrupt Q) interrupt R.
ProcessPtr in_pairs(const Process& process) {
  auto pair = std::make_shared<Process>(process);
  auto inner = std::make_shared<Process>(process);
  if (process.kind == ProcessKind::kSequence) {
    inner->children.erase(inner->children.begin());
    pair->children = {process.children.front(), inner};
  } else {
    inner->children.pop_back();
    pair->children = {inner, process.children.back()};
  }
  return pair;
}

bool goes_in_pairs(const Process& process) {
  return (process.kind == ProcessKind::kSequence ||
          process.kind == ProcessKind::kInterrupt) &&
         process.children.size() > 2;
}

bool is_open(const std::vector<IndexShape>& indices) {
  return std::any_of(
      indices.begin(), indices.end(), [](const IndexShape& index) {
        return index.low.open || index.high.open ||
               std::any_of(index.values.begin(), index.values.end(),
                           [](const Compiled& value) { return value.open; });
      });
}

bool is_operator(NodeKind kind) {
  return kind >= NodeKind::kSequence;
}

}  // namespace

NodeCompiler::NodeCompiler(std::shared_ptr<const Module> module,
                           std::shared_ptr<const Layout> layout, bool each_hole)
    : each_hole_(each_hole) {
  nodes_.module = std::move(module);
  nodes_.layout = std::move(layout);
  const auto looks_for_counts = [this](const Expression& e) {
    nodes_.counts_processes |= e.kind == ExprKind::kProcesses;
  };
  for (const Definition& definition : nodes_.module->processes) {
    visit(*definition.body, looks_for_counts);
  }
  for (const Proposition& proposition : nodes_.module->propositions) {
    visit(*proposition.expression, looks_for_counts);
  }
  for (const Channel& channel : nodes_.module->channels) {
    nodes_.has_synchronous |= channel.capacity == 0;
  }
  for (const NodeKind kind :
       {NodeKind::kSkip, NodeKind::kStop, NodeKind::kChoose}) {
    Node node;
    node.kind = kind;
    nodes_.nodes.push_back(std::move(node));
  }
  nodes_.terminate = name({.kind = NameShape::Kind::kTau, .text = "terminate"});
  nodes_.pick = name({.kind = NameShape::Kind::kTau, .text = "<>"});
  nodes_.choose =
      name({.kind = NameShape::Kind::kTau, .text = "choose initial values"});
  const auto count =
      static_cast<std::uint32_t>(nodes_.module->processes.size());
  for (std::uint32_t i = 0; i < count; ++i) add_definition(i);
  for (std::uint32_t i = 0; i < count; ++i) add_reference(i);
}

std::shared_ptr<const Nodes> NodeCompiler::take() {
  return std::make_shared<const Nodes>(std::move(nodes_));
}

void NodeCompiler::add_definition(std::uint32_t number) {
  const Definition& from = nodes_.module->processes[number];
  DefinitionShape shape;
  shape.name = from.name;
  shape.ranges = from.ranges;
  shape.span = from.span;
  const Rooted body = node_of(*from.body, number);
  shape.body.node = body.node;
  shape.body.holes = codes(body.holes, 0);
  if (from.alphabet) shape.alphabet = alphabet(*from.alphabet);
  nodes_.definitions.push_back(std::move(shape));
}

void NodeCompiler::add_reference(std::uint32_t number) {
  const Definition& definition = nodes_.module->processes[number];
  Process reference;
  reference.kind = ProcessKind::kReference;
  reference.number = number;
  reference.span = definition.span;
  for (std::size_t i = 0; i < definition.parameters.size(); ++i) {
    auto argument = std::make_shared<Expression>();
    argument->kind = ExprKind::kBound;
    argument->number = static_cast<std::int64_t>(i);
    argument->span = definition.span;
    reference.arguments.push_back(std::move(argument));
  }
  nodes_.definitions[number].reference = node_of(reference, number).node;
}

AlphabetShape NodeCompiler::alphabet(const std::vector<EventName>& events) {
  Holes holes(false, *nodes_.layout);
  const std::vector<EventName> over_holes = holes.events(events);
  AlphabetShape shape;
  shape.holes = codes(holes.found(), 0);
  for (const EventName& one : over_holes) {
    shape.events.push_back(
        event(one, static_cast<std::uint32_t>(holes.found().size())));
  }
  return shape;
}

std::string NodeCompiler::keyed(std::string key, std::uint32_t owner) const {
  // Where processes are counted, whose a node is matters.
  if (nodes_.counts_processes) key += "of " + std::to_string(owner);
  return key;
}

NodeId NodeCompiler::find(const std::string& key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? kNoNode : found->second;
}

NodeId NodeCompiler::add(Node node, const std::string& key) {
  const auto id = static_cast<NodeId>(nodes_.nodes.size());
  nodes_.nodes.push_back(std::move(node));
  by_key_.emplace(key, id);
  return id;
}

Rooted NodeCompiler::node_of(const Process& process, std::uint32_t owner) {
  if (process.kind == ProcessKind::kSkip) return {kSkipNode, {}};
  if (process.kind == ProcessKind::kStop) return {kStopNode, {}};
  if (goes_in_pairs(process)) return node_of(*in_pairs(process), owner);
  Holes holes(each_hole_, *nodes_.layout);
  const ProcessPtr shape = holes.process(process);
  const std::string text = keyed(key(*shape), owner);
  NodeId id = find(text);
  if (id == kNoNode) {
    id = add(make(process, shape, holes, owner), text);
    if (is_operator(nodes_[id].kind)) add_frame(id);
  } else {
    note_place(process, owner, id);
  }
  return {id, holes.found()};
}

// The same text once more: what it is made of is there twice, too.
void NodeCompiler::note_place(const Process& process, std::uint32_t owner,
                              NodeId id) {
  if (process.kind == ProcessKind::kSkip ||
      process.kind == ProcessKind::kStop || goes_in_pairs(process)) {
    return;
  }
  nodes_.nodes[id].also.push_back({owner, process.span});
  for (std::size_t i = 0; i < process.children.size(); ++i) {
    note_place(*process.children[i], owner, nodes_[id].children[i].node);
  }
}

Node NodeCompiler::make(const Process& process, const ProcessPtr& shape,
                        const Holes& holes, std::uint32_t owner) {
  Node node;
  node.kind = kind_of(process);
  node.owner = owner;
  node.holes = static_cast<std::uint32_t>(holes.found().size());
  node.span = process.span;
  node.shape = shape;
  node.is_indexed = !process.indices.empty();
  add_expressions(*shape, node);
  add_channel(*shape, node);
  add_texts(*shape, node);
  add_children(process, holes, node);
  node.is_lazy |=
      is_operator(node.kind) && (is_open(node.indices) || node.copies.open);
  return node;
}

void NodeCompiler::add_children(const Process& process, const Holes& holes,
                                Node& node) {
  const std::vector<std::uint32_t> own = own_slots(process);
  for (std::size_t i = 0; i < process.children.size(); ++i) {
    const Rooted rooted = node_of(*process.children[i], node.owner);
    Child child;
    child.node = rooted.node;
    std::size_t cursor = holes.first_of_child(i);
    for (const ExprPtr& hole : rooted.holes) {
      child.holes.push_back(
          code(holes.over_these(hole, own, cursor), node.holes));
    }
    node.children.push_back(std::move(child));
  }
  if (node.kind == NodeKind::kHide) {
    node.children.push_back(hiding_frame(process, holes, node));
  }
}

// The list of events, with holes of its own: what is left of the operator
// while its operand moves.
Child NodeCompiler::hiding_frame(const Process& process, const Holes& holes,
                                 Node& node) {
  Holes of_list(each_hole_, *nodes_.layout);
  const std::vector<EventName> events = of_list.evaluated(process.events);
  const auto count = static_cast<std::uint32_t>(of_list.found().size());
  const std::string text = keyed("hide" + key(events), node.owner);
  Child child;
  child.node = find(text);
  if (child.node == kNoNode) {
    Node frame;
    frame.kind = NodeKind::kHide;
    frame.is_frame = true;
    frame.owner = node.owner;
    frame.holes = count;
    frame.span = process.span;
    for (const EventName& one : events) {
      frame.events.push_back(event(one, count));
    }
    child.node = add(std::move(frame), text);
  }
  std::size_t cursor = 0;
  for (const ExprPtr& hole : of_list.found()) {
    child.holes.push_back(code(holes.over_these(hole, {}, cursor), node.holes));
    node.is_lazy |= child.holes.back().open;
  }
  return child;
}

void NodeCompiler::add_frame(NodeId id) {
  Node frame;
  frame.kind = nodes_[id].kind;
  frame.is_frame = true;
  frame.owner = nodes_[id].owner;
  frame.span = nodes_[id].span;
  std::string text = "frame" + std::to_string(static_cast<int>(frame.kind));
  if (frame.kind == NodeKind::kHide) {
    nodes_.nodes[id].frame = nodes_[id].children.back().node;
    return;
  }
  if (frame.kind == NodeKind::kParallel) {
    frame.holes = nodes_[id].holes;  // alphabets depend on them
    frame.origin = id;
    text += "of" + std::to_string(id);
  } else if (frame.kind == NodeKind::kSequence ||
             frame.kind == NodeKind::kReplicated) {
    const NodeId waiting = nodes_[id].children.back().node;
    frame.holes = nodes_[waiting].holes;
    frame.children.push_back({waiting, {}});
    text += "of" + std::to_string(waiting);
  }
  text = keyed(text, frame.owner);
  NodeId number = find(text);
  if (number == kNoNode) number = add(std::move(frame), text);
  nodes_.nodes[id].frame = number;
}

}  // namespace plumb::csp
