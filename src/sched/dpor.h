// SPDX-License-Identifier: Apache-2.0
// Explores one execution of every Mazurkiewicz trace: optimal DPOR.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/scheduler.h"
#include "sched/trace.h"
#include "sched/wakeup_tree.h"

namespace plumb::sched {

// Optimal dynamic partial order reduction [AbdullaEtAl14, algorithm 2].  After
// each execution, for every race (e, e') in it, the sequence v of events after
// e that do not happen after it, then e', is what reverses the race; unless
// something that was already explored from there covers it, v is inserted into
// the wakeup tree of the place before e.  Sleep sets keep what was explored
// from being explored again.
//
// We differ from the paper in this: an event of v that cannot take place when
// its turn comes (a semaphore that nobody has given yet) ends the execution
// without a verdict; a compare-exchange that failed counts as one that writes
// where it is the reversed event, since it may then succeed; and events may
// have several outcomes, each of which is explored: choices of data, which
// touch nothing, and what may fail for no reason.
//
// Complete executions have different traces, and every trace has one.
class Dpor final : public Scheduler, public Tracing {
 public:
  bool start_run() override;
  ThreadId pick(const Situation& situation) override;
  std::uint32_t choose(ThreadId thread, std::uint32_t bound) override;
  void saw(const Event& event) override;
  void end_run(RunEnd end, ThreadMask waiting, const Event* pending) override;

  bool repeat_run() override {
    replayed_ = trace_.size();
    depth_ = 0;
    return true;
  }

  // The execution that just ended: with its order from end_run() to
  // start_run().
  const Trace& trace() const override { return trace_; }

  // Did the last run do something else than the same choices did before?
  bool diverged() const { return diverged_; }
  // How much of the search is behind us, from 0 to 1, if what is left is like
  // what was: a guess.
  double share_done() const;

 private:
  // What a thread chose at one place: outcomes that were explored.
  struct Chosen {
    ThreadId thread = 0;
    std::uint32_t bound = 0;
    std::uint64_t outcomes = 0;
  };
  // The place before an event.
  struct Node {
    WakeupTrees::Branch tree = WakeupTrees::kNone;  // first: being explored
    std::vector<Event> sleep;  // explored from here: by what came next
    std::vector<Chosen> chosen;
  };

  Node& node(std::size_t depth);
  void enter_next_node(const Event& event);
  ThreadId pick_new(const Situation& situation);
  Chosen& chosen_by(Node& place, ThreadId thread);
  void drop_all(WakeupTrees::Branch branch);
  void reverse_races(ThreadMask waiting, const Event* pending);
  void reverse(const RacePair& race, const Event& second);
  const Event& member(std::uint32_t number) const {
    return number == reversed_number_ ? reversed_ : trace_[number];
  }
  std::uint32_t first_of(ThreadId thread) const;
  template <typename Test>
  bool any_member(Test test) const;
  void remove(std::uint32_t number);
  bool is_covered(Node& place) const;
  void insert(Node& place);
  void append_rest(Node* place, WakeupTrees::Branch parent);
  bool is_weak_initial(const Event& event, std::uint32_t* initial) const;
  bool next_branch(std::size_t depth);

  Trace trace_;
  WakeupTrees trees_;
  std::vector<Node> nodes_;   // one more than events at least
  std::size_t depth_ = 0;     // events of this run so far
  std::size_t replayed_ = 0;  // events that are the same as in the last run
  bool started_ = false;
  bool diverged_ = false;
  std::size_t run_length_ = 0;  // events in a row of one thread

  // The sequence v of the race at hand: events as a set, in the order of the
  // trace; then the reversed event, if it is still there, with what it may do.
  static constexpr std::uint32_t kNobody = UINT32_MAX;
  std::vector<std::uint64_t> members_;
  std::uint32_t reversed_number_ = 0;
  Event reversed_;
  bool has_reversed_ = false;
};

}  // namespace plumb::sched
