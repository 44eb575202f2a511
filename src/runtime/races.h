// SPDX-License-Identifier: Apache-2.0
// Finds data races: accesses in conflict that nothing orders.
//
// Happens-before is that of C++20 [intro.races], by vector clocks over the
// memory orders that the code used; accesses are remembered as in
// [FlanaganFreund09]: a thread and a clock stand for all that they follow.
// Where we differ from the paper:
// - Atomic accesses conflict with plain ones.  Atomic writes need not be
//   ordered among themselves, so they too are kept for each thread if need be.
// - Every byte is an object of its own.  A cell is about bytes of one word of
//   memory that were always accessed together; when an access takes other
//   ones, cells are cut in two.  So neighbours never disturb each other, and
//   accesses of several sizes meet.
// - Nothing is cleared between executions: old cells have an old run.
//
// While one thread is alone() nothing need be told: all that was before
// happened before, all that comes later happens later.
// All functions that return a Race return null if there is none.  After the
// first race, nothing that is said means anything until the next start_run().
//
// LIMIT: when so many cells are cut or shared that the tables are full, no more
// races are told in this execution; missed() says so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/clocks.h"
#include "runtime/core.h"
#include "runtime/race_words.h"
#include "sched/states.h"

namespace plumb::runtime {

enum class AccessKind : std::uint8_t {
  kRead,
  kWrite,
  kAtomicRead,
  kAtomicWrite,
  kFree,
};

struct Race {
  std::uintptr_t address = 0;  // the bytes that both touch
  std::uint32_t size = 0;
  ThreadId thread = sched::kNoThread;  // the access at hand
  ThreadId other = sched::kNoThread;   // the one before it
  AccessKind kind = AccessKind::kRead;
  AccessKind other_kind = AccessKind::kRead;
  std::uintptr_t pc = 0;
  std::uintptr_t other_pc = 0;
};

// A clause for people; the next call overwrites it.
const char* describe(const Race& race);

class Races {
 public:
  // Maps the tables, once.  Returns false if the memory cannot be had.  Must
  // come before all else.
  bool reserve();

  // Thread 0 begins.
  void start_run();
  // Requires: the child's number was not used in this execution.
  void spawn(ThreadId parent, ThreadId child);
  // Requires: the child has ended.
  void join(ThreadId parent, ThreadId child);

  // A mutex, semaphore, ... at `address`: who acquires it follows all who
  // released it.  It has nothing to do with accesses to that memory.
  void acquire(ThreadId thread, std::uintptr_t address);
  void release(ThreadId thread, std::uintptr_t address);
  void fence(ThreadId thread, int order);

  // Orders are those of the compilers: 0 relaxed ... 5 seq_cst.  A compare-
  // exchange that fails is a load.
  const Race* atomic_load(ThreadId thread, std::uintptr_t address,
                          std::size_t size, int order, std::uintptr_t pc);
  const Race* atomic_store(ThreadId thread, std::uintptr_t address,
                           std::size_t size, int order, std::uintptr_t pc);
  const Race* atomic_update(ThreadId thread, std::uintptr_t address,
                            std::size_t size, int order, std::uintptr_t pc);

  // Plain accesses.
  const Race* read(ThreadId thread, std::uintptr_t address, std::size_t size,
                   std::uintptr_t pc) {
    if (size <= 8 && knows_read(thread, address, size)) return nullptr;
    return read_anew(thread, address, size, pc);
  }
  const Race* write(ThreadId thread, std::uintptr_t address, std::size_t size,
                    std::uintptr_t pc) {
    if (size <= 8 && knows_write(thread, address, size)) return nullptr;
    return write_anew(thread, address, size, pc);
  }
  // Did this thread read (or write) just these bytes since it last released
  // something, without a free in between?  Then the same access has nothing
  // new to tell: neither here nor to Heap::check().  Requires: size <= 16.
  bool knows_read(ThreadId thread, std::uintptr_t address, std::size_t size) {
    const Cell& cell = *cell_of(address);
    return is_shape(cell, address, size) &&
           (is_mine(cell, kPlainRead, thread) ||
            is_mine(cell, kPlainWrite, thread));
  }
  bool knows_write(ThreadId thread, std::uintptr_t address, std::size_t size) {
    const Cell& cell = *cell_of(address);
    return is_shape(cell, address, size) && is_mine(cell, kPlainWrite, thread);
  }

