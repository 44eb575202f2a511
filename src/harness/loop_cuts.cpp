// SPDX-License-Identifier: Apache-2.0
#include "harness/loop_cuts.h"

#include <algorithm>
#include <cstring>

#include "runtime/fibers.h"
#include "runtime/globals.h"
#include "runtime/heap.h"
#include "runtime/tls.h"

namespace plumb::harness {

namespace {

using runtime::LoopAnswer;
using runtime::LoopLog;
using runtime::LoopQuestion;
using runtime::LoopStep;
using sched::Event;
using sched::Kind;
using sched::ThreadId;

// Larger data is not copied for this; then no loop is cut.
constexpr std::size_t kMostMemory = std::size_t{4} << 20;

// Runs some events of one execution in the same order, then stops; or as soon
// as one is not what the plan has.
class Probe final : public sched::Scheduler {
 public:
  explicit Probe(std::vector<Event> plan) : plan_(std::move(plan)) {}

  bool start_run() override { return true; }
  ThreadId pick(const sched::Situation& situation) override {
    if (strayed_ || done_ == plan_.size()) return sched::kNoThread;
    const ThreadId thread = plan_[done_].thread;
    const bool can = (situation.enabled & sched::bit(thread)) != 0;
    return can ? thread : sched::kNoThread;
  }
  std::uint32_t choose(ThreadId, std::uint32_t) override {
    return done_ < plan_.size() ? plan_[done_].choice : 0;
  }
  void saw(const Event& b) override {
    const Event& a = plan_[done_++];
    strayed_ |= a.address != b.address || a.size != b.size ||
                a.seen != b.seen || a.kind != b.kind || a.writes != b.writes ||
                a.thread != b.thread || a.choice != b.choice;
  }
  void end_run(sched::RunEnd, sched::ThreadMask, const Event*) override {}

  bool went_as_planned() const { return !strayed_ && done_ == plan_.size(); }

 private:
  std::vector<Event> plan_;
  std::size_t done_ = 0;
  bool strayed_ = false;
};

void append(std::vector<unsigned char>& to, std::uintptr_t begin,
            std::size_t bytes) {
  const auto* from = reinterpret_cast<const unsigned char*>(begin);
  to.insert(to.end(), from, from + bytes);
}

std::uint64_t read_word(std::uintptr_t address, std::uint32_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address),
              std::min<std::size_t>(size, 8));
  return value;
}

}  // namespace

LoopCuts::LoopCuts(const sched::Dpor& search, const runtime::Settings& settings,
                   void* (*main)(void*), void* argument)
    : search_(search), settings_(settings), main_(main), argument_(argument) {
#if defined(__x86_64__)
  // LIMIT: loops are not cut in tests with more than kMostMemory of globals or
  // of one thread's heap, nor where races are allowed, nor on other machines.
  // LIMIT: memory that is neither heap, globals nor stack of the test (what it
  // maps itself, the data of other libraries) is not compared.
  // LIMIT: a race is not found if it is between a plain read in an iteration
  // that is cut and a write that only comes after the thread went on.
  if (settings.find_races && runtime::global_bytes() <= kMostMemory) {
    runtime::loop_guard = this;
  }
#endif
}

LoopCuts::~LoopCuts() {
  runtime::loop_guard = nullptr;
}

