// SPDX-License-Identifier: Apache-2.0
#include "explore/shared_store.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "explore/parts.h"
#include "explore/spill.h"
#include "explore/tags.h"

namespace plumb::explore {
namespace {

constexpr const char* kIdsEnd = "there are too many states for 32 bits";
constexpr const char* kLimitReached = "the limit on states was reached";

// Of the bytes of states of various lengths.  Untouched pages cost nothing.
constexpr std::size_t kByteChunk = std::size_t{8} << 20;
// Of a store inside of another one, which is small.
constexpr std::size_t kSmallChunk = std::size_t{1} << 16;
// Longer ones need not have a layout of their own.
constexpr std::size_t kLongestUniform = 4096;
// Groups of a table that still doubles; larger ones grow by a half, so that
// less lies idle.
constexpr std::size_t kDoubling = std::size_t{1} << 16;
// States whose groups are on their way from memory while the table is made.
constexpr std::size_t kAhead = 16;
// Ids that a thread takes at a time when the table is made anew.
constexpr std::size_t kShare = Records::kGroup * 64;

bool equal(lts::StateView a, lts::StateView b) {
  return a.size() == b.size() && same_bytes(a.data(), b.data(), a.size());
}

// Calls use(begin, end) for the parts of `range` outside of `holes`, which
// are in ascending order.
template <typename Use>
void for_each_outside(IdRange range, const std::vector<IdRange>& holes,
                      Use use) {
  StateId at = range.begin;
  for (const IdRange& hole : holes) {
    const StateId end = std::min(hole.begin, range.end);
    if (at < end) use(at, end);
    at = std::max(at, hole.end);
  }
  if (at < range.end) use(at, range.end);
}

}  // namespace

SharedStore::SharedStore(const Options& options)
    : options_(options),
      places_(sizeof(Places)),
      views_(sizeof(lts::StateView)),
      entries_(options.has_entries ? sizeof(Entry) : 0),
      record_chunk_(Records::kChunk),
      byte_chunk_(kByteChunk),
      writers_(options.threads),
      own_gate_(std::make_unique<Gate>(options.threads)),
      gate_(own_gate_.get()) {
  start();
  if (options.cuts.empty()) return;
  parts_ = std::make_unique<Parts>(options.cuts, options.threads, *gate_);
  for (Writer& writer : writers_) writer.numbers.resize(parts_->count());
}

SharedStore::SharedStore(const Options& options, Gate& gate)
    : options_(options),
      places_(sizeof(Places), kSmallChunk),
      views_(sizeof(lts::StateView), kSmallChunk),
      record_chunk_(kSmallChunk),
      byte_chunk_(kSmallChunk),
      writers_(options.threads),
      gate_(&gate) {
  start();
}

SharedStore::~SharedStore() = default;

void SharedStore::start() {
  rehash_unused_.reserve(options_.threads);
  grow();
}

lts::StateView SharedStore::get(StateId id, lts::StateBytes& buffer) const {
  return parts_ == nullptr ? (*this)[id]
                           : parts_->unpack(states_.address(id), buffer);
}

bool SharedStore::is_at(StateId id, lts::StateView state) const {
  return parts_ == nullptr ? equal((*this)[id], state)
                           : parts_->is_of(states_.address(id), state);
}

lts::StateView SharedStore::varied(StateId id) const {
  if (layout_ == Layout::kViews) return view(id);
  const Places& block = places(id / kBlock);
  const std::size_t at = id % kBlock;
  const auto word = [&block](std::size_t i) {
    return block.lengths[i].load(std::memory_order_relaxed);
  };
  return {block.base + sum_of_first_bytes(word, at),
          word(at / 8) >> at % 8 * 8 & 0xFF};
}

SharedStore::Slot SharedStore::look_up(lts::StateView state,
                                       std::uint64_t hash) const {
  const std::uint8_t tag = tag_of(hash);
  for (std::size_t g = home_of(hash);;) {
    const Group& group = groups()[g];
    const std::uint64_t tags[2] = {
        group.tags[0].load(std::memory_order_acquire),
        group.tags[1].load(std::memory_order_acquire)};
    for (unsigned hits = match_tags(tags[0], tags[1], tag); hits != 0;
         hits &= hits - 1) {
      const StateId id = group.ids[std::countr_zero(hits)];
      if (is_at(id, state)) return {id, 0, g, {}};
    }
    if (const unsigned free = match_tags(tags[0], tags[1], 0)) {
      return {kNoState,
              static_cast<unsigned>(std::countr_zero(free)),
              g,
              {tags[0], tags[1]}};
    }
    if (++g == group_count_) g = 0;
  }
}

StateId SharedStore::find(lts::StateView state, std::uint64_t hash) const {
  return group_count_ == 0 ? kNoState : look_up(state, hash).id;
}

SharedStore::Inserted SharedStore::insert(std::size_t thread,
                                          lts::StateView state,
                                          std::uint64_t hash, Entry entry) {
  assert(hash == SharedStore::hash(state));
  if (gate_->is_wanted()) gate_->wait();
  if (group_count_ == 0) return {kNoState, false};
  Writer& writer = writers_[thread];
  Spill::count(writer.until_check);
  if (recent_count_ != 0) {
    const StateId id = find_recent(state, hash);
    if (id != kNoState) return {id, false};
  }
  bool has_numbers = false;
  while (true) {
    const Slot slot = look_up(state, hash);
    if (slot.id != kNoState) {
      note_recent(hash, slot.id);
      return {slot.id, false};
    }
    if (!has_room(writer, state.size())) {
      if (make_room(writer, state.size())) continue;
      return {find(state, hash), false};
    }
    if (parts_ != nullptr && !has_numbers) {
      if (!parts_->number(thread, state, writer.numbers)) {
        fail(Memory::why_none());
        return {find(state, hash), false};
      }
      has_numbers = true;
      continue;  // others may have been alone
    }
    if (parts_ != nullptr && !parts_->fits(writer.numbers)) {
      if (full()) return {kNoState, false};
      gate_->alone([this, &writer] { widen_records(writer); });
      continue;
    }
    Group& group = groups()[slot.group];
    if (!lock(group, slot)) continue;
    const StateId id = writer.next.load(std::memory_order_relaxed);
    write(writer, id, state);
    if (options_.has_entries) this->entry(id) = entry;
    publish(group, slot, tag_of(hash), id);
    note_recent(hash, id);
    writer.next.store(id + 1, std::memory_order_relaxed);
    return {id, true};
  }
}

// Succeeds only if nothing was added since `slot` was looked up.
bool SharedStore::lock(Group& group, const Slot& slot) const {
  if (options_.threads == 1) return true;
  std::uint64_t seen = slot.tags[1];
  if ((seen & kLock) != 0 ||
      !group.tags[1].compare_exchange_strong(seen, seen | kLock,
                                             std::memory_order_acquire)) {
    // Somebody copies a state.  If that takes long, it was interrupted, and
    // may need this processor.
    std::this_thread::yield();
    return false;
  }
  if (group.tags[0].load(std::memory_order_relaxed) == slot.tags[0]) {
    return true;
  }
  group.tags[1].store(slot.tags[1], std::memory_order_release);
  return false;
}

// Adds `id` to the first free slot of the group, and unlocks it.
void SharedStore::publish(Group& group, const Slot& slot, std::uint8_t tag,
                          StateId id) {
  const unsigned at = slot.at;
  group.ids[at] = id;
  const std::uint64_t added = std::uint64_t{tag} << at % 8 * 8;
  if (at < 8) {
    group.tags[0].store(slot.tags[0] | added, std::memory_order_release);
  }
  if (at >= 8 || options_.threads > 1) {
    group.tags[1].store(slot.tags[1] | (at < 8 ? 0 : added),
                        std::memory_order_release);
  }
}

void SharedStore::prefetch_match(std::uint64_t hash) const {
  if (group_count_ == 0 || recent_count_ != 0) return;
  const Group& group = groups()[home_of(hash)];
  const unsigned hits =
      match_tags(group.tags[0].load(std::memory_order_acquire),
                 group.tags[1].load(std::memory_order_acquire), tag_of(hash));
  if (hits == 0) return;
  const StateId id = group.ids[std::countr_zero(hits)];
  if (options_.has_entries) __builtin_prefetch(&entry(id));
  if (parts_ != nullptr) {
    __builtin_prefetch(states_.address(id));
    return;
  }
  const lts::StateView state = (*this)[id];
  __builtin_prefetch(state.data());
  // The second line too, if there is one; the processor guesses the rest.
  const auto start = reinterpret_cast<std::uintptr_t>(state.data()) % 64;
  if (start + state.size() > 64) __builtin_prefetch(state.data() + 64 - start);
}

bool SharedStore::has_room(const Writer& writer, std::size_t length) const {
  if (writer.left() == 0) return false;
  switch (layout_) {
    case Layout::kNone:
      return false;
    case Layout::kUniform:
      return length == length_;
    case Layout::kPlaces:
      return length <= kLongest;
    case Layout::kPacked:
      return true;
    case Layout::kViews:
      break;
  }
  return writer.free_bytes() >= length;
}

bool SharedStore::make_room(Writer& writer, std::size_t length) {
  while (!full() && !has_room(writer, length)) {
    if (Spill::wants_to_move()) {
      gate_->alone([] { Spill::move(); });
      continue;
    }
    if (layout_for(length) != layout_) {
      gate_->alone([this, length] { change_layout(length); });
      continue;
    }
    switch (writer.left() == 0 ? take_block(writer) : Need::kNothing) {
      case Need::kNothing:
        break;
      case Need::kGrowth:
        gate_->alone([this] { grow(); });
        continue;
      case Need::kIds:
        gate_->alone([this, &writer] { take_over(writer); });
        continue;
      case Need::kMemory:
        return fail(Memory::why_none());
    }
    const std::lock_guard lock(blocks_mutex_);
    if (layout_ == Layout::kViews && !reserve(writer, length)) {
      return fail(Memory::why_none());
    }
  }
  return !full();
}

// The next ids, for a thread that has used up its own.
SharedStore::Need SharedStore::take_block(Writer& writer) {
  const std::lock_guard lock(blocks_mutex_);
  const std::size_t begin = end();
  if (begin == options_.limit) return Need::kIds;
  const std::size_t next =
      std::min<std::size_t>(begin + kBlock, options_.limit);
  if (next > capacity_) return Need::kGrowth;
  bool done = !options_.has_entries || entries_.cover(begin);
  if (layout_ == Layout::kUniform || layout_ == Layout::kPacked) {
    done = done && states_.cover(begin);
  } else if (layout_ == Layout::kPlaces) {
    done = done && start_places(writer, begin / kBlock);
  } else {
    done = done && views_.cover(begin);
  }
  if (!done) return Need::kMemory;
  writer.next.store(static_cast<StateId>(begin), std::memory_order_relaxed);
  writer.end.store(static_cast<StateId>(next), std::memory_order_relaxed);
  next_id_.store(next, std::memory_order_relaxed);
  return Need::kNothing;
}

// Makes room for so many bytes at the writer's cursor.
bool SharedStore::reserve(Writer& writer, std::size_t bytes) {
  if (writer.free_bytes() >= bytes) return true;
  Memory chunk(std::max(byte_chunk_, bytes));
  if (!chunk) return false;
  std::uint8_t* const data = chunk.data();
  try {
    chunks_.push_back(std::move(chunk));
  } catch (const std::bad_alloc&) {
    return false;
  }
  writer.cursor = data;
  writer.cursor_end = data + chunks_.back().size();
  return true;
}

// There is room for all bytes that may come, so that a block is never torn
// apart.
bool SharedStore::start_places(Writer& writer, std::size_t block) {
  if (!reserve(writer, kBlock * kLongest) || !places_.cover(block)) {
    return false;
  }
  places(block).base = writer.cursor;
  return true;
}

void SharedStore::write(Writer& writer, StateId id, lts::StateView state) {
  writer.state_bytes += state.size();
  if (layout_ == Layout::kPacked) {
    parts_->pack(writer.numbers, states_.address(id));
    return;
  }
  std::uint8_t* to = writer.cursor;
  if (layout_ == Layout::kUniform) {
    to = states_.address(id);
  } else {
    writer.cursor += state.size();
    if (layout_ == Layout::kPlaces) {
      note_length(id, state.size());
    } else {
      view(id) = {to, state.size()};
    }
  }
  if (!state.empty()) std::memcpy(to, state.data(), state.size());
}

void SharedStore::note_length(StateId id, std::size_t length) {
  const std::size_t at = id % kBlock;
  std::atomic<std::uint64_t>& word = places(id / kBlock).lengths[at / 8];
  word.store(word.load(std::memory_order_relaxed) | length << at % 8 * 8,
             std::memory_order_relaxed);
}

// There are no more ids, but another thread may have some that it does not
// use: then the limit is not yet reached.
void SharedStore::take_over(Writer& writer) {
  if (writer.left() != 0) return;
  for (Writer& other : writers_) {
    if (other.left() == 0) continue;
    const auto swap = [](std::atomic<StateId>& a, std::atomic<StateId>& b) {
      const StateId old = a.load(std::memory_order_relaxed);
      a.store(b.load(std::memory_order_relaxed), std::memory_order_relaxed);
      b.store(old, std::memory_order_relaxed);
    };
    swap(writer.next, other.next);
    swap(writer.end, other.end);
    std::swap(writer.cursor, other.cursor);  // where the block goes on
    std::swap(writer.cursor_end, other.cursor_end);
    return;
  }
  fail(options_.limit == kNoState ? kIdsEnd : kLimitReached);
}

// The layout in which a state of this length can be added.
SharedStore::Layout SharedStore::layout_for(std::size_t length) const {
  switch (layout_) {
    case Layout::kPacked:
      return Layout::kPacked;
    case Layout::kNone:
      if (parts_ != nullptr) return Layout::kPacked;
      return length <= kLongestUniform ? Layout::kUniform : Layout::kViews;
    case Layout::kUniform:
      if (length == length_) return Layout::kUniform;
      return std::max(length, length_) <= kLongest ? Layout::kPlaces
                                                   : Layout::kViews;
    case Layout::kPlaces:
      return length <= kLongest ? Layout::kPlaces : Layout::kViews;
    case Layout::kViews:
      break;
  }
  return Layout::kViews;
}

void SharedStore::change_layout(std::size_t length) {
  const Layout wanted = layout_for(length);
  if (wanted == layout_) return;
  bool done = true;
  if (wanted == Layout::kUniform || wanted == Layout::kPacked) {
    length_ = wanted == Layout::kUniform ? length : parts_->record_bytes();
    states_ = Records(length_, record_chunk_);
    done = states_.allow(capacity_);
  } else if (wanted == Layout::kPlaces) {
    done = make_places();
  } else {
    done = make_views();
  }
  if (!done) {
    fail(Memory::why_none());
    return;
  }
  if (layout_ == Layout::kUniform) uniform_end_ = end();
  layout_ = wanted;
}

// Places for states that were all of one length.
bool SharedStore::make_places() {
  if (!places_.allow(capacity_ / kBlock)) return false;
  for (std::size_t id = 0; id < end(); ++id) {
    const std::size_t block = id / kBlock;
    if (id % kBlock == 0) {
      if (!places_.cover(block)) return false;
      places(block).base = states_.address(id);
    }
    note_length(static_cast<StateId>(id), length_);
  }
  return std::ranges::all_of(
      writers_, [this](Writer& writer) { return move_block(writer); });
}

// A block that is not full goes on elsewhere: what stands behind its states
// belongs to others.  The states stay where they were, too, because somebody
// may be looking at them.
bool SharedStore::move_block(Writer& writer) {
  if (writer.left() == 0) return true;
  const StateId next = writer.next.load(std::memory_order_relaxed);
  const StateId begin = next - static_cast<StateId>(next % kBlock);
  if (!start_places(writer, begin / kBlock)) return false;
  for (auto& word : places(begin / kBlock).lengths) {
    word.store(0, std::memory_order_relaxed);
  }
  for (StateId id = begin; id < next; ++id) {
    if (length_ != 0) {
      std::memcpy(writer.cursor, states_.address(id), length_);
    }
    writer.cursor += length_;
    note_length(id, length_);
  }
  return true;
}

bool SharedStore::make_views() {
  if (!views_.allow(capacity_)) return false;
  const std::size_t all = end();
  for (std::size_t id = 0; id < all; id += kBlock) {
    if (!views_.cover(id)) return false;
  }
  list_unused(rehash_unused_);
  for_each_outside({0, static_cast<StateId>(all)}, rehash_unused_,
                   [this](StateId begin, StateId end) {
                     for (StateId id = begin; id < end; ++id) {
                       view(id) = (*this)[id];
                     }
                   });
  return true;
}

// All records are written anew, chunk after chunk, so that they take memory
// only once.
void SharedStore::widen_records(const Writer& writer) {
  if (parts_->fits(writer.numbers) || full()) return;
  const std::vector<std::uint8_t> widths = parts_->widths();
  parts_->widen();
  Records wider(parts_->record_bytes());
  bool done = wider.allow(capacity_);
  for (std::size_t id = 0; done && id < end(); id += kBlock) {
    done = wider.cover(id);
  }
  if (!done) {
    parts_->set_widths(widths);
    fail(Memory::why_none());
    return;
  }
  std::vector<std::uint32_t> numbers(parts_->count());
  for (std::size_t id = 0; id < end(); ++id) {
    parts_->unpack(states_.address(id), widths, numbers);
    parts_->pack(numbers, wider.address(id));
    states_.forget_before(id);
    if (id % kShare == 0) Spill::keep_within_limit();
  }
  states_ = std::move(wider);
  length_ = parts_->record_bytes();
}

bool SharedStore::allow(std::size_t ids) {
  return (!options_.has_entries || entries_.allow(ids)) &&
         ((layout_ != Layout::kUniform && layout_ != Layout::kPacked) ||
          states_.allow(ids)) &&
         (layout_ != Layout::kPlaces || places_.allow(ids / kBlock)) &&
         (layout_ != Layout::kViews || views_.allow(ids));
}

void SharedStore::grow() {
  if (group_count_ != 0 &&
      std::min<std::size_t>(end() + kBlock, options_.limit) <= capacity_) {
    return;  // another thread did it
  }
  const std::size_t first = std::max<std::size_t>(8, 12 * options_.threads);
  const std::size_t more =
      group_count_ <= kDoubling ? group_count_ : group_count_ / 2;
  const std::size_t count = group_count_ == 0 ? first : group_count_ + more;
  // Seven slots in eight may be taken: up to there a group rarely runs over
  // into the next.
  const std::size_t capacity = count * kSlots * 7 / 8;
  Memory table(count * sizeof(Group), Memory::Use::kAnywhere);
  if (!table || !allow(capacity)) {
    fail(Memory::why_none());
    return;
  }
  // The old table goes before the new one is touched: hashes are made anew
  // from the states, so that the two never take memory at the same time.
  table_ = Memory();
  table_ = std::move(table);
  group_count_ = count;
  capacity_ = capacity;
  rehash();
  start_recent();
}

// A table that lies on disk is made piece by piece, so that each piece fits
// in memory; the states are read once for each.
void SharedStore::rehash() {
  if (end() == 0) return;
  list_unused(rehash_unused_);
  const std::size_t piece =
      Spill::is_used() ? Spill::limit() / 3 / sizeof(Group) + 1 : group_count_;
  for (std::size_t begin = 0; begin < group_count_; begin += piece) {
    rehash_begin_ = begin;
    rehash_end_ = std::min(begin + piece, group_count_);
    rehash_next_.store(0, std::memory_order_relaxed);
    gate_->together([this] { rehash_some(); });
  }
}

// Takes shares of the ids as long as there are some.
void SharedStore::rehash_some() {
  const std::size_t all = end();
  while (true) {
    const std::size_t first =
        rehash_next_.fetch_add(kShare, std::memory_order_relaxed);
    if (first >= all) return;
    Spill::keep_within_limit();
    const IdRange share = {static_cast<StateId>(first),
                           static_cast<StateId>(std::min(first + kShare, all))};
    for_each_outside(share, rehash_unused_, [this](StateId begin, StateId end) {
      rehash_range({begin, end});
    });
  }
}

void SharedStore::rehash_range(IdRange range) {
  std::array<std::uint64_t, kAhead> hashes{};
  std::array<StateId, kAhead> ids{};
  std::size_t count = 0;
  lts::StateBytes buffer;
  for (StateId id = range.begin; id < range.end; ++id) {
    const std::uint64_t hash = SharedStore::hash(get(id, buffer));
    const std::size_t home = home_of(hash);
    if (home < rehash_begin_ || home >= rehash_end_) continue;
    const std::size_t at = count % kAhead;
    if (count >= kAhead) put(ids[at], hashes[at]);
    prefetch(hash);
    hashes[at] = hash;
    ids[at] = id;
    ++count;
  }
  for (std::size_t at = 0; at < std::min(count, kAhead); ++at) {
    put(ids[at], hashes[at]);
  }
}

// Adds a state that is not in the table.
void SharedStore::put(StateId id, std::uint64_t hash) {
  for (std::size_t g = home_of(hash);;) {
    Group& group = groups()[g];
    const std::uint64_t tags[2] = {
        group.tags[0].load(std::memory_order_relaxed),
        group.tags[1].load(std::memory_order_relaxed)};
    const unsigned free = match_tags(tags[0], tags[1], 0);
    const Slot slot = {kNoState,
                       static_cast<unsigned>(std::countr_zero(free)),
                       g,
                       {tags[0], tags[1]}};
    if (free == 0) {
      if (++g == group_count_) g = 0;
    } else if (lock(group, slot)) {
      publish(group, slot, tag_of(hash), id);
      return;
    }
  }
}

void SharedStore::list_unused(std::vector<IdRange>& ranges) const {
  ranges.clear();
  for (const Writer& writer : writers_) {
    if (writer.left() == 0) continue;
    ranges.push_back({writer.next.load(std::memory_order_relaxed),
                      writer.end.load(std::memory_order_relaxed)});
  }
  std::ranges::sort(ranges, {}, &IdRange::begin);
}

// A table on disk costs a page for each look-up; but most states that are
// found again came not long ago, and these need not look there.
void SharedStore::start_recent() {
  if (recent_count_ != 0 || !Spill::is_used()) return;
  recent_ = Memory(Spill::limit() / 8, Memory::Use::kAnywhere);
  recent_count_ = recent_.size() / sizeof(std::uint64_t);
}

StateId SharedStore::find_recent(lts::StateView state,
                                 std::uint64_t hash) const {
  const std::uint64_t seen = recent(hash).load(std::memory_order_acquire);
  if (seen >> 32 != (hash & UINT32_MAX)) return kNoState;
  const auto id = static_cast<StateId>(~seen);
  return id != kNoState && is_at(id, state) ? id : kNoState;
}

std::size_t SharedStore::size() const {
  std::size_t count = end();
  for (const Writer& writer : writers_) count -= writer.left();
  return count;
}

std::vector<IdRange> SharedStore::added_since(StoreMark& mark) const {
  StoreMark now = {static_cast<StateId>(end()), {}};
  list_unused(now.unused);
  std::vector<IdRange> added;
  const auto add = [&added](StateId begin, StateId end) {
    if (!added.empty() && added.back().end == begin) {
      added.back().end = end;
    } else {
      added.push_back({begin, end});
    }
  };
  for (const IdRange& old : mark.unused) for_each_outside(old, now.unused, add);
  for_each_outside({mark.end, now.end}, now.unused, add);
  mark = std::move(now);
  return added;
}

std::size_t SharedStore::state_bytes() const {
  std::size_t sum = 0;
  for (const Writer& writer : writers_) sum += writer.state_bytes;
  return sum;
}

std::size_t SharedStore::bytes() const {
  std::size_t sum = table_.size() + recent_.size();
  if (options_.has_entries) sum += end() * sizeof(Entry);
  const bool is_by_id =
      layout_ == Layout::kUniform || layout_ == Layout::kPacked;
  sum += (is_by_id ? end() : uniform_end_) * length_;
  if (parts_ != nullptr) sum += parts_->bytes();
  if (layout_ == Layout::kPlaces) sum += end() / kBlock * sizeof(Places);
  if (layout_ == Layout::kViews) sum += end() * sizeof(lts::StateView);
  for (const Memory& chunk : chunks_) sum += chunk.size();
  for (const Writer& writer : writers_) sum -= writer.free_bytes();
  return sum;
}

}  // namespace plumb::explore
