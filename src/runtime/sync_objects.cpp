// SPDX-License-Identifier: Apache-2.0
#include "runtime/sync_objects.h"

#include <bit>

#include "runtime/graph_memory.h"

namespace plumb::runtime {

namespace {

// LIMIT: so many objects in one execution; a quarter of the table stays free,
// so that searches are short.  Pages that are not used cost nothing.
constexpr std::size_t kSlotBits = 16;
constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;
constexpr std::size_t kMostObjects = kSlots / 4 * 3;

SyncObject table[kSlots];
constinit std::size_t used = 0;
std::uint32_t used_slots[kMostObjects];
constinit std::uint32_t used_in_run = 0;
constinit Waiting waiting[sched::kMaxThreads];

std::size_t first_slot(std::uintptr_t address) {
  return static_cast<std::size_t>((address >> 2) * 0x9E3779B97F4A7C15u >>
                                  (64 - kSlotBits));
}

SyncObject& enter(SyncObject& slot, std::uintptr_t address) {
  if (used_in_run != run_number) {
    used_in_run = run_number;
    used = 0;
  }
  if (++used > kMostObjects) {
    fail(Fault::kOutOfMemory, 0, "more than %zu mutexes and the like",
         kMostObjects);
  }
  used_slots[used - 1] = static_cast<std::uint32_t>(&slot - table);
  slot.address = address;
  slot.run = run_number;
  slot.reset();
  return slot;
}

std::uint32_t size_of(ThreadMask threads) {
  return static_cast<std::uint32_t>(std::popcount(threads));
}

void erase(SyncObject& queue, std::uint32_t index) {
  --queue.wakes;
  for (std::uint32_t i = index; i < queue.wakes; ++i) {
    queue.wake_ups[i] = queue.wake_ups[i + 1];
  }
}

// The oldest wake-up for this thread; queue.wakes if there is none.
std::uint32_t oldest_for(const SyncObject& queue, ThreadId thread) {
  std::uint32_t index = 0;
  while (index < queue.wakes && !(queue.wake_ups[index] & sched::bit(thread))) {
    ++index;
  }
  return index;
}

// The thread is no waiter any more; wake-ups that nobody can take are lost.
void leave(SyncObject& queue, ThreadId thread) {
  const ThreadMask others = ~sched::bit(thread);
  queue.waiters &= others;
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < queue.wakes; ++i) {
    const ThreadMask left = queue.wake_ups[i] & others;
    if (size_of(left) > kept) queue.wake_ups[kept++] = left;
  }
  queue.wakes = kept;
}

// A predicate about a Waiting: it was told, or need not be told.
bool may_go_on(const void* waiting_thread) {
  const Waiting& mine = *static_cast<const Waiting*>(waiting_thread);
  return mine.woken || mine.timed ||
         oldest_for(*mine.queue, mine.thread) < mine.queue->wakes;
}

}  // namespace

void SyncObject::reset() {
  owner = sched::kNoThread;
  known = is_robust = false;
  count = bound = round = sharers = wakes = 0;
  waiters = 0;
  for (std::uint8_t& share : shares) share = 0;
}

SyncObject& object_at(const volatile void* address) {
  const std::uintptr_t wanted = number_of(address);
  for (std::size_t slot = first_slot(wanted);; slot = (slot + 1) % kSlots) {
    SyncObject& object = table[slot];
    if (object.run != run_number) return enter(object, wanted);
    if (object.address == wanted) return object;
  }
}

void each_object(void (*visit)(void*, const SyncObject&), void* context) {
  if (used_in_run != run_number) return;
  for (std::size_t i = 0; i < used; ++i) visit(context, table[used_slots[i]]);
}

Waiting& waiting_of(ThreadId thread) {
  return waiting[thread];
}

void yield_to_others(const void* pc) {
  Event event = sync_event(Kind::kYield, 0, false, pc);
  event.size = 0;
  if (graphs) return;  // whoever can goes on
  Turn turn(event);
  turn.done();
}

bool has_no_owner(const void* object) {
  return static_cast<const SyncObject*>(object)->owner == sched::kNoThread;
}

SyncAccess taking(const SyncObject& mutex) {
  SyncAccess access{mutex.address, __ATOMIC_ACQUIRE, [](const sched::Bytes&) {
                      return sched::Bytes{1, 0};
                    }};
  access.updates = sched::Updates::kIfEqual;
  access.in_place = true;
  return access;
}

SyncAccess giving_back(const SyncObject& mutex) {
  return {mutex.address, __ATOMIC_RELEASE, [](const sched::Bytes&) {
            return sched::Bytes{0, 0};
          }};
}

void start_waiting(SyncObject& queue, bool timed) {
  waiting_of(self()) = {.queue = &queue, .thread = self(), .timed = timed};
  queue.waiters |= sched::bit(self());
}

std::uint32_t wake_one(SyncObject& queue) {
  if (queue.wakes >= size_of(queue.waiters)) return 0;
  queue.wake_ups[queue.wakes++] = queue.waiters;
  return 1;
}

std::uint32_t wake_all(SyncObject& queue) {
  const std::uint32_t asleep = size_of(queue.waiters) - queue.wakes;
  for (ThreadMask left = queue.waiters; left != 0; left &= left - 1) {
    waiting[std::countr_zero(left)].woken = true;
  }
  queue.waiters = 0;
  queue.wakes = 0;
  return asleep;
}

// Like taking from a semaphore: of several wake-ups, each may be the one that
// lets it go on.  Those who were all told at once do not take from each other.
bool go_on(SyncObject& queue, const void* pc, int order) {
  const Waiting& mine = waiting_of(self());
  if (mine.timed) yield_to_others(pc);
  Turn turn(sync_event(Kind::kDown, queue.address, true, pc), may_go_on, &mine,
            order);
  bool told = mine.woken;
  if (told) {
    turn.event.writes = false;
    turn.event.tries = true;
  } else {
    const std::uint32_t index = oldest_for(queue, mine.thread);
    told = index < queue.wakes;
    if (told) erase(queue, index);
    leave(queue, mine.thread);
  }
  turn.done(told);
  return told;
}

void not_supported(const void* pc, const char* what) {
  fail(Fault::kUnsupported, number_of(pc), "%s is not supported", what);
}

}  // namespace plumb::runtime
