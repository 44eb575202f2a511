// SPDX-License-Identifier: Apache-2.0
// What compilers call with -fsanitize=thread, for accesses and for functions.
//
// Atomics are events of the search.  Plain accesses are watched for data races
// and for errors of the heap; where races are allowed they are events, too.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <utility>

#include "runtime/annotations.h"
#include "runtime/announced_copy.h"
#include "runtime/announcers.h"
#include "runtime/atomic_words.h"
#include "runtime/audit.h"
#include "runtime/core.h"
#include "runtime/execution.h"
#include "runtime/fibers.h"
#include "runtime/globals.h"
#include "runtime/graph_accesses.h"
#include "runtime/graph_memory.h"
#include "runtime/heap.h"
#include "runtime/libatomic.h"
#include "runtime/library_data.h"
#include "runtime/loop_points.h"
#include "runtime/races.h"
#include "runtime/standard_streams.h"
#include "runtime/tls.h"
#include "runtime/told_exchanges.h"
#include "runtime/touch.h"
#include "runtime/unseen_accesses.h"
#include "runtime/weak_orders.h"

std::uint64_t entry_registers[12];

namespace plumb::runtime {

// At each step: `rep stos`, which compilers make of memset(), begins slowly.
[[gnu::noinline]] void clear_stack_below() {
  alignas(64) unsigned char rubbish[1024];
#if defined(__x86_64__)
  unsigned char* at = rubbish;
  asm volatile(
      "pxor %%xmm0, %%xmm0\n"
      "1: movaps %%xmm0, (%0)\n"
      "movaps %%xmm0, 16(%0)\n"
      "movaps %%xmm0, 32(%0)\n"
      "movaps %%xmm0, 48(%0)\n"
      "add $64, %0\n"
      "cmp %1, %0\n"
      "jb 1b"
      : "+r"(at)
      : "r"(rubbish + sizeof(rubbish))
      : "xmm0", "memory", "cc");
#else
  std::memset(rubbish, 0, sizeof(rubbish));
#endif
  asm volatile("" : : "r"(rubbish) : "memory");
}

void LoopPoint::leave() {
  at_loop_point = false;
  if (loop_guard) clear_stack_below();
}

namespace {

__extension__ using Word128 = unsigned __int128;
constexpr std::uintptr_t kStacksBytes = kHeap - kRegion;

inline std::uintptr_t number(const volatile void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

[[noreturn, gnu::noinline]] void report(const Race& race) {
  const auto is_atomic = [](AccessKind kind) {
    return kind == AccessKind::kAtomicRead || kind == AccessKind::kAtomicWrite;
  };
  require_plain_race(race.pc, race.other_pc,
                     is_atomic(race.kind) || is_atomic(race.other_kind));
  Finding finding;
  finding.fault = Fault::kRace;
  finding.address = race.address;
  finding.size = static_cast<std::uint32_t>(race.size);
  finding.pc = race.pc;
  finding.other = race.other;
  finding.other_pc = race.other_pc;
  std::snprintf(finding.text, sizeof(finding.text), "%s", describe(race));
  fail(finding);
}

void show(const Event& event, bool is_plain, std::uint64_t before,
          std::uintptr_t pc) {
  const OwnWork own;
  const Fiber& fiber = here();
  Sight sight{event, is_plain, before, fiber.frames, shown_depth(), pc};
  sight.event.thread = state.current;
  watcher(sight);
}

// What a thread reads decides what it does next; and whether a write changes
// anything, what was there before.
void remember(std::uintptr_t address, std::uint32_t size) {
  const auto add = [&log = here().loops](std::uint64_t word) {
    log.past = mix(log.past, word);
    log.observed = mix(log.observed, word);
  };
  for (; size > 8; size -= 8, address += 8) add(peek(address, 8));
  add(peek(address, size));
}

// Is memory at `address` something that others may see?  All memory is, but for
// stacks that nobody else looks at, and what the C library keeps for the one
// thread of the system that all threads of the test are.  Marks globals.
inline bool is_shared(std::uintptr_t address, std::uint32_t size, bool writes) {
  const std::uintptr_t offset = address - kRegion;
  if (offset < kStacksBytes) {
    const auto owner = static_cast<ThreadId>(offset / kStackRoom);
    if (owner == state.current) return here().own.size == 0;
    if (!(state.shared_stacks >> owner & 1)) share_stack(owner);
    return true;
  }
  if (offset < kRegionBytes) return true;
  const bool is_global = in_globals(address);
  if (writes && is_global) globals_written(address, size);
  if (writes && !is_global) system_was_called = true;
  if (is_standard_stream(address)) return false;
  return is_global || !tls_is_common(address);
}

constinit AnnouncedWrite last_write;

[[gnu::noinline]] void plain_event(std::uintptr_t address, std::uint32_t size,
                                   bool writes, std::uintptr_t pc) {
  Event event;
  event.address = address;
  event.size = size;
  event.kind = writes ? Kind::kWrite : Kind::kRead;
  event.writes = writes;
  event.pc = pc;
  event.site = site_of(pc);
  if (!writes && last_write.may_be_copied(size)) {
    event.second = last_write.address;
    event.second_size = size;
  }
  announce(event);
  // Meanwhile somebody may have freed it.
  const Fault fault = heap().check(address, size);
  if (fault != Fault::kNone) fail_access(fault, address, size, pc);
  if (watcher) show(event, true, peek(address, size), pc);
  if (loop_guard) {
    remember(address, size);
    if (event.second) note_written(event.second, event.second_size);
  }
  did(event);
  if (writes) {
    last_write = {run_number, state.steps, state.current,
                  address,    size,        hash_of(address, size)};
  }
}

inline void plain_shared(std::uintptr_t address, std::uint32_t size,
                         bool writes, std::uintptr_t pc) {
  if (!is_shared(address, size, writes)) return;
  here().span.touches = true;
  const Fault fault = heap().check(address, size);
  if (__builtin_expect(fault != Fault::kNone, 0)) {
    fail_access(fault, address, size, pc);
  }
  if (watcher && state.in_race_mode && !state.is_alone) {
    Event event;
    event.address = address;
    event.size = size;
    event.kind = writes ? Kind::kWrite : Kind::kRead;
    event.writes = writes;
    show(event, true, peek(address, size), pc);
  }
  if (state.is_alone) return;
  if (writes && graphs) forget_atomics(address, size);
  if (loop_guard) {
    remember(address, size);
    if (writes) note_written(address, size);
  }
  if (!state.in_race_mode ||
      (is_annotated && is_race_allowed(address, size, writes))) {
    return plain_event(address, size, writes, pc);
  }
  const Race* race = writes ? races().write(state.current, address, size, pc)
                            : races().read(state.current, address, size, pc);
  if (__builtin_expect(race != nullptr, 0)) report(*race);
}

[[gnu::noinline]] void plain_elsewhere(std::uintptr_t address,
                                       std::uint32_t size, bool writes,
                                       std::uintptr_t pc) {
  plain_shared(address, size, writes, pc);
  if (__builtin_expect(audit::on, 0)) audit_note(address, size, writes, pc);
}

// That nobody else looks at.
inline bool is_on_own_stack(std::uintptr_t address) {
  const Stack& own = here().own;
  return address - own.low < own.size;
}

// A plain access, right before it happens.  Without optimisation, most are of
// locals.
inline void plain(const volatile void* pointer, std::uint32_t size, bool writes,
                  std::uintptr_t pc) {
  if (!active) return;
  const std::uintptr_t address = number(pointer);
  if (is_on_own_stack(address)) return;
  plain_elsewhere(address, size, writes, pc);
}

}  // namespace

void plain_access(std::uintptr_t address, std::size_t size, bool writes,
                  std::uintptr_t pc) {
  const auto bytes = static_cast<std::uint32_t>(size);
  if (address & kHiddenState) {
    note_blind();
    if (state.is_alone) return;
    const Race* race = writes ? races().write(state.current, address, size, pc)
                              : races().read(state.current, address, size, pc);
    if (race != nullptr) report(*race);
    return;
  }
  if (!is_on_own_stack(address)) plain_elsewhere(address, bytes, writes, pc);
}

bool check_access(std::uintptr_t address, std::size_t size, bool writes,
                  std::uintptr_t pc) {
  const auto bytes = static_cast<std::uint32_t>(size);
  if (is_on_own_stack(address) || !is_shared(address, bytes, writes)) {
    return false;
  }
  here().span.touches = true;
  const Fault fault = heap().check(address, size);
  if (fault != Fault::kNone) fail_access(fault, address, size, pc);
  return true;
}

void note_hidden(std::uintptr_t address, bool writes, std::uintptr_t pc) {
  if (state.is_alone || !state.in_race_mode) return;
  const Race* race = writes ? races().write(state.current, address, 8, pc)
                            : races().read(state.current, address, 8, pc);
  if (race != nullptr) report(*race);
}

void note_use(std::uintptr_t address, std::uintptr_t pc) {
  constexpr std::size_t kUsed = 4;  // the smallest of them has no more
  if (!check_access(address, kUsed, false, pc)) return;
  if (state.is_alone || !state.in_race_mode ||
      (is_annotated && is_race_allowed(address, kUsed, false))) {
    return;
  }
  const Race* race = races().read(state.current, address, kUsed, pc);
  if (race != nullptr) report(*race);
}

void note_access(std::uintptr_t address, std::size_t size, bool writes,
                 std::uintptr_t pc) {
  const auto bytes = static_cast<std::uint32_t>(size);
  const Fault fault = heap().check(address, size);
  if (fault != Fault::kNone) fail_access(fault, address, size, pc);
  if (loop_guard) remember(address, bytes);
  if (!watcher) return;
  Event event;
  event.address = address;
  event.size = bytes;
  event.kind = writes ? Kind::kWrite : Kind::kRead;
  event.writes = writes;
  show(event, true, peek(address, bytes), pc);
}

namespace {

// What an atomic operation is about to do.
struct Atomic {
  std::uintptr_t address;
  std::uint32_t size;
  std::uintptr_t pc;
  int order;
  bool may_loop = true;   // entry_registers are those of this operation
  bool is_hooked = true;  // else what is about to happen was found by the audit
};

// Before an atomic operation: nothing more to do if alone.
inline bool begin(const Atomic& atomic, Kind kind) {
  if (in_globals(atomic.address)) {
    if (kind != Kind::kRead) globals_written(atomic.address, atomic.size);
  } else if (atomic.address - kHeap >= Heap::kBytes &&
             !is_shared(atomic.address, atomic.size, false) && graphs) {
    return false;  // a location of this thread alone
  }
  const Fault fault = heap().check(atomic.address, atomic.size);
  if (__builtin_expect(fault != Fault::kNone, 0)) {
    fail_access(fault, atomic.address, atomic.size, atomic.pc);
  }
  if (state.is_alone) return false;
  const std::uint64_t operations = heap().operations();
  Event& event = *here().next;
  event = {.address = atomic.address,
           .size = atomic.size,
           .thread = state.current,
           .kind = kind,
           .writes = kind != Kind::kRead,
           .order = static_cast<std::uint8_t>(atomic.order),
           .site = site_of(atomic.pc),
           .pc = atomic.pc};
  if (loop_guard && atomic.may_loop) {
    announce_next_in_loop();
  } else {
    announce_next();
  }
  if (heap().operations() == operations) return true;
  // Meanwhile somebody may have freed it.
  const Fault later = heap().check(atomic.address, atomic.size);
  if (__builtin_expect(later != Fault::kNone, 0)) {
    fail_access(later, atomic.address, atomic.size, atomic.pc);
  }
  return true;
}

// Of those that others could have seen.
inline void note_order(Ordered what, int order, std::uintptr_t pc) {
  if (order != __ATOMIC_SEQ_CST || notes_all_orders) {
    note_weak_order(what, order, pc);
  }
}

// After it: what it came to.
// `high`: a hash of what does not fit 8 bytes.
inline void end(const Atomic& atomic, Kind kind, std::uint64_t before,
                std::uint64_t value, std::uint64_t high, bool tries = false) {
  const Race* race = nullptr;
  // Graphs know by themselves who follows whom.
  const int order = graphs ? __ATOMIC_RELAXED : atomic.order;
  switch (kind) {
    case Kind::kRead:
      race = races().atomic_load(state.current, atomic.address, atomic.size,
                                 order, atomic.pc);
      break;
    case Kind::kWrite:
      race = races().atomic_store(state.current, atomic.address, atomic.size,
                                  order, atomic.pc);
      break;
    default:
      race = races().atomic_update(state.current, atomic.address, atomic.size,
                                   order, atomic.pc);
  }
  if (graphs) tell_races();
  Event& event = *here().next;
  event.kind = kind;
  event.writes = kind != Kind::kRead;
  event.tries = tries;
  event.value = value;
  event.found = mix(before, high);
  event.seen = mix(kind == Kind::kWrite ? value : event.found, value);
  event.is_silent = before == value && high == 0;
  if (watcher) show(event, false, before, atomic.pc);
  if (__builtin_expect(race != nullptr, 0) && state.in_race_mode) {
    report(*race);
  }
  did_next();
  if (__builtin_expect(audit::on, 0) && atomic.is_hooked) {
    audit_note(atomic.address, atomic.size, event.writes, atomic.pc);
  }
  if (loop_guard) clear_stack_below();
}

template <typename T>
T load(const volatile T* pointer, int order, std::uintptr_t pc,
       bool may_loop = true) {
  if (!active) return real_load(pointer);
  order = order_at(Ordered::kLoad, order, pc);
  const Atomic atomic{number(pointer), sizeof(T), pc, order, may_loop};
  const bool visible = begin(atomic, Kind::kRead);
  const T value =
      visible && graphs ? load_in_graph(pointer, order, pc) : *pointer;
  if (visible) {
    note_order(Ordered::kLoad, order, pc);
    end(atomic, Kind::kRead, low_word(value), low_word(value),
        high_words(value, value));
  }
  return value;
}

template <typename T>
void store(volatile T* pointer, T value, int order, std::uintptr_t pc,
           bool may_loop = true) {
  if (!active) {
    real_update(pointer, [value](T) { return value; });
    return;
  }
  order = order_at(Ordered::kStore, order, pc);
  const Atomic atomic{number(pointer), sizeof(T), pc, order, may_loop};
  const bool visible = begin(atomic, Kind::kWrite);
  const T before = *pointer;
  if (visible && graphs) {
    store_in_graph(pointer, value, order, pc);
  } else {
    *pointer = value;
  }
  if (visible) {
    note_order(Ordered::kStore, order, pc);
    end(atomic, Kind::kWrite, low_word(before), low_word(value),
        high_words(before, value));
  }
}

template <typename T, typename Change>
T update(volatile T* pointer, int order, std::uintptr_t pc, Change change,
         bool may_loop = true) {
  if (!active) return real_update(pointer, change);
  order = order_at(Ordered::kUpdate, order, pc);
  const Atomic atomic{number(pointer), sizeof(T), pc, order, may_loop};
  const bool visible = begin(atomic, Kind::kUpdate);
  T before = *pointer;
  T after = change(before);
  if (visible && graphs) {
    sched::GraphScheduler::Read read;
    sched::ReadLabel label;
    label.order = static_cast<std::uint8_t>(order);
    label.updates = sched::Updates::kAlways;
    before = update_in_graph(pointer, label, pc, read, change);
    after = change(before);
  } else {
    *pointer = after;
  }
  if (visible) {
    note_order(Ordered::kUpdate, order, pc);
    end(atomic, Kind::kUpdate, low_word(before), low_word(after),
        high_words(before, after));
  }
  return before;
}

// Memory orders of a compare-exchange, and whether it may fail for no reason.
struct Orders {
  int success;
  int failure;
  bool is_weak = false;
};

// `expected` is nobody else's.
template <typename T>
bool exchange_if(volatile T* pointer, T& expected, T desired, Orders orders,
                 std::uintptr_t pc, bool may_loop = true) {
  if (!active) {
    const T found = real_swap(pointer, expected, desired);
    return std::exchange(expected, found) == found;
  }
  orders.success = order_at(Ordered::kUpdate, orders.success, pc);
  orders.failure = order_at(Ordered::kFailure, orders.failure, pc);
  Atomic atomic{number(pointer), sizeof(T), pc, orders.success, may_loop};
  const bool visible = begin(atomic, Kind::kUpdate);
  T before = *pointer;
  bool works = before == expected;
  if (visible && graphs) {
    sched::GraphScheduler::Read read;
    sched::ReadLabel label;
    label.order = static_cast<std::uint8_t>(orders.success);
    label.failure = static_cast<std::uint8_t>(orders.failure);
    label.updates = sched::Updates::kIfEqual;
    label.may_fail = may_fail_in_graph(orders.is_weak);
    label.expected = to_bytes(expected);
    before = update_in_graph(pointer, label, pc, read,
                             [desired](T) { return desired; });
    works = read.updates;
    here().spurious[static_cast<std::size_t>(Spurious::kCas)] += read.fails;
  } else if (works && visible && orders.is_weak) {
    works = !fails_spuriously(Spurious::kCas, *here().next);
  }
  if (works) {
    if (!(visible && graphs)) *pointer = desired;
  } else {
    expected = before;
    atomic.order = orders.failure;
  }
  if (visible) {
    note_order(Ordered::kUpdate, orders.success, pc);
    note_order(Ordered::kFailure, orders.failure, pc);
    end(atomic, works ? Kind::kUpdate : Kind::kRead, low_word(before),
        low_word(works ? desired : before),
        high_words(before, works ? desired : before), !works);
  }
  return works;
}

template <typename T>
T exchange_told(volatile T* pointer, T expected, T desired, Orders orders,
                std::uintptr_t pc) {
  T found = expected;
  orders.is_weak = active && is_told_weak(pc);
  const bool is_done = exchange_if(pointer, found, desired, orders, pc);
  if (!is_done && found == expected) note_vain_exchange();
  return found;
}

// Of who is in a call whose event is still to come: others may run before it.
class SavedEntry {
 public:
  SavedEntry() { std::memcpy(saved_, entry_registers, sizeof(saved_)); }
  ~SavedEntry() { std::memcpy(entry_registers, saved_, sizeof(saved_)); }
  SavedEntry(const SavedEntry&) = delete;
  SavedEntry& operator=(const SavedEntry&) = delete;

