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

}  // namespace

std::string term_text(const Nodes& nodes, lts::StateView term) {
  constexpr int kDeepest = 20;
  return TermPrinter(nodes, term).print(kDeepest);
}

lts::Edge CspSystem::edge(std::uint32_t number) const {
  const Edges::Entry& entry = shared_->edges[number];
  lts::Edge edge;
  edge.statement = entry.text;
  edge.writes = true;
  if (entry.node != kNoNode) {
    const Span span = (*shared_->nodes)[entry.node].span;
    if (span.length > 0) edge.line = shared_->nodes->module->source->line(span);
  }
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
    if (move.node != kNoNode) {
      const Span span = (*shared_->nodes)[move.node].span;
      if (span.length > 0) {
        text.line = shared_->nodes->module->source->line(span);
      }
    }
    if (failed) return text;
    const std::vector<lts::Variable> was = steps.valuation().describe();
    const std::vector<lts::Variable> is = steps.apply(move).describe();
    for (std::size_t i = 0; i < was.size(); ++i) {
      if (was[i].value == is[i].value) continue;
      text.effects.push_back(was[i].name + ": " + was[i].value + " -> " +
                             is[i].value);
    }
    return text;
  }
  return text;
}

}  // namespace plumb::csp
