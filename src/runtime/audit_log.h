// SPDX-License-Identifier: Apache-2.0
// What the audit of a program saw, what was unseen, and what could matter.
//
// An unseen access could matter if another thread touches the same bytes too,
// while both live, and one of the two writes.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/audit_code.h"
#include "runtime/audit_objects.h"
#include "runtime/core.h"

namespace plumb::runtime {

// A place in the code that does something unseen.
struct UnseenSite {
  std::uintptr_t pc = 0;      // the instruction
  std::uintptr_t caller = 0;  // the call in the test's code; 0: it is in there
  CodeOwner owner = CodeOwner::kNobody;
  bool writes = false;
  bool locked = false;
  int system_call = -1;        // the kernel does it, for this call
  std::uintptr_t address = 0;  // what it touched first
  std::uint32_t size = 0;
  bool is_announced = false;  // by a breakpoint (announcers.h)
  bool at_exit = false;       // called by nobody but the end of a thread
  bool is_event = false;      // in a library, and an event all the same
  bool matters = false;       // see above
  // Nothing can be made of it that a search could go on with.
  bool is_lost = false;
  // Further callers, of the test's own, as hooks know them.
  static constexpr std::size_t kMostFrames = 8;
  std::uintptr_t frames[kMostFrames] = {};
  std::size_t frame_count = 0;
};

// Forgets all: another program is audited.
void forget_unseen();
// Hooks that were called, of the execution that begins, are forgotten.
void start_log();

// --- what hooks announced

void announced(ThreadId thread, std::uintptr_t address, std::uint32_t size,
               bool writes, std::uintptr_t pc);
// Was it announced that the instruction at `pc` does this?
bool was_announced(ThreadId thread, const Touch& touch, std::uintptr_t pc);
// Did a stand-in for the function that is called from `call` announce this, or
// what lies so near that it is read along?
bool was_announced_for(ThreadId thread, const Touch& touch,
                       std::uintptr_t call);
// Were hooks ever called by the function that `pc` is in?
bool is_instrumented(std::uintptr_t pc);

// Some compilers announce x = x + 1 as one write, after they have read x: what
// such code reads is unseen only if no write follows.
void defer(ThreadId thread, const Touch& touch, std::uintptr_t pc);

// --- what was touched, by whom

// Returns the site; null if there are too many.
UnseenSite* add_unseen(ThreadId thread, const Touch& touch,
                       const UnseenSite& site, bool is_private);
// Does code at `pc` read what was unseen before?
bool is_known_unseen(std::uintptr_t pc);

// Did another thread touch these bytes, in this program so far?
bool is_touched_by_others(ThreadId thread, std::uintptr_t address,
                          std::uint32_t size);
// Calls visit(page) for pages of this thread's stack that others touched.
void each_shared_page(AddressRange stack, ThreadId owner,
                      void (*visit)(std::uintptr_t page));

// Which sites matter is known after this.
std::span<const UnseenSite> judge_unseen();
// Sites that were found, so far.
std::uint32_t unseen_count();

}  // namespace plumb::runtime
