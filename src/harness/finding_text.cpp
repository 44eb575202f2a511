// SPDX-License-Identifier: Apache-2.0
#include "harness/finding_text.h"

#include <fmt/format.h>

#include <map>
#include <optional>

namespace plumb::harness {

using runtime::Fault;
using sched::Kind;

namespace {

// As the race detector says it: "reads", "writes"; or in nouns.
std::string verb_from(std::string_view word) {
  if (word.find("free") != word.npos) return "frees";
  const bool writes =
      word.find("write") != word.npos || word.find("update") != word.npos;
  const bool reads =
      word.find("read") != word.npos || word.find("load") != word.npos;
  return writes ? "writes" : reads ? "reads" : "";
}

}  // namespace

const char* title_of(Fault fault) {
  switch (fault) {
    case Fault::kUseAfterFree:
      return "use after free";
    case Fault::kDoubleFree:
      return "bad free";
    case Fault::kOverflow:
      return "access outside of a block";
    case Fault::kLeak:
      return "leak";
    case Fault::kRace:
      return "data race";
    case Fault::kDeadlock:
      return "deadlock";
    case Fault::kAssertion:
      return "failed assertion";
    case Fault::kException:
      return "uncaught exception";
    case Fault::kCrash:
      return "crash";
    case Fault::kLivelock:
      return "livelock";
    case Fault::kMisuse:
      return "misuse";
    case Fault::kStackOverflow:
      return "stack overflow";
    case Fault::kOutOfMemory:
      return "out of memory";
    case Fault::kUnsupported:
      return "not supported";
    case Fault::kDiverged:
      return "it does not do the same twice";
    case Fault::kStepLimit:
      return "too many events";
    case Fault::kNone:
      return "no order of the calls explains them";
  }
  return "";
}

std::string FindingText::who(sched::ThreadId thread) const {
  return thread == sched::kNoThread ? "a thread" : story_.thread_name(thread);
}

// The last step of a thread from this pc: it knows all callers.
const StoryStep* FindingText::step_at(sched::ThreadId thread,
                                      std::uintptr_t pc) const {
  const auto& steps = story_.input_.steps;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (step->what == StoryStep::What::kEvent && step->event.thread == thread &&
        !step->stack.empty() && step->stack[0] == pc) {
      return &*step;
    }
  }
  return nullptr;
}

// With its callers, where they are known.
std::vector<std::uintptr_t> FindingText::stack_at(sched::ThreadId thread,
                                                  std::uintptr_t pc) const {
  const StoryStep* step = step_at(thread, pc);
  if (step != nullptr) return step->stack;
  const std::vector<std::uintptr_t>& known = story_.input_.finding_stack;
  std::vector<std::uintptr_t> stack;
  if (thread == finding_.thread && pc == finding_.pc) stack = known;
  if (stack.empty()) stack.push_back(pc);
  // A signal tells the instruction itself, all else where a call returns to.
  if (finding_.fault == Fault::kCrash) ++stack[0];
  return stack;
}

std::string FindingText::at(sched::ThreadId thread, std::uintptr_t pc) {
  if (pc == 0) return "";
  return " at " +
         to_string(place_to_show(story_.symbols_, stack_at(thread, pc)));
}

std::string FindingText::place() {
  return story_.names_.place(finding_.address,
                             finding_.size == 0 ? 1 : finding_.size);
}

std::string FindingText::verb_of(sched::ThreadId thread,
                                 std::uintptr_t pc) const {
  const StoryStep* step = step_at(thread, pc);
  if (step == nullptr) return "accesses";
  if (step->event.kind == Kind::kFree) return "frees";
  return step->event.writes ? "writes" : "reads";
}

std::pair<std::string, std::string> FindingText::verbs() {
  const std::string_view text = finding_.text;
  std::size_t cut = text.find('|');
  if (cut == text.npos) cut = text.find(" and the ");
  std::string mine, others;
  if (cut != text.npos) {
    mine = verb_from(text.substr(0, cut));
    others = verb_from(text.substr(cut));
  }
  if (mine.empty()) mine = verb_of(finding_.thread, finding_.pc);
  if (others.empty()) others = verb_of(finding_.other, finding_.other_pc);
  return {mine, others};
}

std::string FindingText::race() {
  const auto [mine, others] = verbs();
  // Who frees, frees all of the block.
  const std::string block = story_.names_.block(finding_.address);
  const std::string word = place();
  return fmt::format(
      "data race: {} {} {}{} while {} {} {}{}, and nothing orders the two",
      who(finding_.thread), mine, mine == "frees" ? block : word,
      at(finding_.thread, finding_.pc), who(finding_.other), others,
      mine == "frees" ? word : "it", at(finding_.other, finding_.other_pc));
}

std::string FindingText::use_after_free() {
  return fmt::format("use after free: {} {} {}{}; {} freed {}{}",
                     who(finding_.thread),
                     verb_of(finding_.thread, finding_.pc), place(),
                     at(finding_.thread, finding_.pc), who(finding_.other),
                     story_.names_.block(finding_.address),
                     at(finding_.other, finding_.other_pc));
}

