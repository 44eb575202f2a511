// SPDX-License-Identifier: Apache-2.0
// A heap that gives the same addresses in every execution.
//
// Every thread has an arena of its own.  Fresh blocks are cut from its front;
// what a thread frees goes to that thread's lists, whoever allocated it, as
// with glibc's tcache.  So the addresses that a thread is given depend on its
// own past only, and an order of two threads' allocations need not be told
// from the other order.  With kShared there is one list for all threads, and
// allocations are events.
//
// A new execution costs nothing: what lies behind the front of an arena is
// taken for untouched, whatever the side tables say of it.
//
// LIMIT: 64 MiB for each thread and execution; then allocate() gives null.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/core.h"

namespace plumb::runtime {

enum class HeapMode : std::uint8_t {
  kLifo,        // what was freed last is given out first
  kFifo,        // what was freed first
  kQuarantine,  // what was freed is never given out again
  kShared,      // what any thread freed last is given out first, to any thread
};

enum class Freed : std::uint8_t { kOk, kDoubleFree, kNotABlock, kInterior };

enum class BlockState : std::uint8_t {
  kNeverUsed,
  kAllocated,
  kFreed,
  kRedZone,  // between blocks; the block is the one in front of it
};

struct BlockInfo {
  std::uintptr_t begin = 0;  // 0: there is no block there
  std::size_t size = 0;
  BlockState state = BlockState::kNeverUsed;
  ThreadId allocated_by = sched::kNoThread;
  ThreadId freed_by = sched::kNoThread;
  std::uintptr_t allocated_at = 0;  // pcs
  std::uintptr_t freed_at = 0;
  std::uint8_t list = 0;
};

struct Leaks {
  std::size_t blocks = 0;
  std::size_t bytes = 0;
  BlockInfo first;  // the one that lies first
};

// Maps zeroed memory that costs nothing until it is touched: at `at`, or
// anywhere if that is 0.  Returns null if it cannot be had.
void* map_memory(std::uintptr_t at, std::size_t bytes);

class Heap {
 public:
  static constexpr std::size_t kBytes = sched::kMaxThreads * kHeapBytes;

  // Maps kHeap and the side tables, once.  Returns false if the memory cannot
  // be had.  Must come before all else.
  bool reserve();

  // frees() and reuses() count from here on.
  void start_search() {
    frees_ = reuses_ = 0;
    could_share_ = false;
  }
  // Forgets all blocks.
  void start_run(HeapMode mode);
  HeapMode mode() const { return mode_; }

  // Returns a block that begins at a multiple of `alignment` (a power of two,
  // at least 16), or null if the arena is full.  A fresh one is filled with
  // kFresh.  One that is reused keeps its old contents, as with real heaps:
  // an allocation is no event, so it must not change what others can read.
  void* allocate(ThreadId thread, std::size_t bytes, std::size_t alignment,
                 std::uintptr_t pc);
  // Was the last block that allocate() gave in use before, in this execution?
  bool reused() const { return reused_; }

  // `is_kept`: where all threads share blocks, nobody is given it again.
  Freed release(ThreadId thread, void* pointer, std::uintptr_t pc,
                bool is_kept = false);
  // What release() would say; changes nothing.
  Freed may_release(const void* pointer) const;

  // Where blocks of this size come from and go to if all threads share them:
  // no place in memory.
  static std::uintptr_t place_of(std::size_t bytes, std::size_t alignment) {
    return kLists + 8 * list_of(bytes, alignment);
  }
  static std::uintptr_t place_of(const BlockInfo& block) {
    return kLists + 8 * std::size_t{block.list};
  }

  static bool contains(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) - kHeap < kBytes;
  }

  // How many bytes were asked for.  Requires: the pointer is a block.
  std::size_t size_of(const void* pointer) const;
  BlockInfo block_of(std::uintptr_t address) const;

