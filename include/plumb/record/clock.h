// SPDX-License-Identifier: Apache-2.0
// Where the stamps of recorded events come from, and why they can be trusted.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string_view>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#define PLUMB_RECORD_HAS_TSC 1
#endif

// The order rule
//
// A recorded order may be weaker than what happened, never stronger: a call
// that is written as finished before another one began did finish before it.
// Overlap that did not happen can hide a violation; an order that did not
// happen would be a false alarm.  Three things give the rule.
//
// 1. The stamp of an invocation is taken before the call does anything, that
//    of a return after everything the call did is visible to all threads.
//    So the stamps enclose the call; taking either one too early or too late
//    on its outer side only widens it.
// 2. Stamps of different threads can be compared, see each clock.
// 3. At equal stamps invocations are written before returns, so that a tie
//    is an overlap.  Within a process stamps grow strictly from a return to
//    the next invocation (Process::invoke waits for it): otherwise two
//    processes with all stamps equal would each have to come first.
namespace plumb::record {

using Stamp = std::uint64_t;

// A shared counter.  Works everywhere, and needs no belief about hardware: if
// the return of `a` has a smaller number than the invocation of `b`, then the
// latter's fetch_add reads from the release sequence of the former's, so that
// `a` happens before `b` in the sense of the C++ memory model.
//
// Its price: the threads fight for one cache line, and the edges that it adds
// between them hide data races from ThreadSanitizer.
class CounterClock {
 public:
  Stamp invocation() { return next(); }
  Stamp completion() { return next(); }

 private:
  Stamp next() { return count_.fetch_add(1, std::memory_order_acq_rel); }

  alignas(64) std::atomic<Stamp> count_{1};
};

#ifdef PLUMB_RECORD_HAS_TSC

// The processor's time stamp counter: nothing is shared between the threads.
//
// Invocation: lfence lets nothing of the call start before the counter was
// read.  Return: the locked instruction, which changes nothing, waits until the
// stores of the call have left the store buffer, lfence until that is done,
// then the counter is read.  [IntelSDM, vol. 2B, RDTSC] has mfence in its
// place, to the same effect but twice as slow (bench/record_bench.cpp).
// Without either, an enq that ends in a plain release store could be stamped
// as finished while other processors still see the queue without it.
//
// Counters of two processors may differ a little, by less than the time L
// that a cache line needs from one to the other: Linux compares them when it
// starts a processor (unless it was told that they are alike), and gives the
// TSC up as its clock if one seems to run backwards across such a transfer.
// That is enough.  Say `a` is stamped as finished before `b` began, but truly
// ended up to L after that.  For `b` to change what `a` sees, or to miss a
// store of `a`, a line or its invalidation has to travel between them, which
// takes L at least.  So nothing in `a` depends on `b`, and the run could as
// well have had `a` first: its history is one that the object really has.
//
// LIMIT: a virtual machine that moves to another host in mid-run may see its
// counter jump; what goes backwards within a process is found by write().
class TscClock {
 public:
  Stamp invocation() {
    std::uint32_t low, high;
    __asm__ volatile("rdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return Stamp{high} << 32 | low;
  }
  Stamp completion() {
    std::uint32_t low, high;
    __asm__ volatile("lock orl $0, (%%rsp)\n\tlfence\n\trdtsc"
                     : "=a"(low), "=d"(high)
                     :
                     : "memory", "cc");
    return Stamp{high} << 32 | low;
  }

  // Does it tick evenly (the processor says so), and alike everywhere (Linux
  // uses it as its own clock)?
  static bool is_trusted() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned kInvariant = 1u << 8;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & kInvariant)) {
      return false;
    }
    std::FILE* file = std::fopen(
        "/sys/devices/system/clocksource/clocksource0/current_clocksource",
        "r");
    if (!file) return false;
    char name[16] = {};
    const std::size_t size = std::fread(name, 1, sizeof(name), file);
    std::fclose(file);
    return std::string_view(name, size) == "tsc\n";
  }
};

// The TSC where it can be trusted, else the counter.
class BestClock {
 public:
  Stamp invocation() { return tsc_ ? time_.invocation() : count_.invocation(); }
  Stamp completion() { return tsc_ ? time_.completion() : count_.completion(); }

 private:
  const bool tsc_ = TscClock::is_trusted();
  TscClock time_;
  CounterClock count_;
};

#else

using BestClock = CounterClock;

#endif

}  // namespace plumb::record
