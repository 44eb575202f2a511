// SPDX-License-Identifier: Apache-2.0
// Small concurrent programs as data, run by compiled code that is searched.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oracle/memory_models.h"
#include "plumb/test/abi.h"

namespace plumb::search_test {

// One instruction.  A thread has one register; a machine has cells (atomic),
// mutexes, plain words, a stack and a queue of nodes.
enum class Do : std::uint8_t {
  kLoad,        // register = cell
  kStore,       // cell = constant
  kAdd,         // register = cell, cell += constant
  kSwap,        // register = cell, cell = constant
  kCas,         // if cell == other: cell = constant; register = what it was
  kIncrement,   // as kAdd with 1, by compare-exchange until it works
  kSnapshot,    // register = cell and the next one, until the first is stable
  kLock,        // mutex
  kUnlock,      // ... if this thread holds it
  kTryLock,     // register = did it work?
  kSpinLock,    // swaps the cell to 1 until it was 0
  kSpinUnlock,  // cell = 0
  kPlainRead,   // register = plain word
  kPlainWrite,  // plain word = constant
  kPush,        // onto the stack; constant
  kPop,         // register = what came, -1: it was empty
  kEnqueue,     // the same for the queue
  kDequeue,
  kPopAndFree,  // frees the node: others may still look at it
  kSkipIf,      // register == constant: leaves the next one out
  kUntil,       // the next `other` ones again and again, each time with
                // register 0, until cell == constant (looked at first)
  kCheck,       // fails if register == constant
  kPushBadly,   // as kPush, but a store takes the place of compare-exchange
  kPopBadly,
  kEnqueueBadly,    // does not look whether the tail has a successor
  kIncrementBadly,  // a load, then a store
  kDown,            // semaphore
  kUp,
  kTryDown,       // register = did it work?
  kReadLocked,    // register = plain word, by a lock that readers share
  kWriteLocked,   // plain word = constant
  kWaitFor,       // if the last plain word is 0: waits for the condition
  kNotifyOne,     // ... which is 1 now, under the mutex
  kNotifyAll,     // ... without saying so
  kFutexWait,     // as long as cell == constant
  kFutexWake,     // cell = constant, then wakes one
  kMeet,          // two threads wait for each other
  kOnce,          // register = a static variable, which is made by the first
  kStartAnother,  // a thread that does one step more; joins it
};

// Of what cells, the stack and the queue do.
enum class Strength : std::uint8_t { kSeqCst, kAcquireRelease, kRelaxed };

struct Instruction {
  Do what = Do::kLoad;
  std::uint8_t variable = 0;
  std::uint8_t constant = 0;
  std::uint8_t other = 0;
  Strength strength = Strength::kSeqCst;
};

inline constexpr std::size_t kMostInstructions = 12;

struct Code {
  Instruction steps[kMostInstructions];
  std::size_t size = 0;
  bool keeps_locks = false;  // else it gives back at its end what it holds
};

// What the compiled part gives to the part that searches.
struct Machines {
  test::Maker* (*machine)();
  // A call that runs `code` (which must outlive it) and gives what it read.
  test::Action* (*run)(const Code* code);
  // One that gives what the machine holds.
  test::Action* (*look)();
  // One instruction as an operation of its own, which gives its register; or
  // nothing, if it only writes.
  test::Action* (*operation)(Instruction instruction);
  // Cells for programs with memory orders; one of their threads, which gives
  // what it read; what the cells hold.
  test::Maker* (*cells)();
  test::Action* (*thread)(const oracle::WeakThread* thread);
  test::Action* (*look_at_cells)();
};

}  // namespace plumb::search_test

// The part that searches: the whole test.
extern "C" __attribute__((visibility("default"))) int plumb_compare_searches(
    const plumb::search_test::Machines* machines, int argc, char** argv);
