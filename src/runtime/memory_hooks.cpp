// SPDX-License-Identifier: Apache-2.0
// malloc and its kin, new and delete: the test's memory is ours while it runs.
//
// These stand in front of those of the C library, so they are called before
// any constructor has run, by the loader, and by other threads: unless
// `active`, they pass on and touch nothing else.
//
// What a test holds from before its execution (its globals may) stays where it
// is: the next execution finds the globals as they were, and those point there.
// So freeing it does nothing while `active`.
#include <dlfcn.h>

#include <bits/functexcept.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "runtime/audit.h"
#include "runtime/core.h"
#include "runtime/early_memory.h"
#include "runtime/exceptions.h"
#include "runtime/fibers.h"
#include "runtime/graph_memory.h"
#include "runtime/heap.h"
#include "runtime/races.h"
#include "runtime/sync_calls.h"
#include "runtime/touch.h"

#define PLUMB_EXPORT __attribute__((visibility("default")))
#define PLUMB_CALLER \
  reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace plumb::runtime {

namespace {

constexpr std::size_t kAlignment = 16;  // what malloc promises
constexpr std::size_t kPage = 4096;
// Beside its address: no memory, but what the free of a block gives the next
// who is given it.
constexpr std::uintptr_t kFreed = std::uintptr_t{1} << 61;

bool is_in_region(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) - kRegion < kRegionBytes;
}

// No machine has so much: real allocators fail too, and code may rely on it.
bool is_absurd(std::size_t bytes) {
  return bytes > PTRDIFF_MAX;
}

// The reach of a block, for detectors that see words.
std::size_t words(std::size_t bytes) {
  return (bytes + 7) & ~std::size_t{7};
}

// Are accesses watched by the race detector?  Not while there is one thread.
bool is_watched() {
  return state.in_race_mode && !state.is_alone;
}

Event writing(Kind kind, const void* block, std::size_t bytes,
              std::uintptr_t pc) {
  Event event;
  event.kind = kind;
  event.thread = self();
  event.writes = true;
  event.address = reinterpret_cast<std::uintptr_t>(block);
  event.size = static_cast<std::uint32_t>(bytes);
  event.pc = pc;
  event.site = site_of(pc);
  return event;
}

std::uintptr_t number(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

// Where threads share what was freed, who comes first matters, unless there is
// nothing to be had.
void* take_shared(std::size_t bytes, std::size_t alignment, std::uintptr_t pc) {
  Event event = writing(Kind::kAllocate, nullptr, 8, pc);
  event.address = Heap::place_of(bytes, alignment);
  announce(event);
  void* block = heap().allocate(self(), bytes, alignment, pc);
  event.writes = heap().reused();
  event.tries = !event.writes;
  event.value = event.seen = number(block);
  // C++20 [new.delete.dataraces]: freeing happens before the next allocation.
  if (event.writes) races().acquire(self(), number(block) | kFreed);
  did(event);
  return block;
}

void* take(std::size_t bytes, std::size_t alignment, std::uintptr_t pc) {
  const bool shares = heap().mode() == HeapMode::kShared && !state.is_alone;
  void* block = shares ? take_shared(bytes, alignment, pc)
                       : heap().allocate(self(), bytes, alignment, pc);
  if (block == nullptr) {
    fail(Fault::kOutOfMemory, pc,
         "%zu bytes were asked for, but a thread has %zu MiB", bytes,
         kHeapBytes >> 20);
  }
  if (heap().reused() && is_watched()) {
    races().allocated(number(block), words(bytes));
  }
  note_given(number(block));
  return block;
}

// Does the C library ask, for itself?  It keeps what it knows of locales, time
// zones, conversions, users for as long as the process lives, and guards it
// with locks: that memory is not the execution's, and getting it no event.
bool is_for_library(std::uintptr_t pc) {
  return pc - seen_code::begin >= seen_code::size && !library_gives &&
         is_in_c_library(pc);
}

// What it got in this execution, as far as there is room: some of it is for the
// test, which frees it (realpath()).
struct Lent {
  static constexpr std::size_t kMost = 256;
  std::uint32_t run = 0;
  std::size_t count = 0;
  void* blocks[kMost] = {};
};
constinit Lent lent;

void* lend(void* block) {
  if (lent.run != run_number) lent.run = run_number, lent.count = 0;
  if (lent.count < Lent::kMost) lent.blocks[lent.count++] = block;
  return block;
}

bool take_back(void* block) {
  for (std::size_t i = lent.run == run_number ? lent.count : 0; i-- > 0;) {
    if (lent.blocks[i] != block) continue;
    lent.blocks[i] = lent.blocks[--lent.count];
    return true;
  }
  return false;
}

// Sets what malloc sets when it fails.
void* none() {
  errno = ENOMEM;
  return nullptr;
}

const char* text_of(Freed what) {
  switch (what) {
    case Freed::kDoubleFree:
      return "a block is freed for the second time";
    case Freed::kInterior:
      return "what is freed lies inside a block, not at its start";
    default:
      return "what is freed was never allocated";
  }
}

[[noreturn]] void fail_free(Freed what, const void* pointer,
                            std::uintptr_t pc) {
  const BlockInfo block = heap().block_of(number(pointer));
  const bool again = what == Freed::kDoubleFree;
  Finding finding;
  finding.fault = Fault::kDoubleFree;
  finding.thread = self();
  finding.address = number(pointer);
  finding.pc = pc;
  finding.size = static_cast<std::uint32_t>(block.size);
  finding.other = again ? block.freed_by : block.allocated_by;
  finding.other_pc = again ? block.freed_at : block.allocated_at;
  std::snprintf(finding.text, sizeof finding.text, "%s", text_of(what));
  fail(finding);
}

[[noreturn]] void fail_race(const Race& race) {
  Finding finding;
  finding.fault = Fault::kRace;
  finding.thread = race.thread;
  finding.other = race.other;
  finding.address = race.address;
  finding.size = race.size;
  finding.pc = race.pc;
  finding.other_pc = race.other_pc;
  std::snprintf(finding.text, sizeof finding.text, "%s", describe(race));
  fail(finding);
}

void give(void* pointer, std::uintptr_t pc) {
  Freed what = heap().may_release(pointer);
  if (what != Freed::kOk) fail_free(what, pointer, pc);
  // In a graph, an access and a free that nothing orders are a race.
  const bool by_library = is_in_cxx_library(pc);
  const bool is_told = by_library && std::exchange(frees_at_once, false);
  const bool tells = !state.is_alone && !graphs && !is_told;
  Event event = writing(Kind::kFree, pointer, heap().size_of(pointer), pc);
  const bool is_kept = starts_this_thread(pointer);
  if (heap().mode() == HeapMode::kShared && !is_kept) {
    event.second = Heap::place_of(heap().block_of(event.address));
  }
  if (tells) announce(event);
  // Others may have run, and freed it.
  what = heap().release(event.thread, pointer, pc, is_kept);
  if (what != Freed::kOk) fail_free(what, pointer, pc);
  if (is_watched() && by_library) {
    // It counted references, unseen: all who used it happened before.
    races().allocated(event.address, words(event.size));
  } else if (is_watched()) {
    const Race* race =
        races().freed(event.thread, event.address, words(event.size), pc);
    if (race != nullptr) fail_race(*race);
  }
  if (!state.is_alone && !graphs && event.second != 0) {
    races().release(event.thread, event.address | kFreed);
  }
  if (tells) did(event);
  if (audit::on) audit_note(event.address, event.size, true, pc);
}

// `write(block)` is to write into a block that was just allocated.  Those who
// still look at it from an earlier life may see that: it is an event where
// accesses are.
template <typename Write>
void fill(void* block, std::size_t bytes, std::uintptr_t pc, Write write) {
  const bool tells =
      heap().reused() && bytes != 0 && !state.in_race_mode && !state.is_alone;
  const Event event = writing(Kind::kWrite, block, bytes, pc);
  if (tells) announce(event);
  {
    const OwnWork own;
    write(block);
  }
  if (tells) did(event);
  if (!is_watched()) return;
  const Race* race = races().write(self(), number(block), bytes, pc);
  if (race != nullptr) fail_race(*race);
}

// The C library's own: ours has its name.
std::size_t usable_size_in_libc(void* pointer) {
  using Function = std::size_t (*)(void*);
  static Function function = nullptr;
  if (function == nullptr) {
    const OwnWork own;  // it may allocate
    function =
        reinterpret_cast<Function>(dlsym(RTLD_NEXT, "malloc_usable_size"));
  }
  return function != nullptr ? function(pointer) : 0;
}

std::size_t usable_size(void* pointer) {
  if (pointer == nullptr) return 0;
  if (is_early(pointer)) return early_size_of(pointer);
  return is_in_region(pointer) ? heap().size_of(pointer)
                               : usable_size_in_libc(pointer);
}

void release(void* pointer, std::uintptr_t pc) {
  if (pointer == nullptr) return;
  if (!is_in_region(pointer)) {
    const bool is_real = !is_early(pointer);
    if (active && is_real && (take_back(pointer) || is_for_library(pc))) {
      const InLibrary quiet;
      __libc_free(pointer);
    } else if (!active && is_real) {
      __libc_free(pointer);
    }
  } else if (active) {
    give(pointer, pc);
  }
}

void* allocate(std::size_t bytes, std::size_t alignment, std::uintptr_t pc) {
  if (!active) {
    if (early::open && is_in_executable(pc)) {
      if (void* block = allocate_early(bytes, alignment)) return block;
    }
    return alignment <= kAlignment ? __libc_malloc(bytes)
                                   : __libc_memalign(alignment, bytes);
  }
  if (is_absurd(bytes)) return none();
  if (is_for_library(pc)) {
    const InLibrary quiet;
    return lend(__libc_memalign(alignment, bytes));
  }
  return take(bytes, alignment, pc);
}

void* allocate_zeros(std::size_t bytes, std::uintptr_t pc) {
  if (is_absurd(bytes)) return none();
  if (is_for_library(pc)) {
    const InLibrary quiet;
    return lend(__libc_calloc(1, bytes));
  }
  void* block = take(bytes, kAlignment, pc);
  fill(block, bytes, pc, [=](void* to) { std::memset(to, 0, bytes); });
  return block;
}

// Always moves: code that relies on staying where it is, is wrong.
void* reallocate(void* old, std::size_t bytes, std::uintptr_t pc) {
  if (!active && !is_in_region(old) && !is_early(old) &&
      !(early::open && is_in_executable(pc))) {
    return __libc_realloc(old, bytes);
  }
  if (old == nullptr) return allocate(bytes, kAlignment, pc);
  if (active && !is_in_region(old) && !is_early(old) && is_for_library(pc)) {
    const InLibrary quiet;
    take_back(old);
    return lend(__libc_realloc(old, bytes));
  }
  if (bytes == 0) {
    release(old, pc);
    return nullptr;
  }
  if (active && is_in_region(old)) {
    const Freed what = heap().may_release(old);
    if (what != Freed::kOk) fail_free(what, old, pc);
  }
  void* block = allocate(bytes, kAlignment, pc);
  if (block == nullptr) return nullptr;
  const std::size_t had = usable_size(old);
  const std::size_t kept = had < bytes ? had : bytes;
  if (active) {
    fill(block, kept, pc, [=](void* to) { std::memcpy(to, old, kept); });
  } else {
    std::memcpy(block, old, kept);
  }
  release(old, pc);
  return block;
}

bool is_alignment(std::size_t number) {
  return number != 0 && (number & (number - 1)) == 0;
}

std::size_t at_least_16(std::size_t alignment) {
  return alignment < kAlignment ? kAlignment : alignment;
}

// As [new.delete.single]: ask the handler until it gives up, then throw.
void* make_new(std::size_t bytes, std::size_t alignment, std::uintptr_t pc) {
  if (early::open && !active) {
    if (void* block = allocate_early(bytes, alignment)) return block;
  }
  for (;;) {
    void* block = allocate(bytes == 0 ? 1 : bytes, alignment, pc);
    if (block != nullptr) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) std::__throw_bad_alloc();
    handler();
  }
}

void* make_new_or_null(std::size_t bytes, std::size_t alignment,
                       std::uintptr_t pc) {
  return allocate(bytes == 0 ? 1 : bytes, alignment, pc);
}

}  // namespace

