// SPDX-License-Identifier: Apache-2.0
// Canonical clocks: what happened before what, as far as races can depend on
// it.
//
// A race is an access that does not follow one before it.  Of clocks, it only
// matters which of the accesses that are remembered each of them has seen; so a
// clock is replaced by how many of these it has seen, of each thread.  What all
// threads have seen that still run can be part of no race, and is left out.
#include <sys/mman.h>

#include <algorithm>

#include "runtime/fibers.h"
#include "runtime/heap.h"
#include "runtime/picture.h"
#include "runtime/races.h"

namespace plumb::runtime {

bool RaceWords::reserve() {
  touched_ =
      static_cast<Touched*>(map_memory(0, kMostTouched * sizeof(Touched)));
  entries_ = static_cast<Entry*>(map_memory(0, kEntries * sizeof(Entry)));
  return touched_ != nullptr && entries_ != nullptr;
}

void RaceWords::start_search() {
  ++search_;
  used_ = 0;
  is_on_ = true;
  is_full_ = has_more_ = false;
}

RaceWords::Entry* RaceWords::find(std::uintptr_t word) const {
  std::size_t slot = (word >> 3) * 0x9E3779B97F4A7C15 >> 48;
  static_assert(kEntries == std::size_t{1} << 16);
  for (;; slot = (slot + 1) % kEntries) {
    Entry& entry = entries_[slot];
    if (entry.search != search_ || entry.word == word) return &entry;
  }
}

namespace {

constexpr std::uint8_t kind_bit(RaceWords::Kind kind) {
  return static_cast<std::uint8_t>(1u << kind);
}
constexpr std::uint8_t kPlainWriteBit = kind_bit(RaceWords::kPlainWrite);
constexpr std::uint8_t kPlainBits =
    kPlainWriteBit | kind_bit(RaceWords::kPlainRead);
constexpr std::uint8_t kWriteBits =
    kPlainWriteBit | kind_bit(RaceWords::kAtomicWrite);
// By kind: with which others it is in conflict.
constexpr std::uint8_t kConflicts[] = {0xF, kWriteBits, kPlainBits,
                                       kPlainWriteBit};

}  // namespace

void RaceWords::note(std::uintptr_t word, Kind kind, ThreadId thread,
                     bool is_first) {
  Entry& entry = *find(word);
  if (entry.search != search_) {
    if (used_ == kEntries / 2) {
      is_full_ = true;
      return;
    }
    ++used_;
    entry = {word, search_, 0, 0, 0, 0};
  }
  std::uint8_t& uses = is_first ? entry.first : entry.later;
  const ThreadMask first_by =
      entry.first_by | (is_first ? sched::bit(thread) : 0);
  if ((uses & kind_bit(kind)) && first_by == entry.first_by) return;
  uses |= kind_bit(kind);
  entry.first_by = first_by;
  // Who is first in some execution may come to the same state as others who
  // were not there at all, and then the next one is first.
  const bool is_shared = (first_by & (first_by - 1)) != 0;
  std::uint8_t counting = 0;
  for (const Kind one : {kPlainWrite, kPlainRead, kAtomicWrite, kAtomicRead}) {
    const std::uint8_t its = kind_bit(one);
    const bool is_there = (entry.first | entry.later) & its;
    const bool meets =
        (entry.later & kConflicts[one]) ||
        (is_shared && (entry.first & its) && (entry.first & kConflicts[one]));
    if (is_there && meets) counting |= its;
  }
  has_more_ |= counting != entry.counting;
  entry.counting = counting;
}

unsigned RaceWords::counting(std::uintptr_t word) const {
  const Entry& entry = *find(word);
  return entry.search == search_ ? entry.counting : 0;
}

RaceWords::Touched* RaceWords::begin() {
  if (!has_forgotten_) return touched_;
  const auto less = [](const Touched& a, const Touched& b) {
    return a.cell < b.cell;
  };
  const auto same = [](const Touched& a, const Touched& b) {
    return a.cell == b.cell;
  };
  std::sort(touched_, end(), less);
  touched_count_ =
      static_cast<std::size_t>(std::unique(touched_, end(), same) - touched_);
  has_forgotten_ = false;
  return touched_;
}

void Races::note_words(ThreadId thread, std::uintptr_t address,
                       std::size_t size, RaceWords::Kind kind) {
  const std::uintptr_t end = address + size;
  for (std::uintptr_t word = address & ~std::uintptr_t{7}; word < end;
       word += 8) {
    words_.note(word, kind, thread, cell_of(word)->run != run_);
  }
}

// Calls visit(role, thread, clock) for the accesses of a cell that not all of
// `known` have seen.
void Races::each_unknown(const Cell& cell, unsigned roles, const Clock* known,
                         auto visit) {
  static_assert(kPlainWrite == int{RaceWords::kPlainWrite} &&
                kPlainRead == int{RaceWords::kPlainRead} &&
                kAtomicWrite == int{RaceWords::kAtomicWrite} &&
                kAtomicRead == int{RaceWords::kAtomicRead});
  for (int role = 0; role < kRoles; ++role) {
    if (!(roles >> role & 1)) continue;
    const ThreadId thread = thread_of(cell.where[role]);
    if (thread != kSpread) {
      if (cell.where[role] == 0 || cell.clock[role] <= known[thread]) continue;
      visit(role, thread, cell.clock[role]);
      continue;
    }
    const Spread& all = spreads_[cell.clock[role]];
    for (ThreadMask rest = all.threads; rest != 0; rest &= rest - 1) {
      const auto one = static_cast<ThreadId>(__builtin_ctz(rest));
      if (all.clock[one] > known[one]) visit(role, one, all.clock[one]);
    }
  }
}

namespace {

// The accesses of one thread that count, by their clocks.
struct Epochs {
  static constexpr std::size_t kMost = 256;
  Clock all[kMost];
  std::size_t count = 0;

