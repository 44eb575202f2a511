// SPDX-License-Identifier: Apache-2.0
// Which places of a CSP# model hold values that come from each other.
#include "csp/symmetry_flow.h"

#include <algorithm>

#include "csp/holes.h"
#include "csp/term.h"

namespace plumb::csp {

namespace {

constexpr std::string_view kCounts = "counts with an index";
constexpr std::string_view kPartly = "has an index that is no constant range";
constexpr std::string_view kAsksValue = "asks for the value of an index";
constexpr std::string_view kDimensions = "has too many dimensions";
constexpr std::string_view kWithout = "uses an array without its index";

std::size_t own_of(const Node& node) {
  return node.inputs + node.indices.size();
}

bool is_number(const Compiled& code) {
  return code.tree != nullptr && code.tree->kind == ExprKind::kInteger;
}

}  // namespace

Flow::Flow(const Nodes& nodes, const std::vector<ProcessPtr>& references,
           const std::vector<ExprPtr>& watched)
    : nodes_(nodes),
      reached_(nodes.nodes.size(), false),
      defined_(nodes.definitions.size(), false) {
  for (const Node& node : nodes.nodes) {
    std::vector<Place>& holes = holes_.emplace_back();
    for (std::size_t i = 0; i < node.holes + own_of(node); ++i) {
      holes.push_back(fresh());
    }
  }
  for (const Definition& definition : nodes.module->processes) {
    std::vector<Place>& all = parameters_.emplace_back();
    for (std::size_t i = 0; i < definition.slots; ++i) all.push_back(fresh());
  }
  add_variables();
  for (const ProcessPtr& reference : references) reach(*reference);
  reach_all();
  for (const ExprPtr& expression : watched) {
    Scope scope;
    misuse(root(expression, scope), expression->span, kAsksValue);
  }
  collect_facts();
}

Flow::Place Flow::fresh() {
  const auto place = static_cast<Place>(parents_.size());
  parents_.push_back(place);
  facts_.emplace_back();
  return place;
}

Flow::Place Flow::find(Place place) const {
  while (parents_[place] != place) {
    parents_[place] = parents_[parents_[place]];
    place = parents_[place];
  }
  return place;
}

void Flow::unite(Place x, Place y) {
  flow(x, y);
  flow(y, x);
}

void Flow::flow(Place from, Place to) {
  compare(from, to);
  if (from != kNone && to != kNone) flows_.emplace_back(from, to);
}

void Flow::compare(Place x, Place y) {
  if (x == kNone || y == kNone) return;
  x = find(x);
  y = find(y);
  parents_[std::max(x, y)] = std::min(x, y);
}

void Flow::misuse(Place place, Span span, std::string_view what) {
  if (place == kNone) return;
  std::optional<FlowFacts::Misuse>& first = facts_[place].misuse;
  if (!first || span.begin < first->span.begin) first = {span, what};
}

void Flow::hold(Place place, const FlowFacts::Constant& constant) {
  facts_[place].constants.push_back(constant);
  held_.emplace_back(place, constant.number);
}

void Flow::limit(Place place, std::int64_t low, std::int64_t high, Span span) {
  facts_[place].limits.push_back({low, high, span});
}

Flow::Place Flow::message(std::size_t channel, std::size_t field) {
  std::vector<Place>& fields = messages_[channel];
  while (fields.size() <= field) fields.push_back(fresh());
  return fields[field];
}

Flow::Place Flow::event(const std::string& name, std::size_t fields,
                        std::size_t field) {
  const auto [found, is_new] =
      events_.try_emplace({name, fields, field}, Place{kNone});
  if (!is_new) return found->second;
  const Place place = found->second = fresh();
  // Events of a synchronous channel can be hidden by its name.
  const auto& channels = nodes_.module->channels;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (channels[c].name != name) continue;
    unite(place, message(c, field));
    if (!channels[c].is_array) continue;
    misuse(place, channels[c].span, kWithout);
    misuse(channel_indices_[c], channels[c].span, kWithout);
  }
  return place;
}

Flow::Place Flow::of_message(std::size_t channel, std::size_t field) const {
  const std::vector<Place>& fields = messages_[channel];
  return field < fields.size() ? find(fields[field]) : kNone;
}

Flow::Place Flow::of_event(const std::string& name, std::size_t fields,
                           std::size_t field) const {
  const auto found = events_.find({name, fields, field});
  return found == events_.end() ? kNone : find(found->second);
}

Flow::Place Flow::of_leaf(const Expression& leaf) const {
  const auto found = leaves_.find(&leaf);
  return found == leaves_.end() ? kNone : find(found->second);
}