void fail_access(Fault fault, std::uintptr_t address, std::size_t size,
                 std::uintptr_t pc) {
  const BlockInfo block = heap().block_of(address);
  const bool is_freed = fault == Fault::kUseAfterFree;
  Finding finding;
  finding.fault = fault;
  finding.thread = self();
  finding.address = address;
  finding.size = static_cast<std::uint32_t>(size);
  finding.pc = pc;
  finding.other = is_freed ? block.freed_by : block.allocated_by;
  finding.other_pc = is_freed ? block.freed_at : block.allocated_at;
  if (is_freed) {
    std::snprintf(finding.text, sizeof finding.text,
                  "byte %zu of a block of %zu bytes is used after its free",
                  address - block.begin, block.size);
  } else if (block.begin != 0) {
    std::snprintf(finding.text, sizeof finding.text,
                  "an access of %zu bytes at byte %zu of a block of %zu", size,
                  address - block.begin, block.size);
  } else {
    std::snprintf(finding.text, sizeof finding.text,
                  "an access of %zu bytes where nothing was allocated", size);
  }
  fail(finding);
}

}  // namespace plumb::runtime

namespace runtime = plumb::runtime;

extern "C" {

PLUMB_EXPORT void* malloc(std::size_t bytes) {
  return runtime::allocate(bytes, runtime::kAlignment, PLUMB_CALLER);
}

PLUMB_EXPORT void free(void* pointer) {
  runtime::release(pointer, PLUMB_CALLER);
}

PLUMB_EXPORT void* calloc(std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return runtime::none();
  if (!runtime::active) {
    if (runtime::early::open && runtime::is_in_executable(PLUMB_CALLER)) {
      // It was never used before, so it is zero.
      if (void* block = runtime::allocate_early(bytes, runtime::kAlignment)) {
        return block;
      }
    }
    return __libc_calloc(count, size);
  }
  return runtime::allocate_zeros(bytes, PLUMB_CALLER);
}

PLUMB_EXPORT void* realloc(void* pointer, std::size_t bytes) {
  return runtime::reallocate(pointer, bytes, PLUMB_CALLER);
}

PLUMB_EXPORT void* reallocarray(void* pointer, std::size_t count,
                                std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return runtime::none();
  return runtime::reallocate(pointer, bytes, PLUMB_CALLER);
}

PLUMB_EXPORT void* memalign(std::size_t alignment, std::size_t bytes) {
  return runtime::allocate(bytes, runtime::at_least_16(alignment),
                           PLUMB_CALLER);
}

PLUMB_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return runtime::allocate(bytes, runtime::at_least_16(alignment),
                           PLUMB_CALLER);
}

