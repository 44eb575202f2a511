// SPDX-License-Identifier: Apache-2.0
// TruSt: visits every consistent execution graph of a program once.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/execution_graph.h"
#include "sched/graph_scheduler.h"

namespace plumb::sched {

// Optimal stateless model checking with revisits [KokologiannakisEtAl22].  A
// read is tried with every write that it may read.  A write is tried at every
// place of mo; and each earlier read that it does not depend on is tried once
// more, reading it, without what was added after that read: provided that all
// this was added in the one way in which a search adds that explores nothing
// else (is_maximal), so that no other graph leads there, too.
//
// The program is run anew for each graph.  Between runs the graph is changed;
// a run then does what is in the graph, in an order along po and rf, and goes
// on with the first thread that can, reading and writing what is latest.
//
// Where we differ from the paper: a read-modify-write that waits is added only
// when it can go on.  Revisited by a write that lets it wait, it stays, and its
// thread does nothing more, until another write revisits it.  A lock that one
// holds alone takes the next write that lets it go on, without alternatives
// [KokologiannakisEtAl23].  Where all threads wait, what others have taken is
// tried.  Graphs with an SC order that was met on the way are consistent in all
// models and not checked.
//
// What is kept beside memory (who waits for a condition variable) has no values
// here: each access is an update of the same value, so that runs do them in the
// order of the graph, and the run itself knows what came out
// (ReadLabel::is_told).  A graph whose run cannot do one of them is dropped.
//
// Requires of who runs the program: the same threads, doing the same as long
// as they read the same.
class Trust final : public GraphScheduler {
 public:
  explicit Trust(MemoryModel model) : model_(model) {}

  bool start_run() override;
  bool repeat_run() override {
    plan_run();
    return true;
  }
  // kNoThread: what is in the graph cannot be done, or all threads wait.
  ThreadId pick(const Situation& situation) override;

  Read read(ThreadId thread, const ReadLabel& label, const Bytes& initial,
            Next next) override;
  bool wrote(ThreadId thread, std::uint64_t key, const Bytes& value, int order,
             const Bytes& initial) override;
  bool updated(ThreadId thread, const Bytes& value) override;
  void fence(ThreadId thread, int order) override;
  void spawned(ThreadId thread, ThreadId child) override;
  void joined(ThreadId thread, ThreadId child) override;
  std::uint32_t choose(ThreadId thread, std::uint32_t outcomes) override;
  void waits(ThreadId thread, const ReadLabel& label, const Bytes& initial,
             Next next) override;

  const ExecutionGraph& graph() const override { return frames_.back().graph; }
  bool diverged() const override { return diverged_; }
  MemoryModel model() const { return model_; }
  std::uint64_t rejected() const { return rejected_; }  // inconsistent graphs
  bool is_stalled() const override { return stalled_; }

 private:
  // Another way for the last event of a graph that was cut at `stamp`.
  struct Item {
    enum class Kind : std::uint8_t { kRead, kPlace, kRevisit, kChoice };
    Kind kind = Kind::kRead;
    bool fails = false;       // kRead
    std::uint16_t place = 0;  // kPlace; kChoice: the outcome
    std::uint32_t stamp = 0;
    EventId event;
    EventId other;  // kRead: the source.  kRevisit: the read.
                    // kPlace: a read that reads it, or kInitially.
    Bytes next;     // kRead: what an update writes
  };
  struct Frame {
    ExecutionGraph graph;
    std::vector<Item> items;
  };

  ExecutionGraph& mine() { return frames_.back().graph; }
  bool take(const Item& item);
  bool take_read(const Item& item);
  bool take_place(const Item& item);
  bool take_revisit(const Item& item);
  bool was_along_order(EventId event) const;
  bool accept(EventId event, bool is_latest);
  bool add_update(EventId read, const Bytes& value);
  void move_waiting(EventId write);
  void offer_sources(EventId read, Next next);
  void offer_places(EventId write, std::size_t first, EventId reader);
  void offer_revisits(EventId write);
  bool is_maximal(EventId event, const GraphEvent& write) const;
  void plan_run();
  void plan(EventId event);
  bool can_do(EventId event, bool is_enabled);
  bool replays(ThreadId thread, GraphKind kind);
  std::uint32_t touch(std::uint64_t key, const Bytes& initial);
  Read answer(EventId read) const;
  EventId add(ThreadId thread, GraphKind kind);
  bool is_latest_done(EventId write) const;

  const MemoryModel model_;
  std::vector<Frame> frames_;
  std::vector<EventId> plan_;           // what is in the graph, back to front
  std::vector<std::uint16_t> planned_;  // by thread
  std::vector<std::uint32_t> touched_;  // locations, in this run
  std::uint64_t rejected_ = 0;
  bool started_ = false;
  bool diverged_ = false;
  bool rejects_run_ = false;  // what the run did last is inconsistent
  bool stalled_ = false;
};

}  // namespace plumb::sched
