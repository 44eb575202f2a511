// SPDX-License-Identifier: Apache-2.0
// Which iterations of retry loops need not be explored any further.
//
// A thread that tried and failed (a compare-exchange that came too late, a
// check that something changed meanwhile) and begins again is often where it
// would be had it only begun later.  Then the execution in which it did begin
// later, which is explored as well, shows everything that this one can show:
// it has one iteration less and is otherwise the same, and since the call's
// first event comes later, it admits all histories that this one admits.  So
// the thread is stopped here for good; other threads go on.
//
// This is what GenMC does to loops that its compiler pass finds to have no side
// effects [KokologiannakisRV21].  We find such iterations while they run, in
// compiled code: when a thread is about to do, at position j of its call, what
// it did at position i, the execution without d = j - i of its events is run,
// those from position r on being moved d places behind.  If that leads to the
// same state, bit by bit - registers, stack, heap, globals, what all other
// threads saw - the loop is cut.
//
// The answer depends only on what the thread has seen (its past), so it is
// remembered; and it must, or equivalent executions would be treated in
// different ways.  Therefore a moved event must touch what the event touched
// whose place it takes, and nobody else may have touched what the thread wrote
// and overwrote in between.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <vector>

#include "runtime/execution.h"
#include "runtime/loops.h"
#include "sched/dpor.h"

namespace plumb::harness {

class LoopCuts final : public runtime::LoopGuard {
 public:
  // `main`, `argument`: as for runtime::run().
  LoopCuts(const sched::Dpor& search, const runtime::Settings& settings,
           void* (*main)(void*), void* argument);
  ~LoopCuts() override;
  LoopCuts(const LoopCuts&) = delete;
  LoopCuts& operator=(const LoopCuts&) = delete;

  runtime::LoopAnswer at_repeat(const runtime::LoopQuestion& question) override;
  // A weak compare-exchange that fails for no reason is tried unless the thread
  // would be stopped right after it, being in vain where it was before.
  runtime::LoopAnswer at_weak_success(const sched::Event& event) override;

  // Finds out what at_repeat() did not know.  To be called after a run that
  // ended because of that, outside of executions.
  void resolve();

  // All that still live are cut or wait.  Can none of the cut ones ever get
  // on, since they run in circles, and nothing that they read has changed?
  bool is_livelock(sched::ThreadMask cut) const;

 private:
  // What decides how an execution goes on.
  struct Picture {
    runtime::Registers registers;
    std::vector<unsigned char> stack;
    std::vector<unsigned char> memory;
    std::uint64_t allocations = 0;
    std::uint64_t unseen = 0;
    sched::Event next;
    bool is_whole = true;  // else there was too much memory
  };
  void take_picture(sched::ThreadId thread, const sched::Event& next,
                    Picture& picture) const;
  bool is_simple(const runtime::LoopLog& log, std::uint32_t first,
                 std::uint32_t to) const;
  bool is_undone(std::uint32_t first) const;
  bool was_disturbed(const runtime::LoopLog& log, sched::ThreadId thread,
                     std::uint32_t first, std::uint32_t to) const;
  // Where an execution without some events leads to.
  enum class Ending : std::uint8_t {
    kSame,
    kChanged,    // the place in the code is the same, the data are not
    kElsewhere,  // rubbish on the stack cannot be why
  };
  void note_question(const runtime::LoopQuestion& question,
                     std::vector<sched::Event> events);
  void resolve_repeat();
  void resolve_failure();
  Ending run_without(std::uint32_t first, bool with_rubbish);
  bool leads_to_the_same(std::uint32_t first);

  static constexpr std::uint32_t kNo = UINT32_MAX;

  const sched::Dpor& search_;
  runtime::Settings settings_;
  void* (*main_)(void*);
  void* argument_;
  // By past: kNo, or the position r from which events were moved.
  absl::flat_hash_map<std::uint64_t, std::uint32_t> known_;
  bool is_probing_ = false;
  // Of those cut in this execution: who is just where it was one iteration
  // ago?  (The others would be, had they begun later: they can get on.)
  sched::ThreadMask in_circles_ = 0;

  // By past: does a compare-exchange that fails for no reason lead nowhere?
  absl::flat_hash_map<std::uint64_t, bool> vain_failures_;
  std::uint64_t failure_past_ = 0;
  bool asked_of_failure_ = false;
  // While that is found out: the execution up to where it failed, and whether
  // the thread then came back to a place in its code.
  class FailureProbe;
  FailureProbe* failing_ = nullptr;
  bool came_back_ = false;

  // What was asked and not known.
  std::uint64_t asked_past_ = 0;
  runtime::LoopQuestion asked_;
  std::vector<sched::Event> asked_events_;
  std::vector<runtime::LoopStep> asked_steps_;
  Picture asked_picture_;
};

}  // namespace plumb::harness
