// SPDX-License-Identifier: Apache-2.0
#include "check/frontiers.h"

#include <algorithm>

#include "base/flat_table.h"

namespace plumb::check {

namespace {

using history::History;
using history::Moment;

History only(const History& history,
             const std::vector<std::uint32_t>& operations) {
  History out;
  out.operations.reserve(operations.size());
  for (const std::uint32_t i : operations) {
    out.operations.push_back(history.operations[i]);
  }
  return out;
}

}  // namespace

Frontiers::Frontiers(const History& history,
                     const std::vector<std::uint32_t>& operations,
                     const spec::Specification& object, Equals equals)
    : operations_(operations),
      labels_(object),
      plan_(only(history, operations), labels_),
      equals_(equals) {
  FlatMap<LabelId, std::size_t> kind_of;
  for (std::uint32_t i = 0; i < plan_.pending.size(); ++i) {
    const auto [entry, is_new] =
        kind_of.try_emplace(plan_.pending[i].label, kinds_.size());
    if (is_new) kinds_.emplace_back();
    kinds_[entry->second].push_back(i);
  }
  used_.emplace_back(kinds_.size());
  used_ids_.emplace(used_.front(), 0);
  intern({}, 0);
}

Frontiers::Id Frontiers::intern(Name name, Moment latest) {
  while (name.treated < plan_.firm.size() && is_in(name, name.treated)) {
    name.in_flight &= ~(std::uint64_t{1} << plan_.firm[name.treated].slot);
    ++name.treated;
  }
  const auto [entry, is_new] =
      ids_.try_emplace(name, static_cast<Id>(nodes_.size()));
  if (is_new) nodes_.push_back({.name = name, .latest = latest});
  return entry->second;
}

std::span<const Frontiers::Step> Frontiers::steps(Id id) {
  if (nodes_[id].first_step == kNotYet) find_steps(id);
  return {steps_.data() + nodes_[id].first_step, nodes_[id].steps};
}

void Frontiers::find_steps(Id id) {
  const auto first = static_cast<std::uint32_t>(steps_.size());
  add_pending_steps(id);
  const Node from = nodes_[id];  // a copy: nodes_ grows
  if (!complete(id)) {
    const auto flying = in_flight(from.name);
    for (auto at = flying.rbegin(); at != flying.rend(); ++at) {
      const std::uint32_t k = *at;
      if (k < from.name.treated || is_in(from.name, k)) continue;
      if (equal_goes_first(from.name, k)) continue;
      const FlightPlan::Item& item = plan_.firm[k];
      Name name = from.name;
      name.in_flight |= std::uint64_t{1} << item.slot;
      const Id next = intern(name, std::max(from.latest, item.invoked));
      steps_.push_back({operations_[item.operation], next});
    }
  }
  nodes_[id].first_step = first;
  nodes_[id].steps = static_cast<std::uint32_t>(steps_.size()) - first;
}

// Of equal pending operations the one invoked first can always stand for one
// invoked later: none of them ever returns.
void Frontiers::add_pending_steps(Id id) {
  const Node from = nodes_[id];
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    const std::uint32_t count = used_[from.name.used][kind];
    if (count == kinds_[kind].size()) continue;
    const FlightPlan::Item& item = plan_.pending[kinds_[kind][count]];
    if (item.invoked > missing(id)) continue;
    Name name = from.name;
    name.used = used_after(from.name.used, kind);
    const Id next = intern(name, std::max(from.latest, item.invoked));
    steps_.push_back({operations_[item.operation], next});
  }
}

std::uint32_t Frontiers::used_after(std::uint32_t used, std::size_t kind) {
  Counts counts = used_[used];
  ++counts[kind];
  const auto [entry, is_new] =
      used_ids_.try_emplace(counts, static_cast<std::uint32_t>(used_.size()));
  if (is_new) used_.push_back(std::move(counts));
  return entry->second;
}

bool Frontiers::equal_goes_first(const Name& name, std::uint32_t k) const {
  const FlightPlan::Item& item = plan_.firm[k];
  for (const std::uint32_t other : in_flight(name)) {
    if (other >= k) return false;
    const FlightPlan::Item& before = plan_.firm[other];
    if (other >= name.treated && !is_in(name, other) &&
        before.label == item.label &&
        (equals_ == Equals::kByReturn || before.invoked <= item.invoked)) {
      return true;
    }
  }
  return false;
}

}  // namespace plumb::check
