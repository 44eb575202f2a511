// SPDX-License-Identifier: Apache-2.0
// The set of states reached so far, filled by several threads at once.
#pragma once

#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/byte_string.h"
#include "explore/gate.h"
#include "explore/id_range.h"
#include "explore/memory.h"
#include "explore/records.h"
#include "lts/system.h"

namespace plumb::explore {

class Parts;

// Gives each state an id, so that an id is also the index of that state in
// side tables.  One thread gets the ids 0, 1, 2, ...; several threads get them
// in blocks, of which each may leave one in part unused.
//
// Each thread has a number below `threads` and a Session while it works:
// insert(), find(), prefetch*() are called inside of one.  (With one thread
// there is no need.)  What is known to be there can be read by anybody.
//
// Nothing of it throws.  A store that can take no more (ids have 32 bits, and
// memory ends) says so: insert() of a state that is not there gives kNoState.
// What is in it stays readable.
class SharedStore {
 public:
  struct Inserted {
    StateId id;
    bool is_new;
  };
  // What the search keeps with each state.  Threads that may meet there use
  // std::atomic_ref, on the entry or on a part of it.
  struct alignas(8) Entry {
    std::uint32_t a, b;
  };
  struct Options {
    StateId limit = kNoState;  // on the number of states
    std::size_t threads = 1;
    bool has_entries = true;
    // Of a state, as lts::System::cuts() gives them.  If there are some,
    // states are kept as numbers of their parts, which takes much less memory
    // and some more time; then they are read with get() only.
    std::vector<std::uint32_t> cuts = {};
  };
  // A thread is inside the store.  The store may grow when all sessions are
  // in insert(): who waits for another thread, or does something long, ends
  // its session first.
  class Session {
   public:
    explicit Session(SharedStore& store) : gate_(*store.gate_) {
      gate_.enter();
    }
    ~Session() { gate_.leave(); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

   private:
    Gate& gate_;
  };

  explicit SharedStore(const Options& options);
  SharedStore() : SharedStore(Options()) {}
  // A store inside of another one: sessions are those of the other.
  SharedStore(const Options& options, Gate& gate);
  ~SharedStore();

  // The state is seen by others only after its entry is written; the entry of
  // a state that was there already stays as it is.
  // Requires: hash == SharedStore::hash(state).
  Inserted insert(std::size_t thread, lts::StateView state, std::uint64_t hash,
                  Entry entry = {});
  // For one thread.
  Inserted insert(lts::StateView state) {
    return insert(0, state, hash(state));
  }
  // The id of `state`, or kNoState.
  StateId find(lts::StateView state) const { return find(state, hash(state)); }
  StateId find(lts::StateView state, std::uint64_t hash) const;
  // Valid until the store is destroyed, even if it grows.
  // Requires: insert() or find() gave this id, and there are no cuts.
  lts::StateView operator[](StateId id) const {
    assert(parts_ == nullptr);
    if (layout_ != Layout::kUniform) return varied(id);
    return {states_.address(id), length_};
  }
  // The same with cuts or without: in `buffer`, or in the store itself.
  lts::StateView get(StateId id, lts::StateBytes& buffer) const;
  // Requires: Options::has_entries.
  Entry& entry(StateId id) const {
    return *reinterpret_cast<Entry*>(entries_.address(id));
  }

  static std::uint64_t hash(lts::StateView state) {
    return hash_bytes(state.data(), state.size());
  }
  // The same in parts, for searches that look up many states at once: hash()
  // all of them and prefetch() each, then prefetch_match() each, then insert.
  // By then what insert() reads has come from memory.
  void prefetch(std::uint64_t hash) const {
    if (recent_count_ != 0) {
      __builtin_prefetch(&recent(hash));
    } else {
      __builtin_prefetch(&groups()[home_of(hash)]);
    }
  }
  void prefetch_match(std::uint64_t hash) const;

  // Did an insert() fail?
  bool full() const { return why_full() != nullptr; }
  // "there is no more memory", as a clause, if full().
  const char* why_full() const {
    return why_full_.load(std::memory_order_acquire);
  }
  // All ids are below it.  Exact while no thread inserts.
  std::size_t end() const { return next_id_.load(std::memory_order_relaxed); }
  // The number of states.  Exact while no thread inserts.
  std::size_t size() const;

  // The rest needs that no thread inserts.

  // The ids that came since `mark` was made, in ascending order; a new mark
  // stands before everything.  Sets it to now.
  std::vector<IdRange> added_since(StoreMark& mark) const;
  // Memory held, as far as it is used; for statistics.
  std::size_t bytes() const;
  // Sum of the lengths of all states.
  std::size_t state_bytes() const;

 private:
  // The table is open addressing in groups that fill one cache line, as in
  // [BronsonShi19]: a lookup nearly always touches one line, and compares all
  // tags of it at once.  Slots fill from the first on and are never emptied,
  // so the first group with a free slot ends a search, and a state that is
  // looked for twice at the same time is added to the same group: there, the
  // second insert() meets the lock or the new tag.
  static constexpr std::size_t kSlots = 12;
  static constexpr std::uint64_t kLock = std::uint64_t{1} << 63;
  struct alignas(64) Group {
    // 12 tags of 8 bits, 0: free; then the lock.  Written last, with the lock
    // held: who sees a tag sees its id, and the state.
    std::atomic<std::uint64_t> tags[2];
    StateId ids[kSlots];
  };
  static_assert(sizeof(Group) == 64);