PLUMB_EXPORT int posix_memalign(void** out, std::size_t alignment,
                                std::size_t bytes) {
  if (!runtime::is_alignment(alignment) || alignment % sizeof(void*) != 0) {
    return EINVAL;
  }
  void* block =
      runtime::allocate(bytes, runtime::at_least_16(alignment), PLUMB_CALLER);
  if (block == nullptr) return ENOMEM;
  *out = block;
  return 0;
}

PLUMB_EXPORT void* valloc(std::size_t bytes) {
  return runtime::allocate(bytes, runtime::kPage, PLUMB_CALLER);
}

PLUMB_EXPORT void* pvalloc(std::size_t bytes) {
  const std::size_t whole =
      (bytes + runtime::kPage - 1) / runtime::kPage * runtime::kPage;
  return runtime::allocate(whole, runtime::kPage, PLUMB_CALLER);
}

PLUMB_EXPORT std::size_t malloc_usable_size(void* pointer) {
  return runtime::usable_size(pointer);
}

}  // extern "C"

PLUMB_EXPORT void* operator new(std::size_t bytes) {
  return runtime::make_new(bytes, runtime::kAlignment, PLUMB_CALLER);
}

PLUMB_EXPORT void* operator new(std::size_t bytes,
                                const std::nothrow_t&) noexcept {
  return runtime::make_new_or_null(bytes, runtime::kAlignment, PLUMB_CALLER);
}