void Flow::collect_facts() {
  for (Place place = 0; place < facts_.size(); ++place) {
    const Place to = find(place);
    if (to == place) continue;
    FlowFacts& all = facts_[to];
    const FlowFacts& one = facts_[place];
    if (one.misuse) misuse(to, one.misuse->span, one.misuse->what);
    const auto append = [](auto& list, const auto& more) {
      list.insert(list.end(), more.begin(), more.end());
    };
    append(all.constants, one.constants);
    append(all.values, one.values);
    append(all.limits, one.limits);
    append(all.turns, one.turns);
  }
}

// Variables may begin with anything.
std::vector<bool> Flow::may_leave(std::int64_t size) const {
  std::vector<std::vector<Place>> next(parents_.size());
  for (const auto& [from, to] : flows_) next[from].push_back(to);
  std::vector<Place> found = elements_;
  for (const auto& [place, number] : held_) {
    if (number < 0 || number >= size) found.push_back(place);
  }
  std::vector<bool> leaves(parents_.size(), false);
  while (!found.empty()) {
    const Place place = found.back();
    found.pop_back();
    if (leaves[place]) continue;
    leaves[place] = true;
    found.insert(found.end(), next[place].begin(), next[place].end());
  }
  return leaves;
}

void Flow::add_variables() {
  for (const Variable& variable : nodes_.module->variables) {
    elements_.push_back(fresh());
    if (variable.range) {
      limit(elements_.back(), variable.range->low.value_or(INT64_MIN),
            variable.range->high.value_or(INT64_MAX), variable.span);
    }
    std::vector<Place>& all = dimensions_.emplace_back();
    for (const std::uint32_t size : variable.dimensions) {
      all.push_back(fresh());
      limit(all.back(), 0, std::int64_t{size} - 1, variable.span);
      if (variable.dimensions.size() > kMostDimensions) {
        misuse(all.back(), variable.span, kDimensions);
      }
    }
  }
  for (const Channel& channel : nodes_.module->channels) {
    channel_indices_.push_back(fresh());
    limit(channel_indices_.back(), 0, std::int64_t{channel.elements} - 1,
          channel.span);
    messages_.emplace_back();
  }
}

void Flow::reach(NodeId node) {
  if (node == kNoNode || reached_[node]) return;
  reached_[node] = true;
  to_pass_.push_back(node);
}

void Flow::reach(const Process& reference) {
  reach_definition(reference.number);
  reach(nodes_.definitions[reference.number].reference);
  for (std::size_t i = 0; i < reference.arguments.size(); ++i) {
    Scope none;
    arguments_.push_back(folded(reference.arguments[i], *nodes_.layout));
    flow(root(arguments_.back(), none), parameters_[reference.number][i]);
  }
}

void Flow::reach_definition(std::uint32_t number) {
  if (defined_[number]) return;
  defined_[number] = true;
  to_define_.push_back(number);
}

void Flow::reach_all() {
  while (!to_pass_.empty() || !to_define_.empty()) {
    if (!to_define_.empty()) {
      const std::uint32_t number = to_define_.back();
      to_define_.pop_back();
      pass_definition(number);
      continue;
    }
    const NodeId node = to_pass_.back();
    to_pass_.pop_back();
    pass(node);
  }
}

void Flow::pass(NodeId id) {
  const Node& node = nodes_[id];
  Scope scope;
  scope.bound = holes_[id];
  if (node.is_frame) {
    pass_frame(id);
    return;
  }
  pass_parts(node, scope);
  pass_channel(node, scope);
  pass_children(node, scope);
  reach(node.frame);
}

void Flow::pass_parts(const Node& node, Scope& scope) {
  using By = FlowFacts::Values::By;
  const bool runs_apart =
      node.kind == NodeKind::kInterleave || node.kind == NodeKind::kParallel;
  pass_indices(node.indices, runs_apart ? By::kComponents : By::kChoice,
               node.holes + node.inputs, scope, node.span);
  if (node.kind == NodeKind::kPrefix) {
    for (const EventShape& event : node.events) {
      pass_event(event, scope, node.span);
    }
  }
  for (const Compiled& condition : node.conditions) {
    use_as_condition(condition.tree, scope);
  }
  misuse(root(node.copies.tree, scope), node.span, kCounts);
  if (node.has_block) {
    Scope own = scope;
    look(*node.statement, own);
  }
  if (node.kind != NodeKind::kReference) return;
  reach_definition(node.process);
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    flow(root(node.arguments[i].tree, scope), parameters_[node.process][i]);
  }
}

void Flow::pass_children(const Node& node, Scope& scope) {
  for (const Child& child : node.children) {
    reach(child.node);
    for (std::size_t i = 0; i < child.holes.size(); ++i) {
      flow(root(child.holes[i].tree, scope), holes_[child.node][i]);
    }
  }
}

