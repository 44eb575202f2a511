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

// Threads that wait for a mutex, by thread: its address.
constinit std::uintptr_t awaited[sched::kMaxThreads] = {};

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
  fail(Fault::kUnsupported, pc,
       "atomic accesses of several sizes overlap: that is explored only with "
       "--memory sc");
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

ReadLabel lock_label(std::uintptr_t address) {
  ReadLabel label;
  label.key = kSyncObject | (address & kAddress) | std::uint64_t{phase} << 56;
  label.order = __ATOMIC_ACQUIRE;
  label.failure = __ATOMIC_RELAXED;
  label.updates = Updates::kIfEqual;
  return label;
}

Bytes held(const Bytes&) {
  return {1, 0};
}
Bytes given_back(const Bytes&) {
  return {0, 0};
}

}  // namespace

void start_graph_run(sched::GraphScheduler* with) {
  graphs = with;
  used = 0;
  phase = 0;
  std::fill(std::begin(awaited), std::end(awaited), std::uintptr_t{0});
}

void end_graph_run(ThreadMask waiting) {
  for (; waiting != 0; waiting &= waiting - 1) {
    const auto thread = static_cast<ThreadId>(__builtin_ctz(waiting));
    if (awaited[thread] == 0) continue;
    ReadLabel label = lock_label(awaited[thread]);
    label.waits = true;
    graphs->waits(thread, label, {1, 0}, held);
  }
}

std::uint64_t graph_key(std::uintptr_t address, std::size_t size,
                        std::uintptr_t pc) {
  Atom& atom = *find(address, true);
  if (atom.size != size) {
    if (size > kLargest) {
      fail(Fault::kUnsupported, pc,
           "atomic objects of more than 16 bytes are explored only with "
           "--memory sc");
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
       "something other than atomic operations, mutexes, threads and choices "
       "is explored only with --memory sc");
}

void require_numbered_threads(std::uintptr_t pc) {
  if (self() == 0) return;
  fail(Fault::kUnsupported, pc,
       "threads that start others are explored only with --memory sc");
}

void wait_in_graph(std::uintptr_t address) {
  awaited[self()] = address;
}

void lock_in_graph(std::uintptr_t address) {
  const OwnWork own;
  awaited[self()] = 0;
  ReadLabel label = lock_label(address);
  label.waits = true;
  if (graphs->read(self(), label, {}, held).updates) {
    graphs->updated(self(), {1, 0});
  }
  tell_races();
}

bool try_lock_in_graph(std::uintptr_t address, bool is_held) {
  const OwnWork own;
  const Bytes initial = {is_held ? 1u : 0u, 0};
  const bool is_free =
      graphs->read(self(), lock_label(address), initial, held).updates;
  if (is_free) graphs->updated(self(), {1, 0});
  tell_races();
  return is_free;
}

void unlock_in_graph(std::uintptr_t address) {
  const OwnWork own;
  ReadLabel label = lock_label(address);
  label.order = __ATOMIC_RELEASE;
  label.updates = Updates::kAlways;
  graphs->read(self(), label, {1, 0}, given_back);
  graphs->updated(self(), {0, 0});
  tell_races();
}

}  // namespace plumb::runtime
