// SPDX-License-Identifier: Apache-2.0
// Writes down what an execution does, for its story.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "harness/case.h"
#include "harness/run_program.h"
#include "harness/story.h"
#include "runtime/execution.h"

namespace plumb::harness {

// Watches from its making to its end; there is one at a time.
class StoryRecorder {
 public:
  explicit StoryRecorder(const test::Case& test);
  ~StoryRecorder();
  StoryRecorder(const StoryRecorder&) = delete;
  StoryRecorder& operator=(const StoryRecorder&) = delete;

  // What happened, for a Story.  Requires: one execution has run, and its heap
  // is as it left it for as long as the story is told.
  StoryInput finish(const runtime::Outcome& outcome, Symbols& symbols);

 private:
  static void watch(const runtime::Sight& sight);
  static void listen(const ProgramRun::Record& record, bool returns);
  bool was_seen(const runtime::Sight& sight);
  void add(const runtime::Sight& sight);
  void add_call(const ProgramRun::Record& record, bool returns);
  // A plain write is seen before it happens.
  void complete_last();
  Memory memory(Symbols& symbols) const;

  static StoryRecorder* current_;
  const test::Case& test_;
  std::vector<StoryStep> steps_;
  std::uint32_t last_event_ = UINT32_MAX;
  std::map<sched::ThreadId, int> calls_;     // how many began
  std::map<sched::ThreadId, bool> in_call_;  // ... and one is not over
};

}  // namespace plumb::harness