void LoopCuts::take_picture(ThreadId thread, const Event& next,
                            Picture& picture) const {
  const LoopLog& log = runtime::loop_log(thread);
  picture.registers = log.entry;
  picture.next = next;
  picture.allocations = runtime::heap().operations();
  picture.unseen = log.unseen;
  picture.is_whole = !runtime::stacks_are_shared();
  picture.stack.clear();
  picture.memory.clear();
  const runtime::Stack stack = runtime::stack_of(thread);
  const std::uint64_t pointer = log.entry.stack_pointer();
  append(picture.stack, pointer, stack.low + stack.size - pointer);
  runtime::heap().each_used([&](std::uintptr_t begin, std::size_t bytes) {
    if (bytes <= kMostMemory) {
      append(picture.memory, begin, bytes);
    } else {
      picture.is_whole = false;
    }
  });
  for (const auto& range : runtime::global_ranges()) {
    append(picture.memory, range.begin, range.end - range.begin);
  }
  for (std::uint32_t t = 0; t < runtime::threads_so_far(); ++t) {
    runtime::tls_each_block(
        static_cast<ThreadId>(t),
        [](void* to, std::uintptr_t begin, std::size_t bytes) {
          append(*static_cast<std::vector<unsigned char>*>(to), begin, bytes);
        },
        &picture.memory);
  }
  if (thread != 0) {
    // What thread 0 has on its stack, others may write.
    const std::uint64_t main = runtime::loop_log(0).entry.stack_pointer();
    const runtime::Stack main_stack = runtime::stack_of(0);
    if (main - main_stack.low < main_stack.size) {
      append(picture.memory, main, main_stack.low + main_stack.size - main);
    }
  }
}

// Only loads, stores and updates can be moved; and yields, which do nothing.
bool LoopCuts::is_simple(const LoopLog& log, std::uint32_t first,
                         std::uint32_t to) const {
  for (std::uint32_t i = first; i < to; ++i) {
    const Kind kind = log.steps[i].kind;
    if (kind != Kind::kRead && kind != Kind::kWrite && kind != Kind::kUpdate &&
        kind != Kind::kYield) {
      return false;
    }
  }
  return true;
}

// Is every write that would be left out silent, or done again by the same
// thread in what is kept?  Else it could matter elsewhere that it is missing,
// though it does not here.
bool LoopCuts::is_undone(std::uint32_t first) const {
  const std::uint32_t behind = first + asked_.to - asked_.from;
  for (std::uint32_t i = first; i < behind; ++i) {
    const LoopStep& step = asked_steps_[i];
    if (!step.writes || step.is_silent) continue;
    bool is_redone = false;
    for (std::uint32_t k = behind; k < asked_.to; ++k) {
      const LoopStep& later = asked_steps_[k];
      is_redone |= later.writes && later.address <= step.address &&
                   later.address + later.size >= step.address + step.size;
    }
    if (!is_redone) return false;
  }
  return true;
}

// Did another thread touch, in between, what this one wrote and overwrote?
bool LoopCuts::was_disturbed(const LoopLog& log, ThreadId thread,
                             std::uint32_t first, std::uint32_t to) const {
  const auto events = search_.trace().events();
  for (std::uint32_t i = first; i < to; ++i) {
    const LoopStep& step = log.steps[i];
    if (!step.writes) continue;
    std::uint32_t last = step.number;
    for (std::uint32_t k = i + 1; k < to; ++k) {
      const LoopStep& later = log.steps[k];
      if (later.writes &&
          sched::overlap(step.address, step.size, later.address, later.size)) {
        last = later.number;
      }
    }
    for (std::uint32_t n = step.number + 1; n < last; ++n) {
      if (events[n].thread != thread && events[n].address != 0 &&
          sched::overlap(step.address, step.size, events[n].address,
                         events[n].size)) {
        return true;
      }
    }
  }
  return false;
}

// Runs events as planned; then one more of a thread, which fails; then so many
// more of it.
class LoopCuts::FailureProbe final : public sched::Scheduler {
 public:
  FailureProbe(const std::vector<Event>& plan, ThreadId thread,
               std::size_t more)
      : plan_(plan), thread_(thread), last_(plan.size() + more) {}

  bool start_run() override { return true; }
  ThreadId pick(const sched::Situation& situation) override {
    if (is_over()) return sched::kNoThread;
    const ThreadId thread =
        seen_.size() < plan_.size() ? plan_[seen_.size()].thread : thread_;
    const bool can = (situation.enabled & sched::bit(thread)) != 0;
    return can ? thread : sched::kNoThread;
  }
  std::uint32_t choose(ThreadId, std::uint32_t) override {
    if (seen_.size() < plan_.size()) return plan_[seen_.size()].choice;
    return seen_.size() == plan_.size();
  }
  void saw(const Event& event) override { seen_.push_back(event); }
  void end_run(sched::RunEnd, sched::ThreadMask, const Event*) override {}

