// SPDX-License-Identifier: Apache-2.0
// __atomic_load, __atomic_exchange and the like, which are libatomic's.
//
// Compilers call them for atomics that are too large for the processor, and
// clang for those whose alignment it does not trust.
#include "runtime/libatomic.h"

#include <cstddef>
#include <cstring>

#include "runtime/touch.h"
#include "runtime/weak_orders.h"

namespace plumb::runtime {
namespace {

__extension__ using Word128 = unsigned __int128;

// Outside of executions, what the processor cannot do is done under a lock.
constinit bool is_locked = false;

class Lock {
 public:
  Lock() {
    while (__atomic_test_and_set(&is_locked, __ATOMIC_ACQUIRE)) {
    }
  }
  ~Lock() { __atomic_clear(&is_locked, __ATOMIC_RELEASE); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

// `change(bytes)`: as for atomic_bytes().
template <typename Change>
bool use(LargeAtomic what, const volatile void* pointer, std::size_t size,
         Change change) {
  if (!active) {
    const Lock lock;
    return change(const_cast<void*>(pointer));
  }
  what.address = reinterpret_cast<std::uintptr_t>(pointer);
  what.size = static_cast<std::uint32_t>(size);
  return atomic_bytes(
      what,
      [](void* bytes, void* it) { return (*static_cast<Change*>(it))(bytes); },
      &change);
}

void load(const volatile void* p, std::size_t size, void* result, int order,
          std::uintptr_t pc) {
  use({.kind = Kind::kRead, .order = order, .pc = pc}, p, size,
      [&](void* bytes) {
        std::memcpy(result, bytes, size);
        return false;
      });
}

void store(volatile void* p, std::size_t size, const void* value, int order,
           std::uintptr_t pc) {
  use({.kind = Kind::kWrite, .order = order, .pc = pc}, p, size,
      [&](void* bytes) {
        std::memcpy(bytes, value, size);
        return true;
      });
}

// What an exchange works with.
struct Exchange {
  std::size_t size;
  const void* value;
  void* found;  // not where the value is
};

void exchange(volatile void* p, const Exchange& with, int order,
              std::uintptr_t pc) {
  use({.kind = Kind::kUpdate, .order = order, .pc = pc}, p, with.size,
      [&](void* bytes) {
        std::memcpy(with.found, bytes, with.size);
        std::memcpy(bytes, with.value, with.size);
        return true;
      });
}

// `expected` may be where the value that was found goes.
bool compare_exchange(volatile void* p, const Exchange& with,
                      const void* expected, int order, int failure,
                      std::uintptr_t pc) {
  note_untold_exchange();
  return use(
      {.kind = Kind::kUpdate, .order = order, .failure = failure, .pc = pc}, p,
      with.size, [&](void* bytes) {
        const bool same = std::memcmp(bytes, expected, with.size) == 0;
        std::memcpy(with.found, bytes, with.size);
        if (same) std::memcpy(bytes, with.value, with.size);
        return same;
      });
}

// The values that a caller hands over and gets may lie anywhere, and nobody
// else tells of them.
void take(const void* value, std::size_t size, std::uintptr_t pc) {
  if (!active) return;
  plain_access(reinterpret_cast<std::uintptr_t>(value), size, false, pc);
}
void give(void* result, const void* found, std::size_t size,
          std::uintptr_t pc) {
  if (active) {
    plain_access(reinterpret_cast<std::uintptr_t>(result), size, true, pc);
  }
  std::memcpy(result, found, size);
}

}  // namespace
}  // namespace plumb::runtime

using namespace plumb::runtime;
using std::size_t;

#define PLUMB_PC reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))
// For a value, as long as a call takes.
#define PLUMB_ROOM(size) __builtin_alloca(size)

// Compilers have builtins of the names that these have for the linker.
extern "C" {

void generic_load(size_t size, const volatile void* p, void* result,
                  int order) asm("__atomic_load");
void generic_store(size_t size, volatile void* p, void* value,
                   int order) asm("__atomic_store");
void generic_exchange(size_t size, volatile void* p, void* value, void* result,
                      int order) asm("__atomic_exchange");
bool generic_compare_exchange(size_t size, volatile void* p, void* expected,
                              void* desired, int order,
                              int failure) asm("__atomic_compare_exchange");
bool generic_is_lock_free(size_t size,
                          const volatile void* p) asm("__atomic_is_lock_free");
Word128 load_16(const volatile void* p, int order) asm("__atomic_load_16");
void store_16(volatile void* p, Word128 value,
              int order) asm("__atomic_store_16");
Word128 exchange_16(volatile void* p, Word128 value,
                    int order) asm("__atomic_exchange_16");
bool compare_exchange_16(volatile void* p, void* expected, Word128 desired,
                         int order,
                         int failure) asm("__atomic_compare_exchange_16");

void generic_load(size_t size, const volatile void* p, void* result,
                  int order) {
  void* const found = PLUMB_ROOM(size);
  load(p, size, found, order, PLUMB_PC);
  give(result, found, size, PLUMB_PC);
}
void generic_store(size_t size, volatile void* p, void* value, int order) {
  take(value, size, PLUMB_PC);
  store(p, size, value, order, PLUMB_PC);
}
void generic_exchange(size_t size, volatile void* p, void* value, void* result,
                      int order) {
  void* const found = PLUMB_ROOM(size);
  take(value, size, PLUMB_PC);
  exchange(p, {size, value, found}, order, PLUMB_PC);
  give(result, found, size, PLUMB_PC);
}
bool generic_compare_exchange(size_t size, volatile void* p, void* expected,
                              void* desired, int order, int failure) {
  void* const found = PLUMB_ROOM(size);
  take(desired, size, PLUMB_PC);
  take(expected, size, PLUMB_PC);
  const bool is_done = compare_exchange(p, {size, desired, found}, expected,
                                        order, failure, PLUMB_PC);
  if (!is_done) give(expected, found, size, PLUMB_PC);
  return is_done;
}
// As libatomic says it of this processor.
bool generic_is_lock_free(size_t size, const volatile void* p) {
  const bool is_power = size != 0 && (size & (size - 1)) == 0;
  return is_power && size <= 16 &&
         reinterpret_cast<std::uintptr_t>(p) % size == 0;
}

// Newer ones call these where they trust the alignment.
Word128 load_16(const volatile void* p, int order) {
  Word128 result = 0;
  load(p, sizeof(result), &result, order, PLUMB_PC);
  return result;
}
void store_16(volatile void* p, Word128 value, int order) {
  store(p, sizeof(value), &value, order, PLUMB_PC);
}
Word128 exchange_16(volatile void* p, Word128 value, int order) {
  Word128 found = 0;
  exchange(p, {sizeof(value), &value, &found}, order, PLUMB_PC);
  return found;
}
bool compare_exchange_16(volatile void* p, void* expected, Word128 desired,
                         int order, int failure) {
  Word128 found = 0;
  take(expected, sizeof(found), PLUMB_PC);
  const bool is_done = compare_exchange(p, {sizeof(found), &desired, &found},
                                        expected, order, failure, PLUMB_PC);
  if (!is_done) give(expected, &found, sizeof(found), PLUMB_PC);
  return is_done;
}
}
