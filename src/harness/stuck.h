// SPDX-License-Identifier: Apache-2.0
// Decides whether calls that wait for ever may do so.
//
// A program can end with calls that never return: a deq on an empty blocking
// queue.  That is right if some order explains all calls that did return, and
// after it each of the others blocks in the specification [BurckhardtEtAl10,
// stuck histories].  Else it is a deadlock.
#pragma once

#include <memory>

#include "base/budget.h"
#include "harness/call_trace.h"
#include "harness/judge.h"

namespace plumb::harness {

class StuckJudge {
 public:
  // `calls`: the test's, as the object's specification has them.
  StuckJudge(std::vector<spec::Call> calls, spec::SpecificationPtr object,
             check::Condition condition);

  // Is every history that the execution admits right with its pending calls
  // being blocked for ever?
  check::Answer judge(const CallTrace& trace, Budget& budget);

 private:
  std::size_t calls_;
  std::unique_ptr<Judge> judge_;
  CallTrace completed_;
};

}  // namespace plumb::harness
