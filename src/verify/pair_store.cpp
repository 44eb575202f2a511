// SPDX-License-Identifier: Apache-2.0
#include "verify/pair_store.h"

#include <algorithm>
#include <atomic>
#include <new>

namespace plumb::verify {

using explore::SharedStore;
using explore::StateId;

PairStore::PairStore(StateId limit, std::size_t threads,
                     std::vector<std::uint32_t> cuts)
    : states_({.limit = std::min<StateId>(limit, kMorePairs - 1),
               .threads = threads,
               .cuts = std::move(cuts)}) {}

// A thread that compares an entry with another set may do so while a second one
// puts a harder set into it: it then sees the old one or the new one, and both
// are right.
PairStore::Entry PairStore::first(StateId state) const {
  SharedStore::Entry& words = states_.entry(state);
  return {std::atomic_ref(words.a).load(std::memory_order_relaxed),
          std::atomic_ref(words.b).load(std::memory_order_relaxed)};
}

void PairStore::set_first(StateId state, const Entry& entry) {
  SharedStore::Entry& words = states_.entry(state);
  std::atomic_ref(words.a).store(entry.set, std::memory_order_relaxed);
  std::atomic_ref(words.b).store(entry.parent, std::memory_order_relaxed);
}

PairStore::Pair PairStore::operator[](PairId pair) const {
  if (is_first(pair)) {
    const Entry entry = first(pair);
    return {pair, entry.set, entry.parent};
  }
  const PairId index = pair - kMorePairs;
  Stripe& stripe = stripes_[index % kStripes];
  const std::lock_guard lock(stripe.mutex);
  const More& more = stripe.pairs[index / kStripes];
  return {more.state, more.entry.set, more.entry.parent};
}

void PairStore::freeze() {
  is_frozen_ = true;
  for (Stripe& stripe : stripes_) stripe.level_begin = SIZE_MAX;
}

PairStore::Reached PairStore::reach(std::size_t thread, lts::StateView state,
                                    std::uint64_t hash, Tag set, PairId from,
                                    Tagging& moves) {
  const auto [id, is_new] = states_.insert(thread, state, hash, {set, from});
  if (id == explore::kNoState) return {.is_full = true};
  if (is_new) return {id, true, false, id};
  if (first(id).set == set) return {.state = id};  // the usual case
  Stripe& stripe = stripe_of(id);
  const std::lock_guard lock(stripe.mutex);
  Reached reached = reach_again(stripe, id, {set, from}, moves);
  reached.state = id;
  return reached;
}

// Was it added in this level?  Ids that were free when it began may be small.
bool PairStore::may_replace_first(StateId state) const {
  if (is_frozen_) return false;
  return state >= mark_.end ||
         std::ranges::any_of(mark_.unused, [&](const explore::IdRange& range) {
           return range.begin <= state && state < range.end;
         });
}

PairStore::Reached PairStore::reach_again(Stripe& stripe, StateId state,
                                          const Entry& reached,
                                          Tagging& moves) {
  const Tag set = first(state).set;
  if (moves.is_harder(set, reached.set)) return {};
  if (may_replace_first(state) && moves.is_harder(reached.set, set)) {
    set_first(state, reached);
    if (keeps_replaced_) stripe.replaced.push_back(state);
    return {state, false, false};
  }
  const auto head = stripe.heads.find(state);
  const PairId others = head == stripe.heads.end() ? kNoPair : head->second;
  for (PairId pair = others; pair != kNoPair;) {
    const std::size_t index = (pair - kMorePairs) / kStripes;
    More& other = stripe.pairs[index];
    if (moves.is_harder(other.entry.set, reached.set)) return {};
    if (index >= stripe.level_begin &&
        moves.is_harder(reached.set, other.entry.set)) {
      other.entry = reached;
      if (keeps_replaced_) stripe.replaced.push_back(pair);
      return {pair, false, false};
    }
    pair = other.next;
  }
  return add(stripe, state, reached, others);
}

PairStore::Reached PairStore::add(Stripe& stripe, StateId state,
                                  const Entry& reached, PairId next) {
  const auto number = static_cast<PairId>(&stripe - stripes_.data());
  const std::size_t id = kMorePairs + stripe.pairs.size() * kStripes + number;
  if (id >= kNoPair || !stripe.pairs.push_back({reached, state, next})) {
    return {.is_full = true};
  }
  const auto pair = static_cast<PairId>(id);
  try {
    stripe.heads[state] = pair;
  } catch (const std::bad_alloc&) {
    return {.is_full = true};
  }
  return {pair, false, false};
}

std::vector<PairRange> PairStore::added_in_level() const {
  std::vector<PairRange> level = restored_level_;
  explore::StoreMark mark = mark_;
  for (const auto& [begin, end] : states_.added_since(mark)) {
    level.push_back({begin, end, 1});
  }
  for (PairId i = 0; i < kStripes; ++i) {
    const std::size_t begin = stripes_[i].level_begin;
    const std::size_t end = stripes_[i].pairs.size();
    if (begin >= end) continue;
    level.push_back({more_pair(i, begin), more_pair(i, end - 1) + 1, kStripes});
  }
  return level;
}

std::vector<PairRange> PairStore::next_level() {
  std::vector<PairRange> level = added_in_level();
  restore_level({});
  return level;
}

void PairStore::restore_level(std::vector<PairRange> added) {
  restored_level_ = std::move(added);
  states_.added_since(mark_);
  for (Stripe& stripe : stripes_) stripe.level_begin = stripe.pairs.size();
}

std::vector<PairId> PairStore::replaced() const {
  std::vector<PairId> all;
  for (const Stripe& stripe : stripes_) {
    all.insert(all.end(), stripe.replaced.begin(), stripe.replaced.end());
  }
  return all;
}

void PairStore::forget_replaced() {
  for (Stripe& stripe : stripes_) stripe.replaced.clear();
}

PairId PairStore::restore_first(lts::StateView state, Tag set) {
  const auto [id, is_new] =
      states_.insert(0, state, SharedStore::hash(state), {set, kNoPair});
  return is_new ? id : kNoPair;
}

PairId PairStore::restore_more(StateId state, Tag set) {
  Stripe& stripe = stripe_of(state);
  const auto head = stripe.heads.find(state);
  const PairId next = head == stripe.heads.end() ? kNoPair : head->second;
  return add(stripe, state, {set, kNoPair}, next).pair;
}

void PairStore::restore(PairId pair, Tag set, PairId parent) {
  if (is_first(pair)) return set_first(pair, {set, parent});
  const PairId index = pair - kMorePairs;
  stripes_[index % kStripes].pairs[index / kStripes].entry = {set, parent};
}

std::size_t PairStore::size() const {
  std::size_t size = states_.size();
  for (const Stripe& stripe : stripes_) size += stripe.pairs.size();
  return size;
}

std::size_t PairStore::hardest(Tagging& moves) const {
  std::size_t count = states_.size();
  for (const Stripe& stripe : stripes_) {
    for (const auto& [state, head] : stripe.heads) {
      std::vector<Tag> sets = {first(state).set};
      for (PairId pair = head; pair != kNoPair;) {
        const More& more = stripe.pairs[(pair - kMorePairs) / kStripes];
        sets.push_back(more.entry.set);
        pair = more.next;
      }
      const auto is_hardest = [&](Tag set) {
        return std::ranges::none_of(sets, [&](Tag other) {
          return other != set && moves.is_harder(other, set);
        });
      };
      count +=
          static_cast<std::size_t>(std::ranges::count_if(sets, is_hardest)) - 1;
    }
  }
  return count;
}

std::size_t PairStore::bytes() const {
  // A place in a map, which is at most 7/8 full: a pair and a byte.
  constexpr std::size_t kHead = 9;
  std::size_t bytes = states_.bytes();
  for (const Stripe& stripe : stripes_) {
    bytes += stripe.pairs.bytes() + stripe.heads.capacity() * kHead;
  }
  return bytes;
}

}  // namespace plumb::verify
