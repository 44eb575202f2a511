// SPDX-License-Identifier: Apache-2.0
#include "runtime/picture.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "runtime/execution.h"
#include "runtime/fibers.h"
#include "runtime/globals.h"
#include "runtime/heap.h"
#include "runtime/library_data.h"
#include "runtime/mappings.h"
#include "runtime/races.h"
#include "runtime/sync_objects.h"
#include "runtime/thread_data.h"
#include "runtime/thread_settings.h"
#include "runtime/time.h"
#include "runtime/tls.h"

namespace plumb::runtime {

namespace {

// More is not copied for this; then no loop is cut.
constexpr std::size_t kMostMemory = std::size_t{4} << 20;

// Takes it into a picture, or into a hash.
class Camera {
 public:
  explicit Camera(Picture& picture) : picture_(&picture) {}
  explicit Camera(StateHash& hash) : hash_(&hash) {}

  void memory(std::uintptr_t begin, std::size_t bytes) {
    if (hash_ != nullptr) return hash_->bytes(begin, bytes);
    if (bytes > kMostMemory) {
      picture_->is_whole = false;
      return;
    }
    const auto* from = reinterpret_cast<const unsigned char*>(begin);
    picture_->rest.insert(picture_->rest.end(), from, from + bytes);
  }
  template <typename T>
  void value(const T& value) {
    memory(reinterpret_cast<std::uintptr_t>(&value), sizeof(value));
  }

