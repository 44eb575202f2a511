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

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/flat_table.h"
#include "base/limit_error.h"

namespace plumb::spec {

namespace {

constexpr std::size_t kMostStates = 200'000;
constexpr std::size_t kMostWords = 20'000'000;
constexpr std::size_t kMostKnown = 1'000'000;
constexpr std::size_t kNoParent = SIZE_MAX;
// Smaller searches end even if time is over: what was found can be told.
constexpr std::size_t kBetweenLooks = 64;
// Of more pending calls than this, as many are tried first: each makes the
// search larger, and few are needed if any.
constexpr std::size_t kManyPending = 16;

[[noreturn]] void too_many(const Specification& base) {
  throw LimitError(
      fmt::format("'{}' has too many states to tell whether operations that "
                  "come too early can still be made up for",
                  base.name()),
      "give it a smaller bound, or fewer values to the check");
}

// How many calls there are, so that none is taken for a part of the state
// before them.
State key_with(State key, std::span<const Call> pending) {
  for (const Call& call : pending) {
    key.push_back(Value::integer(call.code));
    key.push_back(call.argument);
  }
  key.push_back(Value::integer(static_cast<std::int64_t>(pending.size())));
  return key;
}

// In the order of their words, so that the same calls have one key.
void sort_calls(std::vector<Call>& calls) {
  std::ranges::sort(calls, [](const Call& a, const Call& b) {
    return std::pair(a.code, a.argument.word()) <
           std::pair(b.code, b.argument.word());
  });
}

}  // namespace

bool Liveness::alive(const Owed& owed, std::span<const Call> pending) {
  if (owed.late.empty()) return true;
  std::vector<Call> calls = payment_.further().useful(owed, pending);
  sort_calls(calls);
  const std::lock_guard lock(mutex_);
  if (calls.size() > kManyPending) {
    const std::vector<Call> few(calls.begin(), calls.begin() + kManyPending);
    if (alive_with(owed, few)) return true;
  }
  return alive_with(owed, calls);
}

bool Liveness::alive_with(const Owed& owed, const std::vector<Call>& pending) {
  if (const auto answer = known(owed, pending)) return *answer;
  if (known_.size() > kMostKnown) known_.clear();
  return search(owed, pending);
}

std::optional<bool> Liveness::known(const Owed& owed,
                                    std::span<const Call> pending) const {
  const auto found =
      known_.find(key_with(pack_owed(owed.base, owed.late), pending));
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

void Liveness::append_steps(const Node& from, std::vector<Node>& next) const {
  const Payment::Step& here = from.step;
  std::vector<Payment::Step> steps;
  payment_.follow(here.owed, here.left, from.pending, steps);
  for (Payment::Step& step : steps) {
    next.push_back({std::move(step), from.pending, kNoParent});
  }
  for (std::size_t i = 0; i < from.pending.size(); ++i) {
    if (i > 0 && from.pending[i] == from.pending[i - 1]) continue;
    steps.clear();
    payment_.let_happen(here.owed, here.left, from.pending[i], steps);
    for (Payment::Step& step : steps) {
      std::vector<Call> others = from.pending;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      next.push_back({std::move(step), std::move(others), kNoParent});
    }
  }
}

// Breadth first, each state once.
bool Liveness::search(const Owed& owed, const std::vector<Call>& pending) {
  std::vector<Node> nodes{
      {{owed, helpers(owed, pending.size())}, pending, kNoParent}};
  const auto key_of_node = [](const Node& node) {
    return key_with(key_of(node.step.owed, node.step.left), node.pending);
  };
  FlatSet<State> seen{key_of_node(nodes[0])};
  const auto stops = Stops::of(base_, payment_.further().classes(), owed);
  std::vector<Node> next;
  std::size_t words = 0;
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    if (nodes.size() > kMostStates || words > kMostWords) too_many(base_);
    if (at % kBetweenLooks == kBetweenLooks - 1 && budget_.spent_now()) {
      throw LimitError(budget_.describe_limit());
    }
    next.clear();
    append_steps(nodes[at], next);
    for (Node& node : next) {
      const bool is_further = node.pending.size() == nodes[at].pending.size();
      if (stops && is_further && !node.step.uses_place &&
          !stops->settle(nodes[at].step.owed.base, node.step.owed.base)) {
        continue;
      }
      const auto answer = node.step.owed.late.empty()
                              ? true
                              : known(node.step.owed, node.pending);
      if (answer == true) {
        note_path(nodes, at);
        return true;
      }
      if (answer == false) continue;
      if (!seen.insert(key_of_node(node)).second) continue;
      words += 2 * node.step.owed.base.size() + 4 * node.pending.size();
      node.parent = at;
      nodes.push_back(std::move(node));
    }
  }
  // If one of the others were alive, so would be the first.
  for (const Node& node : nodes) note(node, false);
  return false;
}

void Liveness::note_path(const std::vector<Node>& nodes, std::size_t last) {
  for (std::size_t at = last; at != kNoParent; at = nodes[at].parent) {
    note(nodes[at], true);
  }
}

void Liveness::note(const Node& node, bool is_alive) {
  const Owed& one = node.step.owed;
  known_.emplace(key_with(pack_owed(one.base, one.late), node.pending),
                 is_alive);
}

}  // namespace plumb::spec
