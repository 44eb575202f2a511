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

// But for the time.
bool same(const Picture& one, const Picture& other);

}  // namespace plumb::runtime
