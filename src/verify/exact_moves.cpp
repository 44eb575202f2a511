// SPDX-License-Identifier: Apache-2.0
#include "verify/exact_moves.h"

#include <algorithm>

namespace plumb::verify {

void keep_kernel(Configurations& configurations, ConfigurationList& members,
                 Budget& budget) {
  std::ranges::sort(members);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  const ConfigurationList all = members;
  std::erase_if(members, [&](ConfigurationId later) {
    return !budget.spent() && std::ranges::any_of(all, [&](ConfigurationId c) {
      return c != later && configurations.reaches(c, later);
    });
  });
}

std::optional<std::uint32_t> ExactMoves::point(const lts::Label& label) const {
  if (label.kind != lts::LabelKind::kInvoke &&
      label.kind != lts::LabelKind::kReturn) {
    return std::nullopt;
  }
  return 0;
}

SetId ExactMoves::move(SetId set, const lts::Label& label) {
  const auto members = sets_[set];
  ConfigurationList next;
  if (label.kind == lts::LabelKind::kInvoke) {
    const CallId call = configurations_.graph().call(label);
    for (const ConfigurationId c : members) {
      next.push_back(configurations_.invoked(c, label.process, call));
    }
  } else {
    const ResultId result = configurations_.graph().result(label);
    for (const ConfigurationId c : members) {
      if (budget_.spent()) return set;
      configurations_.append_lazy_returns(c, label.process, result, next);
    }
    keep_kernel(configurations_, next, budget_);
    if (!configurations_.some_may_end(next)) return kEmptySet;
  }
  return sets_.intern(next);
}

bool ExactMoves::compare(SetId set, SetId other) {
  const Signature mine = signature(set);
  if (!mine.is_within(signature(other))) return false;
  const std::uint64_t key = (std::uint64_t{set} << 32) | other;
  const auto found = compared_.find(key);
  if (found != compared_.end()) return found->second;
  const bool harder = covers(set, other);
  compared_.emplace(key, harder);
  return harder;
}

const Signature& ExactMoves::signature(SetId set) {
  while (signatures_.size() <= set) {
    Signature all;
    for (const ConfigurationId c :
         sets_[static_cast<SetId>(signatures_.size())]) {
      all.add(configurations_.signature(c));
    }
    signatures_.push_back(all);
  }
  return signatures_[set];
}

bool ExactMoves::covers(SetId set, SetId other) {
  const auto sources = sets_[other];
  return std::ranges::all_of(sets_[set], [&](ConfigurationId later) {
    return !budget_.spent() &&
           std::ranges::any_of(sources, [&](ConfigurationId c) {
             return configurations_.reaches(c, later);
           });
  });
}

}  // namespace plumb::verify