  bool is_over() const { return seen_.size() > last_; }
  ThreadId thread() const { return thread_; }
  const std::vector<Event>& seen() const { return seen_; }

  // Did it fail and then only write, for itself, what was there already?
  bool only_redid() const {
    if (!is_over() || seen_[plan_.size()].choice == 0) return false;
    for (std::size_t i = plan_.size() + 1; i < seen_.size(); ++i) {
      if (!seen_[i].writes || !seen_[i].is_silent) return false;
      for (const Event& other : plan_) {
        if (other.thread != thread_ && sched::dependent(other, seen_[i])) {
          return false;
        }
      }
    }
    return true;
  }

 private:
  const std::vector<Event>& plan_;
  std::vector<Event> seen_;
  ThreadId thread_;
  std::size_t last_;
};

LoopAnswer LoopCuts::at_weak_success(const Event& event) {
  // Whoever probes has decided already.
  if (is_probing_) return LoopAnswer::kGoOn;
  const std::uint64_t past =
      runtime::loop_log(event.thread).past ^ event.site * 31;
  const auto found = vain_failures_.find(past);
  if (found != vain_failures_.end()) {
    return found->second ? LoopAnswer::kCut : LoopAnswer::kGoOn;
  }
  failure_past_ = past;
  asked_of_failure_ = true;
  asked_.thread = event.thread;
  const auto events = search_.trace().events();
  asked_events_.assign(events.begin(), events.end());
  return LoopAnswer::kAsk;
}

// If it failed and came back, what it did would be cut short there: then the
// execution in which it began later shows all that this one can show.
void LoopCuts::resolve_failure() {
  constexpr std::size_t kMostRedone = 8;
  const std::vector<Event> plan = asked_events_;
  const ThreadId thread = asked_.thread;
  bool is_vain = false;
  for (std::size_t more = 0; more <= kMostRedone && !is_vain; ++more) {
    FailureProbe probe(plan, thread, more);
    failing_ = &probe;
    came_back_ = false;
    runtime::run(probe, settings_, main_, argument_);
    failing_ = nullptr;
    if (!probe.only_redid()) break;
    if (!came_back_) continue;
    if (!known_.contains(asked_past_)) resolve_repeat();
    is_vain = known_[asked_past_] != kNo;
  }
  vain_failures_[failure_past_] = is_vain;
}

void LoopCuts::note_question(const LoopQuestion& question,
                             std::vector<Event> events) {
  const LoopLog& log = runtime::loop_log(question.thread);
  asked_past_ = log.past ^ question.next.site * 31;
  asked_ = question;
  asked_events_ = std::move(events);
  asked_steps_.assign(log.steps, log.steps + question.to);
  take_picture(question.thread, question.next, asked_picture_);
}

LoopAnswer LoopCuts::at_repeat(const LoopQuestion& question) {
  if (failing_ != nullptr && failing_->is_over() && !came_back_ &&
      question.thread == failing_->thread()) {
    came_back_ = true;
    note_question(question, failing_->seen());
  }
  if (is_probing_) return LoopAnswer::kGoOn;
  const LoopLog& log = runtime::loop_log(question.thread);
  const std::uint64_t past = log.past ^ question.next.site * 31;
  const auto found = known_.find(past);
  if (found == known_.end()) {
    const auto events = search_.trace().events();
    note_question(question, {events.begin(), events.end()});
    return LoopAnswer::kAsk;
  }
  if (found->second == kNo) return LoopAnswer::kGoOn;
  const bool disturbed =
      was_disturbed(log, question.thread, found->second, question.to);
  if (disturbed) return LoopAnswer::kGoOn;
  const sched::ThreadMask bit = sched::bit(question.thread);
  in_circles_ &= ~bit;
  // Who failed for no reason will get on.
  const bool failed = runtime::state.fibers[question.thread].spurious[0] != 0;
  if (found->second == question.from && !failed) in_circles_ |= bit;
  return LoopAnswer::kCut;
}

