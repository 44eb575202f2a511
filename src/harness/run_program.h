// SPDX-License-Identifier: Apache-2.0
// What one execution of a test does: makes the object, calls it from threads.
#pragma once

#include <cstdint>
#include <vector>

#include "base/value.h"
#include "harness/call_trace.h"
#include "harness/case.h"
#include "runtime/execution.h"
#include "sched/trace.h"

namespace plumb::harness {

// Which operations threads called, and in which calls anything was seen of what
// threads share.  Of the first 64; one with no bit for it is taken for seen.
struct SeenOperations {
  std::uint64_t called = 0;
  std::uint64_t seen = 0;

  static std::uint64_t bit(std::size_t operation) {
    return operation < 64 ? std::uint64_t{1} << operation : 0;
  }
  void add(int operation, bool is_seen) {
    const std::uint64_t it = bit(static_cast<std::size_t>(operation));
    called |= it;
    if (is_seen) seen |= it;
  }
  void add(const SeenOperations& more) {
    called |= more.called;
    seen |= more.seen;
  }
  bool is_blind(std::size_t operation) const {
    return (called & ~seen & bit(operation)) != 0;
  }
};

// Runs on the fibers of an execution.  Made once for all executions of a
// program: nothing is allocated while one runs, since that memory would be the
// test's.
class ProgramRun {
 public:
  // Throws InputError if a program has more calls than can be judged.
  ProgramRun(const test::Case& test, const Program& program);
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  // As runtime::run() wants it; `argument` is the ProgramRun.
  static void* main(void* argument);

  // One call of the program, as it went.
  struct Record {
    std::uint16_t call = 0;
    std::uint8_t thread = 0;
    bool began = false;
    bool returned = false;
    runtime::Span span;
    Value result;
  };
  static runtime::Span span_of(const Record& record);
  static inline std::uint32_t calls_returned = 0;  // in the last execution
  const std::vector<Record>& before() const { return before_; }
  const std::vector<Record>& after() const { return after_; }
  // Thread by thread.
  const std::vector<Record>& calls() const { return calls_; }

  // What the last execution's calls did, and in what order: that of its trace,
  // or (`trace` is null) one event after another as they happened.  A call that
  // makes no event may come at any time between its neighbours in its thread,
  // wherever it was run.
  void fill(CallTrace& calls, const sched::Trace* trace) const;

  // How much was freed by the object's destructor, in all executions: nothing
  // can be done with that memory any more.
  std::uint64_t last_frees() const { return last_frees_; }

  // A hash of what the call of a thread has given so far.
  static std::uint64_t given_by(sched::ThreadId thread);

  // Of the program that runs, how many; -1: it is free in what it starts.
  static inline int threads = -1;
  static inline SeenOperations seen = {};
  // What it is told where real threads run.
  static inline thread_local int native_thread = 0;

  // Called when a call begins or returns, if not null; for stories.
  using Listener = void (*)(const Record& record, bool returns);
  static Listener listener;

 private:
  struct ThreadJob {
    ProgramRun* run = nullptr;
    std::size_t first = 0;  // of calls_
    std::size_t count = 0;
  };
  static void* thread_main(void* argument);
  void run_all();
  void make_call(Record& record);
  void reset();

  const test::Case& test_;
  void* object_ = nullptr;
  std::uint64_t last_frees_ = 0;
  std::vector<Record> before_, calls_, after_;
  std::vector<ThreadJob> jobs_;
};

}  // namespace plumb::harness
