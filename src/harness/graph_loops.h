// SPDX-License-Identifier: Apache-2.0
// Loops in execution graphs: awaits, whose reads stay revisitable.
//
// A thread that came back to where it was, having changed nothing, would do
// the same again until it reads something else.  It is stopped there; when a
// write that it could read is added, the search lets it read that in another
// execution (sched::Trust).  What is left out has iterations that change
// nothing, and without them the graph is consistent as well.
//
// Where a round only read, the execution up to here is run with and without as
// many reads of the thread (of others only what the thread follows), as
// LoopCuts does.  Does the thread come to the same state, bit by bit, the graph
// without these reads shows all that this one can show: nobody reads from them,
// and hb, mo and psc without them are smaller.  The answer depends on what the
// thread has seen (LoopLog::past), so to stop there makes another program, of
// which the search visits all graphs.  Rounds that write what was there are
// compared with the one before.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <vector>

#include "harness/schedule.h"
#include "runtime/execution.h"
#include "runtime/loops.h"
#include "runtime/picture.h"
#include "sched/graph_replay.h"
#include "sched/graph_scheduler.h"

namespace plumb::harness {

class GraphLoops final : public runtime::LoopGuard {
 public:
  // `main`, `argument`: as for runtime::run().
  GraphLoops(const sched::GraphScheduler& search,
             const runtime::Settings& settings, void* (*main)(void*),
             void* argument);
  ~GraphLoops() override;
  GraphLoops(const GraphLoops&) = delete;
  GraphLoops& operator=(const GraphLoops&) = delete;

  runtime::LoopAnswer at_repeat(const runtime::LoopQuestion& question) override;
  runtime::LoopAnswer at_weak_success(const sched::Event&) override {
    return runtime::LoopAnswer::kGoOn;
  }

  // Finds out what at_repeat() did not know.  To be called after a run that
  // ended because of that, outside of executions.
  void resolve();

  // All that still live are stopped or wait.  Would the stopped ones go round
  // for ever: did they read what is there in the end?
  bool is_livelock(sched::ThreadMask cut) const;

 private:
  bool changes_nothing(const runtime::LoopQuestion& question) const;
  bool only_reads(std::uint32_t number) const;
  std::vector<std::uint32_t> places_of(
      const runtime::LoopQuestion& question) const;
  runtime::LoopAnswer compare_rounds(const runtime::LoopQuestion& question);
  runtime::LoopAnswer stop(const runtime::LoopQuestion& question);
  void note_question(const runtime::LoopQuestion& question);
  bool run_plan(sched::GraphReplay& plan,
                std::span<const runtime::FirstStack> rubbish,
                runtime::Picture& picture);
  bool is_without(const sched::GraphReplay& shorter,
                  const sched::GraphReplay& longer, std::size_t first,
                  std::size_t to) const;
  std::uint32_t find_out();

  static constexpr std::uint32_t kNo = UINT32_MAX;

  // Where a thread was, at a place in its code.
  struct Seen {
    std::uint32_t run = 0;
    std::uint64_t site = 0;
    std::uint32_t position = 0;
    runtime::Picture picture;
  };

  const sched::GraphScheduler& search_;
  const runtime::Settings settings_;
  void* (*const main_)(void*);
  void* const argument_;
  bool is_probing_ = false;
  // By key: the position from which on events were in vain, or kNo.
  absl::flat_hash_map<std::uint64_t, std::uint32_t> known_;
  // What was asked and not known.
  runtime::LoopQuestion asked_;
  std::uint64_t asked_key_ = 0;
  std::size_t asked_place_ = 0;   // so many events before it
  std::uint32_t same_place_ = 0;  // how often it was asked in a row
  std::vector<Step> asked_steps_;
  std::vector<std::uint32_t> asked_places_;  // to leave out events from
  std::vector<Seen> seen_[sched::kMaxThreads];
  std::vector<std::uint32_t> circle_[sched::kMaxThreads];  // its events
  // Of those stopped in this execution: who is where it was one round ago?
  sched::ThreadMask in_circles_ = 0;
  sched::ThreadMask will_get_on_ = 0;  // they failed for no reason
};

}  // namespace plumb::harness
