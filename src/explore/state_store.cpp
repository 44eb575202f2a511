// SPDX-License-Identifier: Apache-2.0
#include "explore/state_store.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "explore/spill.h"
#include "explore/tags.h"

namespace plumb::explore {
namespace {

// Untouched pages of a chunk cost nothing, so only address space is spent.
constexpr std::size_t kStateChunk = std::size_t{8} << 20;
// Groups of a table that still doubles; larger ones grow by a half, so that
// less lies idle.
constexpr std::size_t kDoublesUpTo = std::size_t{1} << 16;
constexpr StateId kRehashAhead = 16;

constexpr const char* kNoIds = "there are too many states for 32 bits";
constexpr const char* kLimit = "the limit on states was reached";

bool same(lts::StateView a, lts::StateView b) {
  return a.size() == b.size() && same_bytes(a.data(), b.data(), a.size());
}

}  // namespace

void StateStore::swap(StateStore& other) noexcept {
  std::swap(table_, other.table_);
  std::swap(group_count_, other.group_count_);
  std::swap(size_, other.size_);
  std::swap(grow_at_, other.grow_at_);
  std::swap(limit_, other.limit_);
  std::swap(why_full_, other.why_full_);
  std::swap(chunks_, other.chunks_);
  std::swap(cursor_, other.cursor_);
  std::swap(chunk_end_, other.chunk_end_);
  std::swap(length_, other.length_);
  std::swap(shift_, other.shift_);
  std::swap(blocks_, other.blocks_);
  std::swap(wide_blocks_, other.wide_blocks_);
  std::swap(state_bytes_, other.state_bytes_);
  std::swap(full_chunk_bytes_, other.full_chunk_bytes_);
}

// Groups are tried one after the other from the hash's own on; there are no
// deletions, so the first one with a free slot ends the search.
StateStore::Slot StateStore::look_up(lts::StateView state,
                                     std::uint64_t hash) const {
  const std::uint8_t tag = tag_of(hash);
  for (std::size_t g = home_of(hash);;) {
    const Group& group = groups()[g];
    for (unsigned hits = match_tags(group.tags, tag); hits != 0;
         hits &= hits - 1) {
      const auto at = static_cast<std::size_t>(std::countr_zero(hits));
      const StateId id = group.ids[at];
      if (same((*this)[id], state)) return {g, at, id};
    }
    if (const unsigned free = match_tags(group.tags, 0)) {
      return {g, static_cast<std::size_t>(std::countr_zero(free)), kNoState};
    }
    if (++g == group_count_) g = 0;
  }
}

StateId StateStore::find(lts::StateView state, std::uint64_t hash) const {
  return group_count_ == 0 ? kNoState : look_up(state, hash).id;
}

StateStore::Inserted StateStore::insert(lts::StateView state,
                                        std::uint64_t hash) {
  assert(hash == StateStore::hash(state));
  Spill::count(until_check_);
  if (Spill::wants_to_move()) Spill::move();
  if (size_ >= grow_at_ && !make_room()) {
    // Full: but what is there is still found.
    const StateId id = find(state, hash);
    if (id != kNoState) return {id, false};
    fail(size_ < limit_       ? Memory::why_none()
         : limit_ == kNoState ? kNoIds
                              : kLimit);
    return {kNoState, false};
  }
  const Slot slot = look_up(state, hash);
  if (slot.id != kNoState) return {slot.id, false};
  if (!put(state)) {
    fail(Memory::why_none());
    return {kNoState, false};
  }
  Group& group = groups()[slot.group];
  group.tags[slot.at] = tag_of(hash);
  group.ids[slot.at] = size_;
  return {size_++, true};
}

void StateStore::prefetch_match(std::uint64_t hash) const {
  if (group_count_ == 0) return;
  const Group& group = groups()[home_of(hash)];
  const unsigned hits = match_tags(group.tags, tag_of(hash));
  if (hits == 0) return;
  const lts::StateView state = (*this)[group.ids[std::countr_zero(hits)]];
  __builtin_prefetch(state.data());
  // The second line too, if there is one; the processor guesses the rest.
  const auto start = reinterpret_cast<std::uintptr_t>(state.data()) % 64;
  if (start + state.size() > 64) __builtin_prefetch(state.data() + 64 - start);
}

bool StateStore::fail(const char* why) {
  why_full_ = why;
  return false;
}

bool StateStore::make_room() {
  if (size_ >= limit_) return false;
  const std::size_t more =
      group_count_ <= kDoublesUpTo ? group_count_ : group_count_ / 2;
  return grow(group_count_ == 0 ? 4 : group_count_ + more);
}

bool StateStore::grow(std::size_t group_count) {
  Memory table(group_count * sizeof(Group), Memory::Use::kAnywhere);
  if (!table) return false;
  // The old table goes before the new one is touched: hashes are made anew
  // from the states, so that the two never take memory at the same time.
  table_ = Memory();
  table_ = std::move(table);
  group_count_ = group_count;
  // Seven slots in eight may be taken: up to there a group rarely runs over
  // into the next.
  grow_at_ = static_cast<StateId>(
      std::min<std::size_t>(group_count * kSlots * 7 / 8, limit_));
  rehash();
  return true;
}

void StateStore::rehash() {
  std::array<std::uint64_t, kRehashAhead> hashes{};
  const auto put_id = [this, &hashes](StateId id) {
    const std::uint64_t hash = hashes[id % kRehashAhead];
    std::size_t g = home_of(hash);
    unsigned free = match_tags(groups()[g].tags, 0);
    while (free == 0) {
      if (++g == group_count_) g = 0;
      free = match_tags(groups()[g].tags, 0);
    }
    const int at = std::countr_zero(free);
    groups()[g].tags[at] = tag_of(hash);
    groups()[g].ids[at] = id;
  };
  for (StateId id = 0; id < size_; ++id) {
    if (id % 1024 == 0) Spill::keep_within_limit();
    if (id >= kRehashAhead) put_id(id - kRehashAhead);
    const std::uint64_t hash = StateStore::hash((*this)[id]);
    hashes[id % kRehashAhead] = hash;
    prefetch(hash);
  }
  for (StateId id = size_ - std::min<StateId>(size_, kRehashAhead); id < size_;
       ++id) {
    put_id(id);
  }
}

// Appends the bytes of the state that gets the id size_.
bool StateStore::put(lts::StateView state) {
  if (size_ == 0) {
    length_ = state.size();
    const std::size_t fit = kStateChunk / std::max<std::size_t>(length_, 1);
    shift_ = static_cast<unsigned>(
        std::bit_width(std::max<std::size_t>(fit, 1)) - 1);
  }
  if (blocks_.empty() && state.size() != length_ && !start_varied()) {
    return false;
  }
  if (!reserve(state.size())) return false;
  if (!blocks_.empty() && !note_place(size_, {cursor_, state.size()})) {
    return false;
  }
  if (!state.empty()) std::memcpy(cursor_, state.data(), state.size());
  cursor_ += state.size();
  state_bytes_ += state.size();
  return true;
}

// Makes room for `length` bytes at cursor_.
bool StateStore::reserve(std::size_t length) {
  std::size_t bytes = std::max(kStateChunk, length);
  if (blocks_.empty()) {
    // All of one length: a chunk ends where the next one's ids begin.
    if ((size_ & ((StateId{1} << shift_) - 1)) != 0) return true;
    bytes = length_ << shift_;
  } else if (static_cast<std::size_t>(chunk_end_ - cursor_) >= length) {
    return true;
  }
  Memory chunk(bytes);
  if (!chunk) return false;
  const std::size_t last = chunks_.empty() ? 0 : chunks_.back().size();
  std::uint8_t* const data = chunk.data();
  try {
    chunks_.push_back(std::move(chunk));
  } catch (const std::bad_alloc&) {
    return false;
  }
  full_chunk_bytes_ += last;
  cursor_ = data;
  chunk_end_ = data + chunks_.back().size();
  return true;
}

// A second length has come: from now on blocks say where states are.
bool StateStore::start_varied() {
  SideTable<Block> none;
  for (StateId id = 0; id < size_; ++id) {
    const std::size_t at = id & ((StateId{1} << shift_) - 1);
    const std::uint8_t* data = chunks_[id >> shift_].data() + at * length_;
    if (!note_place(id, {data, length_})) {
      std::swap(blocks_, none);  // as it was
      wide_blocks_.clear();
      return false;
    }
  }
  return true;
}

// Enters the place of state `id` into its block.
bool StateStore::note_place(StateId id, lts::StateView place) {
  const std::size_t at = id % kPerBlock;
  if (at == 0 && blocks_.size() == id / kPerBlock) {
    if (!blocks_.push_back({place.data(), {}})) return false;
  }
  Block& block = blocks_.back();
  if (at == 0) block = {place.data(), {}};
  if (block.ends[0] != kWide) {
    const std::size_t begin = at == 0 ? 0 : block.ends[at - 1];
    const std::size_t end = begin + place.size();
    if (block.base + begin == place.data() && end < kWide) {
      block.ends[at] = static_cast<std::uint16_t>(end);
      return true;
    }
    if (!widen(id)) return false;
  }
  wide(block)[at] = place;
  return true;
}

// Gives the block of state `id` an array of views, filled up to `id`.
bool StateStore::widen(StateId id) {
  try {
    wide_blocks_.push_back(std::make_unique<WideBlock>());
  } catch (const std::bad_alloc&) {
    return false;
  }
  WideBlock& views = *wide_blocks_.back();
  const StateId first = id - static_cast<StateId>(id % kPerBlock);
  for (StateId other = first; other < id; ++other) {
    views[other - first] = varied(other);
  }
  Block& block = blocks_.back();
  block.base = reinterpret_cast<const std::uint8_t*>(&views);
  block.ends[0] = kWide;
  return true;
}

StateStore::WideBlock& StateStore::wide(const Block& block) {
  return *reinterpret_cast<WideBlock*>(const_cast<std::uint8_t*>(block.base));
}

std::size_t StateStore::bytes() const {
  const std::size_t in_last =
      chunks_.empty()
          ? 0
          : static_cast<std::size_t>(cursor_ - chunks_.back().data());
  return table_.size() + full_chunk_bytes_ + in_last + blocks_.bytes() +
         wide_blocks_.size() * sizeof(WideBlock);
}

}  // namespace plumb::explore