std::string FindingText::double_free() {
  const runtime::BlockInfo block = story_.names_.block_info(finding_.address);
  const bool again = block.begin == finding_.address &&
                     block.state == runtime::BlockState::kFreed;
  if (!again || finding_.other == sched::kNoThread) {
    return fmt::format("wrong free: {}{}: {}", who(finding_.thread),
                       at(finding_.thread, finding_.pc), finding_.text);
  }
  return fmt::format(
      "bad free: {} frees {}{}, which {} had freed{}", who(finding_.thread),
      story_.names_.block(finding_.address), at(finding_.thread, finding_.pc),
      who(finding_.other), at(finding_.other, finding_.other_pc));
}

std::string FindingText::overflow() {
  const runtime::BlockInfo block = story_.names_.block_info(finding_.address);
  if (block.begin == 0) {
    return fmt::format(
        "access outside of a block: {} {} {:#x}{}, where no block is",
        who(finding_.thread), verb_of(finding_.thread, finding_.pc),
        finding_.address, at(finding_.thread, finding_.pc));
  }
  return fmt::format(
      "access outside of a block: {} {} {} bytes at offset {} of {}{}, which "
      "has {} bytes; {} "
      "allocated it{}",
      who(finding_.thread), verb_of(finding_.thread, finding_.pc),
      finding_.size, finding_.address - block.begin,
      story_.names_.block(block.begin), at(finding_.thread, finding_.pc),
      block.size, who(block.allocated_by),
      at(block.allocated_by, block.allocated_at));
}

std::string FindingText::leak() {
  return fmt::format(
      "leak: {} ({} bytes), allocated by {}{}, is never freed{}",
      story_.names_.block(finding_.address), finding_.size,
      who(finding_.thread), at(finding_.thread, finding_.pc),
      finding_.text[0] ? fmt::format("; in all, {}", finding_.text) : "");
}

std::string FindingText::awaited_by(const StoryStep& step) {
  if (step.event.kind != Kind::kJoin) {
    return story_.name_of_object(step.event.address);
  }
  return who(static_cast<sched::ThreadId>(step.event.address)) + " to end";
}

// Who holds what comes from the steps.
std::string FindingText::wait_of(const StoryStep& step) {
  const StoryStep* holder = nullptr;
  for (const StoryStep& other : story_.input_.steps) {
    const sched::Event& event = other.event;
    const bool is_it = other.what == StoryStep::What::kEvent &&
                       step.event.kind != Kind::kJoin &&
                       event.address == step.event.address;
    const bool takes = event.kind == Kind::kLock || event.kind == Kind::kUpdate;
    if (is_it && takes && event.writes) holder = &other;
    if (is_it && event.kind == Kind::kUnlock) holder = nullptr;
    // Of a futex, what is taken to look at its word ends with the wait.
    if (event.kind == Kind::kWait &&
        (is_it || event.second == step.event.address)) {
      holder = nullptr;
    }
  }
  std::string text = fmt::format(
      "{} waits{} for {}", who(step.event.thread),
      step.stack.empty() ? "" : " at " + to_string(story_.place_of(step)),
      awaited_by(step));
  if (holder != nullptr) {
    const bool own = holder->event.thread == step.event.thread;
    text += fmt::format(
        ", which {} locked{}", own ? "it" : who(holder->event.thread),
        holder->stack.empty() ? ""
                              : " at " + to_string(story_.place_of(*holder)));
  }
  return text;
}

std::string FindingText::deadlock() {
  std::string text = "deadlock: ";
  const char* between = "";
  for (const StoryStep& step : story_.input_.waiting) {
    text += between + wait_of(step);
    between = "; ";
  }
  if (story_.input_.waiting.empty()) text += finding_.text;
  return text;
}

std::string FindingText::other() {
  const std::string where = at(finding_.thread, finding_.pc);
  const std::string text = finding_.text;
  return fmt::format("{}: {}{}{}{}", title_of(finding_.fault),
                     who(finding_.thread), where, text.empty() ? "" : ": ",
                     text);
}

std::vector<StoryStep> FindingText::last_lines() {
  std::vector<StoryStep> lines;
  const Fault fault = finding_.fault;
  if (fault == Fault::kDeadlock) {
    for (const StoryStep& step : story_.input_.waiting) {
      lines.push_back(step);
      lines.back().text = "waits for " + awaited_by(step);
    }
  } else if (fault != Fault::kNone && fault != Fault::kLeak &&
             fault != Fault::kDiverged && fault != Fault::kStepLimit) {
    StoryStep& line = lines.emplace_back();
    line.event.thread = finding_.thread;
    if (finding_.pc != 0) line.stack = stack_at(finding_.thread, finding_.pc);
    line.text = title_of(fault);
  }
  for (StoryStep& line : lines) line.what = StoryStep::What::kFault;
  return lines;
}

std::string FindingText::tell() {
  switch (finding_.fault) {
    case Fault::kNone:
      return "";
    case Fault::kRace:
      return race();
    case Fault::kUseAfterFree:
      return use_after_free();
    case Fault::kDoubleFree:
      return double_free();
    case Fault::kOverflow:
      return overflow();
    case Fault::kLeak:
      return leak();
    case Fault::kDeadlock:
      return deadlock();
    default:
      return other();
  }
}

}  // namespace plumb::harness
