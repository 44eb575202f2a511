// SPDX-License-Identifier: Apache-2.0
// What people are told of states and steps of a CSP# model.
#include <algorithm>
#include <string_view>
#include <utility>

#include "csp/csp_system.h"
#include "csp/print.h"

namespace plumb::csp {

namespace {

class TermPrinter {
 public:
  TermPrinter(const Nodes& nodes, lts::StateView term)
      : nodes_(nodes),
        valuation_(*nodes.layout),
        context_{valuation_},
        terms_(nodes, context_, values_),
        at_(term.data()) {}

  std::string print(int depth) {
    const Node& node = nodes_[static_cast<NodeId>(read_number(at_))];
    if (depth == 0) {
      for (std::uint32_t i = 0; i < node.holes; ++i) read_datum(at_);
      if (node.is_frame) {
        for (std::uint64_t left = operands_of(node, at_); left > 0; --left) {
          at_ = terms_.end_of(at_);
        }
      }
      return "...";
    }
    const std::span<const Datum> holes = terms_.read_holes(node.holes, at_);
    if (node.is_frame) return frame(node, holes, depth);
    switch (node.kind) {
      case NodeKind::kSkip:
        return "Skip";
      case NodeKind::kStop:
        return "Stop";
      case NodeKind::kChoose:
        return "initial values are chosen";
      default:
        return to_text(*node.shape, *nodes_.module, holes);
    }
  }

 private:
  std::string frame(const Node& node, std::span<const Datum> holes, int depth) {
    switch (node.kind) {
      case NodeKind::kSequence: {
        const Node& next = nodes_[node.children[0].node];
        const std::string rest =
            next.shape == nullptr
                ? (next.kind == NodeKind::kSkip ? "Skip" : "Stop")
                : to_text(*next.shape, *nodes_.module, holes);
        return "(" + print(depth - 1) + "; " + rest + ")";
      }
      case NodeKind::kAtomic:
        return "atomic{" + print(depth - 1) + "}";
      case NodeKind::kHide:
        return "(" + print(depth - 1) + " \\ {...})";
      case NodeKind::kInterrupt:
        return "(" + parts(2, " interrupt ", depth) + ")";
      case NodeKind::kExternal:
        return "(" + parts(read_number(at_), " [*] ", depth) + ")";
      case NodeKind::kInterleave:
        return "(" + parts(read_number(at_), " ||| ", depth) + ")";
      case NodeKind::kParallel:
        return "(" + parts(read_number(at_), " || ", depth) + ")";
      default:
        return copies(node, depth);
    }
  }
  std::string parts(std::uint64_t count, std::string_view sign, int depth) {
    std::string text;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i > 0) text += sign;
      text += print(depth - 1);
    }
    return text;
  }
  std::string copies(const Node& node, int depth) {
    std::vector<std::uint64_t> counts(read_number(at_));
    for (std::uint64_t& count : counts) count = read_number(at_);
    std::string text = node.kind == NodeKind::kReplicated ? "|||{..} " : "|||";
    for (const std::uint64_t count : counts) {
      text += "{" + std::to_string(count) + "}" + print(depth - 1) + " ";
    }
    text.pop_back();
    return "(" + text + ")";
  }

  const Nodes& nodes_;
  Valuation valuation_;
  Context context_;
  Values values_;
  Terms terms_;
  const std::uint8_t* at_;
};

// A definition, and those that it can come to.
std::vector<bool> definitions_below(const Nodes& nodes, std::uint32_t root) {
  std::vector<bool> seen(nodes.nodes.size()), found(nodes.definitions.size());
  std::vector<NodeId> left = {nodes.definitions[root].body.node};
  found[root] = true;
  while (!left.empty()) {
    const NodeId id = left.back();
    left.pop_back();
    if (seen[id]) continue;
    seen[id] = true;
    const Node& node = nodes[id];
    for (const Child& child : node.children) left.push_back(child.node);
    if (node.kind != NodeKind::kReference) continue;
    found[node.process] = true;
    left.push_back(nodes.definitions[node.process].body.node);
  }
  return found;
}

}  // namespace

std::string term_text(const Nodes& nodes, lts::StateView term) {
  constexpr int kDeepest = 20;
  return TermPrinter(nodes, term).print(kDeepest);
}

// Equal texts are one node.  Those that this system cannot come to do not
// count; if several are left, none is better than a wrong one.
std::size_t CspSystem::line_of(NodeId id) const {
  const Nodes& nodes = *shared_->nodes;
  if (id == kNoNode || nodes[id].span.length == 0) return 0;
  const std::vector<bool> below = definitions_below(nodes, root_.definition);
  std::size_t line = 0;
  const auto look = [&](std::uint32_t owner, Span span) {
    const std::size_t here = nodes.module->source->line(span);
    if (!below[owner] || line == here) return true;
    const bool is_first = line == 0;
    line = here;
    return is_first;
  };
  bool is_only = look(nodes[id].owner, nodes[id].span);
  for (const Node::Place& place : nodes[id].also) {
    is_only = is_only && look(place.owner, place.span);
  }
  return is_only ? line : 0;
}

lts::Edge CspSystem::edge(std::uint32_t number) const {
  const Edges::Entry& entry = shared_->edges[number];
  lts::Edge edge;
  edge.statement = entry.text;
  edge.writes = true;
  edge.line = line_of(entry.node);
  return edge;
}

std::string CspSystem::fault(std::uint16_t fault) const {
  return shared_->faults->text(fault);
}

std::vector<lts::Variable> CspSystem::describe(lts::StateView state) const {
  Valuation values(*shared_->nodes->layout);
  const std::uint8_t* end = state.data() + state.size();
  const std::uint8_t* term = values.decode(state.data(), end);
  std::vector<lts::Variable> all = values.describe();
  all.push_back({"process", term_text(*shared_->nodes, {term, end})});
  return all;
}

// Is it the step that `label` and the state after it say?
bool CspSystem::is_step(Steps& steps, const Move& move, const lts::Label& label,
                        lts::StateView after) const {
  const bool failed = label.kind == lts::LabelKind::kFault;
  if (move.kind == Move::Kind::kFault) {
    return failed &&
           shared_->faults->number(steps.failure(move)) == label.fault;
  }
  try {
    const lts::StateView reached = state_after(steps, move);
    return !failed &&
           steps.events().edge(move.event, move.actors, move.node) ==
               label.edge &&
           std::equal(reached.begin(), reached.end(), after.begin(),
                      after.end());
  } catch (const RuntimeFault& fault) {
    return failed && shared_->faults->number(fault) == label.fault;
  }
}

// The step is looked up among those of the state, for its line, and for what
// it changes before anything is forgotten.
lts::StepText CspSystem::explain(lts::StateView before, const lts::Label& label,
                                 lts::StateView after) const {
  lts::StepText text;
  const bool failed = label.kind == lts::LabelKind::kFault;
  text.statement =
      failed ? fault(label.fault) : shared_->edges[label.edge].text;
  Steps& steps = steps_of_thread(*shared_);
  steps.find(before);
  for (const Move& move : steps.moves()) {
    if (!is_step(steps, move, label, after)) continue;
    text.line = line_of(move.node);
    if (failed) return text;
    const std::vector<lts::Variable> was = steps.valuation().describe();
    const std::vector<lts::Variable> is = steps.apply(move).describe();
    for (std::size_t i = 0; i < was.size(); ++i) {
      if (was[i].value == is[i].value) continue;
      text.effects.push_back(
          {lts::Effect::Kind::kWrite, was[i].name, was[i].value, is[i].value});
    }
    return text;
  }
  return text;
}

}  // namespace plumb::csp
