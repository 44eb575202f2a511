// SPDX-License-Identifier: Apache-2.0
// The set of states reached so far; every state is stored once.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "explore/byte_string.h"
#include "explore/id_range.h"
#include "explore/memory.h"
#include "explore/side_table.h"
#include "lts/system.h"

namespace plumb::explore {

// Gives each state a dense id in order of first insertion, so that an id is
// also the index of that state in side tables (parent, depth, ...).
//
// Nothing of it throws.  A store that can take no more (ids have 32 bits, and
// memory ends) says so: insert() of a state that is not there gives kNoState.
// What is in it stays readable.  For one thread, the only one that fills large
// blocks of memory at that time.
class StateStore {
 public:
  struct Inserted {
    StateId id;
    bool is_new;
  };

  // Takes at most `limit` states.
  explicit StateStore(StateId limit = kNoState) : limit_(limit) {}
  ~StateStore() = default;
  StateStore(StateStore&& other) noexcept { swap(other); }
  StateStore& operator=(StateStore&& other) noexcept {
    StateStore taken(std::move(other));  // leaves `other` empty, not full
    swap(taken);
    return *this;
  }

  Inserted insert(lts::StateView state) { return insert(state, hash(state)); }
  // The id of `state`, or kNoState.
  StateId find(lts::StateView state) const { return find(state, hash(state)); }
  // Valid until the store is destroyed, even if it grows or is moved from.
  // Requires: id < size().
  lts::StateView operator[](StateId id) const {
    assert(id < size_);
    if (!blocks_.empty()) return varied(id);
    return {chunks_[id >> shift_].data() +
                (id & ((StateId{1} << shift_) - 1)) * length_,
            length_};
  }
  std::size_t size() const { return size_; }
  // Did an insert() fail?
  bool full() const { return why_full_ != nullptr; }
  // "there are no more than 4294967295 states", as a clause, if full().
  const char* why_full() const { return why_full_; }
  // Memory held, as far as it is used; for statistics.
  std::size_t bytes() const;
  // Sum of the lengths of all states.
  std::size_t state_bytes() const { return state_bytes_; }

  // The same in parts, for searches that look up many states at once: hash()
  // all of them and prefetch() each, then prefetch_match() each, then insert.
  // By then what insert() reads has come from memory.
  static std::uint64_t hash(lts::StateView state) {
    return hash_bytes(state.data(), state.size());
  }
  void prefetch(std::uint64_t hash) const {
    if (group_count_ != 0) __builtin_prefetch(&groups()[home_of(hash)]);
  }
  void prefetch_match(std::uint64_t hash) const;
  // Requires: hash == StateStore::hash(state).
  Inserted insert(lts::StateView state, std::uint64_t hash);
  StateId find(lts::StateView state, std::uint64_t hash) const;

 private:
  // The table is open addressing in groups that fill one cache line, as in
  // [BronsonShi19]: a lookup nearly always touches one line, and
  // compares all tags of it at once.
  static constexpr std::size_t kSlots = 12;
  struct alignas(64) Group {
    std::uint8_t tags[kSlots];  // 0: free; slots fill from the first on
    StateId ids[kSlots];
  };
  static_assert(sizeof(Group) == 64);

  // Where 28 states of various lengths are: one after the other from `base`
  // on.  Where they are not, because a chunk ended or they are too long for
  // 16 bits, ends[0] is kWide and `base` is an array of 28 views.
  static constexpr std::size_t kPerBlock = 28;
  static constexpr std::uint16_t kWide = 0xFFFF;
  struct alignas(64) Block {
    const std::uint8_t* base;
    std::uint16_t ends[kPerBlock];
  };
  static_assert(sizeof(Block) == 64);
  using WideBlock = std::array<lts::StateView, kPerBlock>;

  // An empty slot, or the one that has the state.
  struct Slot {
    std::size_t group;
    std::size_t at;
    StateId id;  // kNoState: empty
  };

  void swap(StateStore& other) noexcept;
  Group* groups() const { return reinterpret_cast<Group*>(table_.data()); }
  std::size_t home_of(std::uint64_t hash) const {
    return static_cast<std::size_t>(scale(hash, group_count_));
  }
  static std::uint64_t scale(std::uint64_t hash, std::uint64_t range) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(hash) * range >> 64);
  }
  Slot look_up(lts::StateView state, std::uint64_t hash) const;
  bool make_room();
  bool grow(std::size_t group_count);
  void rehash();
  lts::StateView varied(StateId id) const {
    const Block& block = blocks_[id / kPerBlock];
    const std::size_t at = id % kPerBlock;
    if (block.ends[0] == kWide) return wide(block)[at];
    const std::size_t begin = at == 0 ? 0 : block.ends[at - 1];
    return {block.base + begin, block.ends[at] - begin};
  }
  static WideBlock& wide(const Block& block);

  bool put(lts::StateView state);
  bool reserve(std::size_t length);
  bool start_varied();
  bool note_place(StateId id, lts::StateView place);
  bool widen(StateId id);
  bool fail(const char* why);

  Memory table_;
  std::size_t group_count_ = 0;
  StateId size_ = 0;
  StateId grow_at_ = 0;  // at this size make_room() comes before an insert
  StateId limit_ = kNoState;
  const char* why_full_ = nullptr;
  std::uint32_t until_check_ = 0;  // of memory; see Spill

  // The bytes of the states, in order of ids.  While all have one length
  // (blocks_ is empty) chunk c has the ids from c << shift_ on.
  std::vector<Memory> chunks_;
  std::uint8_t* cursor_ = nullptr;     // where the next state goes
  std::uint8_t* chunk_end_ = nullptr;  // of the last chunk
  std::size_t length_ = 0;
  unsigned shift_ = 0;
  SideTable<Block> blocks_;
  std::vector<std::unique_ptr<WideBlock>> wide_blocks_;
  std::size_t state_bytes_ = 0;
  std::size_t full_chunk_bytes_ = 0;  // of all chunks but the last
};

}  // namespace plumb::explore
