// SPDX-License-Identifier: Apache-2.0
#include "verify/follower.h"

#include "base/memory_ceiling.h"

namespace plumb::verify {

MoveCache::MoveCache() {
  tables_.push_back(std::make_unique<Table>(256));
  table_.store(tables_.back().get(), std::memory_order_release);
}

void MoveCache::put(Table& table, std::uint64_t key, Tag next) {
  std::size_t at =
      home(table, static_cast<Tag>(key >> 32), static_cast<ClassId>(key));
  while (table[at].next.load(std::memory_order_relaxed) != kUnknown) {
    at = (at + 1) & (table.size() - 1);
  }
  table[at].key.store(key, std::memory_order_relaxed);
  table[at].next.store(next, std::memory_order_release);
}

void MoveCache::add(Tag set, ClassId number, Tag next) {
  const std::lock_guard lock(mutex_);
  Table* table = tables_.back().get();
  if (find(*table, set, number) != kUnknown) return;  // another thread did
  if (2 * (size_ + 1) > table->size()) {
    // It may double between two looks at a budget, and need not.
    is_full_ |= !MemoryCeiling::has_room(2 * table->size() * sizeof(Slot));
    if (is_full_) return;
    auto larger = std::make_unique<Table>(2 * table->size());
    for (const Slot& slot : *table) {
      const Tag old = slot.next.load(std::memory_order_relaxed);
      if (old == kUnknown) continue;
      put(*larger, slot.key.load(std::memory_order_relaxed), old);
    }
    tables_.push_back(std::move(larger));
    table = tables_.back().get();
    table_.store(table, std::memory_order_release);
  }
  put(*table, key_of(set, number), next);
  ++size_;
}

Tag Follower::canonical(Tag set, const lts::Canonical& how) {
  if (moves_.is_settled(how)) return set;
  const ClassId number =
      hows_.number({how.renaming.processes.word(), how.renaming.values.word(),
                    std::uint64_t{how.twins} << 8 | how.used_values});
  const Tag known = renamings_.find(set, number);
  if (known != MoveCache::kUnknown) return known;
  const Tag result = moves_.canonical(set, how).tag;
  renamings_.add(set, number, result);
  return result;
}

}  // namespace plumb::verify
