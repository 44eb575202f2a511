// SPDX-License-Identifier: Apache-2.0
// The seam between running threads and execution graphs: what is read.
#pragma once

#include <absl/functional/function_ref.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/execution_graph.h"
#include "sched/scheduler.h"

namespace plumb::sched {

// What was picked does one of the following, then is seen.
class GraphScheduler : public Scheduler {
 public:
  GraphScheduler* graphs() final { return this; }

  // Which write a read reads: what that wrote, and whether this is an update
  // (then updated() must follow at once).  `initial`: what the location holds
  // if nobody has written it.  `next`: what an update would write; asked for
  // other values than the one that is read, too.
  struct Read {
    Bytes value;
    bool updates = false;
    bool fails = false;  // for no reason
  };
  using Next = absl::FunctionRef<Bytes(const Bytes&)>;
  virtual Read read(ThreadId thread, const ReadLabel& label,
                    const Bytes& initial, Next next) = 0;
  // Return whether this is the latest write of its location, of those that
  // were done in this run.
  virtual bool wrote(ThreadId thread, std::uint64_t key, const Bytes& value,
                     int order, const Bytes& initial) = 0;
  virtual bool updated(ThreadId thread, const Bytes& value) = 0;
  virtual void fence(ThreadId thread, int order) = 0;
  virtual void spawned(ThreadId thread, ThreadId child) = 0;
  virtual void joined(ThreadId thread, ThreadId child) = 0;
  // Nobody was picked, since all wait for what others could still write.
  virtual bool is_stalled() const { return false; }
  // The run is over, and this thread still waits.  To be told of all such
  // threads, the first one first.
  virtual void waits(ThreadId, const ReadLabel&, const Bytes&, Next) {}

  // Did the run do something else than what is in the graph?
  virtual bool diverged() const { return false; }

  // The graph of the run so far.
  virtual const ExecutionGraph& graph() const = 0;
  // What a thread follows by now; nothing if it did nothing yet.
  const Past& past_of(ThreadId thread) const {
    static const Past kNothing;
    if (done_[thread] == 0) return kNothing;
    return graph()[{thread, static_cast<std::uint16_t>(done_[thread] - 1)}].hb;
  }

  // Is there more in the graph that the thread is to do in this run?
  bool has_more(ThreadId thread) const {
    return thread < graph().threads() && done_[thread] < graph().size(thread);
  }

  // What was seen in this run, and which events of the graph it was: those
  // from first_of() up to last_of().
  const std::vector<Event>& events() const { return events_; }
  EventId first_of(std::size_t number) const {
    return course_[number == 0 ? 0 : ends_[number - 1]];
  }
  EventId last_of(std::size_t number) const {
    return course_[ends_[number] - 1];
  }

  // Was it an event of the graph?
  bool knows(std::size_t number) const {
    return ends_[number] > (number == 0 ? 0 : ends_[number - 1]);
  }
  bool knows_last() const { return knows(ends_.size() - 1); }

  void saw(const Event& event) override {
    events_.push_back(event);
    ends_.push_back(course_.size());
  }
  void end_run(RunEnd, ThreadMask, const Event*) override {}

 protected:
  void forget_run() {
    events_.clear();
    ends_.clear();
    course_.clear();
    for (std::uint16_t& done : done_) done = 0;
  }
  // The thread's next event is done.
  EventId note(ThreadId thread) {
    course_.push_back({thread, done_[thread]});
    ++done_[thread];
    return course_.back();
  }
  std::size_t done(std::size_t thread) const { return done_[thread]; }

 private:
  std::vector<Event> events_;
  std::vector<std::size_t> ends_;  // by what was seen: of course_
  std::vector<EventId> course_;    // the graph's events, as they were done
  std::uint16_t done_[kMaxThreads] = {};
};

}  // namespace plumb::sched