  // Ids are given to threads in blocks.
  static constexpr std::size_t kBlock = Records::kGroup;
  // How the bytes of states are found.
  enum class Layout : std::uint8_t {
    kNone,     // there are none yet
    kUniform,  // all have one length: by id
    kPlaces,   // of each block there is a Places
    kViews,    // some are long: of each state there is a view
    kPacked,   // by id, as Parts writes them
  };
  // Where the states of a block are: one after the other from `base` on.
  // Only the thread that has the block writes.
  struct alignas(64) Places {
    const std::uint8_t* base;
    std::atomic<std::uint64_t> lengths[kBlock / 8];  // a byte each
  };
  static_assert(sizeof(Places) == 64);
  static constexpr std::size_t kLongest = 0xFF;  // for Places

  // What a thread needs to add states.
  struct alignas(64) Writer {
    // Ids that are free.  Others read them to count states.
    std::atomic<StateId> next = 0, end = 0;
    StateId left() const {
      return end.load(std::memory_order_relaxed) -
             next.load(std::memory_order_relaxed);
    }
    std::size_t free_bytes() const {
      return static_cast<std::size_t>(cursor_end - cursor);
    }
    // Bytes that are free, for states of various lengths.
    std::uint8_t *cursor = nullptr, *cursor_end = nullptr;
    std::size_t state_bytes = 0;
    std::uint32_t until_check = 0;       // of memory; see Spill
    std::vector<std::uint32_t> numbers;  // of parts of the state at hand
  };
  // Where a search ended, and the tags that it saw there.
  struct Slot {
    StateId id;   // kNoState: not found
    unsigned at;  // first free slot, if not found
    std::size_t group;
    std::uint64_t tags[2];
  };

  void start();
  Group* groups() const { return reinterpret_cast<Group*>(table_.data()); }
  static std::size_t scale(std::uint64_t hash, std::size_t range) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>(static_cast<Wide>(hash) * range >> 64);
  }
  std::size_t home_of(std::uint64_t hash) const {
    return scale(hash, group_count_);
  }
  lts::StateView& view(StateId id) const {
    return *reinterpret_cast<lts::StateView*>(views_.address(id));
  }
  Places& places(std::size_t block) const {
    return *reinterpret_cast<Places*>(places_.address(block));
  }
  lts::StateView varied(StateId id) const;
  bool is_at(StateId id, lts::StateView state) const;
  Slot look_up(lts::StateView state, std::uint64_t hash) const;
  bool lock(Group& group, const Slot& slot) const;
  void publish(Group& group, const Slot& slot, std::uint8_t tag, StateId id);

  // Room for one more state in `writer`.  Threads may have waited and the
  // table may have grown when make_room() returns.
  bool has_room(const Writer& writer, std::size_t length) const;
  bool make_room(Writer& writer, std::size_t length);
  enum class Need : std::uint8_t { kNothing, kGrowth, kIds, kMemory };
  Need take_block(Writer& writer);
  bool reserve(Writer& writer, std::size_t bytes);
  bool start_places(Writer& writer, std::size_t block);
  void write(Writer& writer, StateId id, lts::StateView state);
  void note_length(StateId id, std::size_t length);

  // The place where a state with this hash is noted when it is seen: the low
  // half of its hash, and its id inverted, so that 0 is no state.
  std::atomic<std::uint64_t>& recent(std::uint64_t hash) const {
    return reinterpret_cast<std::atomic<std::uint64_t>*>(
        recent_.data())[scale(hash, recent_count_)];
  }
  void note_recent(std::uint64_t hash, StateId id) const {
    if (recent_count_ == 0) return;
    recent(hash).store(hash << 32 | static_cast<StateId>(~id),
                       std::memory_order_release);
  }
  StateId find_recent(lts::StateView state, std::uint64_t hash) const;

  // Only alone.
  void grow();
  void start_recent();
  void take_over(Writer& writer);
  Layout layout_for(std::size_t length) const;
  void change_layout(std::size_t length);
  bool allow(std::size_t ids);
  bool make_places();
  bool move_block(Writer& writer);
  bool make_views();
  void widen_records(const Writer& writer);
  void rehash();
  void rehash_some();
  void rehash_range(IdRange range);
  void put(StateId id, std::uint64_t hash);

  bool fail(const char* why) {
    why_full_.store(why, std::memory_order_release);
    return false;
  }
  // In ascending order.
  void list_unused(std::vector<IdRange>& ranges) const;

  // Read by all, written only while one thread is alone.
  const Options options_;
  Memory table_;
  std::size_t group_count_ = 0;
  std::size_t capacity_ = 0;  // ids below it may be given out
  Memory recent_;             // only if the table may lie on disk
  std::size_t recent_count_ = 0;
  Layout layout_ = Layout::kNone;
  std::size_t length_ = 0;        // if the layout is uniform
  std::unique_ptr<Parts> parts_;  // null: there are no cuts
  Records states_;                // by id, while the layout is uniform
  std::size_t uniform_end_ = 0;   // ids of them, afterwards
  Records places_;                // by block
  Records views_;                 // by id
  Records entries_;               // by id
  const std::size_t record_chunk_, byte_chunk_;
  std::atomic<const char*> why_full_ = nullptr;
  std::vector<Writer> writers_;  // by thread

  const std::unique_ptr<Gate> own_gate_;
  Gate* const gate_;
  std::mutex blocks_mutex_;  // for what follows, and for chunks of Records
  std::atomic<std::size_t> next_id_ = 0;
  std::vector<Memory> chunks_;
  std::atomic<std::size_t> rehash_next_ = 0;
  std::size_t rehash_begin_ = 0, rehash_end_ = 0;  // groups
  std::vector<IdRange> rehash_unused_;
};

}  // namespace plumb::explore
