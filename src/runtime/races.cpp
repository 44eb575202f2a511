// SPDX-License-Identifier: Apache-2.0
#include "runtime/races.h"

#include <sys/mman.h>

#include <bit>
#include <cassert>
#include <cstdio>
#include <cstring>

#include "runtime/heap.h"

namespace plumb::runtime {

constinit Races the_races;

namespace {

template <typename T>
T* map_table(std::size_t entries, std::uintptr_t at = 0) {
  return static_cast<T*>(map_memory(at, entries * sizeof(T)));
}

// By role.
constexpr AccessKind kKinds[] = {AccessKind::kWrite, AccessKind::kRead,
                                 AccessKind::kAtomicWrite,
                                 AccessKind::kAtomicRead};

// By kind.
constexpr const char* kWords[] = {"read", "write", "atomic read",
                                  "atomic write", "free"};

}  // namespace

const char* describe(const Race& race) {
  static char text[96];
  std::snprintf(text, sizeof text,
                "nothing orders this %s and the %s before it",
                kWords[static_cast<int>(race.kind)],
                kWords[static_cast<int>(race.other_kind)]);
  return text;
}

bool Races::reserve() {
  if (pages_ != nullptr) return true;
  if (!words_.reserve()) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(shadow());
  cells_ = map_table<Cell>(kMaxCells);
  syncs_ = map_table<VectorClock>(kMaxSyncs);
  spreads_ = map_table<Spread>(kMaxSpreads);
  // The last page is for those that find no place.
  page_cells_ = map_table<Cell>((kMaxPages + 1) * (kPageBytes / 8));
  Page* pages = map_table<Page>(kPageSlots);
  if (!map_table<Cell>(kRegionBytes / 8, at) || !cells_ || !syncs_ ||
      !spreads_ || !page_cells_ || !pages) {
    return false;
  }
  pages_ = pages;
  return true;
}

void Races::start_run() {
  assert(pages_ != nullptr);
  if (++run_ == 0) forget_everything();
  words_.start_run();
  if (pages_used_ == kMaxPages) {
    std::memset(pages_, 0, kPageSlots * sizeof(Page));
    pages_used_ = 0;
  }
  cells_used_ = syncs_used_ = spreads_used_ = 1;
  missed_ = false;
  fours_ = 0;
  begin(0);
}

// After 2^32 executions, old cells would seem to be of this one.
void Races::forget_everything() {
  madvise(shadow(), kRegionBytes / 8 * sizeof(Cell), MADV_DONTNEED);
  madvise(page_cells_, (kMaxPages + 1) * (kPageBytes / 8) * sizeof(Cell),
          MADV_DONTNEED);
  run_ = 1;
}

void Races::begin(ThreadId thread) {
  Thread& state = threads_[thread];
  state.now.clear();
  state.has_seen = state.has_sent = false;
  state.now.set(thread, 1);
  const std::size_t fours = VectorClock::fours_for(thread + std::size_t{1});
  if (fours > fours_) fours_ = fours;
}

void Races::spawn(ThreadId parent, ThreadId child) {
  begin(child);
  Thread& from = threads_[parent];
  threads_[child].now.join(from.now, fours_);
  // Its number may have been another thread's, of which others know.  (Who is
  // told counts events, from none.)
  if (!is_told_) threads_[child].now.tick(child);
  from.now.tick(parent);
}

void Races::join(ThreadId parent, ThreadId child) {
  threads_[parent].now.join(threads_[child].now, fours_);
}

void Races::fence(ThreadId thread, int order) {
  Thread& state = threads_[thread];
  if (acquires(order) && state.has_seen) state.now.join(state.seen, fours_);
  if (!releases(order)) return;
  if (!state.has_sent) state.sent.clear();
  state.has_sent = true;
  state.sent.copy(state.now, fours_);
  state.now.tick(thread);
}

Races::Cell* Races::find_page(std::uintptr_t number) {
  std::size_t slot = number % kPageSlots;
  while (pages_[slot].number != 0) {
    if (pages_[slot].number == number) return pages_[slot].cells;
    slot = (slot + 1) % kPageSlots;
  }
  const std::size_t cells = kPageBytes / 8;
  if (pages_used_ == kMaxPages) {
    // Several pages share these cells: nothing in them may be believed.
    missed_ = true;
    Cell* last = page_cells_ + kMaxPages * cells;
    for (std::size_t i = 0; i < cells; ++i) last[i].run = 0;
    return last;
  }
  pages_[slot] = {number, page_cells_ + pages_used_++ * cells};
  return pages_[slot].cells;
}

inline void Races::make(Cell& cell, std::uint32_t shape) {
  cell = Cell{};
  cell.run = run_;
  cell.shape = static_cast<std::uint16_t>(shape);
}

// A new cell behind `after`, in the same word.
Races::Cell& Races::append(Cell& after, std::uint32_t shape) {
  if (cells_used_ == kMaxCells) {
    missed_ = true;
    make(cells_[0], shape);  // in no list: whatever it is told is lost
    return cells_[0];
  }
  const std::uint32_t index = cells_used_++;
  Cell& cell = cells_[index];
  make(cell, shape);
  cell.next = after.next;
  after.next = index;
  return cell;
}

// Leaves the bytes of `shape` to this cell, and gives the others to a new one
// that knows the same.
void Races::cut(Cell& cell, std::uint32_t shape) {
  Cell& other = append(cell, cell.shape & ~shape);
  cell.shape = static_cast<std::uint16_t>(shape);
  for (int role = 0; role < kRoles; ++role) {
    other.where[role] = cell.where[role];
    other.clock[role] = cell.clock[role];
    if (thread_of(cell.where[role]) != kSpread) continue;
    if (spreads_used_ == kMaxSpreads) {
      missed_ = true;
      other.where[role] = 0;
      other.clock[role] = 0;
      continue;
    }
    spreads_[spreads_used_] = spreads_[cell.clock[role]];
    other.clock[role] = static_cast<Clock>(spreads_used_++);
  }
  if (cell.sync != 0) sync_of(other).copy(syncs_[cell.sync], fours_);
}

AccessKind Races::kind_of(const Access& access) {
  if (access.frees) return AccessKind::kFree;
  if (access.atomic) {
    return access.writes ? AccessKind::kAtomicWrite : AccessKind::kAtomicRead;
  }
  return access.writes ? AccessKind::kWrite : AccessKind::kRead;
}

// What is released at a cell; empty at first.
VectorClock& Races::sync_of(Cell& cell) {
  if (cell.sync == 0) {
    if (syncs_used_ == kMaxSyncs) {
      missed_ = true;  // order is lost: from now on no race is believed
      return syncs_[0];
    }
    cell.sync = syncs_used_++;
    syncs_[cell.sync].clear();
  }
  return syncs_[cell.sync];
}

// Calls visit(cell) for the cells that make up the bytes of `shape`, cutting
// those that have others too.  Stops when one says false.
template <typename Visit>
bool Races::each_piece_of(Cell& first, std::uint32_t shape, Visit visit) {
  if (first.run != run_) {
    make(first, shape);
    words_.touch(&first, word_);
    return visit(first);
  }
  Cell* cell = &first;
  for (;;) {
    const std::uint32_t common = cell->shape & shape;
    if (common != 0) {
      if (common != cell->shape) cut(*cell, common);
      if (!visit(*cell)) return false;
      shape &= ~common;
      if (shape == 0) return true;
    }
    if (cell->next == 0) break;
    cell = &cells_[cell->next];
  }
  return visit(append(*cell, shape));
}

template <typename Visit>
bool Races::each_piece(std::uintptr_t address, std::size_t size, Visit visit) {
  const std::uintptr_t end = address + size;
  for (word_ = address & ~std::uintptr_t{7}; word_ < end; word_ += 8) {
    std::uint32_t shape = kBytes;
    if (word_ < address) shape &= kBytes << (address - word_);
    if (end - word_ < 8) shape &= kBytes >> (8 - (end - word_));
    if (!each_piece_of(*cell_of(word_), shape, visit)) return false;
  }
  return true;
}

// Tells of a race between what `role` remembers, at `where`, and `access`.
bool Races::tell(const Cell& cell, Role role, Where where,
                 const Access& access) {
  const unsigned shape = cell.shape;
  const int offset = std::countr_zero(shape);
  race_.address = word_ + static_cast<std::uintptr_t>(offset);
  race_.size = static_cast<std::uint32_t>(std::countr_one(shape >> offset));
  race_.thread = access.thread;
  race_.pc = access.pc;
  race_.kind = kind_of(access);
  race_.other = thread_of(where);
  race_.other_pc = where & ((Where{1} << 48) - 1);
  race_.other_kind = where & kFreeMark ? AccessKind::kFree : kKinds[role];
  return false;
}

// The cell that is about just these bytes, if there is one or the word has none
// yet; else null.
inline Races::Cell* Races::find_cell(std::uintptr_t address, std::size_t size) {
  if (size > 8) return nullptr;
  const std::uint32_t shape = shape_of(address, size);
  Cell* cell = cell_of(address);
  if (cell->run != run_) {
    if (shape > kBytes) return nullptr;
    make(*cell, shape);
    words_.touch(cell, address);
    return cell;
  }
  while (cell->shape != shape) {
    if (cell->next == 0) return nullptr;
    cell = &cells_[cell->next];
  }
  return cell;
}

inline bool Races::is_before(const Cell& cell, Role role,
                             const VectorClock& now) const {
  const ThreadId thread = thread_of(cell.where[role]);
  return thread < sched::kMaxThreads && cell.clock[role] <= now.at(thread);
}

// The usual case of what follows: of the accesses in conflict there is one of
// each role at most, and it happened before.  Otherwise returns false, and
// nothing is done.
template <Races::Role role>
inline bool Races::note(Cell& cell, ThreadId thread, std::uintptr_t pc) {
  const VectorClock& now = threads_[thread].now;
  if (!is_before(cell, kPlainWrite, now)) return false;
  if ((role == kPlainWrite || role == kAtomicWrite) &&
      !is_before(cell, kPlainRead, now)) {
    return false;
  }
  if ((role == kPlainRead || role == kPlainWrite) &&
      !is_before(cell, kAtomicWrite, now)) {
    return false;
  }
  const Where where = pc | Where{thread} << 48;
  if (role == kPlainWrite) {
    if (!is_before(cell, kAtomicRead, now)) return false;
    for (int other = kPlainRead; other < kRoles; ++other) {
      cell.where[other] = 0;
      cell.clock[other] = 0;
    }
  } else if (!is_before(cell, role, now)) {
    spread(cell, role, thread, where);
    return true;
  }
  cell.where[role] = where;
  cell.clock[role] = now.at(thread);
  return true;
}

// Did everything that this role remembers happen before `access`?  If not,
// that is told.
bool Races::follows(const Cell& cell, Role role, const Access& access) {
  const VectorClock& now = threads_[access.thread].now;
  if (is_before(cell, role, now)) return true;
  if (thread_of(cell.where[role]) != kSpread) {
    return tell(cell, role, cell.where[role], access);
  }
  const Spread& all = spreads_[cell.clock[role]];
  for (ThreadMask rest = all.threads; rest != 0; rest &= rest - 1) {
    const auto other = static_cast<std::size_t>(std::countr_zero(rest));
    if (all.clock[other] > now.at(other)) {
      return tell(cell, role, all.where[other], access);
    }
  }
  return true;
}

// Remembers an access.  One that it follows need not be remembered: who comes
// later and does not follow that one does not follow this one either.
void Races::record(Cell& cell, Role role, const Access& access) {
  const ThreadId thread = access.thread;
  const VectorClock& now = threads_[thread].now;
  const Where where = access.pc | Where{thread} << 48;
  if (is_before(cell, role, now)) {
    cell.where[role] = where;
    cell.clock[role] = now.at(thread);
  } else {
    spread(cell, role, thread, where);
  }
}

// The same for one that does not follow what is remembered.
void Races::spread(Cell& cell, Role role, ThreadId thread, Where where) {
  const ThreadId other = thread_of(cell.where[role]);
  if (other != kSpread) {
    if (spreads_used_ == kMaxSpreads) {
      missed_ = true;
      return;
    }
    spreads_[spreads_used_].threads = 0;
    spreads_[spreads_used_].put(other, cell.clock[role], cell.where[role]);
    cell.where[role] = Where{kSpread} << 48;
    cell.clock[role] = static_cast<Clock>(spreads_used_++);
  }
  spreads_[cell.clock[role]].put(thread, threads_[thread].now.at(thread),
                                 where);
}

bool Races::read_plainly(Cell& cell, const Access& access) {
  if (!follows(cell, kPlainWrite, access) ||
      !follows(cell, kAtomicWrite, access)) {
    return false;
  }
  record(cell, kPlainRead, access);
  return true;
}

// A write follows all accesses before it, or there is a race; so it stands for
// all of them, and they are forgotten.  It ends release sequences, but they
// may stay: who reads after it follows it, and so what they released.
bool Races::write_plainly(Cell& cell, const Access& access) {
  for (int role = 0; role < kRoles; ++role) {
    if (!follows(cell, static_cast<Role>(role), access)) return false;
  }
  become(cell, access);
  return true;
}

// Nothing but this write is left to remember.
inline void Races::become(Cell& cell, const Access& access) {
  for (int role = kPlainRead; role < kRoles; ++role) {
    cell.where[role] = 0;
    cell.clock[role] = 0;
  }
  cell.where[kPlainWrite] =
      access.pc | Where{access.thread} << 48 | (access.frees ? kFreeMark : 0);
  cell.clock[kPlainWrite] = threads_[access.thread].now.at(access.thread);
}

bool Races::use_atomically(Cell& cell, const Access& access) {
  if (!follows(cell, kPlainWrite, access)) return false;
  if (access.writes && !follows(cell, kPlainRead, access)) return false;
  record(cell, access.writes ? kAtomicWrite : kAtomicRead, access);
  return true;
}

const Race* Races::read_anew(ThreadId thread, std::uintptr_t address,
                             std::size_t size, std::uintptr_t pc) {
  if (words_.is_on()) note_words(thread, address, size, RaceWords::kPlainRead);
  Cell* cell = find_cell(address, size);
  if (cell && note<kPlainRead>(*cell, thread, pc)) return nullptr;
  return plain_pieces({thread, false, address, size, pc});
}

const Race* Races::write_anew(ThreadId thread, std::uintptr_t address,
                              std::size_t size, std::uintptr_t pc) {
  if (words_.is_on()) note_words(thread, address, size, RaceWords::kPlainWrite);
  Cell* cell = find_cell(address, size);
  if (cell && note<kPlainWrite>(*cell, thread, pc)) return nullptr;
  return plain_pieces({thread, true, address, size, pc});
}

[[gnu::noinline]] const Race* Races::plain_pieces(const Access& access) {
  const bool well = each_piece(access.address, access.size, [&](Cell& cell) {
    return access.writes ? write_plainly(cell, access)
                         : read_plainly(cell, access);
  });
  return well ? nullptr : found();
}

// [intro.races]/5, [atomics.order]/2: who reads from a release sequence
// acquires what its head released; [atomics.fences]: at once, or when a fence
// comes.
inline void Races::take_sync(const Cell& cell, Thread& thread, int order) {
  if (cell.sync == 0) return;
  if (acquires(order)) {
    thread.now.join(syncs_[cell.sync], fours_);
  } else {
    if (!thread.has_seen) thread.seen.clear();
    thread.has_seen = true;
    thread.seen.join(syncs_[cell.sync], fours_);
  }
}

// A store begins a new sequence, headed by itself, by the fence before it, or
// by nobody; a read-modify-write continues the one that is there as well.
// Since C++20 a relaxed store of the same thread ends a sequence too.
inline void Races::give_sync(Cell& cell, Thread& thread, int order,
                             bool update) {
  const VectorClock* given = releases(order)   ? &thread.now
                             : thread.has_sent ? &thread.sent
                                               : nullptr;
  if (given == nullptr) {
    if (!update && cell.sync != 0) syncs_[cell.sync].clear(fours_);
    return;
  }
  VectorClock& sync = sync_of(cell);
  if (update) {
    sync.join(*given, fours_);
  } else {
    sync.copy(*given, fours_);
  }
}

// The order matters: what is acquired counts for the access itself, and what
// is released has the access in it.
template <bool reads, bool writes>
inline const Race* Races::atomic(ThreadId id, std::uintptr_t address,
                                 std::size_t size, int order,
                                 std::uintptr_t pc) {
  Thread& thread = threads_[id];
  constexpr Role role = writes ? kAtomicWrite : kAtomicRead;
  if (words_.is_on())
    note_words(id, address, size,
               writes ? RaceWords::kAtomicWrite : RaceWords::kAtomicRead);
  Cell* cell = find_cell(address, size);
  if (cell != nullptr) {
    if (reads) take_sync(*cell, thread, order);
    if (note<role>(*cell, id, pc)) {
      if (!writes) return nullptr;
      give_sync(*cell, thread, order, reads);
      if (releases(order)) thread.now.tick(id);
      return nullptr;
    }
  }
  return atomic_pieces<reads, writes>({id, writes, address, size, pc, true},
                                      order);
}

template <bool reads, bool writes>
[[gnu::noinline]] const Race* Races::atomic_pieces(const Access& access,
                                                   int order) {
  Thread& thread = threads_[access.thread];
  const auto take = [&](Cell& cell) {
    take_sync(cell, thread, order);
    return true;
  };
  const auto use = [&](Cell& cell) { return use_atomically(cell, access); };
  const auto give = [&](Cell& cell) {
    give_sync(cell, thread, order, reads);
    return true;
  };
  if (reads) each_piece(access.address, access.size, take);
  if (!each_piece(access.address, access.size, use)) return found();
  if (writes) each_piece(access.address, access.size, give);
  if (writes && releases(order)) thread.now.tick(access.thread);
  return nullptr;
}

const Race* Races::atomic_load(ThreadId thread, std::uintptr_t address,
                               std::size_t size, int order, std::uintptr_t pc) {
  return atomic<true, false>(thread, address, size, order, pc);
}

const Race* Races::atomic_store(ThreadId thread, std::uintptr_t address,
                                std::size_t size, int order,
                                std::uintptr_t pc) {
  return atomic<false, true>(thread, address, size, order, pc);
}

const Race* Races::atomic_update(ThreadId thread, std::uintptr_t address,
                                 std::size_t size, int order,
                                 std::uintptr_t pc) {
  return atomic<true, true>(thread, address, size, order, pc);
}

// The clock of a sync object.  It lies among the cells of its word, so that
// allocated() forgets it, but has no bytes.
VectorClock* Races::object(std::uintptr_t address) {
  const std::uint32_t shape = kObject | static_cast<std::uint32_t>(address & 7)
                                            << 9;
  Cell* cell = cell_of(address);
  if (cell->run != run_) {
    make(*cell, shape);
    words_.touch(cell, address);
    return &sync_of(*cell);
  }
  while (cell->shape != shape) {
    if (cell->next == 0) return &sync_of(append(*cell, shape));
    cell = &cells_[cell->next];
  }
  return &sync_of(*cell);
}

void Races::acquire(ThreadId thread, std::uintptr_t address) {
  if (is_told_) return;
  threads_[thread].now.join(*object(address), fours_);
}

void Races::release(ThreadId thread, std::uintptr_t address) {
  if (is_told_) return;
  VectorClock& now = threads_[thread].now;
  object(address)->join(now, fours_);
  now.tick(thread);
}

// Does this word have one cell, and did all in it happen before?
inline bool Races::is_all_before(const Cell& first,
                                 const VectorClock& now) const {
  return first.next == 0 && is_before(first, kPlainWrite, now) &&
         is_before(first, kPlainRead, now) &&
         is_before(first, kAtomicWrite, now) &&
         is_before(first, kAtomicRead, now);
}

const Race* Races::freed(ThreadId thread, std::uintptr_t address,
                         std::size_t size, std::uintptr_t pc) {
  const Access access = {thread, true, address, size, pc, false, true};
  const std::uintptr_t end = address + size;
  if (words_.is_on()) note_words(thread, address, size, RaceWords::kPlainWrite);
  for (word_ = address; word_ < end; word_ += 8) {
    Cell& first = *cell_of(word_);
    if (first.run == run_ && !is_all_before(first, threads_[thread].now)) {
      for (Cell* cell = &first;; cell = &cells_[cell->next]) {
        const bool has_bytes = cell->shape & kBytes;
        if (has_bytes && !write_plainly(*cell, access)) return found();
        if (cell->next == 0) break;
      }
    }
    if (first.run != run_) words_.touch(&first, word_);
    first.run = run_;
    first.shape = kBytes;
    first.next = 0;
    first.sync = 0;
    become(first, access);
  }
  return nullptr;
}

void Races::allocated(std::uintptr_t address, std::size_t size) {
  const std::uintptr_t end = address + size;
  words_.forget_some();
  for (std::uintptr_t word = address & ~std::uintptr_t{7}; word < end;
       word += 8) {
    cell_of(word)->run = 0;
  }
}

}  // namespace plumb::runtime
