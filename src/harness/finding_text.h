// SPDX-License-Identifier: Apache-2.0
// A finding in words: who, where, and why it is wrong.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/story.h"

namespace plumb::harness {

// "data race", "use after free"; of none, what is wrong with the history.
const char* title_of(runtime::Fault fault);

class FindingText {
 public:
  explicit FindingText(Story& story)
      : story_(story), finding_(story.input_.finding) {}

  // "data race: T1 writes #1.value at queue.h:30 while T2 reads it at
  // queue.h:45, and nothing orders the two"; "" if nothing was found.
  std::string tell();

  // How the table ends: a line of the thread that did it, or one for each that
  // waits.
  std::vector<StoryStep> last_lines();

 private:
  std::string race();
  std::string use_after_free();
  std::string double_free();
  std::string overflow();
  std::string leak();
  std::string deadlock();
  std::string other();
  std::string awaited_by(const StoryStep& step);
  std::string wait_of(const StoryStep& step);

  // What the two parties of a race did: "writes", "reads".
  std::pair<std::string, std::string> verbs();
  std::string verb_of(sched::ThreadId thread, std::uintptr_t pc) const;
  std::vector<std::uintptr_t> stack_at(sched::ThreadId thread,
                                       std::uintptr_t pc) const;
  // " at queue.h:30"; "" if that is not known.
  std::string at(sched::ThreadId thread, std::uintptr_t pc);
  std::string place();
  std::string who(sched::ThreadId thread) const;
  const StoryStep* step_at(sched::ThreadId thread, std::uintptr_t pc) const;

  Story& story_;
  const runtime::Finding& finding_;
};

}  // namespace plumb::harness
