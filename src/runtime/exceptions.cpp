// SPDX-License-Identifier: Apache-2.0
// Exceptions that several threads hold: who lets go of one last destroys it.
//
// libstdc++ counts references in its library, where nobody sees that all who
// let go earlier happened before that.
//
// LIMIT: if the last two let go at about the same time, what one of them has
// read of the exception can still be told as a race with its end.
#include <cxxabi.h>
#include <string.h>

#include <exception>

#include "runtime/core.h"
#include "runtime/races.h"
#include "runtime/reals.h"
#include "runtime/sync_objects.h"

namespace plumb::runtime {
namespace {

const void* object_of(const std::exception_ptr& pointer) {
  static_assert(sizeof(pointer) == sizeof(void*));
  const void* object = nullptr;
  memcpy(&object, &pointer, sizeof(object));
  return object;
}

// This thread lets go of an exception.
void let_go(const void* object, const void* pc) {
  if (object == nullptr || alone()) return;
  const Event event =
      sync_event(Kind::kUpdate, number_of(object) | kNoMemory, true, pc);
  announce(event);
  races().acquire(self(), event.address);
  races().release(self(), event.address);
  did(event);
}

// The one that is being handled, as long as the handler holds it.
const void* handled_object() {
  const OwnWork own;
  return object_of(std::current_exception());
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
  if (active && !alone()) let_go(handled_object(), PLUMB_PC);
  real_end_catch();
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
