// SPDX-License-Identifier: Apache-2.0
//
// A search over what further operations can make of a state.  If it meets a
// state without debts, then all states on the way there are alive.  If it has
// seen all without meeting one, all of them are dead: either there are no
// others, or relax_further.cpp says that others do not help.
//
// LIMIT: a search that grows too large ends with `unknown`.
#include "spec/relax_liveness.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <utility>

#include "base/limit_error.h"

namespace plumb::spec {

namespace {

constexpr std::size_t kMostStates = 200'000;
constexpr std::size_t kMostWords = 20'000'000;
constexpr std::size_t kMostKnown = 1'000'000;
constexpr std::size_t kNoParent = SIZE_MAX;

}  // namespace

bool Liveness::alive(const Owed& owed) {
  if (owed.late.empty()) return true;
  const std::lock_guard lock(mutex_);
  if (const auto answer = known(owed)) return *answer;
  if (known_.size() > kMostKnown) known_.clear();
  return search(owed, bounds_ == Bounds::kWhereKnown
                          ? payment_.further().helpers(owed)
                          : Helpers());
}

std::optional<bool> Liveness::known(const Owed& owed) const {
  const auto found = known_.find(pack_owed(owed.base, owed.late));
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

// Breadth first, each state once.
bool Liveness::search(const Owed& owed, const Helpers& helpers) {
  std::vector<Node> nodes{{{owed, helpers}, kNoParent}};
  absl::flat_hash_set<State> seen{key_of(owed, helpers)};
  const auto stops = Stops::of(base_, payment_.further().classes(), owed);
  std::vector<Payment::Step> next;
  std::size_t words = 0;
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    if (nodes.size() > kMostStates || words > kMostWords) {
      throw LimitError(
          fmt::format("'{}' has too many states to tell whether operations "
                      "that come too early can still be made up for",
                      base_.name()),
          "give it a smaller bound, or fewer values to the check");
    }
    next.clear();
    payment_.follow(nodes[at].step.owed, nodes[at].step.left, next);
    for (Payment::Step& step : next) {
      if (stops && !step.uses_place &&
          !stops->settle(nodes[at].step.owed.base, step.owed.base)) {
        continue;
      }
      std::optional<bool> answer;
      answer = step.owed.late.empty() ? true : known(step.owed);
      if (answer == true) {
        note_path(nodes, at);
        return true;
      }
      if (answer == false) continue;
      if (!seen.insert(key_of(step.owed, step.left)).second) continue;
      words += 2 * step.owed.base.size();
      nodes.push_back({std::move(step), at});
    }
  }
  // If one of the others were alive, so would be the first.
  for (const Node& node : nodes) {
    const Owed& one = node.step.owed;
    known_.emplace(pack_owed(one.base, one.late), false);
  }
  return false;
}

void Liveness::note_path(const std::vector<Node>& nodes, std::size_t last) {
  for (std::size_t at = last; at != kNoParent; at = nodes[at].parent) {
    const Owed& one = nodes[at].step.owed;
    known_.emplace(pack_owed(one.base, one.late), true);
  }
}

}  // namespace plumb::spec
