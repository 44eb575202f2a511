// SPDX-License-Identifier: Apache-2.0
// Numbers for everything that can go wrong in a model.
#include "csp/faults.h"

#include <limits>

#include "csp/text_of.h"

namespace plumb::csp {

namespace {

constexpr int kFirstStepFault = kFaultKinds;

}  // namespace

Faults::Faults(const Nodes& nodes) : module_(*nodes.module) {
  texts_.emplace_back("a step goes wrong");
  for (const Node& node : nodes.nodes) add(node);
  for (const DefinitionShape& definition : nodes.definitions) {
    const std::string name = "process '" + definition.name + "' ";
    add(StepFault::Kind::kUnguarded, definition.span,
        name + "calls itself without a step in between");
    add(StepFault::Kind::kArgument, definition.span,
        name + "gets an argument out of its range");
    add(StepFault::Kind::kMany, definition.span,
        name + "has too many events in its alphabet");
    for (const Compiled& hole : definition.body.holes) add(hole);
    if (!definition.alphabet) continue;
    for (const Compiled& hole : definition.alphabet->holes) add(hole);
    add(definition.alphabet->events);
  }
}

void Faults::add(const Node& node) {
  if (node.has_block) add(node.block);
  for (const Child& child : node.children) {
    for (const Compiled& hole : child.holes) add(hole);
  }
  for (const Compiled& condition : node.conditions) add(condition);
  for (const Compiled& argument : node.arguments) add(argument);
  for (const Compiled& field : node.fields) add(field);
  for (const PatternShape& pattern : node.patterns) add(pattern.value);
  add(node.copies);
  add(node.indices);
  add(node.events);
  if (node.has_channel_index) {
    add(node.channel_index);
    add(FaultKind::kIndex, node.channel_index.tree->span);
  }
  if (node.kind == NodeKind::kAssert) {
    add(StepFault::Kind::kAssert, node.span,
        "the assertion " + text_of(*node.conditions[0].tree) + " fails");
  }
  if (node.kind == NodeKind::kParallel && !node.is_frame) {
    add(StepFault::Kind::kAlphabet, node.span,
        "the alphabet of a component cannot be computed");
  }
  if (!node.indices.empty() || node.kind == NodeKind::kHide) {
    add(StepFault::Kind::kMany, node.span, "an index has too many values");
  }
}

void Faults::add(const std::vector<IndexShape>& indices) {
  for (const IndexShape& index : indices) {
    for (const Compiled& value : index.values) add(value);
    add(index.low);
    add(index.high);
  }
}

void Faults::add(const std::vector<EventShape>& events) {
  for (const EventShape& event : events) {
    add(event.indices);
    for (const Compiled& field : event.fields) add(field);
  }
}

void Faults::add(const Compiled& code) {
  if (code.tree != nullptr) add(code.program);
}

void Faults::add(const Program& program) {
  for (const FaultSite& site : program.fault_sites()) add(site.kind, site.span);
}

void Faults::add(FaultKind kind, Span span) {
  std::string words(csp::words(kind));
  const std::string_view text = module_.source->text(span);
  if (!text.empty()) words += " in '" + std::string(text) + "'";
  add({static_cast<int>(kind), span.begin, span.length}, span, words);
}

void Faults::add(StepFault::Kind kind, Span span, const std::string& words) {
  add({kFirstStepFault + static_cast<int>(kind), span.begin, span.length}, span,
      words);
}

void Faults::add(const Key& key, Span span, const std::string& words) {
  const std::size_t number = texts_.size();
  if (number > std::numeric_limits<std::uint16_t>::max()) return;
  if (!numbers_.emplace(key, static_cast<std::uint16_t>(number)).second) return;
  texts_.push_back("line " + std::to_string(module_.source->line(span)) + ": " +
                   words);
}

std::uint16_t Faults::find(const Key& key) const {
  const auto found = numbers_.find(key);
  return found == numbers_.end() ? std::uint16_t{0} : found->second;
}

std::uint16_t Faults::number(const RuntimeFault& fault) const {
  return find(
      {static_cast<int>(fault.kind), fault.span.begin, fault.span.length});
}

std::uint16_t Faults::number(const Failure& failure) const {
  if (failure.of_expression) return number(failure.expression);
  const StepFault& fault = failure.step;
  return find({kFirstStepFault + static_cast<int>(fault.kind), fault.span.begin,
               fault.span.length});
}

}  // namespace plumb::csp