 private:
  Picture* picture_ = nullptr;
  StateHash* hash_ = nullptr;
};

// The test may have unmapped it.
bool is_mapped(std::uintptr_t address, std::size_t bytes) {
  constexpr std::uintptr_t kPage = 4096;
  if (address - kRegion < kRegionBytes || in_globals(address)) return true;
  const std::uintptr_t begin = address & ~(kPage - 1);
  unsigned char pages[64];
  const std::size_t all = address + bytes - begin;
  return all <= sizeof(pages) * kPage &&
         mincore(reinterpret_cast<void*>(begin), all, pages) == 0;
}

void take_range(void* camera, std::uintptr_t begin, std::size_t bytes) {
  static_cast<Camera*>(camera)->memory(begin, bytes);
}

void take_heap(Camera& camera) {
  camera.value(heap().operations());
  heap().each_used([&](std::uintptr_t begin, std::size_t bytes) {
    camera.memory(begin, bytes);
  });
}

void take_globals(Camera& camera) {
  for (const GlobalRange& range : global_ranges()) {
    camera.memory(range.begin, range.end - range.begin);
  }
  for (const GlobalRange& range : library_ranges()) {
    camera.memory(range.begin, range.end - range.begin);
  }
}

void take_mappings(Camera& camera) {
  for (const Mapping& mapping : mappings()) {
    camera.value(mapping.begin);
    camera.value(mapping.end);
    camera.value(mapping.access);
    if (!(mapping.access & PROT_READ)) continue;
    camera.memory(mapping.begin, mapping.end - mapping.begin);
  }
}

// One that was only looked at is like one that was never used.
void take_objects(Camera& camera) {
  std::vector<const SyncObject*> objects;
  each_object(
      [](void* to, const SyncObject& object) {
        const bool is_new = object.owner == sched::kNoThread && !object.known &&
                            object.count + object.bound + object.round +
                                    object.sharers + object.wakes ==
                                0 &&
                            object.waiters == 0;
        if (is_new) return;
        static_cast<std::vector<const SyncObject*>*>(to)->push_back(&object);
      },
      &objects);
  std::sort(objects.begin(), objects.end(),
            [](const SyncObject* a, const SyncObject* b) {
              return a->address < b->address;
            });
  for (const SyncObject* object : objects) {
    camera.value(object->address);
    camera.value(object->owner);
    camera.value(object->known);
    for (const std::uint32_t number :
         {object->count, object->bound, object->round, object->sharers,
          object->wakes, object->waiters}) {
      camera.value(number);
    }
    camera.value(object->shares);
    for (std::uint32_t i = 0; i < object->wakes; ++i) {
      camera.value(object->wake_ups[i]);
    }
  }
}

// What a thread has seen decides where it is and what it has on its stack.
void take_others(Camera& camera, ThreadMask without) {
  for (std::uint32_t t = 0; t < threads_so_far(); ++t) {
    const auto other = static_cast<ThreadId>(t);
    tls_each_block(other, take_range, &camera);
    camera.value(has_ended(other));
    camera.value(settings_of(other));
    const bool is_shown = !(without & sched::bit(other));
    if (is_shown) camera.value(loop_log(other).past);
  }
}

// Free-form tests share what the first thread has on its stack.  Below its
// frames lie ours, from the address on that it will return to: what these have
// left over means nothing.
void take_first_stack(Camera& camera) {
  if (state.waits_for_all) return;  // all of it is ours
  const Stack stack = stack_of(0);
  const std::uintptr_t end = stack.low + stack.size;
  std::uintptr_t at = saved_stack_pointer(0);
  const std::uintptr_t back = pending_events()[0].pc;
  while (at < end && *reinterpret_cast<const std::uintptr_t*>(at) != back) {
    at += sizeof(at);
  }
  camera.memory(at, end - at);
}

void take_thread_data(Camera& camera, ThreadId thread) {
  const tls::Kept kept = tls_kept_of(thread);
  camera.value(kept.caught);
  camera.value(kept.uncaught);
  camera.value(kept.error);
  camera.value(kept.once_callable);
  camera.value(kept.once_call);
  camera.value(thread_objects(thread));
  each_thread_value(
      thread,
      [](void* to, std::uint32_t key, void* value) {
        static_cast<Camera*>(to)->value(key);
        static_cast<Camera*>(to)->value(value);
      },
      &camera);
}

}  // namespace

void take_picture(ThreadId thread, ThreadMask without,
                  std::span<const LoopWrite> written, Picture& picture) {
  const LoopLog& log = loop_log(thread);
  picture.is_whole = true;
  picture.registers = log.entry;
  picture.time = time_now();
  picture.rest.clear();
  const Stack stack = stack_of(thread);
  const std::uintptr_t low = log.entry.stack_pointer();
  const auto* bytes = reinterpret_cast<const unsigned char*>(low);
  picture.stack.assign(bytes, bytes + (stack.low + stack.size - low));
  Camera camera(picture);
  camera.value(log.unseen);
  take_heap(camera);
  take_globals(camera);
  take_mappings(camera);
  take_objects(camera);
  take_others(camera, without | sched::bit(thread));
  take_thread_data(camera, thread);
  if (thread != 0) take_first_stack(camera);
  for (const LoopWrite& write : written) {
    const bool is_there = is_mapped(write.address, write.size);
    camera.value(is_there);
    if (is_there) camera.memory(write.address, write.size);
  }
}

namespace {

__extension__ using Product = unsigned __int128;

std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const Product product = Product{a} * b;
  return static_cast<std::uint64_t>(product) ^
         static_cast<std::uint64_t>(product >> 64);
}

// Lines come in the order in which they were written; that means nothing.
void add_globals(StateHash& hash) {
  struct Sum {
    std::uint64_t a = 0, b = 0;
  } sum;
  each_changed_line(
      [](void* to, std::size_t line, const unsigned char* data,
         std::size_t bytes) {
        StateHash one;
        one.word(line);
        one.bytes(reinterpret_cast<std::uintptr_t>(data), bytes);
        const sched::Fingerprint its = one.done();
        static_cast<Sum*>(to)->a += its.a;
        static_cast<Sum*>(to)->b += its.b;
      },
      &sum);
  hash.word(sum.a);
  hash.word(sum.b);
}

void add_threads(StateHash& hash, Camera& camera) {
  ThreadMask waits = state.conditional;
  each_object(
      [](void* to, const SyncObject& object) {
        *static_cast<ThreadMask*>(to) |= object.waiters;
      },
      &waits);
  hash.word(std::uint64_t{state.alive} << 32 | state.threads);
  hash.word(std::uint64_t{waits} << 32 | state.conditional);
  for (std::uint32_t t = 0; t < state.threads; ++t) {
    const auto thread = static_cast<ThreadId>(t);
    const Fiber& fiber = state.fibers[thread];
    tls_each_block(thread, take_range, &camera);
    if (fiber.has_ended) continue;
    hash.word(fiber.loops.observed);
    hash.word(fiber.spurious[1]);
    hash.word(settings_of(thread));
    take_thread_data(camera, thread);
    if (!(waits & sched::bit(thread))) continue;
    const Waiting& waiting = waiting_of(thread);
    hash.word(waiting.queue ? waiting.queue->address : 0);
    hash.word(std::uint64_t{waiting.round} << 32 | waiting.bitset);
    hash.word(waiting.woken + 2u * waiting.timed);
  }
}

}  // namespace