// Runs the execution without d events of the thread, those from position
// `first` on taking the places of those d behind them.
LoopCuts::Ending LoopCuts::run_without(std::uint32_t first, bool with_rubbish) {
  const std::uint32_t distance = asked_.to - asked_.from;
  std::vector<Event> plan;
  std::uint32_t position = 0;  // of the thread's call
  for (std::uint32_t n = 0; n < asked_events_.size(); ++n) {
    const bool is_mine =
        position < asked_steps_.size() && asked_steps_[position].number == n;
    if (is_mine) {
      const std::uint32_t at = position++;
      if (at >= first && at < first + distance) continue;
    }
    plan.push_back(asked_events_[n]);
  }
  Probe probe(std::move(plan));
  // What the shorter execution never wrote to its stack does not matter, and
  // may as well be what the longer one left there.
  if (with_rubbish) {
    runtime::first_stack = {asked_.thread, asked_picture_.stack.data(),
                            asked_picture_.stack.size()};
  }
  const runtime::Outcome outcome =
      runtime::run(probe, settings_, main_, argument_);
  runtime::first_stack = {};
  if (outcome.end != sched::RunEnd::kAbandoned || !probe.went_as_planned()) {
    return Ending::kElsewhere;
  }
  Picture picture;
  const Event& next = runtime::pending_events()[asked_.thread];
  if (next.site != asked_picture_.next.site ||
      next.address != asked_picture_.next.address) {
    return Ending::kElsewhere;
  }
  take_picture(asked_.thread, next, picture);
  const Picture& other = asked_picture_;
  const bool is_same = std::memcmp(&picture.registers, &other.registers,
                                   sizeof(picture.registers)) == 0 &&
                       picture.allocations == other.allocations &&
                       picture.unseen == other.unseen && picture.is_whole &&
                       other.is_whole && picture.stack == other.stack &&
                       picture.memory == other.memory;
  return is_same ? Ending::kSame : Ending::kChanged;
}

bool LoopCuts::leads_to_the_same(std::uint32_t first) {
  return run_without(first, true) == Ending::kSame ||
         run_without(first, false) == Ending::kSame;
}

void LoopCuts::resolve() {
  is_probing_ = true;
  if (asked_of_failure_) {
    asked_of_failure_ = false;
    resolve_failure();
  } else {
    resolve_repeat();
  }
  is_probing_ = false;
}

void LoopCuts::resolve_repeat() {
  std::uint32_t answer = kNo;
  const std::uint32_t distance = asked_.to - asked_.from;
  const std::uint32_t lowest =
      asked_.from > distance ? asked_.from - distance : 0;
  LoopLog log;
  std::copy(asked_steps_.begin(), asked_steps_.end(), log.steps);
  for (std::uint32_t first = asked_.from + 1; first-- > lowest;) {
    if (!is_simple(log, first, asked_.to)) break;
    if (is_undone(first) && leads_to_the_same(first)) {
      answer = first;
      break;
    }
  }
  known_[asked_past_] = answer;
}

bool LoopCuts::is_livelock(sched::ThreadMask cut) const {
  if (cut & ~in_circles_) return false;
  for (; cut != 0; cut &= cut - 1) {
    const auto thread = static_cast<ThreadId>(__builtin_ctz(cut));
    const LoopLog& log = runtime::loop_log(thread);
    // Its last iteration: since it was last where it is now.
    const std::uint64_t site = runtime::pending_events()[thread].site;
    std::uint32_t i = log.count;
    do {
      --i;
      const LoopStep& step = log.steps[i];
      if (read_word(step.address, step.size) != step.value) return false;
    } while (i > 0 && log.steps[i].site != site);
  }
  return true;
}

}  // namespace plumb::harness
