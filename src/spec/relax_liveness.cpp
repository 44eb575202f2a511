// SPDX-License-Identifier: Apache-2.0
//
// A search over what further operations can make of a state.  Where the states
// of the base object that they can reach are finitely many, it comes to an
// end: if it meets a state without debts, then all states on the way there are
// alive, and if it has seen all without meeting one, all of them are dead.
//
// An unbounded container has no such end, but there a few operations do as
// well as many.  Take any sequence of further operations that pays all debts.
// "Free" are those of its operations that were not late.  Then:
//  - A free take of an item that a free put has put in can be left out
//    together with that put, and a free put whose item is never taken can be
//    left out.  What else happens stays possible.  In a queue, stack or deque
//    the item stands between others and is only ever touched where it is put
//    in and taken out, so the others are met in the same order; in a priority
//    queue, what was smallest is so without it; in a bag, any item will do.
//    In a bounded container, there is now more room for other puts.
//  - A free take that finds nothing, and a free put that finds no room, do
//    nothing.  What is late never found nothing.
//  - Leaving out an operation of a class with debts takes away a place, so
//    that deadlines are met as before.
// So every free put that remains is for one late take, and every free take
// that remains is of an item that was there at first or came by a late put.
// That excludes one case: a late put that found no room needs a container
// that is full, so none may be left out.  Only bounded ones have that.
//
// An indicator counts arrivals, and asks whether there are any.  Free
// arrivals can be left out until a late query or departure needs somebody
// there, and then one is enough, since what needs somebody never needs two.
// With fewer there, fewer must depart: those that were there at first, and
// one for each late or free arrival.
//
// LIMIT: where nothing of this applies (specifications that a user wrote, full
// containers), a search that passes kMostStates states ends with `unknown`.
#include "spec/relax_liveness.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/limit_error.h"
#include "spec/built_in.h"
#include "spec/catalogue.h"

namespace plumb::spec {

namespace {

constexpr std::size_t kMostStates = 200'000;
constexpr std::size_t kNoParent = SIZE_MAX;

bool is_container(std::string_view name) {
  constexpr std::array<std::string_view, 5> kContainers = {
      "queue", "stack", "deque", "priority_queue", "bag"};
  return std::ranges::find(kContainers, name) != kContainers.end();
}

}  // namespace

std::string_view built_in_name(const Specification& object) {
  if (dynamic_cast<const BuiltIn*>(&object) == nullptr) return "";
  return parse_name(object.name()).entry->name;
}

std::optional<Helpers> enough_helpers(const Specification& base,
                                      const Owed& owed) {
  const std::string_view name = built_in_name(base);
  const std::size_t late = owed.late.size();
  if (name == "snzi") {
    const auto there = static_cast<std::size_t>(owed.base[0].as_integer());
    return Helpers{0, there + 3 * late};
  }
  if (!is_container(name)) return std::nullopt;
  for (const Debt& debt : owed.late) {
    if (!debt.result_known || debt.result == Value::boolean(false)) {
      return std::nullopt;
    }
  }
  return Helpers{late, owed.base.size() + late};
}

bool Liveness::alive(const Owed& owed) {
  if (owed.late.empty()) return true;
  const std::lock_guard lock(mutex_);
  if (const auto answer = known(owed)) return *answer;
  std::optional<Helpers> helpers;
  if (bounds_ == Bounds::kWhereKnown) helpers = enough_helpers(base_, owed);
  return search(owed, helpers.value_or(Helpers()));
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
  std::vector<Payment::Step> next;
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    if (nodes.size() > kMostStates) {
      throw LimitError(
          fmt::format("'{}' has too many states to tell whether operations "
                      "that come too early can still be made up for",
                      base_.name()),
          "give it a smaller bound, or fewer values to the check");
    }
    next.clear();
    payment_.follow(nodes[at].step.owed, nodes[at].step.left, next);
    for (Payment::Step& step : next) {
      std::optional<bool> answer;
      answer = step.owed.late.empty() ? true : known(step.owed);
      if (answer == true) {
        note_path(nodes, at);
        return true;
      }
      if (answer == false) continue;
      if (!seen.insert(key_of(step.owed, step.left)).second) continue;
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