 private:
  std::uint64_t saved_[std::size(entry_registers)];
};

// What GCC does not announce: the value that is expected is read, and written
// by who fails.  It may be anything, not just a local.
template <typename T>
bool exchange_if_there(volatile T* pointer, T* expected, T desired,
                       Orders orders, std::uintptr_t pc) {
  if (active && !is_on_own_stack(number(expected))) {
    const SavedEntry saved;
    plain_elsewhere(number(expected), sizeof(T), false, pc);
  }
  T found = *expected;
  if (exchange_if(pointer, found, desired, orders, pc)) return true;
  plain(expected, sizeof(T), true, pc);
  *expected = found;
  return false;
}

void fence(int order) {
  if (!active) return __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (state.is_alone) return;
  if (!graphs) return races().fence(state.current, order);
  Event& event = *here().next;
  event = {.thread = state.current,
           .kind = Kind::kFence,
           .order = static_cast<std::uint8_t>(order)};
  announce_next();
  {
    const OwnWork own;
    graphs->fence(self(), order);
    tell_races();
  }
  did_next();
}

}  // namespace
}  // namespace plumb::runtime

namespace rt = plumb::runtime;

#define PLUMB_PC reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

#define PLUMB_PLAIN(size)                           \
  void __tsan_read##size(void* p) {                 \
    rt::plain(p, size, false, PLUMB_PC);            \
  }                                                 \
  void __tsan_write##size(void* p) {                \
    rt::plain(p, size, true, PLUMB_PC);             \
  }                                                 \
  void __tsan_unaligned_read##size(void* p) {       \
    rt::plain(p, size, false, PLUMB_PC);            \
  }                                                 \
  void __tsan_unaligned_write##size(void* p) {      \
    rt::plain(p, size, true, PLUMB_PC);             \
  }                                                 \
  void __tsan_read_write##size(void* p) {           \
    rt::plain(p, size, true, PLUMB_PC);             \
  }                                                 \
  void __tsan_unaligned_read_write##size(void* p) { \
    rt::plain(p, size, true, PLUMB_PC);             \
  }