  // Somebody else knows what a thread follows (`is_told`): so many events of
  // each thread, of which it is told after each.  acquire() and release() then
  // mean nothing.
  void expect_to_be_told(bool is_told) { is_told_ = is_told; }
  void know(ThreadId thread, const std::uint16_t* events, std::size_t threads) {
    VectorClock& now = threads_[thread].now;
    for (std::size_t t = 0; t < threads; ++t) now.set(t, events[t]);
    now.set(thread, events[thread] + 1);
  }

  // A free is a write of the whole block, and the end of sync objects in it.
  // Requires: address is a multiple of 8, and so is where the next block lies.
  const Race* freed(ThreadId thread, std::uintptr_t address, std::size_t size,
                    std::uintptr_t pc);
  // Forgets what was done to this memory: another life begins.  Memory that
  // is used for the first time in this execution need not be told.
  void allocated(std::uintptr_t address, std::size_t size);

  // Stands for all that decides which races `live` can be part of, where words
  // were tracked since start_run() (race_order.cpp).
  sched::Fingerprint order(ThreadMask live);
  RaceWords& words() { return words_; }

  // Was anything not watched in this execution, for lack of memory?
  bool missed() const { return missed_; }

 private:
  enum Role { kPlainWrite, kPlainRead, kAtomicWrite, kAtomicRead, kRoles };

  // Who did something last: a pc in the low 48 bits, a thread, a mark.
  using Where = std::uint64_t;
  static constexpr ThreadId kSpread = 0xFE;  // several; clock is an index
  static constexpr Where kFreeMark = Where{1} << 56;
  static constexpr ThreadId thread_of(Where where) {
    return static_cast<ThreadId>(where >> 48);
  }

  // What was done to some bytes of one word, a cache line of it.
  struct Cell {
    std::uint32_t run;    // else it is empty
    std::uint16_t shape;  // a bit for each byte; kObject: a sync object
    std::uint16_t spare;
    std::uint32_t next;  // another cell of this word, in cells_; or 0
    std::uint32_t sync;  // what readers acquire, in syncs_; or 0
    Where where[kRoles];
    Clock clock[kRoles];  // 0: nobody did
  };
  static_assert(sizeof(Cell) == 64);
  static constexpr std::uint32_t kBytes = 0xFF;
  static constexpr std::uint32_t kObject = 0x100;  // and which byte, above

  // The last access of each thread, none of which follows all others.
  struct Spread {
    ThreadMask threads;
    Clock clock[sched::kMaxThreads];
    Where where[sched::kMaxThreads];

    void put(ThreadId thread, Clock now, Where at) {
      threads |= sched::bit(thread);
      clock[thread] = now;
      where[thread] = at;
    }
  };

  struct Thread {
    VectorClock now;
    VectorClock seen;  // what an acquire fence would acquire
    VectorClock sent;  // what the last release fence released
    bool has_seen;
    bool has_sent;
  };

  struct Access {
    ThreadId thread;
    bool writes;
    std::uintptr_t address;
    std::size_t size;
    std::uintptr_t pc;
    bool atomic = false;
    bool frees = false;
  };

  // Memory outside the region: each page that was met has its own cells.
  struct Page {
    std::uintptr_t number;  // from 1, 0 is none
    Cell* cells;
  };
  static constexpr std::size_t kPageBytes = 4096;
  static constexpr std::size_t kPageSlots = std::size_t{1} << 15;
  static constexpr std::size_t kMaxPages = kPageSlots / 2;
  static constexpr std::uint32_t kMaxCells = 1 << 19;
  static constexpr std::uint32_t kMaxSyncs = 1 << 18;
  static constexpr std::uint32_t kMaxSpreads = 1 << 17;
  static Cell* shadow() {
    return reinterpret_cast<Cell*>(kRegion + (std::uintptr_t{1} << 40));
  }
  Cell* cell_of(std::uintptr_t address) {
    const std::uintptr_t offset = address - kRegion;
    if (offset < kRegionBytes) return shadow() + offset / 8;
    const std::uintptr_t number = address / kPageBytes + 1;
    const Page& page = pages_[number % kPageSlots];
    Cell* cells = page.number == number ? page.cells : find_page(number);
    return cells + address % kPageBytes / 8;
  }
  // The bytes of an access, if all lie in one word; else the upper bits are
  // set, and no cell has that shape.
  static std::uint32_t shape_of(std::uintptr_t address, std::size_t size) {
    return ((std::uint32_t{1} << size) - 1) << (address & 7);
  }
  bool is_shape(const Cell& cell, std::uintptr_t address,
                std::size_t size) const {
    return cell.run == run_ && cell.shape == shape_of(address, size);
  }
  bool is_mine(const Cell& cell, Role role, ThreadId thread) const {
    return cell.where[role] >> 48 == thread &&
           cell.clock[role] == threads_[thread].now.at(thread);
  }

