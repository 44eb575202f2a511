// SPDX-License-Identifier: Apache-2.0
// Calls of the test's code into libraries, ours among them.
//
// Who looks for loops must know that a function was called which keeps
// something for its next call where no picture of the state shows it (getopt:
// its place); who audits, that one was called which nobody stands in for.  Each
// address of such a function that the loader gave the test's objects, to call
// it or to keep it, becomes that of a stub which tells and goes on there. So
// pointers to functions count as calls do.
//
// So do virtual functions of the C++ library.
//
// LIMIT: virtual functions of other libraries' own classes, and what dlsym()
// gives, are called without a word.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace plumb::runtime {

// To be called before executions begin, after find_objects().
void watch_library_calls();

// What executions called beside other threads, since forget_library_calls().
struct LibraryCalls {
  // A function of the C and C++ libraries that no audited execution had
  // called; 0: none.
  std::uintptr_t plain = 0;
  // One of another library, which may lock.
  std::uintptr_t other = 0;
};
const LibraryCalls& library_calls();
void forget_library_calls();
// A test begins: what audits came to before is forgotten, too.
void forget_audited_calls();

// At a trap: an audited execution goes on in a library.  Returns false if that
// is not so.
bool pass_library_gate(greg_t* registers);

}  // namespace plumb::runtime
