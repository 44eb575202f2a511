// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph_memory.h"

#include <algorithm>

#include "runtime/fibers.h"
#include "runtime/races.h"

namespace plumb::runtime {

sched::GraphScheduler* graphs = nullptr;

namespace {

using sched::Bytes;
using sched::ReadLabel;
using sched::Updates;

constexpr std::size_t kSlots = std::size_t{1} << 14;
constexpr std::size_t kMostAtomics = kSlots / 2;
constexpr std::uint32_t kMostLives = 255, kMostPhases = 63;
constexpr std::uintptr_t kAddress = (std::uintptr_t{1} << 48) - 1;
constexpr std::uint64_t kSyncObject = std::uint64_t{1} << 63;
constexpr std::size_t kLargest = 16;  // bytes of an atomic object

struct Atom {
  std::uintptr_t address;
  std::uint32_t run;
  std::uint16_t size;
  std::uint16_t life;
};
constinit Atom atoms[kSlots] = {};
constinit std::size_t used = 0;
constinit std::uint32_t phase = 0;

// In which run there was an atomic object at such an address: most plain
// writes are elsewhere.
constexpr std::size_t kFilter = 4096;
constinit std::uint32_t filter[kFilter] = {};
std::uint32_t& filter_of(std::uintptr_t address) {
  return filter[(address >> 3 ^ address >> 15) % kFilter];
}

// Threads that wait, by thread: for what.
struct Awaited {
  bool is_waiting = false;
  SyncAccess access;
  std::uint64_t initial = 0;
};
constinit Awaited awaited[sched::kMaxThreads] = {};

Atom* find(std::uintptr_t address, bool makes) {
  std::size_t slot = (address * 0x9E3779B97F4A7C15u) >> 50;
  for (;; slot = (slot + 1) % kSlots) {
    Atom& atom = atoms[slot];
    if (atom.run == run_number && atom.address == address) return &atom;
    if (atom.run == run_number) continue;
    if (!makes) return nullptr;
    if (++used > kMostAtomics) {
      fail(Fault::kOutOfMemory, 0, "more than %zu atomic objects",
           kMostAtomics);
    }
    atom = {address, run_number, 0, 0};
    filter_of(address) = run_number;
    return &atom;
  }
}

[[noreturn]] void fail_mixed(std::uintptr_t pc) {
  fail(Fault::kUnsupported, pc, "atomic accesses of several sizes overlap");
}

// Is there another one that shares a byte with it?
bool overlaps_another(std::uintptr_t address, std::size_t size) {
  for (std::uintptr_t at = address - (kLargest - 1); at < address + size;
       ++at) {
    if (at == address || filter_of(at) != run_number) continue;
    const Atom* atom = find(at, false);
    if (atom != nullptr && atom->size != 0 && at + atom->size > address) {
      return true;
    }
  }
  return false;
}

constexpr unsigned kPhaseShift = 56, kBesideShift = 48;

// Under TSO we assume no more than what all must do who implement these: to
// take something is a locked instruction; to give it back may be a store (so
// it is in spin locks).  What has no value may be no instruction at all.
sched::OnX86 on_x86(const SyncAccess& access) {
  if (sched::acquires_order(access.order) && access.change != nullptr) {
    return sched::OnX86::kLocked;
  }
  const bool gives_back = sched::releases_order(access.order) || access.shares;
  return gives_back ? sched::OnX86::kStore : sched::OnX86::kLoad;
}

ReadLabel label_of(const SyncAccess& access, bool waits) {
  ReadLabel label;
  const std::uint64_t beside = access.address >> 62 & 1;  // kNoMemory
  label.key = kSyncObject | (access.address & kAddress) |
              beside << kBesideShift | std::uint64_t{phase} << kPhaseShift;
  label.order = static_cast<std::uint8_t>(access.order);
  label.failure = __ATOMIC_RELAXED;
  label.updates = access.updates;
  label.waits = waits;
  label.is_sync = true;
  label.is_told = waits && access.change == nullptr;
  label.in_place = access.in_place;
  label.shares = access.shares;
  label.acquires_all = access.acquires_all;
  label.on_x86 = on_x86(access);
  return label;
}

Bytes same(const Bytes& value) {
  return value;
}
SyncAccess::Change change_of(const SyncAccess& access) {
  return access.change == nullptr ? same : access.change;
}

}  // namespace

void start_graph_run(sched::GraphScheduler* with) {
  graphs = with;
  races().expect_to_be_told(with != nullptr);
  used = 0;
  phase = 0;
  for (Awaited& one : awaited) one.is_waiting = false;
}

void end_graph_run(ThreadMask waiting) {
  for (; waiting != 0; waiting &= waiting - 1) {
    const auto thread = static_cast<ThreadId>(__builtin_ctz(waiting));
    if (!awaited[thread].is_waiting) continue;
    const auto& [is_waiting, access, initial] = awaited[thread];
    graphs->waits(thread, label_of(access, true), {initial, 0},
                  change_of(access));
  }
}

std::uint64_t graph_key(std::uintptr_t address, std::size_t size,
                        std::uintptr_t pc) {
  Atom& atom = *find(address, true);
  if (atom.size != size) {
    if (size > kLargest) {
      fail(Fault::kUnsupported, pc, "an atomic object has more than 16 bytes");
    }
    if (atom.size != 0 || overlaps_another(address, size)) fail_mixed(pc);
    atom.size = static_cast<std::uint16_t>(size);
  }
  return (address & kAddress) | std::uint64_t{atom.life} << 48 |
         std::uint64_t{phase} << 56;
}

void forget_atomics(std::uintptr_t address, std::size_t size) {
  const std::uintptr_t end = address + size;
  for (std::uintptr_t at = address - (kLargest - 1); at < end; ++at) {
    if (filter_of(at) != run_number) {
      at |= 7;  // the next word
      continue;
    }
    Atom* atom = find(at, false);
    if (atom == nullptr || atom->size == 0 || at + atom->size <= address) {
      continue;
    }
    atom->size = 0;
    if (++atom->life > kMostLives) {
      fail(Fault::kUnsupported, 0,
           "memory is used for more than %u atomic objects, one after another",
           kMostLives);
    }
  }
}

void forget_all_atomics() {
  if (++phase > kMostPhases) {
    fail(Fault::kUnsupported, 0,
         "threads are started and joined more than %u times", kMostPhases);
  }
}

void tell_races() {
  races().know(state.current, graphs->past_of(state.current).of.data(),
               state.threads);
}

void require_graph_event(const Event& event) {
  if (graphs->knows_last()) return;
  fail(Fault::kUnsupported, event.pc,
       "something is neither an atomic operation nor of locks, threads or "
       "choices");
}

void wait_in_graph(const SyncAccess& access, std::uint64_t initial) {
  awaited[self()] = {true, access, initial};
}

bool access_in_graph(const SyncAccess& access, bool waits,
                     std::uint64_t initial) {
  const OwnWork own;
  awaited[self()].is_waiting = false;
  const SyncAccess::Change change = change_of(access);
  const auto read =
      graphs->read(self(), label_of(access, waits), {initial, 0}, change);
  if (read.updates) graphs->updated(self(), change(read.value));
  tell_races();
  return read.updates;
}

void set_in_graph(std::uintptr_t address, std::uint64_t value) {
  const OwnWork own;
  SyncAccess access;
  access.address = address;
  const Bytes now = {value, 0};
  graphs->read(self(), label_of(access, false), {},
               [&](const Bytes&) { return now; });
  graphs->updated(self(), now);
  tell_races();
}

std::uint64_t look_in_graph(std::uintptr_t address, std::uint64_t initial) {
  const OwnWork own;
  SyncAccess access;
  access.address = address;
  access.updates = Updates::kNever;
  const auto read =
      graphs->read(self(), label_of(access, false), {initial, 0}, same);
  tell_races();
  return read.value.low;
}

void fence_in_graph(int order) {
  const OwnWork own;
  graphs->fence(self(), order);
  tell_races();
}

}  // namespace plumb::runtime