void StateHash::word(std::uint64_t word) {
  a_ = fold(a_ ^ word, 0x9E3779B97F4A7C15);
  b_ = (b_ + word) * 0xD6E8FEB86659FD93;
  b_ ^= b_ >> 29;
}

void StateHash::bytes(std::uintptr_t begin, std::size_t bytes) {
  for (; bytes >= 8; begin += 8, bytes -= 8) {
    word(*reinterpret_cast<const std::uint64_t*>(begin));
  }
  if (bytes == 0) return;
  std::uint64_t last = 0;
  std::memcpy(&last, reinterpret_cast<const void*>(begin), bytes);
  word(last);
}

sched::Fingerprint StateHash::done() const {
  return {fold(a_, 0xFF51AFD7ED558CCD), fold(b_, 0xC4CEB9FE1A85EC53)};
}

std::uint64_t frames_of(ThreadId thread) {
  const Registers& registers = loop_log(thread).entry;
  const Stack stack = stack_of(thread);
  const std::uintptr_t low = registers.stack_pointer();
  const std::uintptr_t base = loop_log(thread).base;
  const std::uintptr_t end =
      base - low < stack.size ? base : stack.low + stack.size;
  StateHash hash;
  for (const std::uint64_t word : registers.word) hash.word(word);
  hash.bytes(low, end - low);
  return hash.done().a;
}

sched::Fingerprint fingerprint() {
  StateHash hash;
  Camera camera(hash);
  heap().each_part([&](std::uint64_t word) { hash.word(word); },
                   [&](std::uintptr_t begin, std::size_t bytes) {
                     hash.bytes(begin, bytes);
                   });
  add_globals(hash);
  for (const GlobalRange& range : library_ranges()) {
    hash.bytes(range.begin, range.end - range.begin);
  }
  take_objects(camera);
  add_threads(hash, camera);
  hash.word(static_cast<std::uint64_t>(time_now()));
  if (state.in_race_mode) {
    const sched::Fingerprint order = races().order(state.alive);
    hash.word(order.a);
    hash.word(order.b);
  }
  return hash.done();
}

const char* beyond_fingerprints() {
  constexpr std::size_t kMostOfLibraries = 16384;
  std::size_t bytes = 0;
  for (const GlobalRange& range : library_ranges()) {
    bytes += range.end - range.begin;
  }
  if (bytes > kMostOfLibraries) return "libraries of the test have large data";
  if (!mappings().empty()) return "the test maps memory";
  if (races().words().is_full()) return "too much memory is touched";
  if (state.shared_stacks != 0) return "threads share a stack";
  if (state.ends_are_events) return "a thread asks whether another one ended";
  for (std::uint32_t t = 0; t < state.threads; ++t) {
    const LoopLog& log = state.fibers[t].loops;
    if (log.is_blind) return "a thread learnt something that is in no memory";
    if (log.unseen != 0) return "a thread did something that is in no memory";
  }
  return nullptr;
}

bool same(const Picture& one, const Picture& other) {
  return one.is_whole && other.is_whole &&
         std::memcmp(&one.registers, &other.registers, sizeof(Registers)) ==
             0 &&
         one.stack == other.stack && one.rest == other.rest;
}

}  // namespace plumb::runtime
