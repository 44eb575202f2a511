// SPDX-License-Identifier: Apache-2.0
// An execution as people read it: who did what, where, and what was wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/memory_names.h"
#include "harness/symbols.h"
#include "report/json_value.h"
#include "runtime/core.h"
#include "sched/event.h"

namespace plumb::harness {

struct StoryStep {
  enum class What : std::uint8_t {
    kEvent,
    kCallBegins,   // `text`: "push(1)"
    kCallReturns,  // `text`: "-> true"; of calls only event.thread counts
    kFault,        // `text`: what was found; a Story adds these itself
  };
  What what = What::kEvent;
  sched::Event event;
  bool plain = false;  // an access that is no event of the search
  // What the memory held before and after, up to 8 bytes.
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  // A compare-exchange; one that failed is a kRead.
  bool compares = false;
  bool succeeded = true;
  std::uint64_t expected = 0;
  std::uint64_t desired = 0;
  std::vector<std::uintptr_t> stack;  // return addresses, innermost first
  int call = -1;                      // which call of the thread; -1: none
  std::uint32_t number = UINT32_MAX;  // of the event, in its execution
  // In an execution graph: the step that wrote what is read (-1: it was there
  // at first; kNotKnown), and those that wrote there since.
  static constexpr int kNotKnown = -2;
  int source = kNotKnown;
  std::vector<std::size_t> newer;
  std::string text;
};

// Between steps of an execution graph: "po", "rf", "mo", "sw".
struct StoryEdge {
  std::size_t from = 0, to = 0;
  const char* kind = "";
};

struct StoryOptions {
  std::size_t width = 120;
  bool colour = false;
  bool fold = true;  // what says nothing is counted, not shown
  std::string indent = "    ";
};

// What is told about.
struct StoryInput {
  std::vector<StoryStep> steps;
  std::vector<std::string> threads;  // names; beyond them "T3"
  Memory memory;
  runtime::Finding finding;  // fault kNone: nothing was found
  // Who called where it was found, as in StoryStep; may be empty.
  std::vector<std::uintptr_t> finding_stack;
  std::vector<StoryEdge> edges;    // of a graph
  std::vector<StoryStep> waiting;  // what threads that wait were about to do
};

class Story {
 public:
  // Requires: `symbols` outlives this.
  Story(StoryInput input, Symbols& symbols);

  // A table with one column for each thread, from top to bottom in time; the
  // words are those of report/steps.h:
  //
  //   step  place         T1                          T2
  //      1              > push(1)
  //      2  stack.h:21    n->next = head.load();
  //                         read head = null
  //      3                                          > pop()
  //
  // Folds what only one thread touches, and rounds of a loop that are alike.
  std::string text(const StoryOptions& options = {});

  // All steps, none folded.
  report::Json json();
  // [from, to, kind], by index among these steps; of an execution graph.
  report::Json edges() const;

  // What the finding is, in a sentence or two without a full stop; "" if there
  // is none.
  std::string explanation();

  // "T1".
  std::string thread_name(sched::ThreadId thread) const;
  // Blocks are called in explanations what they are called in the table.
  MemoryNames& names() { return names_; }

 private:
  friend class StoryTable;
  friend class FindingText;

  // A step, or a remark on those that are folded.
  struct Row {
    std::size_t step = 0;
    std::string remark;  // "": the step itself
  };
  std::vector<Row> rows(bool fold) const;
  std::size_t rounds_at(std::size_t begin, std::size_t length) const;
  std::size_t private_run(std::size_t begin) const;
  void find_shared_words();
  void find_locks();
  bool is_locked_somewhere(std::uintptr_t address) const;
  bool is_private(const StoryStep& step) const;

  std::string effect_of(const StoryStep& step);
  std::string source_of(const StoryStep& step) const;
  std::string effect_of_access(const StoryStep& step);
  std::string effect_of_try(const sched::Event& event);
  std::string effect_of_wait(const sched::Event& event);
  std::string name_of_object(std::uintptr_t address);
  CodePlace place_of(const StoryStep& step);

  StoryInput input_;
  Symbols& symbols_;
  MemoryNames names_;
  std::vector<std::uintptr_t> shared_words_;  // sorted
  std::vector<std::uintptr_t> locks_;         // sorted
};

}  // namespace plumb::harness
