// SPDX-License-Identifier: Apache-2.0
// Data of threads that libraries keep: thread-local objects with destructors,
// and keys.
#include "runtime/thread_data.h"

#include <pthread.h>

#include <bit>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>

#include "runtime/core.h"
#include "runtime/library_data.h"
#include "runtime/reals.h"
#include "runtime/sync_calls.h"
#include "runtime/sync_objects.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

using Destructor = void(void*);

PLUMB_REAL(pthread_key_create);
PLUMB_REAL(pthread_key_delete);
PLUMB_REAL(pthread_getspecific);
PLUMB_REAL(pthread_setspecific);
constinit Real<int(Destructor*, void*, void*)> real_thread_atexit{
    "__cxa_thread_atexit"};
constinit Real<int(Destructor*, void*, void*)> real_thread_atexit_impl{
    "__cxa_thread_atexit_impl"};

// Keys from the system are below PTHREAD_KEYS_MAX; those that are made during
// an execution come after them, and are forgotten with it.
constexpr std::uint32_t kOwnKeys = 256;
constexpr std::uint32_t kKeys = PTHREAD_KEYS_MAX + kOwnKeys;
constexpr std::uint32_t kWords = kKeys / 64;

struct Key {
  Destructor* destructor = nullptr;
  std::uint32_t run = 0;  // of own keys: when it was made; 0: free
};
constinit Key keys[kKeys];

struct ThreadData {
  std::uint32_t run = 0;  // of another run: nothing is kept
  std::uint64_t is_set[kWords] = {};
  void* values[kKeys] = {};
  std::uint32_t objects = 0;  // the last made, in `objects` below; 0: none
};
ThreadData data_of[sched::kMaxThreads];

// LIMIT: so many thread-local objects with destructors in one execution.
struct Object {
  Destructor* destroy = nullptr;
  void* object = nullptr;
  std::uint32_t next = 0;
};
constexpr std::uint32_t kObjects = 1 << 14;
constinit Object objects[kObjects];
constinit std::uint32_t object_count = 0;
constinit std::uint32_t object_run = 0;

ThreadData& my_data() {
  ThreadData& mine = data_of[self()];
  if (mine.run != run_number) {
    mine.run = run_number;
    mine.objects = 0;
    for (std::uint64_t& word : mine.is_set) word = 0;
  }
  return mine;
}

bool exists(std::uint32_t key) {
  return key < PTHREAD_KEYS_MAX || (key < kKeys && keys[key].run == run_number);
}

// Who begins with a key of the system: thread 0 has what it had before.
void* read(std::uint32_t key) {
  if (!exists(key)) return nullptr;
  ThreadData& mine = my_data();
  if (mine.is_set[key / 64] >> key % 64 & 1) return mine.values[key];
  if (self() != 0 || key >= PTHREAD_KEYS_MAX) return nullptr;
  return real_pthread_getspecific(key);
}

int write(std::uint32_t key, const void* value) {
  if (!exists(key)) return EINVAL;
  ThreadData& mine = my_data();
  mine.is_set[key / 64] |= std::uint64_t{1} << key % 64;
  mine.values[key] = const_cast<void*>(value);
  return 0;
}

std::uint32_t new_key(Destructor* destructor, const void* pc) {
  Turn turn(sync_event(Kind::kUpdate, kListOfKeys, true, pc));
  std::uint32_t number = PTHREAD_KEYS_MAX;
  while (number < kKeys && keys[number].run == run_number) ++number;
  if (number < kKeys) keys[number] = {destructor, run_number};
  turn.done(number);
  return number;
}

int drop_key(pthread_key_t key, const void* pc) {
  Turn turn(sync_event(Kind::kUpdate, kListOfKeys, true, pc));
  const bool known = exists(key);
  for (ThreadData& data : data_of) {
    if (known) data.is_set[key / 64] &= ~(std::uint64_t{1} << key % 64);
  }
  if (known) keys[key] = {};
  turn.done(known);
  return known ? 0 : EINVAL;
}

int at_exit(Destructor* destroy, void* object) {
  if (object_run != run_number) {
    object_run = run_number;
    object_count = 0;
  }
  if (++object_count == kObjects) {
    fail(Fault::kOutOfMemory, 0, "more than %u thread-local objects",
         kObjects - 1);
  }
  ThreadData& mine = my_data();
  objects[object_count] = {destroy, object, mine.objects};
  mine.objects = object_count;
  return 0;
}

