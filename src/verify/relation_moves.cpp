// SPDX-License-Identifier: Apache-2.0
#include "verify/relation_moves.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/flat_table.h"

namespace plumb::verify {

using lts::LabelKind;

const std::vector<AbstractId>* RelatedStates::of(const lts::Label& label) {
  const auto values = RelatedSystem::related(label);
  if (!values) return nullptr;
  const auto [entry, is_new] = known_.try_emplace(label.value);
  std::vector<AbstractId>& states = entry->second;
  if (is_new) {
    for (const Value state : *values) {
      states.push_back(graph_.state(state.items()));
    }
    std::ranges::sort(states);
  }
  return &states;
}

CoupledMoves::CoupledMoves(BusyRecords& records, const RelatedSystem& system,
                           Busy busy, Budget& budget)
    : OrderMoves(records, check::Order::kQuiescent, busy, budget),
      system_(system),
      states_(records.graph()) {}

std::string CoupledMoves::course() const {
  return "coupled simulation, " + OrderMoves::course();
}

SetId CoupledMoves::move(SetId set, const lts::Label& label) {
  related_ = system_.relates(label) ? states_.of(label) : nullptr;
  return OrderMoves::move(set, system_.plain(label));
}

std::optional<SetId> CoupledMoves::objects_after(const BusyRecord& record) {
  if (related_ == nullptr) return kEmptySet;
  AbstractSets& sets = records_.objects();
  const auto before = sets[record.objects];
  for (const AbstractId state :
       std::vector<AbstractId>(before.begin(), before.end())) {
    std::vector<AbstractId> one = {state};
    const auto reached =
        sets.after_any_order(sets.intern(one), record.returned);
    if (!reached) return std::nullopt;
    const bool matches = std::ranges::any_of(sets[*reached], [&](AbstractId r) {
      return std::ranges::binary_search(*related_, r);
    });
    if (!matches) return kEmptySet;
  }
  std::vector<AbstractId> related = *related_;
  return sets.intern(related);
}

bool CoupledMoves::compare(SetId set, SetId other) {
  const BusyRecord mine = records_[sets_[set][0]];
  BusyRecord others = records_[sets_[other][0]];
  const bool more = records_.objects().is_subset(others.objects, mine.objects);
  others.objects = mine.objects;
  return more && mine == others;
}

ForwardMoves::ForwardMoves(Configurations& configurations,
                           const RelatedSystem& system, Budget& budget)
    : SetMoves(configurations),
      configurations_(configurations),
      system_(system),
      budget_(budget),
      states_(configurations.graph()) {}

std::optional<std::uint32_t> ForwardMoves::point(
    const lts::Label& label) const {
  if (label.kind == LabelKind::kFault) return std::nullopt;
  return 0;
}

void ForwardMoves::close(ConfigurationList& members) {
  FlatSet<ConfigurationId> seen(members.begin(), members.end());
  ConfigurationList next;
  for (std::size_t i = 0; i < members.size() && !budget_.spent(); ++i) {
    next.clear();
    for (std::size_t p = 0; p < configurations_.processes(); ++p) {
      if (!configurations_.status(members[i], p).is_pending()) continue;
      configurations_.append_effects(members[i], p, std::nullopt, next);
    }
    for (const ConfigurationId c : next) {
      if (seen.insert(c).second) members.push_back(c);
    }
  }
}

// An effect before an invocation can as well come after it, and one after a
// return before it.
SetId ForwardMoves::move(SetId set, const lts::Label& label) {
  const std::vector<AbstractId>* related = states_.of(label);
  if (related == nullptr) return kEmptySet;
  const lts::Label plain = system_.plain(label);
  const auto members = sets_[set];
  ConfigurationList all(members.begin(), members.end());
  if (plain.kind == LabelKind::kInvoke) {
    const CallId call = configurations_.graph().call(plain);
    for (ConfigurationId& c : all) {
      c = configurations_.invoked(c, plain.process, call);
    }
  }
  close(all);
  if (budget_.limit() != Limit::kNone) return set;
  if (plain.kind == LabelKind::kReturn) {
    const ResultId result = configurations_.graph().result(plain);
    ConfigurationList left;
    for (const ConfigurationId c : all) {
      const auto next = configurations_.returned(c, plain.process, result);
      if (next) left.push_back(*next);
    }
    all = std::move(left);
  }
  std::erase_if(all, [&](ConfigurationId c) {
    return !std::ranges::binary_search(*related, configurations_.object(c));
  });
  return sets_.intern(all);
}

}  // namespace plumb::verify
