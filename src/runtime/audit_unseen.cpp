// SPDX-License-Identifier: Apache-2.0
#include "runtime/audit_unseen.h"

#include <cstring>

#include "runtime/audit.h"
#include "runtime/fibers.h"
#include "runtime/globals.h"
#include "runtime/heap.h"
#include "runtime/races.h"
#include "runtime/touch.h"
#include "runtime/unseen_accesses.h"

// Called as if the interrupted instruction had done so: nothing may change, but
// for what lies below the stack and its red zone.  The word at the stack
// pointer is where to go on.
extern "C" __attribute__((visibility("hidden"))) void audit_interrupt();
extern "C" __attribute__((visibility("hidden"))) void audit_tell();

asm(R"(
  .text
  .p2align 4
  .hidden audit_interrupt
  .globl audit_interrupt
  .type audit_interrupt, @function
audit_interrupt:
  pushfq
  pushq %rax
  pushq %rcx
  pushq %rdx
  pushq %rbx
  pushq %rbp
  pushq %rsi
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, %rbp
  cld
  subq $3328, %rsp
  andq $-64, %rsp
  xorl %eax, %eax
  movq %rax, 512(%rsp)
  movq %rax, 520(%rsp)
  movq %rax, 528(%rsp)
  movq %rax, 536(%rsp)
  movq %rax, 544(%rsp)
  movq %rax, 552(%rsp)
  movq %rax, 560(%rsp)
  movq %rax, 568(%rsp)
  movl $0xE7, %eax
  xorl %edx, %edx
  xsave64 (%rsp)
  call audit_tell
  movl $0xE7, %eax
  xorl %edx, %edx
  xrstor64 (%rsp)
  movq %rbp, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  popq %rsi
  popq %rbp
  popq %rbx
  popq %rdx
  popq %rcx
  popq %rax
  popfq
  ret $128
  .size audit_interrupt, .-audit_interrupt
)");

namespace plumb::runtime {

namespace {

UnseenAccess pending;
// The instruction that was told of; 0: none.
std::uintptr_t told = 0;

// To be read as a place that a call returns to.
std::uintptr_t pc_of(const UnseenSite& site) {
  return site.caller != 0 ? site.caller : site.pc + 1;
}

// Blocks that a library of the system allocated and uses by itself are its own
// business, as its data is.
bool is_private(const UnseenSite& site, std::uintptr_t address) {
  if (site.owner != CodeOwner::kPlain || site.system_call >= 0) return false;
  const BlockInfo block = heap().block_of(address);
  return block.begin != 0 &&
         owner_of_code(block.allocated_at) == CodeOwner::kPlain;
}

// ... but the C++ library leaves most of it to its users to lock.  What it
// counts by itself, as references, it counts by locked instructions.
void tell_private(const Touch& touch, const Unseen& access) {
  if (!state.in_race_mode ||
      !is_in_cxx_library(heap().block_of(touch.address).allocated_at)) {
    return;
  }
  if (touch.locked) {
    races().acquire(state.current, touch.address);
    races().release(state.current, touch.address);
  } else if (races_unseen(access)) {
    fail(Fault::kUnsupported, access.pc,
         "two threads are in the same object of the C++ library, and nothing "
         "that can be seen orders them");
  }
}

// The C++ library orders threads by what lies in memory of the test's, the
// state of a future: by locked instructions; and what it does when a thread
// ends is about nothing else.
bool orders_threads(const Touch& touch, const UnseenSite& site) {
  constexpr std::uint32_t kLargest = 8;
  return is_in_cxx_library(site.pc) && touch.size <= kLargest &&
         (touch.locked || site.at_exit);
}

void tell_one(const Touch& touch, const UnseenSite& found) {
  if (found.is_announced) {
    return plain_access(touch.address, touch.size, touch.writes, pc_of(found));
  }
  const bool is_own = is_private(found, touch.address);
  UnseenSite* const site = add_unseen(state.current, touch, found, is_own);
  const bool orders = orders_threads(touch, found);
  if (site != nullptr) site->is_event |= orders;
  const bool is_of_library =
      (found.owner == CodeOwner::kPlain || found.system_call >= 0) && !orders;
  const Unseen access{touch.address, touch.size,   touch.reads,
                      touch.writes,  pc_of(found), is_of_library};
  if (is_own) return tell_private(touch, access);
  // Where it goes is known in part only.
  if (touch.is_vague && site != nullptr) site->is_lost = true;
  if (is_of_library) {
    // A lock of theirs in memory of the test's: who knows what it orders?
    if (touch.locked && site != nullptr) site->is_lost = true;
    if (touch.exact) {
      plain_unseen(access);
    } else if (races_unseen(access)) {
      fail(Fault::kUnsupported, access.pc,
           "a library reads more at a time than it uses, and another thread "
           "writes there: whether that is a data race is not known");
    }
    return;
  }
  // Plain and relaxed accesses look alike in machine code.  What reads and
  // writes in one instruction without a lock is plain for certain, and so is
  // what is larger than any atomic (and long double).
  const bool is_large =
      touch.size > 8 && (touch.size != 16 || touch.is_loose) && !touch.is_vague;
  if ((touch.reads && touch.writes && !touch.locked) || is_large) {
    plain_unseen(access);
    if (!state.in_race_mode && !is_large && site != nullptr) {
      site->is_lost = true;
    }
  } else {
    atomic_unseen(access);
  }
}

}  // namespace

void go_and_tell(greg_t* registers, const UnseenAccess& access,
                 std::uintptr_t resume) {
  constexpr std::uintptr_t kRedZone = 128;
  pending = access;
  const std::uintptr_t top = static_cast<std::uintptr_t>(registers[REG_RSP]) -
                             kRedZone - sizeof(std::uintptr_t);
  *reinterpret_cast<std::uintptr_t*>(top) = resume;
  registers[REG_RSP] = static_cast<greg_t>(top);
  registers[REG_RIP] =
      static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(&audit_interrupt));
}

bool has_told(std::uintptr_t pc) {
  const bool is_it = told == pc && pc != 0;
  told = 0;
  return is_it;
}

}  // namespace plumb::runtime

void audit_tell() {
  using namespace plumb::runtime;
  UnseenAccess access = pending;
  const Fiber& fiber = here();
  for (std::uint32_t depth = shown_depth();
       depth > 0 && access.site.frame_count < UnseenSite::kMostFrames;) {
    access.site.frames[access.site.frame_count++] = fiber.frames[--depth];
  }
  for (std::size_t i = 0; i < access.count; ++i) {
    tell_one(access.touches[i], access.site);
  }
  told = access.site.pc;
  audit_leave();
}
