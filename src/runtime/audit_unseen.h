// SPDX-License-Identifier: Apache-2.0
// What becomes of an unseen access: a race is found, or it is an event.
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "runtime/audit_code.h"
#include "runtime/audit_log.h"

namespace plumb::runtime {

// What a thread is about to do unseen, all of one instruction.
struct UnseenAccess {
  static constexpr std::size_t kMost = 6;
  UnseenSite site;
  std::size_t count = 0;
  Touch touches[kMost];
};

// Changes the registers of a thread that was interrupted: it first tells what
// it is about to do, waits for its turn if it must, then goes on at `resume`.
void go_and_tell(greg_t* registers, const UnseenAccess& access,
                 std::uintptr_t resume);
// Did the thread that runs tell what the instruction at `pc` does?  Asked once.
bool has_told(std::uintptr_t pc);

}  // namespace plumb::runtime