// Atomic operations are where loops are noticed (loop_points.h).
#if defined(__x86_64__)
#define PLUMB_ENTER(name, arguments)            \
  __attribute__((naked)) void __tsan_##name() { \
    PLUMB_SAVE_AND_GO(hook_##name, arguments);  \
  }
#define PLUMB_HOOK(name) __attribute__((visibility("hidden"))) hook_##name
#else
#define PLUMB_ENTER(name, arguments)
#define PLUMB_HOOK(name) __tsan_##name
#endif

// Volatile accesses count as relaxed atomic ones: code that means them to be
// seen by others is older than std::atomic.
#define PLUMB_VOLATILE_ONE(name, size, writes)      \
  void PLUMB_HOOK(name##size)(void* p) {            \
    rt::volatile_access(p, size, writes, PLUMB_PC); \
  }                                                 \
  PLUMB_ENTER(name##size, 1)
#define PLUMB_VOLATILE(size)                               \
  PLUMB_VOLATILE_ONE(volatile_read, size, false)           \
  PLUMB_VOLATILE_ONE(volatile_write, size, true)           \
  PLUMB_VOLATILE_ONE(unaligned_volatile_read, size, false) \
  PLUMB_VOLATILE_ONE(unaligned_volatile_write, size, true)

#define PLUMB_FETCH(bits, type, name, expression)                             \
  type PLUMB_HOOK(atomic##bits##_fetch_##name)(volatile type * p, type value, \
                                               int order) {                   \
    return rt::update(p, order, PLUMB_PC, [value](type old) {                 \
      return static_cast<type>(expression);                                   \
    });                                                                       \
  }                                                                           \
  PLUMB_ENTER(atomic##bits##_fetch_##name, 3)

#define PLUMB_ATOMIC(bits, type)                                              \
  type PLUMB_HOOK(atomic##bits##_load)(const volatile type* p, int order) {   \
    return rt::load(p, order, PLUMB_PC);                                      \
  }                                                                           \
  PLUMB_ENTER(atomic##bits##_load, 2)                                         \
  void PLUMB_HOOK(atomic##bits##_store)(volatile type * p, type v,            \
                                        int order) {                          \
    rt::store(p, v, order, PLUMB_PC);                                         \
  }                                                                           \
  PLUMB_ENTER(atomic##bits##_store, 3)                                        \
  type PLUMB_HOOK(atomic##bits##_exchange)(volatile type * p, type v,         \
                                           int order) {                       \
    return rt::update(p, order, PLUMB_PC, [v](type) { return v; });           \
  }                                                                           \
  PLUMB_ENTER(atomic##bits##_exchange, 3)                                     \
  PLUMB_FETCH(bits, type, add, old + value)                                   \
  PLUMB_FETCH(bits, type, sub, old - value)                                   \
  PLUMB_FETCH(bits, type, and, old& value)                                    \
  PLUMB_FETCH(bits, type, or, old | value)                                    \
  PLUMB_FETCH(bits, type, xor, old ^ value)                                   \
  PLUMB_FETCH(bits, type, nand, ~(old & value))                               \
  int PLUMB_HOOK(atomic##bits##_compare_exchange_strong)(                     \
      volatile type * p, type * expected, type v, int order, int failure) {   \
    return rt::exchange_if_there(p, expected, v, {order, failure}, PLUMB_PC); \
  }                                                                           \
  PLUMB_ENTER(atomic##bits##_compare_exchange_strong, 5)                      \
  int PLUMB_HOOK(atomic##bits##_compare_exchange_weak)(                       \
      volatile type * p, type * expected, type v, int order, int failure) {   \
    return rt::exchange_if_there(p, expected, v, {order, failure, true},      \
                                 PLUMB_PC);                                   \
  }                                                                           \
  PLUMB_ENTER(atomic##bits##_compare_exchange_weak, 5)                        \
  type PLUMB_HOOK(atomic##bits##_compare_exchange_val)(                       \
      volatile type * p, type expected, type v, int order, int failure) {     \
    return rt::exchange_told(p, expected, v, {order, failure}, PLUMB_PC);     \
  }                                                                           \
  PLUMB_ENTER(atomic##bits##_compare_exchange_val, 5)

namespace plumb::runtime {
namespace {

inline void volatile_access(void* pointer, std::uint32_t size, bool writes,
                            std::uintptr_t pc) {
  if (!active) return;
  const std::uintptr_t address = number(pointer);
  if (!is_shared(address, size, writes)) return;
  if (graphs) return plain_shared(address, size, writes, pc);
  weak_orders.has_volatile |= !state.is_alone;
  const Atomic atomic{address, size, pc, __ATOMIC_RELAXED};
  const Kind kind = writes ? Kind::kWrite : Kind::kRead;
  if (!begin(atomic, kind)) return;
  const std::uint64_t value = peek(address, size);
  // What a write writes is not known yet.
  end(atomic, kind, value, value, writes ? 1 : 0);
}

inline void range(void* pointer, std::size_t bytes, bool writes,
                  std::uintptr_t pc) {
  if (bytes != 0) {
    plain(pointer, static_cast<std::uint32_t>(bytes), writes, pc);
  }
}

}  // namespace

void plain_unseen(const Unseen& access) {
  is_shared(access.address, access.size, access.writes);
  if (is_standard_stream(access.address)) return;
  const Fault fault = heap().check(access.address, access.size);
  // Libraries may read a word more than they use.
  if (fault == Fault::kUseAfterFree ||
      (fault != Fault::kNone && access.writes)) {
    fail_access(fault, access.address, access.size, access.pc);
  }
  if (state.is_alone) return;
  if (loop_guard && !access.is_of_library) {
    remember(access.address, access.size);
  }
  if (!state.in_race_mode) {
    return plain_event(access.address, access.size, access.writes, access.pc);
  }
  const Race* race =
      access.writes
          ? races().write(state.current, access.address, access.size, access.pc)
          : races().read(state.current, access.address, access.size, access.pc);
  if (race != nullptr) report(*race);
}

bool races_unseen(const Unseen& access) {
  is_shared(access.address, access.size, access.writes);
  if (state.is_alone || is_standard_stream(access.address)) return false;
  const Race* race =
      access.writes
          ? races().write(state.current, access.address, access.size, access.pc)
          : races().read(state.current, access.address, access.size, access.pc);
  return race != nullptr;
}

void atomic_unseen(const Unseen& access) {
  is_shared(access.address, access.size, access.writes);
  const Atomic atomic{access.address,   access.size, access.pc,
                      __ATOMIC_SEQ_CST, false,       false};
  const Kind kind = !access.writes ? Kind::kRead
                    : access.reads ? Kind::kUpdate
                                   : Kind::kWrite;
  if (!begin(atomic, kind)) return;
  const std::uint64_t value = peek(access.address, access.size);
  // What it writes is not known yet.
  end(atomic, kind, value, value, access.writes ? 1 : 0);
}

}  // namespace plumb::runtime

extern "C" {

void __tsan_init() {}
PLUMB_PLAIN(1)
PLUMB_PLAIN(2)
PLUMB_PLAIN(4)
PLUMB_PLAIN(8)
PLUMB_PLAIN(16)
PLUMB_VOLATILE(1)
PLUMB_VOLATILE(2)
PLUMB_VOLATILE(4)
PLUMB_VOLATILE(8)
PLUMB_VOLATILE(16)
PLUMB_ATOMIC(8, std::uint8_t)
PLUMB_ATOMIC(16, std::uint16_t)
PLUMB_ATOMIC(32, std::uint32_t)
PLUMB_ATOMIC(64, std::uint64_t)
PLUMB_ATOMIC(128, rt::Word128)

void __tsan_read_range(void* p, unsigned long bytes) {
  rt::range(p, bytes, false, PLUMB_PC);
}
void __tsan_write_range(void* p, unsigned long bytes) {
  rt::range(p, bytes, true, PLUMB_PC);
}
// Constructors write the pointer to the table of virtual functions.
void __tsan_vptr_update(void** p, void* value) {
  if (*p != value) return rt::plain(p, 8, true, PLUMB_PC);
  if (rt::audit::on) rt::audit_note(rt::number(p), 8, true, PLUMB_PC);
}
void __tsan_vptr_read(void** p) {
  rt::plain(p, 8, false, PLUMB_PC);
}

void __tsan_atomic_thread_fence(int order) {
  rt::fence(order);
}
void __tsan_atomic_signal_fence(int) {}

void __tsan_func_entry(void* pc) {
  if (!rt::active) return;
  rt::Fiber& fiber = rt::here();
  const std::uint32_t depth = fiber.depth++;
  if (depth >= rt::kMaxFrames) return;
  fiber.frames[depth] = reinterpret_cast<std::uintptr_t>(pc);
  if (fiber.hashed > depth) fiber.hashed = depth;
  if (__builtin_expect(rt::audit::on, 0)) rt::audit_leave();
}
void __tsan_func_exit() {
  if (!rt::active) return;
  rt::Fiber& fiber = rt::here();
  if (fiber.depth > 0) --fiber.depth;
  if (__builtin_expect(rt::audit::on, 0)) rt::audit_leave();
}
}

namespace plumb::runtime {

bool atomic_bytes(const LargeAtomic& what, bool (*change)(void*, void*),
                  void* context) {
  Atomic atomic{what.address, what.size, what.pc, what.order, false};
  const bool visible = begin(atomic, what.kind);
  const std::uint64_t before = peek(what.address, what.size);
  const std::uint64_t hash = hash_of(what.address, what.size);
  const bool changes = change(reinterpret_cast<void*>(what.address), context);
  if (!visible) return changes;
  const bool fails = what.kind == Kind::kUpdate && !changes;
  if (fails) atomic.order = what.failure;
  const std::uint64_t high =
      what.size <= 8 ? 0 : mix(hash, hash_of(what.address, what.size)) | 1;
  end(atomic, fails ? Kind::kRead : what.kind, before,
      peek(what.address, what.size), high, fails);
  return changes;
}

}  // namespace plumb::runtime