// Not joined with others, nor does it end with the call: it is looked for on
// the stack.
[[gnu::noinline]] void call(Destructor* destroy, void* object) {
  destroy(object);
  asm volatile("");
}

void destroy_objects() {
  for (ThreadData& mine = my_data(); mine.objects != 0;) {
    const Object last = objects[mine.objects];
    mine.objects = last.next;
    call(last.destroy, last.object);
  }
}

// Calls visit(key) for the keys that have a value.
template <typename Visit>
void each_key(const ThreadData& data, Visit visit) {
  for (std::uint32_t w = 0; w < kWords; ++w) {
    for (std::uint64_t left = data.is_set[w]; left != 0; left &= left - 1) {
      visit(w * 64 + static_cast<std::uint32_t>(std::countr_zero(left)));
    }
  }
}

// Returns whether there was anything.
bool destroy_values() {
  bool some = false;
  ThreadData& mine = my_data();
  each_key(mine, [&](std::uint32_t key) {
    if (!mine.values[key] || !keys[key].destructor) return;
    some = true;
    mine.is_set[key / 64] &= ~(std::uint64_t{1} << key % 64);
    call(keys[key].destructor, mine.values[key]);
  });
  return some;
}

}  // namespace

int make_key(pthread_key_t* key, Destructor* destructor, const void* pc) {
  const std::uint32_t number = new_key(destructor, pc);
  if (number == kKeys) return EAGAIN;
  tell_write(key, number_of(pc));
  store(key, pthread_key_t{number});
  return 0;
}

void each_thread_value(sched::ThreadId thread,
                       void (*visit)(void*, std::uint32_t key, void* value),
                       void* context) {
  const ThreadData& data = data_of[thread];
  if (data.run != run_number) return;
  each_key(data,
           [&](std::uint32_t key) { visit(context, key, data.values[key]); });
}

std::uint32_t thread_objects(sched::ThreadId thread) {
  const ThreadData& data = data_of[thread];
  return data.run == run_number ? data.objects : 0;
}

std::uintptr_t address_of_destructor_calls() {
  return reinterpret_cast<std::uintptr_t>(&call);
}

void destroy_thread_data() {
  if (data_of[self()].run != run_number) return;  // it has none
  destroy_objects();
  for (int i = 0; i < PTHREAD_DESTRUCTOR_ITERATIONS; ++i) {
    if (!destroy_values()) break;
    destroy_objects();
  }
  // What is left now is nobody's.
  ThreadData& mine = my_data();
  each_key(mine, [&](std::uint32_t key) {
    if (keys[key].destructor) {
      mine.is_set[key / 64] &= ~(std::uint64_t{1} << key % 64);
    }
  });
}

}  // namespace plumb::runtime

using namespace plumb::runtime;

#define PLUMB_PC __builtin_return_address(0)

extern "C" {

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  if (active) {
    // The C++ library must not know it in the next execution.
    system_was_called |= is_in_cxx_library(PLUMB_PC_NUMBER);
    return make_key(key, destructor, PLUMB_PC);
  }
  const int error = real_pthread_key_create(key, destructor);
  if (error == 0 && *key < kKeys) keys[*key] = {destructor, 0};
  return error;
}

int pthread_key_delete(pthread_key_t key) noexcept {
  if (active) return drop_key(key, PLUMB_PC);
  if (key < kKeys) keys[key] = {};
  return real_pthread_key_delete(key);
}

void* pthread_getspecific(pthread_key_t key) noexcept {
  return active ? read(key) : real_pthread_getspecific(key);
}

int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  return active ? write(key, value) : real_pthread_setspecific(key, value);
}

int __cxa_thread_atexit(void (*destroy)(void*), void* object, void* library) {
  if (!active) return real_thread_atexit(destroy, object, library);
  return at_exit(destroy, object);
}

int __cxa_thread_atexit_impl(void (*destroy)(void*), void* object,
                             void* library) {
  if (!active) return real_thread_atexit_impl(destroy, object, library);
  return at_exit(destroy, object);
}

}  // extern "C"
