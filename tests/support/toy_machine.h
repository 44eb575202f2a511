// SPDX-License-Identifier: Apache-2.0
// Small concurrent programs that need no fibers, to try searches on.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "sched/event.h"
#include "sched/scheduler.h"

namespace plumb::test_support {

// One instruction; threads have one register.
struct ToyStep {
  enum class Do : std::uint8_t {
    kLoad,     // register = variable
    kStore,    // variable = constant
    kAdd,      // register = variable, variable += constant
    kCas,      // if variable == register: variable = constant, register = 1;
               // else register = variable
    kWeakCas,  // the same; or, for no reason, else
    kLock,     // variable is a mutex
    kUnlock,   // only where this thread holds it
    kSkipIf,   // if register == constant: leaves the next out (no event)
    kChoose,   // register = one of constant
    kDown,     // waits until variable > 0, subtracts 1
    kUp,       // adds 1
  };
  Do what = Do::kLoad;
  std::uint8_t variable = 0;
  std::uint8_t constant = 0;
};

using ToyProgram = std::vector<std::vector<ToyStep>>;

ToyProgram random_toy(std::mt19937& random, int threads, int steps);
std::string to_string(const ToyProgram& program);

// What one run came to: what each thread read, what variables hold, and the
// order of dependent events: equal for runs of the same trace only.
struct ToyRun {
  std::string outcome;
  std::string trace;
  std::string history;  // see ToyPlace
  std::string memory;   // what variables hold and who holds locks, at the end
  sched::RunEnd end = sched::RunEnd::kComplete;
};

// Where a run is.  Two events of a thread are a call: how calls overlap so far
// is told, by the calls that had returned at each invocation.
struct ToyPlace {
  std::string state;    // all that decides what comes next
  std::string outcome;  // as ToyRun has it
  std::string history;
  bool invokes = false;  // of the last event: was it the first of its call,
  bool returns = false;  // and the last?
};

// Runs it once, telling where it is.  Requires: scheduler.start_run() said yes.
ToyRun run_toy(const ToyProgram& program, sched::Scheduler& scheduler,
               ToyPlace* place = nullptr);

// All outcomes and all traces of complete and of stuck runs, by trying every
// order.
struct ToyResults {
  std::set<std::string> outcomes;
  std::set<std::string> traces;
  std::set<std::string> histories;  // with their outcomes
  std::set<std::string> memories;
  std::uint64_t runs = 0;
};
ToyResults all_runs(const ToyProgram& program);

}  // namespace plumb::test_support