  // What is wrong with an access: kNone, kOverflow or kUseAfterFree.  The
  // last in quarantine only: with reuse, code may look at what it has freed,
  // as long as it notices.  Memory elsewhere is none of our business.
  Fault check(std::uintptr_t address, std::size_t size) const {
    const std::uintptr_t offset = address - kHeap;
    if (offset >= kBytes) return Fault::kNone;
    const std::size_t arena = offset / kHeapBytes;
    if (address >= front_[arena]) return Fault::kOverflow;
    const std::uint32_t granule = granules_[offset / kGranule];
    const Block& block = block_in(arena, granule);
    if (address + size > block.begin + block.size || is_red(granule)) {
      return Fault::kOverflow;
    }
    return block.state == BlockState::kFreed && mode_ == HeapMode::kQuarantine
               ? Fault::kUseAfterFree
               : Fault::kNone;
  }

  // What is still allocated.
  Leaks leaks() const;
  // Calls visit(info) for each of those, in the order of their addresses.
  template <typename Visit>
  void each_live(Visit visit) const {
    for (std::size_t arena = 0; live_ != 0 && arena < sched::kMaxThreads;
         ++arena) {
      if (!(used_ >> arena & 1)) continue;
      for (std::uint32_t i = 1; i < count_[arena]; ++i) {
        const Block& block = blocks_[arena * kMaxBlocks + i];
        if (block.state == BlockState::kAllocated) visit(info_of(block));
      }
    }
  }

  // Calls visit(begin, bytes) for the part of each arena that was given out.
  template <typename Visit>
  void each_used(Visit visit) const {
    for (std::size_t arena = 0; arena < sched::kMaxThreads; ++arena) {
      if (front_[arena] == 0) continue;
      const std::uintptr_t begin = begin_of(arena);
      visit(begin, front_[arena] - begin);
    }
  }

  // All that decides what allocate() and release() will do, and what can be
  // read of the heap: calls visit(word) and visit_bytes(begin, bytes).
  template <typename Word, typename Bytes>
  void each_part(Word word, Bytes bytes) const;

  // Allocations and frees of this execution so far.
  std::uint64_t operations() const { return operations_; }
  std::uint64_t frees() const { return frees_; }
  std::uint64_t reuses() const { return reuses_; }
  // Could a thread have been given what another one freed?
  bool could_share() const { return could_share_; }

  static constexpr unsigned char kFresh = 0xA5;
  static constexpr unsigned char kDead = 0xDE;

 private:
  static constexpr std::size_t kGranule = 16;  // every block begins at one
  static constexpr std::size_t kRedZone = 16;
  static constexpr std::size_t kMaxBlocks = kHeapBytes / (kGranule + kRedZone);
  static constexpr std::size_t kSmall = 64;     // lists for 16, 32, ... 1024
  static constexpr std::size_t kClasses = 128;  // then four to each doubling
  static constexpr std::uintptr_t kLists = std::uintptr_t{1} << 62 | 1 << 16;

  struct Block {
    std::uintptr_t begin;
    std::uint32_t size;
    std::uint32_t capacity;
    std::uint32_t next;  // in a list: an index of blocks_
    std::uint8_t list;
    BlockState state;
    ThreadId allocated_by;
    ThreadId freed_by;
    std::uintptr_t allocated_at;
    std::uintptr_t freed_at;
  };

  // Which threads freed blocks of a list, or were given some, beside others;
  // and who freed some while it was alone, in between.
  struct Use {
    std::uint32_t run;  // else nobody did
    ThreadMask freed;
    ThreadMask taken;
    ThreadMask freed_alone;
  };
  struct List {
    std::uint32_t run;  // else it is empty
    std::uint32_t head;
    std::uint32_t tail;
  };

  // A granule's entry: the block's number in its arena, and whether it is the
  // red zone behind that block.  Block 0 of an arena is no block: it has what
  // lies in front of the first one, where entries are never written.
  static bool is_red(std::uint32_t granule) { return granule & 1; }
  Block& block_in(std::size_t arena, std::uint32_t granule) const {
    return blocks_[arena * kMaxBlocks + (granule >> 1)];
  }
  static BlockInfo info_of(const Block& block);

