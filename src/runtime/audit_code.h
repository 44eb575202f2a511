// SPDX-License-Identifier: Apache-2.0
// Instructions: which memory one touches, and how to let just one run.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>

namespace plumb::runtime {

// What the instruction at hand does to the memory that it faulted on.
struct Touch {
  std::uintptr_t address = 0;
  std::uint32_t size = 0;
  bool reads = false;
  bool writes = false;
  bool locked = false;  // one step for others, whatever they do
  bool exact = true;    // all of it is meant: no string that is read in chunks
  bool in_frame = false;  // found by the frame's or the stack's pointer
  bool pushes = false;    // by `push` or `call`
  bool pops = false;      // by `pop`, `leave` or `ret`
  bool is_vague = false;  // somewhere on this page, and maybe on others
  bool is_loose = false;  // an instruction that nobody takes to be atomic
};

// All of it; first what holds `at`, the byte that faulted.
struct Touches {
  static constexpr std::size_t kMost = 4;
  std::size_t count = 0;
  Touch all[kMost];
};
Touches touches_of(const greg_t* registers, std::uintptr_t at, bool was_write);

// Does the function that begins here return without calling others?
bool calls_nobody(std::uintptr_t function);

// Can a copy of this instruction run in its place?
bool can_run_copy(std::uintptr_t pc);

// Changes the registers so that the next instruction runs, and then a trap
// comes.
void run_one(greg_t* registers);
// At a trap: goes on behind that instruction.  Returns false if it was no trap
// of ours.
bool ran_one(greg_t* registers);
// Is this place in the code the instruction that runs by itself?
bool is_running_one(std::uintptr_t pc);

}  // namespace plumb::runtime
