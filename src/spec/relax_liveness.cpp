// SPDX-License-Identifier: Apache-2.0
//
// A search over what further operations can make of a state.  If it meets a
// state without debts, then all states on the way there are alive.  If it has
// seen all without meeting one, all of them are dead: either there are no
// others, or relax_further.cpp says that others do not help.
//
// A pending call overlaps all further operations, so it may take effect between
// two of them.  One of a relaxed class is as good as a further one; one that
// keeps its place is tried, once.
//
// LIMIT: a search that grows too large ends with `unknown`.
#include "spec/relax_liveness.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/limit_error.h"

namespace plumb::spec {

namespace {

constexpr std::size_t kMostStates = 200'000;
constexpr std::size_t kMostWords = 20'000'000;
constexpr std::size_t kMostKnown = 1'000'000;
constexpr std::size_t kNoParent = SIZE_MAX;
constexpr std::size_t kMostPending = 64;  // others are left out

[[noreturn]] void too_many(const Specification& base) {
  throw LimitError(
      fmt::format("'{}' has too many states to tell whether operations that "
                  "come too early can still be made up for",
                  base.name()),
      "give it a smaller bound, or fewer values to the check");
}

// In the order of their words, so that the same calls have one key; how many
// there are, so that none is taken for a part of the state before them.
State key_with(State key, std::span<const Call> pending,
               std::uint64_t happened) {
  std::vector<std::pair<std::int64_t, Value>> left;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (happened >> i & 1) continue;
    left.emplace_back(pending[i].code, pending[i].argument);
  }
  std::ranges::sort(left, [](const auto& a, const auto& b) {
    return std::pair(a.first, a.second.word()) <
           std::pair(b.first, b.second.word());
  });
  for (const auto& [code, argument] : left) {
    key.push_back(Value::integer(code));
    key.push_back(argument);
  }
  key.push_back(Value::integer(static_cast<std::int64_t>(left.size())));
  return key;
}

}  // namespace

bool Liveness::alive(const Owed& owed, std::span<const Call> pending) {
  if (owed.late.empty()) return true;
  pending = pending.first(std::min(pending.size(), kMostPending));
  const std::lock_guard lock(mutex_);
  if (const auto answer = known(owed, pending, 0)) return *answer;
  if (known_.size() > kMostKnown) known_.clear();
  return search(owed, pending);
}

std::optional<bool> Liveness::known(const Owed& owed,
                                    std::span<const Call> pending,
                                    std::uint64_t happened) const {
  const auto found =
      known_.find(key_with(pack_owed(owed.base, owed.late), pending, happened));
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

// What a pending call needs before it can take effect, or after, may be two
// operations of each kind.
Helpers Liveness::helpers(const Owed& owed, std::size_t pending) const {
  if (bounds_ == Bounds::kNever) return Helpers();
  Helpers enough = payment_.further().helpers(owed);
  for (std::size_t* some : {&enough.with_argument, &enough.without}) {
    if (*some != Helpers::kAnyNumber) *some += 2 * pending;
  }
  return enough;
}

void Liveness::append_steps(const Node& from, std::span<const Call> pending,
                            std::vector<Node>& next) const {
  std::vector<Payment::Step> steps;
  payment_.follow(from.step.owed, from.step.left, steps);
  for (Payment::Step& step : steps) {
    next.push_back({std::move(step), from.happened, kNoParent});
  }
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (from.happened >> i & 1) continue;
    steps.clear();
    payment_.let_happen(from.step.owed, from.step.left, pending[i], steps);
    for (Payment::Step& step : steps) {
      next.push_back(
          {std::move(step), from.happened | std::uint64_t{1} << i, kNoParent});
    }
  }
}

// Breadth first, each state once.
bool Liveness::search(const Owed& owed, std::span<const Call> pending) {
  std::vector<Node> nodes{
      {{owed, helpers(owed, pending.size())}, 0, kNoParent}};
  const auto key_of_node = [&](const Node& node) {
    return key_with(key_of(node.step.owed, node.step.left), pending,
                    node.happened);
  };
  absl::flat_hash_set<State> seen{key_of_node(nodes[0])};
  const auto stops = Stops::of(base_, payment_.further().classes(), owed);
  std::vector<Node> next;
  std::size_t words = 0;
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    if (nodes.size() > kMostStates || words > kMostWords) too_many(base_);
    next.clear();
    append_steps(nodes[at], pending, next);
    for (Node& node : next) {
      const bool is_further = node.happened == nodes[at].happened;
      if (stops && is_further && !node.step.uses_place &&
          !stops->settle(nodes[at].step.owed.base, node.step.owed.base)) {
        continue;
      }
      const auto answer = node.step.owed.late.empty()
                              ? true
                              : known(node.step.owed, pending, node.happened);
      if (answer == true) {
        note_path(nodes, at, pending);
        return true;
      }
      if (answer == false) continue;
      if (!seen.insert(key_of_node(node)).second) continue;
      words += 2 * node.step.owed.base.size();
      node.parent = at;
      nodes.push_back(std::move(node));
    }
  }
  // If one of the others were alive, so would be the first.
  for (const Node& node : nodes) note(node, pending, false);
  return false;
}

void Liveness::note_path(const std::vector<Node>& nodes, std::size_t last,
                         std::span<const Call> pending) {
  for (std::size_t at = last; at != kNoParent; at = nodes[at].parent) {
    note(nodes[at], pending, true);
  }
}

void Liveness::note(const Node& node, std::span<const Call> pending,
                    bool is_alive) {
  const Owed& one = node.step.owed;
  known_.emplace(
      key_with(pack_owed(one.base, one.late), pending, node.happened),
      is_alive);
}

}  // namespace plumb::spec