  // Arenas are a large power of two apart; if all began there, their blocks
  // would share the same few lines of caches, and so would their shadows.
  static constexpr std::size_t kStagger = 17 * 64;
  static std::uintptr_t begin_of(std::size_t arena) {
    return kHeap + arena * (kHeapBytes + kStagger) + kRedZone;
  }

  static std::size_t class_of(std::size_t bytes);
  static std::size_t list_of(std::size_t bytes, std::size_t alignment) {
    return class_of(bytes) + (alignment > kGranule ? kClasses : 0);
  }
  void note_use(ThreadId thread, std::size_t list, bool frees);
  static std::size_t capacity_of(std::size_t size_class);

  void open(ThreadId thread);
  Block* take(ThreadId thread, std::size_t list, std::size_t alignment);
  Block* carve(ThreadId thread, std::size_t capacity, std::size_t alignment);
  void put(ThreadId thread, Block& block);
  Block* at(const void* pointer) const;

  std::uint32_t* granules_ = nullptr;  // side table, 16 bytes an entry
  Block* blocks_ = nullptr;            // kMaxBlocks for each arena
  std::uint32_t run_ = 0;
  HeapMode mode_ = HeapMode::kLifo;
  bool reused_ = false;
  ThreadMask used_ = 0;  // arenas that were opened in this execution
  std::size_t live_ = 0;
  std::size_t live_bytes_ = 0;
  std::uint64_t operations_ = 0;
  std::uint64_t frees_ = 0;
  std::uint64_t reuses_ = 0;
  // Where an arena's untouched memory begins; 0 if it was not opened.
  std::uintptr_t front_[sched::kMaxThreads] = {};
  std::uint32_t count_[sched::kMaxThreads] = {};  // blocks, with block 0
  // Over-aligned blocks have lists of their own, behind the others.
  List lists_[sched::kMaxThreads][2 * kClasses] = {};
  Use uses_[2 * kClasses] = {};
  bool could_share_ = false;
};

// What was freed cannot be read in quarantine; elsewhere it can, and so can
// what lies behind a block that is used again for less.  A list is told by who
// comes next after each of its blocks, and who first.
template <typename Word, typename Bytes>
void Heap::each_part(Word word, Bytes bytes) const {
  const bool is_kept = mode_ == HeapMode::kQuarantine;
  for (std::size_t arena = 0; arena < sched::kMaxThreads; ++arena) {
    if (!(used_ >> arena & 1)) continue;
    word(count_[arena]);
    for (std::uint32_t i = 1; i < count_[arena]; ++i) {
      const Block& block = blocks_[arena * kMaxBlocks + i];
      const bool is_free = block.state == BlockState::kFreed;
      word(block.begin << 1 | (is_free ? 1 : 0));
      word(std::uint64_t{block.size} << 32 | block.capacity);
      if (!is_kept || !is_free) {
        bytes(block.begin, is_kept ? block.size : block.capacity);
      }
      if (is_free && !is_kept) {
        const std::size_t owner =
            mode_ == HeapMode::kShared ? 0 : block.freed_by;
        const List& list = lists_[owner][block.list];
        word(std::uint64_t{block.freed_by} << 32 | block.next);
        word(list.run == run_ ? list.head : 0);
      }
      // Could threads have shared it?  Once they could, it is known.
      const Use& use = uses_[block.list];
      if (could_share_ || use.run != run_) continue;
      word(std::uint64_t{use.freed} << 32 | use.taken);
      word(use.freed_alone);
    }
  }
}

extern Heap the_heap __attribute__((visibility("hidden")));
inline Heap& heap() {
  return the_heap;
}

// Ends the execution: heap().check() said `fault` of this access.
[[noreturn]] void fail_access(Fault fault, std::uintptr_t address,
                              std::size_t size, std::uintptr_t pc);

}  // namespace plumb::runtime