PLUMB_EXPORT void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return runtime::make_new(
      bytes, runtime::at_least_16(static_cast<std::size_t>(alignment)),
      PLUMB_CALLER);
}

PLUMB_EXPORT void* operator new(std::size_t bytes, std::align_val_t alignment,
                                const std::nothrow_t&) noexcept {
  return runtime::make_new_or_null(
      bytes, runtime::at_least_16(static_cast<std::size_t>(alignment)),
      PLUMB_CALLER);
}

PLUMB_EXPORT void* operator new[](std::size_t bytes) {
  return runtime::make_new(bytes, runtime::kAlignment, PLUMB_CALLER);
}

PLUMB_EXPORT void* operator new[](std::size_t bytes,
                                  const std::nothrow_t&) noexcept {
  return runtime::make_new_or_null(bytes, runtime::kAlignment, PLUMB_CALLER);
}

PLUMB_EXPORT void* operator new[](std::size_t bytes,
                                  std::align_val_t alignment) {
  return runtime::make_new(
      bytes, runtime::at_least_16(static_cast<std::size_t>(alignment)),
      PLUMB_CALLER);
}

PLUMB_EXPORT void* operator new[](std::size_t bytes, std::align_val_t alignment,
                                  const std::nothrow_t&) noexcept {
  return runtime::make_new_or_null(
      bytes, runtime::at_least_16(static_cast<std::size_t>(alignment)),
      PLUMB_CALLER);
}

