// SPDX-License-Identifier: Apache-2.0
#include "assertions/specification_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/byte_string.h"
#include "base/memory_ceiling.h"
#include "lts/permutation_number.h"

namespace plumb::assertions {

SpecificationSets::SpecificationSets(const lts::System& specification,
                                     Events& events, Budget& budget,
                                     std::uint64_t state_limit)
    : graph_(specification, events),
      divergences_(graph_),
      budget_(budget),
      limit_(state_limit) {
  begins_ = {0, 0};  // the empty set
  signatures_ = {0};
  diverges_ = {1};
}

// Tables that double take as much as all before, between two looks at a budget.
bool SpecificationSets::has_room() const {
  return MemoryCeiling::has_room_in(steps_) &&
         MemoryCeiling::has_room_in(renamed_) &&
         MemoryCeiling::has_room_in(renamed_states_) &&
         MemoryCeiling::has_room_in(by_hash_) &&
         MemoryCeiling::has_room_in(acceptances_) &&
         (pool_.size() + scratch_.size() <= pool_.capacity() ||
          MemoryCeiling::has_room(2 * pool_.capacity() * sizeof(StateId)));
}

SetId SpecificationSets::stop(std::string why) {
  why_ = std::move(why);
  return kStopped;
}

SetId SpecificationSets::initial() {
  if (!graph_.start()) return stop("there is no more memory");
  scratch_ = {0};
  return closed();
}

SetId SpecificationSets::step(SetId set, EventId event) {
  const std::uint64_t key = std::uint64_t{set} << 32 | event;
  const auto known = steps_.find(key);
  if (known != steps_.end()) return known->second;
  scratch_.clear();
  for (const StateId state : members(set)) {
    for (auto i = graph_.begin(state); i < graph_.end(state); ++i) {
      if (graph_[i].event == event) scratch_.push_back(graph_[i].target);
    }
  }
  const SetId next = closed();
  if (next != kStopped) steps_.emplace(key, next);
  return next;
}

SpecificationSets::StateId SpecificationSets::renamed_state(
    StateId state, std::uint16_t renaming) {
  const std::uint64_t key = std::uint64_t{state} << 16 | renaming;
  const auto known = renamed_states_.find(key);
  if (known != renamed_states_.end()) return known->second;
  const lts::Renaming names{lts::permutation_of(renaming), {}};
  const StateId other = graph_.add(
      graph_.system().symmetry()->rename(graph_.state(state), names));
  if (other != explore::kNoState) renamed_states_.emplace(key, other);
  return other;
}

// Renamings lead from runs to runs, so that it is closed.
SetId SpecificationSets::renamed(SetId set, std::uint16_t renaming) {
  if (renaming == 0 || set == kEmpty || set == kStopped) return set;
  const std::uint64_t key = std::uint64_t{set} << 16 | renaming;
  const auto known = renamed_.find(key);
  if (known != renamed_.end()) return known->second;
  scratch_.clear();
  for (const StateId state : members(set)) {
    scratch_.push_back(renamed_state(state, renaming));
    if (scratch_.back() == explore::kNoState) {
      return stop("there is no more memory");
    }
  }
  const SetId next = closed();
  if (next != kStopped) renamed_.emplace(key, next);
  return next;
}

SetId SpecificationSets::closed() {
  ++closures_;
  seen_.resize(graph_.states(), 0);
  const std::vector<StateId> first = std::move(scratch_);
  scratch_.clear();
  const auto add = [this](StateId state) {
    if (seen_[state] == closures_) return;
    seen_[state] = closures_;
    scratch_.push_back(state);
  };
  for (const StateId state : first) add(state);
  for (std::size_t at = 0; at < scratch_.size(); ++at) {
    const StateId state = scratch_[at];
    if (budget_.spent()) return stop(budget_.describe_limit());
    if (!graph_.expand(state)) return stop("there is no more memory");
    if (limit_ != 0 && graph_.states() > limit_) {
      return stop(fmt::format(
          "the limit of {} states was reached in the specification", limit_));
    }
    if (graph_.has_fault(state)) {
      return stop(
          fmt::format("the specification goes wrong: {}",
                      graph_.system().fault(graph_.fault(state).label.fault)));
    }
    seen_.resize(graph_.states(), 0);
    for (auto i = graph_.begin(state); i < graph_.end(state); ++i) {
      if (graph_[i].event == Events::kTau) add(graph_[i].target);
    }
  }
  std::ranges::sort(scratch_);
  return has_room() ? intern() : stop(MemoryCeiling::why());
}

SetId SpecificationSets::intern() {
  if (scratch_.empty()) return kEmpty;
  const std::uint64_t hash =
      hash_bytes(reinterpret_cast<const std::uint8_t*>(scratch_.data()),
                 scratch_.size() * sizeof(StateId));
  std::vector<SetId>& same = by_hash_[hash];
  for (const SetId set : same) {
    if (std::ranges::equal(members(set), scratch_)) return set;
  }
  const auto set = static_cast<SetId>(size());
  same.push_back(set);
  pool_.insert(pool_.end(), scratch_.begin(), scratch_.end());
  begins_.push_back(pool_.size());
  std::uint64_t signature = 0;
  for (const StateId state : scratch_) {
    signature |= std::uint64_t{1} << (state * 0x9E3779B1u >> 26);
  }
  signatures_.push_back(signature);
  diverges_.push_back(0);
  return set;
}

bool SpecificationSets::is_subset(SetId set, SetId of) const {
  if (set == of) return true;
  if ((signatures_[set] & ~signatures_[of]) != 0) return false;
  const auto left = members(set), right = members(of);
  return left.size() < right.size() && std::ranges::includes(right, left);
}

const std::vector<SpecificationSets::EventSet>& SpecificationSets::acceptances(
    SetId set) {
  const auto [entry, is_new] = acceptances_.try_emplace(set);
  std::vector<EventSet>& smallest = entry->second;
  if (!is_new) return smallest;
  for (const StateId state : members(set)) {
    if (!graph_.is_stable(state)) continue;
    EventSet offered;
    for (auto i = graph_.begin(state); i < graph_.end(state); ++i) {
      offered.push_back(graph_[i].event);
    }
    std::ranges::sort(offered);
    offered.erase(std::unique(offered.begin(), offered.end()), offered.end());
    const bool has_smaller =
        std::ranges::any_of(smallest, [&](const EventSet& other) {
          return std::ranges::includes(offered, other);
        });
    if (has_smaller) continue;
    std::erase_if(smallest, [&](const EventSet& other) {
      return std::ranges::includes(other, offered);
    });
    smallest.push_back(std::move(offered));
  }
  return smallest;
}

std::optional<bool> SpecificationSets::diverges(SetId set) {
  if (diverges_[set] != 0) return diverges_[set] == 2;
  bool any = false;
  for (const StateId state : members(set)) {
    const auto from = divergences_.from(state, budget_);
    if (!from) {
      stop(budget_.limit() != Limit::kNone ? budget_.describe_limit()
                                           : "there is no more memory");
      return std::nullopt;
    }
    any |= *from;
  }
  diverges_[set] = any ? 2 : 1;
  return any;
}

SpecificationSets::EventSet SpecificationSets::possible(SetId set) const {
  EventSet events;
  for (const StateId state : members(set)) {
    for (auto i = graph_.begin(state); i < graph_.end(state); ++i) {
      if (graph_[i].event != Events::kTau) events.push_back(graph_[i].event);
    }
  }
  std::ranges::sort(events);
  events.erase(std::unique(events.begin(), events.end()), events.end());
  return events;
}

}  // namespace plumb::assertions