  Cell* find_page(std::uintptr_t number);
  void forget_everything();
  void begin(ThreadId thread);
  static AccessKind kind_of(const Access& access);
  void make(Cell& cell, std::uint32_t shape);
  Cell& append(Cell& after, std::uint32_t shape);
  void cut(Cell& cell, std::uint32_t shape);
  VectorClock& sync_of(Cell& cell);
  VectorClock* object(std::uintptr_t address);
  template <typename Visit>
  bool each_piece(std::uintptr_t address, std::size_t size, Visit visit);
  template <typename Visit>
  bool each_piece_of(Cell& first, std::uint32_t shape, Visit visit);

  Cell* find_cell(std::uintptr_t address, std::size_t size);
  bool is_before(const Cell& cell, Role role, const VectorClock& now) const;
  bool is_all_before(const Cell& first, const VectorClock& now) const;
  template <Role role>
  bool note(Cell& cell, ThreadId thread, std::uintptr_t pc);
  bool follows(const Cell& cell, Role role, const Access& access);
  bool tell(const Cell& cell, Role role, Where where, const Access& access);
  void record(Cell& cell, Role role, const Access& access);
  void spread(Cell& cell, Role role, ThreadId thread, Where where);
  bool read_plainly(Cell& cell, const Access& access);
  bool write_plainly(Cell& cell, const Access& access);
  void become(Cell& cell, const Access& access);
  bool use_atomically(Cell& cell, const Access& access);
  const Race* found() const { return missed_ ? nullptr : &race_; }
  const Race* read_anew(ThreadId thread, std::uintptr_t address,
                        std::size_t size, std::uintptr_t pc);
  const Race* write_anew(ThreadId thread, std::uintptr_t address,
                         std::size_t size, std::uintptr_t pc);
  const Race* plain_pieces(const Access& access);
  template <bool reads, bool writes>
  const Race* atomic(ThreadId id, std::uintptr_t address, std::size_t size,
                     int order, std::uintptr_t pc);
  template <bool reads, bool writes>
  const Race* atomic_pieces(const Access& access, int order);
  void take_sync(const Cell& cell, Thread& thread, int order);
  void give_sync(Cell& cell, Thread& thread, int order, bool update);

  void note_words(ThreadId thread, std::uintptr_t address, std::size_t size,
                  RaceWords::Kind kind);
  void each_unknown(const Cell& cell, unsigned roles, const Clock* known,
                    auto visit);
  void each_touched(auto visit);
  bool find_epochs(const Clock* known, std::size_t threads);
  RaceWords words_;

  std::uint32_t run_ = 0;
  std::size_t fours_ = 0;  // of clocks' entries, in use
  bool missed_ = false;
  bool is_told_ = false;
  Page* pages_ = nullptr;
  Cell* cells_ = nullptr;  // those that are not the first of their word
  VectorClock* syncs_ = nullptr;
  Spread* spreads_ = nullptr;
  std::uint32_t cells_used_ = 1;
  std::uint32_t syncs_used_ = 1;
  std::uint32_t spreads_used_ = 1;
  std::uint32_t pages_used_ = 0;
  Cell* page_cells_ = nullptr;
  std::uintptr_t word_ = 0;  // the one whose cells are looked at
  Race race_;
  Thread threads_[sched::kMaxThreads] = {};
};

extern Races the_races __attribute__((visibility("hidden")));
inline Races& races() {
  return the_races;
}

}  // namespace plumb::runtime
