// SPDX-License-Identifier: Apache-2.0
// Exceptions that several threads hold: who lets go of one last destroys it.
//
// libstdc++ counts references in its library, where nobody sees that all who
// let go earlier happened before that.
#include "runtime/exceptions.h"

#include <cxxabi.h>
#include <string.h>

#include <exception>

#include "runtime/core.h"
#include "runtime/heap.h"
#include "runtime/races.h"
#include "runtime/reals.h"
#include "runtime/sync_objects.h"

namespace plumb::runtime {

constinit bool frees_at_once = false;

namespace {

const void* object_of(const std::exception_ptr& pointer) {
  static_assert(sizeof(pointer) == sizeof(void*));
  const void* object = nullptr;
  memcpy(&object, &pointer, sizeof(object));
  return object;
}

// This thread lets go of an exception, and of `block` at the same time.
void let_go(const void* object, const void* pc, const void* block = nullptr) {
  if (object == nullptr || alone()) return;
  Event event =
      sync_event(Kind::kUpdate, number_of(object) | kNoMemory, true, pc);
  if (block != nullptr && heap().mode() == HeapMode::kShared) {
    event.second = Heap::place_of(heap().block_of(number_of(block)));
    event.second_size = 8;
  }
  announce(event);
  races().acquire(self(), event.address);
  races().release(self(), event.address);
  if (graphs) access_in_graph({event.address, __ATOMIC_ACQ_REL}, false);
  did(event);
}

// The one that is being handled, as long as the handler holds it.
const void* handled_object() {
  const OwnWork own;
  return object_of(std::current_exception());
}

// Who throws an exception again that others hold gets a block of its own, which
// stands for it; null if that is not so.
const void* stand_in_for(const void* object) {
  constexpr std::size_t kHeader = 112;  // of each, in front of its object
  const auto* const header =
      *reinterpret_cast<const unsigned char* const*>(abi::__cxa_get_globals());
  return header != nullptr && header + kHeader != object ? header : nullptr;
}

constinit Real<void()> real_end_catch{"__cxa_end_catch"};
constinit Real<void(std::exception_ptr*)> real_release{
    "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"};
constinit Real<void(std::exception_ptr*)> real_destroy{
    "_ZNSt15__exception_ptr13exception_ptrD1Ev"};

}  // namespace
}  // namespace plumb::runtime

using namespace plumb::runtime;

#define PLUMB_PC __builtin_return_address(0)

extern "C" {

void end_catch() asm("__cxa_end_catch");
void release_exception(std::exception_ptr* pointer) asm(
    "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
void destroy_exception_pointer(std::exception_ptr* pointer) asm(
    "_ZNSt15__exception_ptr13exception_ptrD1Ev");

void end_catch() {
  if (active && !alone()) {
    const void* const object = handled_object();
    const void* const block = stand_in_for(object);
    let_go(object, PLUMB_PC, block);
    // The library frees it first, and only then lets go.
    frees_at_once = block != nullptr;
  }
  real_end_catch();
  frees_at_once = false;
}

void release_exception(std::exception_ptr* pointer) {
  if (active) let_go(object_of(*pointer), PLUMB_PC);
  real_release(pointer);
}

void destroy_exception_pointer(std::exception_ptr* pointer) {
  if (active) let_go(object_of(*pointer), PLUMB_PC);
  real_destroy(pointer);
}
}
