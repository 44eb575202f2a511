// SPDX-License-Identifier: Apache-2.0
// Stateful search: explores every state once, with sleep sets.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sched/scheduler.h"
#include "sched/trace.h"

namespace plumb::sched {

// Stands for a state.  Two of n states have the same one by chance with a
// probability below n^2 / 2^129: of a hundred million, 10^-23.
struct Fingerprint {
  std::uint64_t a = 0;
  std::uint64_t b = 0;

  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Fingerprint& state) {
    return H::combine(std::move(h), state.a);
  }
};

// Tells a search which state an execution is in, and what the search must know
// of calls: their order is what executions are judged by.
class StateWatch {
 public:
  virtual ~StateWatch() = default;

  // Of the event that was just done: is it the first of its call?
  virtual bool invokes(const Event& event) = 0;

  enum class What : std::uint8_t {
    kState,
    kNone,   // it is not to be compared with others
    kWrong,  // whatever comes now, the execution is a violation
    kAsk,    // that must be found out first, outside of executions
    kStop,   // states of this program cannot be told apart
  };
  struct View {
    What what = What::kState;
    Fingerprint state;
    bool returned = false;  // a call has returned since the last event
  };
  // Asked after `events` events of an execution, where it goes on as none did
  // before.
  virtual View look(std::size_t events) = 0;
};

// Every state is explored once, from each of its enabled threads, but for those
// that are asleep: what they would do has been explored from a state before,
// and since then nothing has come that depends on it [Godefroid96, section 5].
// So the states are all there are; of the ways between them some are left out.
//
// A state is kept with its sleep set.  Who comes to it again with another one
// explores what was asleep then and is not now, and the intersection is kept
// [Godefroid96, figure 5.2].
//
// Where we differ: judges want to know which calls had returned when another
// one was invoked, so a return and an invocation of different threads are
// dependent.  An event is all that its thread does up to its next event, which
// is why we know of returns after it.  Events with several outcomes are asleep
// once all of them were explored.
//
// To go back is to run again from the start.
//
// States may lead back to themselves: threads that wait in loops.  That is
// right as long as there is a way out; so it is known of each state whether an
// end can be reached from it, by the strongly connected components of what was
// explored [Tarjan72].  What is asleep is explored all the same where that is
// the only hope.  If there is a component that nothing leaves, threads may go
// round in it for ever: has_no_way_out() says so, and whether that is wrong is
// left to others.
class States final : public Scheduler, public Tracing {
 public:
  // Requires: `watch` outlives this.
  explicit States(StateWatch& watch) : watch_(watch) {}

  bool start_run() override;
  bool repeat_run() override;
  ThreadId pick(const Situation& situation) override;
  std::uint32_t choose(ThreadId thread, std::uint32_t bound) override;
  void saw(const Event& event) override;
  void end_run(RunEnd end, ThreadMask waiting, const Event* pending) override;

  // The execution that just ended, without order; and with it.
  const Trace& trace() const override { return trace_; }
  const Trace& ordered_trace() {
    trace_.analyse();
    return trace_;
  }

  bool diverged() const { return diverged_; }
  bool has_no_way_out() const { return has_no_way_out_; }
  // The watch said so: it must find out something, and then the run is to be
  // repeated; or the search is over.
  bool is_asked() const { return is_asked_; }
  bool is_stopped() const { return is_stopped_; }
  // The execution that just ended is a violation, as the watch said.
  bool went_wrong() const { return went_wrong_; }

  std::uint64_t states() const { return states_; }
  std::uint64_t transitions() const { return transitions_; }

 private:
  // A transition that was explored from a state.
  struct Explored {
    Event event;
    bool invokes = false;
    bool returns = false;
  };
  // The place before an event.
  struct Node {
    Fingerprint state;
    bool is_kept = false;      // and on the path that is explored
    bool reaches_end = false;  // and so do all before it
    std::uint32_t low = 0;     // the first place on the path that it reaches
    std::uint32_t group = 0;   // of states that reach this one, and no end yet
    ThreadMask todo = 0;       // still to be explored
    ThreadMask slept = 0;      // not explored from here, being asleep
    std::vector<Explored> sleep;
    // What is explored from here.
    Explored now;
    std::uint16_t choice = 0;
    std::uint32_t bound = 1;
  };
  // `group`: 0, if it reaches an end; a place on the path, or a group.
  struct Kept {
    ThreadMask sleep = 0;
    std::uint32_t group = 0;
  };
  static constexpr std::uint32_t kOnPath = std::uint32_t{1} << 31;
  // States that reach a place on the path, and no end so far; joined when they
  // reach one before that.
  struct Group {
    std::uint32_t joined = 0;  // to this one; itself: to none
    std::uint32_t place = 0;
    bool reaches_end = false;
  };
  using Shard = absl::flat_hash_map<Fingerprint, Kept>;
  // Many, for each grows by being copied.
  static constexpr std::size_t kShards = 64;

  static bool depend(const Explored& a, const Explored& b) {
    return dependent(a.event, b.event) || (a.invokes && b.returns) ||
           (a.returns && b.invokes);
  }
  Node& node(std::size_t depth);
  bool next_branch(Node& place);
  bool wake(Node& place);
  void leave(std::uint32_t depth);
  void reach_end(std::size_t places);
  void reach(std::uint32_t depth, std::uint32_t group);
  std::uint32_t group_of(std::uint32_t group);
  std::uint32_t group_at(std::uint32_t depth);
  void inherit_sleep(Node& place);
  void meet(Node& place, ThreadMask enabled);
  ThreadId take(Node& place, ThreadId wanted);
  ThreadId go_on_anyhow(const Situation& situation);
  Shard& shard_of(const Fingerprint& state) {
    return shards_[state.b % kShards];
  }

  StateWatch& watch_;
  Trace trace_;
  std::vector<Node> nodes_;
  std::array<Shard, kShards> shards_;
  std::vector<Group> groups_ = std::vector<Group>(1);
  std::size_t depth_ = 0;       // events of this run so far
  std::size_t replayed_ = 0;    // events that are the same as in the last run
  std::size_t explored_ = 0;    // so many first nodes are on the path
  std::size_t run_length_ = 0;  // events in a row of one thread
  bool started_ = false;
  bool diverged_ = false;
  bool has_cycle_ = false;  // before that, all that was left reaches an end
  bool has_no_way_out_ = false;
  bool is_asked_ = false;
  bool is_stopped_ = false;
  bool went_wrong_ = false;
  std::uint64_t states_ = 0;
  std::uint64_t transitions_ = 0;
};

}  // namespace plumb::sched
