// SPDX-License-Identifier: Apache-2.0
// Expressions, events and texts of nodes.
#include <algorithm>
#include <string_view>
#include <utility>

#include "csp/compile.h"
#include "csp/tree.h"

namespace plumb::csp {

namespace {

// What a process binds itself comes behind its holes.
ExprPtr settled(const ExprPtr& tree, std::uint32_t holes) {
  if (tree->kind == ExprKind::kBound && tree->number >= kFreshSlot) {
    auto bound = std::make_shared<Expression>(*tree);
    bound->number = tree->number - kFreshSlot + holes;
    return bound;
  }
  return with_children(
      *tree, [&](const ExprPtr& child) { return settled(child, holes); });
}

bool reads_variables(const Expression& tree) {
  bool reads = false;
  visit(tree, [&](const Expression& e) {
    reads |= e.kind == ExprKind::kGlobal || e.kind == ExprKind::kChannel ||
             e.kind == ExprKind::kProcesses;
  });
  return reads;
}

std::vector<std::uint32_t> slots_used(const Expression& tree) {
  std::vector<std::uint32_t> uses;
  visit(tree, [&](const Expression& e) {
    if (e.kind != ExprKind::kBound) return;
    const auto slot = static_cast<std::uint32_t>(e.number);
    if (std::find(uses.begin(), uses.end(), slot) == uses.end()) {
      uses.push_back(slot);
    }
  });
  return uses;
}

// One line, however the user broke it.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_space) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

Compiled NodeCompiler::code(const ExprPtr& tree, std::uint32_t holes) const {
  Compiled made;
  if (tree == nullptr) return made;
  made.tree = settled(tree, holes);
  made.uses = slots_used(*made.tree);
  made.open = reads_variables(*made.tree);
  made.program = compile(*made.tree, *nodes_.layout);
  made.writes = made.program.writes();
  if (made.tree->kind == ExprKind::kBound) {
    made.slot = static_cast<std::int32_t>(made.tree->number);
  } else if (made.tree->kind == ExprKind::kInteger) {
    made.constant =
        Datum::integer(static_cast<std::int32_t>(made.tree->number));
  } else if (made.tree->kind == ExprKind::kBoolean) {
    made.constant = Datum::boolean(made.tree->number != 0);
  }
  return made;
}

std::vector<Compiled> NodeCompiler::codes(const std::vector<ExprPtr>& trees,
                                          std::uint32_t holes) const {
  std::vector<Compiled> all;
  for (const ExprPtr& tree : trees) all.push_back(code(tree, holes));
  return all;
}

IndexShape NodeCompiler::index(const Index& index, std::uint32_t holes) const {
  return {codes(index.values, holes), code(index.low, holes),
          code(index.high, holes)};
}

EventShape NodeCompiler::event(const EventName& event, std::uint32_t holes) {
  EventShape shape;
  shape.is_tau = event.name.empty();
  if (!shape.is_tau) shape.name = name({.text = event.name});
  shape.fields = codes(event.fields, holes);
  for (const Index& one : event.indices) {
    shape.indices.push_back(index(one, holes));
  }
  return shape;
}

std::uint32_t NodeCompiler::name(NameShape name) {
  std::string text = std::to_string(static_cast<int>(name.kind)) + name.sign +
                     (name.indexed ? '[' : '.') + name.text;
  if (name.condition != nullptr) text += key(*name.condition);
  const auto number = static_cast<std::uint32_t>(nodes_.names.size());
  const auto [found, is_new] = names_.emplace(std::move(text), number);
  if (is_new) nodes_.names.push_back(std::move(name));
  return found->second;
}

void NodeCompiler::add_expressions(const Process& shape, Node& node) {
  for (const EventName& one : shape.events) {
    if (node.kind == NodeKind::kPrefix) {
      node.events.push_back(event(one, node.holes));
    }
  }
  if (shape.condition != nullptr) {
    node.conditions.push_back(code(shape.condition, node.holes));
  }
  for (const ExprPtr& condition : shape.conditions) {
    node.conditions.push_back(code(condition, node.holes));
  }
  for (const Index& one : shape.indices) {
    node.indices.push_back(index(one, node.holes));
  }
  node.copies = code(shape.copies, node.holes);
  node.process = shape.number;
  node.arguments = codes(shape.arguments, node.holes);
  node.has_block = shape.block != nullptr;
  if (!node.has_block) return;
  node.statement =
      with_expressions(*shape.block, [&](const ExprPtr& expression) {
        return settled(expression, node.holes);
      });
  node.block = compile(*node.statement, *nodes_.layout);
}

void NodeCompiler::add_channel(const Process& shape, Node& node) {
  if (node.kind != NodeKind::kSend && node.kind != NodeKind::kReceive) return;
  const Channel& channel = nodes_.module->channels[shape.channel];
  const bool sends = node.kind == NodeKind::kSend;
  node.channel = shape.channel;
  node.synchronous = channel.capacity == 0;
  node.has_channel_index = shape.channel_index != nullptr;
  node.channel_index = code(shape.channel_index, node.holes);
  node.fields = codes(shape.fields, node.holes);
  for (const Pattern& pattern : shape.patterns) {
    node.patterns.push_back(
        {pattern.slot.has_value(), code(pattern.value, node.holes)});
    if (pattern.slot) ++node.inputs;
  }
  EventShape text;
  text.name = name({.text = channel.name,
                    .sign = node.synchronous ? '.' : (sends ? '!' : '?'),
                    .indexed = node.has_channel_index});
  node.events.push_back(std::move(text));
}

EventShape NodeCompiler::condition_text(NameShape::Kind kind,
                                        const Compiled& condition) {
  EventShape text;
  text.is_tau = true;
  text.name =
      name({.kind = kind, .condition = condition.tree, .uses = condition.uses});
  for (const std::uint32_t hole : condition.uses) {
    Compiled field;
    field.slot = static_cast<std::int32_t>(hole);
    text.fields.push_back(std::move(field));
  }
  return text;
}

// What is shown for steps that have no name of their own.
void NodeCompiler::add_texts(const Process& shape, Node& node) {
  using Kind = NameShape::Kind;
  switch (node.kind) {
    case NodeKind::kPrefix:
      for (EventShape& one : node.events) {
        if (!one.is_tau) continue;
        std::string text = "tau";
        if (node.has_block) {
          text += on_one_line(nodes_.module->source->text(shape.block->span));
        }
        one.name = name({.kind = Kind::kTau, .text = std::move(text)});
      }
      break;
    case NodeKind::kIf:
      node.events = {condition_text(Kind::kIf, node.conditions[0]),
                     condition_text(Kind::kIfNot, node.conditions[0])};
      break;
    case NodeKind::kIfBlocking:
      node.events = {condition_text(Kind::kIfBlocking, node.conditions[0])};
      break;
    case NodeKind::kCase:
      for (const Compiled& condition : node.conditions) {
        node.events.push_back(condition_text(Kind::kCase, condition));
      }
      node.events.emplace_back();
      node.events.back().is_tau = true;
      node.events.back().name =
          name({.kind = Kind::kTau, .text = "[case(default)]"});
      break;
    default:
      break;
  }
}

}  // namespace plumb::csp
