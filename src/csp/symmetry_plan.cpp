// SPDX-License-Identifier: Apache-2.0
// Which values of a CSP# model are interchangeable, and where they may stand.
#include "csp/symmetry_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "csp/symmetry_expressions.h"
#include "lts/symmetry.h"

namespace plumb::csp {

namespace {

using By = FlowFacts::Values::By;

struct Obstacle {
  Span span;
  std::string what;
};

bool contains(const std::vector<std::int32_t>& values, std::int64_t value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

class PlanFinder {
 public:
  PlanFinder(const std::shared_ptr<const Nodes>& nodes,
             const std::vector<ProcessPtr>& references,
             const std::vector<ExprPtr>& watched,
             std::vector<std::string>& notes)
      : nodes_(nodes), notes_(notes), flow_(*nodes, references, watched) {}

  std::optional<SymmetryPlan> run(const lts::Reductions& wanted);

 private:
  std::optional<NameSet> candidate(Flow::Place place) const;
  std::optional<Obstacle> obstacle(const FlowFacts& facts,
                                   const NameSet& set) const;
  std::optional<Obstacle> misuse_of(const FlowFacts& facts,
                                    const NameSet& set) const;
  bool is_rotation(const FlowFacts::Turn& turn, const NameSet& set) const;
  bool is_excused(const FlowFacts::Constant& constant,
                  const NameSet& set) const;
  bool is_safe(const Expression& index, std::uint32_t size) const;
  void note(const NameSet& set, const std::string& why) {
    notes_.push_back(fmt::format("{} symmetry is off: {}",
                                 set.of_processes ? "process" : "data", why));
  }
  std::string place_text(const Obstacle& obstacle) const {
    return fmt::format("line {} {}",
                       nodes_->module->source->line(obstacle.span),
                       obstacle.what);
  }
  bool has_unbounded() const;

  SymmetryPlan plan() const;
  SetNumber set_of(Flow::Place place) const;
  std::vector<SetNumber> holes_of(NodeId node) const;
  void add_components(SymmetryPlan& plan) const;
  void add_events(SymmetryPlan& plan) const;
  void add_event(const EventShape& event, SymmetryPlan& plan) const;

  std::shared_ptr<const Nodes> nodes_;
  std::vector<std::string>& notes_;
  Flow flow_;
  std::vector<NameSet> sets_;
};

// The values that an operator goes over, if there is one; of several, the one
// that goes over most.
std::optional<NameSet> PlanFinder::candidate(Flow::Place place) const {
  NameSet set;
  set.place = place;
  const FlowFacts::Values* found = nullptr;
  for (const FlowFacts::Values& values : flow_.facts()[place].values) {
    if (values.by == By::kList || !values.all) continue;
    const auto rank = [](const FlowFacts::Values& one) {
      return std::pair(one.by == By::kComponents, one.all->size());
    };
    if (found == nullptr || rank(values) > rank(*found)) found = &values;
  }
  if (found == nullptr) return std::nullopt;
  const std::set<std::int64_t> all(found->all->begin(), found->all->end());
  if (all.size() < 2 || all.size() != found->all->size()) return std::nullopt;
  for (const std::int64_t value : all) {
    set.values.push_back(static_cast<std::int32_t>(value));
  }
  set.of_processes = found->by == By::kComponents;
  set.is_ring = !flow_.facts()[place].turns.empty();
  return set;
}

// Constants are right where each of the set is named alike; sentinels outside
// of the set have no other name.
bool PlanFinder::is_excused(const FlowFacts::Constant& constant,
                            const NameSet& set) const {
  if (!contains(set.values, constant.number)) return true;
  if (constant.root == nullptr) return false;
  for (const lts::Permutation names : set.generators()) {
    const auto renamed = [&](const Expression& e) -> std::int64_t {
      const int name = set.name_of(e.number);
      if (flow_.of_leaf(e) != set.place || name < 0) return e.number;
      return set.value_of(names[static_cast<std::size_t>(name)]);
    };
    const auto safe = [this](const Expression& index, std::uint32_t size) {
      return is_safe(index, size);
    };
    if (!means_the_same(*constant.root, renamed, *nodes_->module, safe)) {
      return false;
    }
  }
  return true;
}

// A constant inside of the array, or a name that holds nothing else.
bool PlanFinder::is_safe(const Expression& index, std::uint32_t size) const {
  if (index.kind == ExprKind::kInteger) {
    return index.number >= 0 && index.number < std::int64_t{size};
  }
  const Flow::Place place = flow_.of_leaf(index);
  if (index.kind != ExprKind::kBound || place == Flow::kNone) return false;
  for (std::size_t v = 0; v < nodes_->module->variables.size(); ++v) {
    if (flow_.of_element(v) == place) return false;  // it may begin with any
  }
  const FlowFacts& facts = flow_.facts()[place];
  const auto set = candidate(place);
  return set && !misuse_of(facts, *set) &&
         std::all_of(facts.constants.begin(), facts.constants.end(),
                     [&](const FlowFacts::Constant& constant) {
                       return contains(set->values, constant.number);
                     });
}

// What does not depend on constants.
std::optional<Obstacle> PlanFinder::misuse_of(const FlowFacts& facts,
                                              const NameSet& set) const {
  if (facts.misuse) {
    return Obstacle{facts.misuse->span, std::string(facts.misuse->what)};
  }
  for (const FlowFacts::Values& values : facts.values) {
    const bool same =
        values.all && values.all->size() == set.values.size() &&
        std::is_permutation(values.all->begin(), values.all->end(),
                            set.values.begin(), set.values.end());
    if (!same) return Obstacle{values.span, "goes over other indices"};
  }
  for (const FlowFacts::Turn& turn : facts.turns) {
    if (!is_rotation(turn, set)) {
      return Obstacle{turn.span, "computes with an index"};
    }
  }
  for (const FlowFacts::Limits& limits : facts.limits) {
    if (limits.low > set.values.front() || limits.high < set.values.back()) {
      return Obstacle{limits.span, "has no room for all indices"};
    }
  }
  return std::nullopt;
}

// Is it the next one for each index, and never used for anything else?
bool PlanFinder::is_rotation(const FlowFacts::Turn& turn,
                             const NameSet& set) const {
  const auto size = static_cast<std::int64_t>(set.values.size());
  return turn.size == size && set.values.front() == 0 &&
         set.values.back() == size - 1 && !flow_.may_leave(size)[turn.index];
}

std::optional<Obstacle> PlanFinder::obstacle(const FlowFacts& facts,
                                             const NameSet& set) const {
  if (auto found = misuse_of(facts, set)) return found;
  for (const FlowFacts::Constant& constant : facts.constants) {
    if (!is_excused(constant, set)) {
      return Obstacle{constant.span,
                      fmt::format("names index {}", constant.number)};
    }
  }
  return std::nullopt;
}

// Copies that come and go are recognised by their bytes.
bool PlanFinder::has_unbounded() const {
  for (NodeId id = 0; id < nodes_->nodes.size(); ++id) {
    if (flow_.reached()[id] && (*nodes_)[id].kind == NodeKind::kReplicated) {
      return true;
    }
  }
  return false;
}

std::optional<SymmetryPlan> PlanFinder::run(const lts::Reductions& wanted) {
  std::size_t names = 0;
  for (Flow::Place place = 0; place < flow_.facts().size(); ++place) {
    const FlowFacts& facts = flow_.facts()[place];
    if (facts.values.empty() || flow_.find_class(place) != place) continue;
    std::optional<NameSet> set = candidate(place);
    if (!set) continue;
    if (!(set->of_processes ? wanted.process_symmetry : wanted.data_symmetry)) {
      continue;
    }
    if (const auto found = obstacle(facts, *set)) {
      note(*set, place_text(*found));
      continue;
    }
    if (has_unbounded()) {
      note(*set, "there are unboundedly many processes");
      continue;
    }
    // LIMIT: a permutation is one word, half a byte for each name.
    if (names + set->values.size() > lts::Permutation::kMost) {
      note(*set, fmt::format("there are more than {} indices",
                             lts::Permutation::kMost));
      continue;
    }
    set->first = static_cast<std::uint8_t>(names);
    names += set->values.size();
    sets_.push_back(std::move(*set));
  }
  if (sets_.empty()) return std::nullopt;
  SymmetryPlan made = plan();
  made.names = names;
  return made;
}

SetNumber PlanFinder::set_of(Flow::Place place) const {
  if (place == Flow::kNone) return kNoSet;
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    if (sets_[i].place == place) return static_cast<SetNumber>(i);
  }
  return kNoSet;
}

std::vector<SetNumber> PlanFinder::holes_of(NodeId node) const {
  std::vector<SetNumber> sets;
  bool any = false;
  for (std::size_t i = 0; i < (*nodes_)[node].holes; ++i) {
    sets.push_back(set_of(flow_.of_hole(node, i)));
    any |= sets.back() != kNoSet;
  }
  if (!any) sets.clear();
  return sets;
}

SymmetryPlan PlanFinder::plan() const {
  SymmetryPlan plan;
  plan.nodes = nodes_;
  plan.sets = sets_;
  const Module& module = *nodes_->module;
  for (NodeId id = 0; id < nodes_->nodes.size(); ++id) {
    plan.holes.push_back(holes_of(id));
  }
  for (std::size_t v = 0; v < module.variables.size(); ++v) {
    SymmetryPlan::VariablePlan& one = plan.variables.emplace_back();
    one.element = set_of(flow_.of_element(v));
    bool any = false;
    for (std::size_t d = 0; d < module.variables[v].dimensions.size(); ++d) {
      one.dimensions.push_back(set_of(flow_.of_dimension(v, d)));
      any |= one.dimensions.back() != kNoSet;
    }
    if (!any) one.dimensions.clear();
  }
  for (std::size_t c = 0; c < module.channels.size(); ++c) {
    SymmetryPlan::ChannelPlan& one = plan.channels.emplace_back();
    one.index = set_of(flow_.of_channel_index(c));
    for (std::size_t f = 0; flow_.of_message(c, f) != Flow::kNone; ++f) {
      one.fields.push_back(set_of(flow_.of_message(c, f)));
    }
  }
  add_components(plan);
  add_events(plan);
  return plan;
}

void PlanFinder::add_components(SymmetryPlan& plan) const {
  for (NodeId id = 0; id < nodes_->nodes.size(); ++id) {
    const Node& node = (*nodes_)[id];
    if (!flow_.reached()[id] || node.is_frame ||
        node.kind != NodeKind::kParallel || !node.is_indexed) {
      continue;
    }
    SymmetryPlan::ComponentsPlan components;
    bool any = false;
    for (std::size_t i = 0; i < node.indices.size(); ++i) {
      auto& index = components.indices.emplace_back();
      index.set = set_of(flow_.of_own(id, i));
      any |= index.set != kNoSet;
      const auto values = flow_.values_of(node.indices[i]);
      if (values.all) index.values = *values.all;
    }
    if (any) plan.components[node.frame] = std::move(components);
  }
}

void PlanFinder::add_event(const EventShape& event, SymmetryPlan& plan) const {
  const std::string& name = nodes_->names[event.name].text;
  const std::size_t fields = event.fields.size();
  std::vector<SetNumber>& sets = plan.events[{name, fields}];
  sets.clear();
  for (std::size_t i = 0; i < fields; ++i) {
    sets.push_back(set_of(flow_.of_event(name, fields, i)));
  }
}

void PlanFinder::add_events(SymmetryPlan& plan) const {
  for (NodeId id = 0; id < nodes_->nodes.size(); ++id) {
    const Node& node = (*nodes_)[id];
    if (!flow_.reached()[id] || node.kind != NodeKind::kPrefix) continue;
    for (const EventShape& event : node.events) {
      if (!event.is_tau) add_event(event, plan);
    }
  }
}

}  // namespace

int NameSet::search(std::int64_t value) const {
  const auto found = std::lower_bound(values.begin(), values.end(), value);
  if (found == values.end() || *found != value) return -1;
  return first + static_cast<int>(found - values.begin());
}

std::vector<lts::Permutation> NameSet::generators() const {
  if (is_ring) return {rotation(1)};
  std::vector<lts::Permutation> all;
  for (std::size_t name = first; name + 1 < first + values.size(); ++name) {
    all.push_back(lts::Permutation::swap(name, name + 1));
  }
  return all;
}

lts::Permutation NameSet::rotation(std::size_t by) const {
  lts::Permutation made;
  for (std::size_t i = 0; i < values.size(); ++i) {
    made.set(first + i, first + (i + by) % values.size());
  }
  return made;
}

std::optional<SymmetryPlan> find_plan(const std::shared_ptr<const Nodes>& nodes,
                                      const std::vector<ProcessPtr>& references,
                                      const std::vector<ExprPtr>& watched,
                                      const lts::Reductions& wanted,
                                      std::vector<std::string>& notes) {
  if (!wanted.process_symmetry && !wanted.data_symmetry) return std::nullopt;
  return PlanFinder(nodes, references, watched, notes).run(wanted);
}

SymmetryPlan without(const SymmetryPlan& plan, std::size_t set) {
  SymmetryPlan out = plan;
  const auto drop = [&](SetNumber& number) {
    if (number == static_cast<SetNumber>(set)) {
      number = kNoSet;
    } else if (number > static_cast<SetNumber>(set)) {
      --number;
    }
  };
  const auto drop_all = [&](std::vector<SetNumber>& numbers) {
    for (SetNumber& number : numbers) drop(number);
  };
  const std::size_t gone = plan.sets[set].values.size();
  out.sets.erase(out.sets.begin() + static_cast<std::ptrdiff_t>(set));
  for (std::size_t i = set; i < out.sets.size(); ++i) {
    out.sets[i].first = static_cast<std::uint8_t>(out.sets[i].first - gone);
  }
  out.names -= gone;
  for (auto& holes : out.holes) drop_all(holes);
  for (auto& variable : out.variables) {
    drop(variable.element);
    drop_all(variable.dimensions);
  }
  for (auto& channel : out.channels) {
    drop(channel.index);
    drop_all(channel.fields);
  }
  for (auto& [frame, components] : out.components) {
    for (auto& index : components.indices) drop(index.set);
  }
  for (auto& [event, fields] : out.events) drop_all(fields);
  return out;
}

}  // namespace plumb::csp