PLUMB_EXPORT void operator delete(void* pointer) noexcept {
  runtime::release(pointer, PLUMB_CALLER);
}

PLUMB_EXPORT void operator delete(void* pointer, std::size_t) noexcept {
  runtime::release(pointer, PLUMB_CALLER);
}

PLUMB_EXPORT void operator delete(void* pointer, std::align_val_t) noexcept {
  runtime::release(pointer, PLUMB_CALLER);
}

PLUMB_EXPORT void operator delete(void* pointer, std::size_t,
                                  std::align_val_t) noexcept {
  runtime::release(pointer, PLUMB_CALLER);
}

PLUMB_EXPORT void operator delete(void* pointer,
                                  const std::nothrow_t&) noexcept {
  runtime::release(pointer, PLUMB_CALLER);
}

PLUMB_EXPORT void operator delete(void* pointer, std::align_val_t,
                                  const std::nothrow_t&) noexcept {
  runtime::release(pointer, PLUMB_CALLER);
}

PLUMB_EXPORT void operator delete[](void* pointer) noexcept {
  runtime::release(pointer, PLUMB_CALLER);
}

PLUMB_EXPORT void operator delete[](void* pointer, std::size_t) noexcept {
  runtime::release(pointer, PLUMB_CALLER);
}

PLUMB_EXPORT void operator delete[](void* pointer, std::align_val_t) noexcept {
  runtime::release(pointer, PLUMB_CALLER);
}

PLUMB_EXPORT void operator delete[](void* pointer, std::size_t,
                                    std::align_val_t) noexcept {
  runtime::release(pointer, PLUMB_CALLER);
}

PLUMB_EXPORT void operator delete[](void* pointer,
                                    const std::nothrow_t&) noexcept {
  runtime::release(pointer, PLUMB_CALLER);
}

PLUMB_EXPORT void operator delete[](void* pointer, std::align_val_t,
                                    const std::nothrow_t&) noexcept {
  runtime::release(pointer, PLUMB_CALLER);
}