  // Returns false if there are too many.
  bool add(Clock clock) {
    if (count == kMost) shrink();
    if (count == kMost) return false;
    all[count++] = clock;
    return true;
  }
  void shrink() {
    std::sort(all, all + count);
    count = static_cast<std::size_t>(std::unique(all, all + count) - all);
  }
  std::uint64_t rank(Clock clock) const {
    return static_cast<std::uint64_t>(
        std::upper_bound(all, all + count, clock) - all);
  }
};
Epochs epochs[sched::kMaxThreads];

std::uint64_t ranks_of(const VectorClock& clock, std::size_t threads) {
  std::uint64_t hash = 0;
  for (std::size_t t = 0; t < threads; ++t) {
    if (epochs[t].count == 0) continue;
    const std::uint64_t rank = epochs[t].rank(clock.at(t));
    if (rank != 0) hash = mix(hash, rank << 8 | t);
  }
  return hash;
}

}  // namespace

// Calls visit(cell, word) for all cells of this execution.
void Races::each_touched(auto visit) {
  const bool quarantine = heap().mode() == HeapMode::kQuarantine;
  RaceWords::Touched* const first = words_.begin();
  for (RaceWords::Touched* one = first; one != words_.end(); ++one) {
    const auto* cell = static_cast<const Cell*>(one->cell);
    if (cell->run != run_) continue;
    // Whoever touches it is at fault anyway.
    if (quarantine && (cell->where[kPlainWrite] & kFreeMark)) continue;
    for (;; cell = &cells_[cell->next]) {
      visit(*cell, one->word);
      if (cell->next == 0) break;
    }
  }
}

// Fills `epochs` with the accesses that count.  Returns false if there are
// none.
bool Races::find_epochs(const Clock* known, std::size_t threads) {
  for (std::size_t t = 0; t < threads; ++t) epochs[t].count = 0;
  bool has_any = false;
  each_touched([&](const Cell& cell, std::uintptr_t word) {
    each_unknown(cell, words_.counting(word), known,
                 [&](int, ThreadId thread, Clock clock) {
                   if (!epochs[thread].add(clock)) words_.set_full();
                   has_any = true;
                 });
  });
  for (std::size_t t = 0; t < threads; ++t) epochs[t].shrink();
  return has_any;
}

sched::Fingerprint Races::order(ThreadMask live) {
  Clock known[sched::kMaxThreads];  // to all
  const std::size_t threads = threads_so_far();
  for (std::size_t t = 0; t < threads; ++t) {
    known[t] = INT32_MAX;
    for (ThreadMask left = live; left != 0; left &= left - 1) {
      known[t] = std::min(known[t], threads_[__builtin_ctz(left)].now.at(t));
    }
  }
  if (!find_epochs(known, threads)) return {};
  sched::Fingerprint sum;  // cells come in the order of their first use
  const auto add = [&sum](const StateHash& hash) {
    const sched::Fingerprint one = hash.done();
    sum.a += one.a;
    sum.b += one.b;
  };
  each_touched([&](const Cell& cell, std::uintptr_t word) {
    const std::uint64_t sync =
        cell.sync == 0 ? 0 : ranks_of(syncs_[cell.sync], threads);
    bool counts = sync != 0;
    StateHash hash;
    hash.word(word << 16 | cell.shape);
    hash.word(sync);
    each_unknown(cell, words_.counting(word), known,
                 [&](int role, ThreadId thread, Clock clock) {
                   counts = true;
                   hash.word(epochs[thread].rank(clock) << 16 |
                             std::uint64_t{thread} << 8 |
                             static_cast<unsigned>(role));
                 });
    if (counts) add(hash);
  });
  for (ThreadMask left = live; left != 0; left &= left - 1) {
    const auto t = static_cast<std::size_t>(__builtin_ctz(left));
    const Thread& thread = threads_[t];
    StateHash hash;
    hash.word(t);
    hash.word(ranks_of(thread.now, threads));
    hash.word(thread.has_seen ? ranks_of(thread.seen, threads) : 0);
    hash.word(thread.has_sent ? ranks_of(thread.sent, threads) + 1 : 0);
    add(hash);
  }
  return sum;
}

}  // namespace plumb::runtime
