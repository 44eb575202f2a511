// SPDX-License-Identifier: Apache-2.0
#include "harness/story_recorder.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "harness/symbols.h"
#include "runtime/fibers.h"
#include "runtime/heap.h"

namespace plumb::harness {

StoryRecorder* StoryRecorder::current_ = nullptr;

namespace {

std::uint64_t peek(std::uintptr_t address, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address),
              std::min<std::size_t>(size, sizeof value));
  return value;
}

// Innermost first; frames stand outermost first.
std::vector<std::uintptr_t> stack_of(std::uintptr_t pc,
                                     const std::uintptr_t* frames,
                                     std::size_t depth) {
  std::vector<std::uintptr_t> stack;
  if (pc != 0) stack.push_back(pc);
  depth = std::min<std::size_t>(depth, runtime::kMaxFrames);
  while (depth > 0) stack.push_back(frames[--depth]);
  return stack;
}

// The object under test is what thread 0 makes first; its maker may allocate
// other things before.  Only names depend on this.
std::uintptr_t find_object(std::size_t size) {
  constexpr std::size_t kFar = 64 << 10;
  for (std::size_t offset = 0; size > 0 && offset < kFar; offset += 16) {
    const runtime::BlockInfo block =
        runtime::heap().block_of(runtime::kHeap + offset);
    if (block.begin != 0 && block.size == size && block.allocated_by == 0) {
      return block.begin;
    }
  }
  return 0;
}

bool overlap(const sched::Event& event, std::uintptr_t address,
             std::size_t size) {
  return event.address < address + size && address < event.address + event.size;
}

// Arguments of calls and what else a test declared lie in memory that has no
// name.  That they are read tells nothing unless somebody writes there.
bool tells_nothing(const StoryStep& step, const StoryInput& run,
                   Symbols& symbols) {
  if (step.what != StoryStep::What::kEvent || !step.plain ||
      step.event.writes) {
    return false;
  }
  const std::uintptr_t address = step.event.address;
  const bool is_tests_memory =
      (address >= runtime::kRegion && address < runtime::kHeap) ||
      runtime::heap().contains(reinterpret_cast<const void*>(address)) ||
      symbols.variable_at(address);
  if (is_tests_memory ||
      overlap(step.event, run.finding.address, run.finding.size)) {
    return false;
  }
  return std::none_of(
      run.steps.begin(), run.steps.end(), [&](const StoryStep& other) {
        return other.what == StoryStep::What::kEvent && other.event.writes &&
               overlap(step.event, other.event.address, other.event.size);
      });
}

}  // namespace

StoryRecorder::StoryRecorder(const test::Case& test) : test_(test) {
  assert(current_ == nullptr);
  current_ = this;
  runtime::watcher = watch;
  ProgramRun::listener = listen;
}

StoryRecorder::~StoryRecorder() {
  runtime::watcher = nullptr;
  ProgramRun::listener = nullptr;
  current_ = nullptr;
}

void StoryRecorder::watch(const runtime::Sight& sight) {
  current_->add(sight);
}

void StoryRecorder::listen(const ProgramRun::Record& record, bool returns) {
  current_->add_call(record, returns);
}

void StoryRecorder::complete_last() {
  if (steps_.empty()) return;
  StoryStep& last = steps_.back();
  if (last.what != StoryStep::What::kEvent || !last.plain) return;
  if (last.event.writes) last.after = peek(last.event.address, last.event.size);
}

// Accesses are seen twice if they are events: with their values, and as events.
bool StoryRecorder::was_seen(const runtime::Sight& sight) {
  const bool is_event = !sight.is_plain || sight.event.pc != 0;
  return is_event && std::exchange(last_event_, runtime::state.steps) ==
                         runtime::state.steps;
}

void StoryRecorder::add(const runtime::Sight& sight) {
  if (was_seen(sight)) return;
  complete_last();
  StoryStep step;
  step.event = sight.event;
  step.plain = sight.is_plain;
  if (!sight.is_plain) step.number = runtime::state.steps;
  step.before = sight.before;
  step.after = sight.event.writes ? sight.event.value : sight.before;
  step.succeeded = !sight.event.tries;
  step.stack = stack_of(sight.pc, sight.frames, sight.depth);
  const sched::ThreadId thread = sight.event.thread;
  if (in_call_[thread]) step.call = calls_[thread] - 1;
  steps_.push_back(std::move(step));
}

void StoryRecorder::add_call(const ProgramRun::Record& record, bool returns) {
  complete_last();
  StoryStep step;
  step.what =
      returns ? StoryStep::What::kCallReturns : StoryStep::What::kCallBegins;
  step.event.thread = record.thread;
  step.text =
      returns ? "-> " + record.result.to_string() : test_.describe(record.call);
  in_call_[record.thread] = !returns;
  if (!returns) ++calls_[record.thread];
  step.call = calls_[record.thread] - 1;
  steps_.push_back(std::move(step));
}

Memory StoryRecorder::memory(Symbols& symbols) const {
  Memory memory;
  memory.block_of = [](std::uintptr_t address) {
    return runtime::heap().contains(reinterpret_cast<const void*>(address))
               ? runtime::heap().block_of(address)
               : runtime::BlockInfo{};
  };
  if (!test_.object) return memory;
  memory.object_type = symbols.argument_of(test_.object.get());
  memory.object = find_object(symbols.size_of(memory.object_type));
  return memory;
}

StoryInput StoryRecorder::finish(const runtime::Outcome& outcome,
                                 Symbols& symbols) {
  // Where a fault ended the execution, the write may not have happened.
  if (outcome.finding.fault == runtime::Fault::kNone) complete_last();
  StoryInput input;
  input.steps = std::exchange(steps_, {});
  input.threads = {"main"};
  input.memory = memory(symbols);
  input.finding = outcome.finding;
  std::vector<bool> left_out;
  for (const StoryStep& step : input.steps) {
    left_out.push_back(tells_nothing(step, input, symbols));
  }
  std::size_t at = 0;
  std::erase_if(input.steps,
                [&](const StoryStep&) { return bool{left_out[at++]}; });
  if (outcome.finding.fault != runtime::Fault::kNone &&
      outcome.finding.fault != runtime::Fault::kLeak) {
    const runtime::Fiber& fiber = runtime::state.fibers[outcome.finding.thread];
    input.finding_stack =
        stack_of(outcome.finding.pc, fiber.frames, fiber.depth);
  }
  for (sched::ThreadId thread = 0; thread < sched::kMaxThreads; ++thread) {
    if (!(outcome.waiting & sched::bit(thread))) continue;
    StoryStep step;
    step.event = runtime::pending_events()[thread];
    step.event.thread = thread;
    const runtime::Fiber& fiber = runtime::state.fibers[thread];
    step.stack = stack_of(step.event.pc, fiber.frames, fiber.depth);
    input.waiting.push_back(std::move(step));
  }
  return input;
}

}  // namespace plumb::harness
