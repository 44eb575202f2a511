// SPDX-License-Identifier: Apache-2.0
// A picture of the state of an execution, to see whether two go on in one way.
//
// It shows all that decides what comes next: one thread's registers and stack,
// what all others have seen so far, the heap, globals, thread-local data, the
// stack of the first thread, mutexes and all that is kept beside memory, what
// libraries keep for the thread.  Memory elsewhere counts as far as the thread
// wrote it (`written`): what others wrote depends on what they saw.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/loops.h"
#include "sched/states.h"

namespace plumb::runtime {

struct Picture {
  Registers registers;
  std::vector<unsigned char> stack;
  std::vector<unsigned char> rest;
  std::int64_t time = 0;  // how much of it the thread has let pass
  bool is_whole = true;   // else there was too much memory
};

// Of the point where `thread` is about to do what it announced at a loop point.
// It need not run.  What the threads `without` have seen is left out: these
// have pictures of their own.
void take_picture(ThreadId thread, ThreadMask without,
                  std::span<const LoopWrite> written, Picture& picture);

// Stands for the state of an execution where nobody runs: who has the same one
// goes on in the same way, whatever came before.  Where a thread is, it tells
// from what that observed since its call began (LoopLog::observed): so it needs
// no stacks, and what a call has left on them means nothing to the next one.
//
// Beside it must be known which call each thread is in, as they are counted.
sched::Fingerprint fingerprint();
// What it would have to show and does not, of this execution so far; null if
// there is nothing.
const char* beyond_fingerprints();

// Hashes twice, with nothing in common.
class StateHash {
 public:
  void word(std::uint64_t word);
  void bytes(std::uintptr_t begin, std::size_t bytes);
  sched::Fingerprint done() const;

 private:
  std::uint64_t a_ = 0x9AE16A3B2F90404F;
  std::uint64_t b_ = 0xC949D7C7509E6557;
};
// A hash of registers and stack of a thread at a loop point: all that decides
// how it goes on, but for memory that others see.
std::uint64_t frames_of(ThreadId thread);

// But for the time.
bool same(const Picture& one, const Picture& other);

}  // namespace plumb::runtime
