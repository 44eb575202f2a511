// SPDX-License-Identifier: Apache-2.0
// Threads that keep each other going round in loops.
//
// Of std::lock(a, b) against std::lock(b, a), each finds taken what the other
// one holds, gives back what it has, and begins again.  What one did cannot be
// left out alone, for the other one saw it; what both did in their last rounds
// can.  So these rounds are left out together, and as for one thread
// (loop_cuts.h) the state must be the same, bit by bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/loops.h"
#include "runtime/picture.h"
#include "sched/event.h"

namespace plumb::harness {

class Company {
 public:
  // Of the execution that was just run and left: all who are about to do what
  // they did before in the same call.  `thread` is one of them.
  void gather(sched::ThreadId thread);
  bool is_there() const { return members_.size() > 1; }

  // The next way to leave rounds out: those of `thread`, and of others.
  // Returns false if there is none.
  bool next_rounds();
  // Are these events, by their numbers in that execution, left out now?
  bool leaves_out(std::uint32_t event) const;

  // What they left on their stacks.
  std::vector<runtime::FirstStack> stacks() const;
  // Is everything now, in the execution that was just run, as it was then?
  bool is_as_it_was() const;
  bool is_time_as_it_was() const;

 private:
  struct Member {
    sched::ThreadId thread = 0;
    sched::Event next;
    std::vector<runtime::LoopStep> steps;
    std::vector<std::uint32_t> rounds;  // where they begin, the last one first
    std::size_t left_out = 0;           // so many of these are
    runtime::Picture picture;
  };

  static bool can_join(sched::ThreadId thread);
  void add(sched::ThreadId thread);
  sched::ThreadMask all() const;

  std::vector<Member> members_;  // the thread in question first
  std::vector<runtime::LoopWrite> writes_;
  bool has_begun_ = false;
};

}  // namespace plumb::harness