// What frames hold is what the operator has, or what follows it.
void Flow::pass_frame(NodeId id) {
  const Node& frame = nodes_[id];
  NodeId same = frame.origin;
  if (!frame.children.empty()) same = frame.children[0].node;
  if (same != kNoNode) {
    reach(same);
    for (std::size_t i = 0; i < frame.holes; ++i) {
      unite(holes_[id][i], holes_[same][i]);
    }
  }
  Scope scope;
  scope.bound = holes_[id];
  for (const EventShape& event : frame.events) {
    pass_event(event, scope, frame.span);
  }
}

void Flow::pass_channel(const Node& node, Scope& scope) {
  if (node.kind != NodeKind::kSend && node.kind != NodeKind::kReceive) return;
  const Place index = channel_indices_[node.channel];
  if (node.has_channel_index) {
    flow(root(node.channel_index.tree, scope), index);
  } else if (nodes_.module->channels[node.channel].is_array) {
    misuse(index, node.span, kWithout);
  }
  for (std::size_t i = 0; i < node.fields.size(); ++i) {
    flow(root(node.fields[i].tree, scope), message(node.channel, i));
  }
  std::size_t input = node.holes;
  for (std::size_t i = 0; i < node.patterns.size(); ++i) {
    const Place field = message(node.channel, i);
    if (node.patterns[i].binds) {
      flow(field, scope.bound[input++]);
    } else {
      compare(root(node.patterns[i].value.tree, scope), field);
    }
  }
}

void Flow::pass_definition(std::uint32_t number) {
  const DefinitionShape& shape = nodes_.definitions[number];
  Scope scope;
  scope.bound = parameters_[number];
  for (std::size_t i = 0; i < shape.ranges.size(); ++i) {
    if (!shape.ranges[i]) continue;
    limit(scope.bound[i], shape.ranges[i]->low.value_or(INT64_MIN),
          shape.ranges[i]->high.value_or(INT64_MAX), shape.span);
  }
  reach(shape.body.node);
  for (std::size_t i = 0; i < shape.body.holes.size(); ++i) {
    flow(root(shape.body.holes[i].tree, scope), holes_[shape.body.node][i]);
  }
  if (!shape.alphabet) return;
  Scope own;
  for (const Compiled& hole : shape.alphabet->holes) {
    own.bound.push_back(root(hole.tree, scope));
  }
  for (const EventShape& event : shape.alphabet->events) {
    pass_event(event, own, shape.span);
  }
}

void Flow::pass_event(const EventShape& shape, Scope scope, Span span) {
  if (shape.is_tau) return;
  const std::size_t known = scope.bound.size();
  for (std::size_t i = 0; i < shape.indices.size(); ++i) {
    scope.bound.push_back(fresh());
  }
  pass_indices(shape.indices, FlowFacts::Values::By::kList, known, scope, span);
  const std::string& name = nodes_.names[shape.name].text;
  for (std::size_t i = 0; i < shape.fields.size(); ++i) {
    flow(root(shape.fields[i].tree, scope),
         event(name, shape.fields.size(), i));
  }
}

FlowFacts::Values Flow::values_of(const IndexShape& index) const {
  FlowFacts::Values values;
  std::vector<std::int64_t> all;
  for (const Compiled& value : index.values) {
    if (!is_number(value)) return values;
    all.push_back(value.tree->number);
  }
  if (index.low.tree != nullptr) {
    if (!is_number(index.low) || !is_number(index.high)) return values;
    const std::int64_t low = index.low.tree->number;
    const std::int64_t high = index.high.tree->number;
    if (high - low >= static_cast<std::int64_t>(kMostComponents)) return values;
    for (std::int64_t i = low; i <= high; ++i) all.push_back(i);
  }
  values.all = std::move(all);
  return values;
}

void Flow::pass_indices(const std::vector<IndexShape>& indices,
                        FlowFacts::Values::By by, std::size_t first,
                        Scope& scope, Span span) {
  bool all_known = true;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Place place = scope.bound[first + i];
    FlowFacts::Values values = values_of(indices[i]);
    all_known &= values.all.has_value();
    values.by = by;
    values.span = span;
    if (!values.all) {
      for (const Compiled& value : indices[i].values) {
        unite(root(value.tree, scope), place);
      }
      misuse(root(indices[i].low.tree, scope), span, kCounts);
      misuse(root(indices[i].high.tree, scope), span, kCounts);
    }
    facts_[place].values.push_back(std::move(values));
  }
  // Where each component stands must be plain.
  if (all_known) return;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    misuse(scope.bound[first + i], span, kPartly);
  }
}

}  // namespace plumb::csp
