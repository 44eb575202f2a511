// SPDX-License-Identifier: Apache-2.0
// Which iterations of retry loops need not be explored any further.
//
// A thread that tried and failed (a compare-exchange that came too late, a lock
// that another one holds) and begins again is often where it would be had it
// only begun later.  Then the execution in which it did begin later, which is
// explored as well, shows everything that this one can show: it has one
// iteration less and is otherwise the same, and since the call's first event
// comes later, it admits all histories that this one admits.  So the thread is
// stopped here for good; other threads go on.
//
// This is what GenMC does to loops that its compiler pass finds to have no side
// effects [KokologiannakisRV21].  We find such iterations while they run, in
// compiled code, whatever they do: load, store, lock, try, wait for some time.
// When a thread is about to do, at position j of its call, what it did at
// position i, the execution without d = j - i of its events is run, those from
// position r on being moved d places behind.  If that leads to the same state,
// bit by bit (runtime/picture.h), the loop is cut.
//
// Why that is right.  Let P be what happens before the thread's last event, and
// R the rest of the execution so far: P R is equivalent to it.  Let P' be P
// without the d events.  If P and P' lead to the same state, P' R leads to the
// state of P R, with fewer events; so by induction over their number, what
// follows P R is shown by executions that are explored.  To cut is to make the
// thread wait for ever: the search explores all traces of that other program,
// if executions that are equivalent are treated alike.  They are, since the
// answer depends on P alone.
//
// Mostly it depends on less: if no other thread's event in P follows a write of
// the iteration, other threads do in P' just what they do in P; what the thread
// does depends on what it has seen (LoopLog::past); and what its writes come to
// depends on that and on what they found, which is part of it.  So what the
// thread has seen is the key under which answers are remembered.  Otherwise
// the key is P; and then rounds of other threads may be left out along with
// those of the thread (loop_company.h), which is right for the same reason.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <vector>

#include "harness/loop_company.h"
#include "harness/loop_past.h"
#include "runtime/execution.h"
#include "runtime/picture.h"
#include "sched/trace.h"

namespace plumb::harness {

// What must be watched for; more of it is found out by searching.
struct LoopCare {
  bool clocks = false;  // somebody looks at what time it is
  bool operator==(const LoopCare&) const = default;
};

class FailureProbe;

class LoopCuts final : public runtime::LoopGuard {
 public:
  // `main`, `argument`: as for runtime::run().
  LoopCuts(const sched::Tracing& search, const runtime::Settings& settings,
           void* (*main)(void*), void* argument, LoopCare care);
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
  // If it seems so, the circle is run once more to see: the state must be the
  // same again.  If something has changed, or they keep each other going round,
  // there must be a way for all to come to their ends.
  enum class Livelock : std::uint8_t { kNo, kYes, kNotShown, kNoWayOut };
  Livelock is_livelock(sched::ThreadMask cut);

  // What a search must take care of to be right, by what was seen so far.  If
  // it is more than this one did, and loops were cut, it was in vain.
  LoopCare care_needed() const;

 private:
  // Where an execution without some events leads to.
  enum class Ending : std::uint8_t { kSame, kOther };

  // Which events of a loop may be left out: so many before the last round, and
  // with what it left on its stack.
  struct Place {
    std::uint32_t back = 0;
    bool with_rubbish = true;
    bool operator==(const Place&) const = default;
  };

  std::span<const sched::Event> so_far() const;
  std::uint64_t key_of(std::span<const sched::Event> events,
                       const runtime::LoopQuestion& question, Part part);
  // Requires: it can be answered.
  void note_question(const runtime::LoopQuestion& question,
                     std::span<const sched::Event> events);
  void note_events(std::span<const sched::Event> events, Part part);
  void note_writes(Window window);
  void resolve_repeat();
  void resolve_failure();
  template <typename Look>
  bool run_plan(std::vector<sched::Event> plan,
                std::span<const runtime::FirstStack> rubbish, Look look);
  bool writes_elsewhere(std::uint32_t first) const;
  Ending run_without(std::uint32_t first, bool with_rubbish);
  std::uint32_t find_out();
  std::uint32_t first_of_round();
  bool run_without_company(bool with_rubbish);
  bool finds_out_of_company();
  bool has_way_out(sched::ThreadMask cut);
  bool goes_round(sched::ThreadMask cut);
  bool run_rounds(sched::ThreadMask cut, int rounds,
                  std::vector<runtime::Picture>* pictures);

  static constexpr std::uint32_t kNo = UINT32_MAX;
  static constexpr std::uint32_t kTogether = UINT32_MAX - 1;

  const sched::Tracing& search_;
  runtime::Settings settings_;
  void* (*main_)(void*);
  void* argument_;
  LoopCare care_;
  LoopCare carelessness_;  // what would have forbidden what was done
  // By key: kNo, the position r from which events were moved, or kTogether.
  absl::flat_hash_map<std::uint64_t, std::uint32_t> known_;
  // By where it was asked, and how long a round is: the last that was found.
  absl::flat_hash_map<std::uint64_t, Place> likely_;
  PastHashes past_hashes_;
  bool is_probing_ = false;
  // Of those cut in this execution: who is just where it was one iteration
  // ago?  (The others would be, had they begun later: they can get on.)
  sched::ThreadMask in_circles_ = 0;
  sched::ThreadMask together_ = 0;  // those that go round with others
  std::vector<std::uint32_t> circle_[sched::kMaxThreads];  // its events

  // By past: does a compare-exchange that fails for no reason lead nowhere?
  absl::flat_hash_map<std::uint64_t, bool> vain_failures_;
  std::uint64_t failure_past_ = 0;
  bool asked_of_failure_ = false;
  // While that is found out: the execution up to where it failed, and whether
  // the thread then came back to a place in its code.
  FailureProbe* failing_ = nullptr;
  bool came_back_ = false;

  // What was asked and not known.
  std::uint64_t asked_key_ = 0;
  std::size_t asked_place_ = 0;   // so many events before it
  std::uint32_t same_place_ = 0;  // how often it was asked in a row
  runtime::LoopQuestion asked_;
  std::vector<sched::Event> asked_events_;
  std::vector<runtime::LoopStep> asked_steps_;
  std::vector<runtime::LoopWrite> asked_writes_;
  bool knows_all_writes_ = true;
  bool has_followed_ = false;  // others, who had followed it
  Company company_;
  runtime::Picture asked_picture_;
};

}  // namespace plumb::harness
