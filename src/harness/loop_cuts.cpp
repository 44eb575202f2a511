// SPDX-License-Identifier: Apache-2.0
#include "harness/loop_cuts.h"

#include <algorithm>

#include "harness/loop_probes.h"
#include "harness/run_program.h"
#include "runtime/fibers.h"
#include "runtime/globals.h"
#include "runtime/patience.h"
#include "runtime/sync_objects.h"
#include "runtime/time.h"

namespace plumb::harness {

namespace {

using runtime::LoopAnswer;
using runtime::LoopLog;
using runtime::LoopQuestion;
using runtime::LoopStep;
using runtime::LoopWrite;
using sched::Event;
using sched::Kind;
using sched::ThreadId;

// Where there is more, no loop is cut.
constexpr std::size_t kMostGlobals = std::size_t{4} << 20;
constexpr std::uint32_t kMostAsked = 100;
constexpr std::size_t kMostEvents = 500;  // to find out what happens before

// Threads that were started or joined cannot be left out.
bool can_be_left_out(Kind kind) {
  return kind != Kind::kSpawn && kind != Kind::kJoin;
}

std::uint32_t lowest_of(const LoopQuestion& question) {
  const std::uint32_t distance = question.to - question.from;
  return question.from > distance ? question.from - distance : 0;
}

// An execution was left at a limit: so would be all others, each after a while.
bool is_late() {
  return runtime::left != runtime::Left::kNot;
}

}  // namespace

LoopCuts::LoopCuts(const sched::Tracing& search,
                   const runtime::Settings& settings, void* (*main)(void*),
                   void* argument, LoopCare care)
    : search_(search),
      settings_(settings),
      main_(main),
      argument_(argument),
      care_(care) {
  runtime::clock_was_read = care.clocks;
#if defined(__x86_64__)
  // LIMIT: loops are not cut in tests with more than kMostGlobals of globals or
  // of one thread's heap, nor on other machines.
  // LIMIT: a race is not found if it is between an access in an iteration that
  // is cut and one that comes after the thread went on, of a thread that learnt
  // of that without acquiring anything (by a relaxed load, by a failed try).
  if (runtime::global_bytes() <= kMostGlobals) {
    runtime::loop_guard = this;
  }
#endif
}

LoopCuts::~LoopCuts() {
  runtime::loop_guard = nullptr;
}

LoopCare LoopCuts::care_needed() const {
  LoopCare needed = care_;
  needed.clocks |= carelessness_.clocks && runtime::clock_was_read;
  return needed;
}

// The search may know more of the execution than has happened: it may have
// begun as an earlier one did.
std::span<const Event> LoopCuts::so_far() const {
  return search_.trace().events().first(runtime::events_so_far());
}

// Of the thread's past; of the trace that leads to it, if others took part.
std::uint64_t LoopCuts::key_of(std::span<const Event> events,
                               const LoopQuestion& question, Part part) {
  const LoopLog& log = runtime::loop_log(question.thread);
  const std::uint64_t asked =
      2 * (question.to - question.from) + (question.was_left ? 1u : 0u);
  const std::uint64_t key =
      runtime::mix(log.past ^ question.next.site * 31, asked);
  if (part != Part::kFollowed) return key;
  return runtime::mix(key, past_hashes_.of(question.thread, events));
}

// If others followed what the thread did in this call, and it followed them,
// what it has seen is no key: then the failure is tried.
LoopAnswer LoopCuts::at_weak_success(const Event& event) {
  // Whoever probes has decided already.
  if (is_probing_) return LoopAnswer::kGoOn;
  const LoopLog& log = runtime::loop_log(event.thread);
  if (log.count > runtime::kMaxLoopSteps || log.is_blind) {
    return LoopAnswer::kGoOn;
  }
  const auto events = so_far();
  if (log.count > 0 && part_of_others(events, log, event.thread,
                                      {0, log.count}) == Part::kFollowed) {
    return LoopAnswer::kGoOn;
  }
  const std::uint64_t past = log.past ^ event.site * 31;
  const auto found = vain_failures_.find(past);
  if (found != vain_failures_.end()) {
    return found->second ? LoopAnswer::kCut : LoopAnswer::kGoOn;
  }
  failure_past_ = past;
  asked_of_failure_ = true;
  asked_.thread = event.thread;
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
    if (is_late()) break;
    FailureProbe probe(plan, thread, more);
    failing_ = &probe;
    came_back_ = false;
    runtime::run(probe, settings_, main_, argument_);
    failing_ = nullptr;
    if (!probe.only_redid()) break;
    if (!came_back_) continue;
    if (!known_.contains(asked_key_)) resolve_repeat();
    is_vain = known_[asked_key_] != kNo;
  }
  vain_failures_[failure_past_] = is_vain;
}

LoopAnswer LoopCuts::at_repeat(const LoopQuestion& question) {
  const LoopLog& log = runtime::loop_log(question.thread);
  const Window window{lowest_of(question), question.to};
  for (std::uint32_t i = window.first; i < window.to; ++i) {
    if (!can_be_left_out(log.steps[i].kind)) return LoopAnswer::kGoOn;
  }
  if (failing_ != nullptr && failing_->is_over() && !came_back_ &&
      question.thread == failing_->thread() && !question.was_left) {
    came_back_ = true;
    note_question(question, failing_->seen());
  }
  if (is_probing_) return LoopAnswer::kGoOn;
  const auto events = so_far();
  const Part part = part_of_others(events, log, question.thread, window);
  if (part != Part::kNone && events.size() > kMostEvents) {
    return LoopAnswer::kGoOn;
  }
  const auto found = known_.find(key_of(events, question, part));
  if (found == known_.end()) {
    // The same place gets another key each time: something that is not under
    // control decides what the thread sees.
    same_place_ = events.size() == asked_place_ ? same_place_ + 1 : 0;
    asked_place_ = events.size();
    if (same_place_ > kMostAsked) return LoopAnswer::kGoOn;
    note_question(question, events);
    return LoopAnswer::kAsk;
  }
  if (found->second == kNo) return LoopAnswer::kGoOn;
  const sched::ThreadMask bit = sched::bit(question.thread);
  in_circles_ &= ~bit;
  together_ &= ~bit;
  if (found->second == kTogether) together_ |= bit;
  // Who failed for no reason will get on.
  const auto& spurious = runtime::state.fibers[question.thread].spurious;
  const bool failed = spurious[0] + spurious[1] != 0;
  if (found->second == question.from && !failed && !question.was_left) {
    in_circles_ |= bit;
  }
  std::vector<std::uint32_t>& circle = circle_[question.thread];
  circle.clear();
  for (std::uint32_t i = question.from; i < question.to; ++i) {
    circle.push_back(log.steps[i].number);
  }
  return LoopAnswer::kCut;
}

void LoopCuts::note_question(const LoopQuestion& question,
                             std::span<const Event> events) {
  const Window window{lowest_of(question), question.to};
  const Part part = part_of_others(events, runtime::loop_log(question.thread),
                                   question.thread, window);
  asked_ = question;
  asked_key_ = key_of(events, question, part);
  has_followed_ = part == Part::kFollowed;
  note_events(events, part);
  note_writes(window);
}

// The execution so far, as much of it as happens before the thread's last
// event; all of it will do if nobody touched what the thread wrote.
void LoopCuts::note_events(std::span<const Event> events, Part part) {
  const LoopLog& log = runtime::loop_log(asked_.thread);
  asked_events_.assign(events.begin(), events.end());
  asked_steps_.assign(log.steps, log.steps + asked_.to);
  if (part == Part::kNone) return;
  const std::vector<bool> is_past = past_of(asked_.thread, asked_events_);
  std::uint32_t kept = 0;
  std::uint32_t step = 0;
  for (std::uint32_t n = 0; n < asked_events_.size(); ++n) {
    if (!is_past[n]) continue;
    if (step < asked_steps_.size() && asked_steps_[step].number == n) {
      asked_steps_[step++].number = kept;
    }
    asked_events_[kept++] = asked_events_[n];
  }
  asked_events_.resize(kept);
}

// What the thread wrote meanwhile.
void LoopCuts::note_writes(Window window) {
  const LoopLog& log = runtime::loop_log(asked_.thread);
  asked_writes_.clear();
  const std::uint32_t kept = std::min(log.write_count, runtime::kMaxLoopWrites);
  for (std::uint32_t n = log.write_count - kept; n < log.write_count; ++n) {
    const LoopWrite& write = log.writes[n % runtime::kMaxLoopWrites];
    if (write.step >= window.first) asked_writes_.push_back(write);
  }
  knows_all_writes_ = asked_writes_.size() < runtime::kMaxLoopWrites;
  for (std::uint32_t i = window.first; i < window.to; ++i) {
    const LoopStep& step = log.steps[i];
    const bool is_memory = !(step.address & runtime::kNoMemory);
    if (step.writes && is_memory && step.kind != Kind::kFree) {
      asked_writes_.push_back({step.address, step.size, i});
    }
  }
}

// Runs these events.  Is the thread then about to do what it was asked about,
// and does look(), at the end of the execution, say yes?
// What a shorter execution never wrote to its stacks does not matter, and may
// as well be what the longer one left there: `rubbish`.
template <typename Look>
bool LoopCuts::run_plan(std::vector<Event> plan,
                        std::span<const runtime::FirstStack> rubbish,
                        Look look) {
  if (is_late()) return false;
  Probe probe(std::move(plan));
  bool is_right = false;
  const auto see = [&] {
    if (!probe.went_as_planned()) return;
    const Event& next = runtime::pending_events()[asked_.thread];
    is_right = next.site == asked_.next.site &&
               next.address == asked_.next.address &&
               next.kind == asked_.next.kind && look();
  };
  const LookAtEnd at_end(see);
  runtime::first_stacks = rubbish;
  const runtime::Outcome outcome =
      runtime::run(probe, settings_, main_, argument_);
  runtime::first_stacks = {};
  return outcome.end == sched::RunEnd::kAbandoned && is_right;
}

// Did the thread write something in the execution that was just run, from this
// position on, that it does not write in the longer one?
bool LoopCuts::writes_elsewhere(std::uint32_t first) const {
  const LoopLog& log = runtime::loop_log(asked_.thread);
  if (log.write_count > runtime::kMaxLoopWrites) return true;
  for (std::uint32_t n = 0; n < log.write_count; ++n) {
    const LoopWrite& write = log.writes[n];
    if (write.step < first) continue;
    const bool is_known = std::any_of(
        asked_writes_.begin(), asked_writes_.end(), [&](const LoopWrite& one) {
          return one.address <= write.address &&
                 one.address + one.size >= write.address + write.size;
        });
    if (!is_known) return true;
  }
  return false;
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
  const runtime::FirstStack left = {asked_.thread, asked_picture_.stack.data(),
                                    asked_picture_.stack.size()};
  const std::span<const runtime::FirstStack> rubbish(&left, with_rubbish);
  runtime::Picture picture;
  const auto is_same = [&] {
    if (writes_elsewhere(first)) return false;
    take_picture(asked_.thread, 0, asked_writes_, picture);
    return same(picture, asked_picture_);
  };
  if (!run_plan(std::move(plan), rubbish, is_same)) return Ending::kOther;
  if (picture.time != asked_picture_.time) {
    if (care_.clocks) return Ending::kOther;
    carelessness_.clocks = true;
  }
  return Ending::kSame;
}

std::uint32_t LoopCuts::find_out() {
  const auto look = [&] {
    take_picture(asked_.thread, 0, asked_writes_, asked_picture_);
    if (has_followed_) company_.gather(asked_.thread);
    return asked_picture_.is_whole;
  };
  if (!knows_all_writes_ || !run_plan(asked_events_, {}, look)) return kNo;
  const std::uint32_t first = first_of_round();
  if (first != kNo) return first;
  return has_followed_ && finds_out_of_company() ? kTogether : kNo;
}

// First the last round: that tells who goes in a circle.  Then where one like
// it was left out before, since each place may take two executions.
std::uint32_t LoopCuts::first_of_round() {
  const std::uint32_t distance = asked_.to - asked_.from;
  Place& likely =
      likely_[runtime::mix(asked_.next.site, 2 * distance + asked_.was_left)];
  const auto can_leave_out = [&](Place place) {
    return run_without(asked_.from - place.back, place.with_rubbish) ==
           Ending::kSame;
  };
  for (const bool with_rubbish : {true, false}) {
    if (can_leave_out({0, with_rubbish})) return asked_.from;
  }
  const std::uint32_t most = asked_.from - lowest_of(asked_);
  const Place tried = likely;
  const bool is_known = tried.back != 0 && tried.back <= most;
  if (is_known && can_leave_out(tried)) return asked_.from - tried.back;
  for (std::uint32_t back = 1; back <= most; ++back) {
    for (const bool with_rubbish : {true, false}) {
      const Place place = {back, with_rubbish};
      if (place == tried || !can_leave_out(place)) continue;
      likely = place;
      return asked_.from - back;
    }
  }
  return kNo;
}

// The execution without the rounds that are left out at the moment.
bool LoopCuts::run_without_company(bool with_rubbish) {
  std::vector<Event> plan;
  for (std::uint32_t n = 0; n < asked_events_.size(); ++n) {
    if (!company_.leaves_out(n)) plan.push_back(asked_events_[n]);
  }
  const std::vector<runtime::FirstStack> stacks = company_.stacks();
  std::span<const runtime::FirstStack> rubbish;
  if (with_rubbish) rubbish = stacks;
  return run_plan(std::move(plan), rubbish, [&] {
    if (!company_.is_as_it_was()) return false;
    if (company_.is_time_as_it_was()) return true;
    carelessness_.clocks = true;
    return !care_.clocks;
  });
}

bool LoopCuts::finds_out_of_company() {
  if (!company_.is_there()) return false;
  while (company_.next_rounds()) {
    if (run_without_company(true) || run_without_company(false)) return true;
  }
  return false;
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
  known_[asked_key_] = find_out();
}

LoopCuts::Livelock LoopCuts::is_livelock(sched::ThreadMask cut) {
  if (cut & together_) {
    return has_way_out(cut) ? Livelock::kNo : Livelock::kNoWayOut;
  }
  if (cut & ~in_circles_) return Livelock::kNo;
  const auto events = search_.trace().events();
  for (sched::ThreadMask left = cut; left != 0; left &= left - 1) {
    const auto thread = static_cast<ThreadId>(__builtin_ctz(left));
    for (const std::uint32_t number : circle_[thread]) {
      for (std::size_t n = number + 1; n < events.size(); ++n) {
        if (events[n].thread != thread && !events[n].is_silent &&
            sched::dependent(events[number], events[n])) {
          return has_way_out(cut) ? Livelock::kNo : Livelock::kNoWayOut;
        }
      }
    }
  }
  return goes_round(cut) ? Livelock::kYes : Livelock::kNotShown;
}

// Goes on from here by chance, some times.  Somebody who was stopped must get
// to its end, or a call to its own: those who then go round alone for ever are
// stopped at that in other executions.
bool LoopCuts::has_way_out(sched::ThreadMask cut) {
  const std::uint32_t returned = ProgramRun::calls_returned;
  constexpr std::uint64_t kMostTries = 8;
  is_probing_ = true;
  bool is_out = false;
  const auto events = search_.trace().events();
  for (std::uint64_t seed = 1; seed <= kMostTries && !is_out; ++seed) {
    if (is_late()) break;
    WayOut way({events.begin(), events.end()}, seed);
    const runtime::Outcome outcome =
        runtime::run(way, settings_, main_, argument_);
    is_out = outcome.end != sched::RunEnd::kAbandoned ||
             (cut & ~outcome.waiting) != 0 ||
             ProgramRun::calls_returned > returned;
  }
  is_probing_ = false;
  return is_out;
}

// Variables that are not yet set when a loop begins are the same from its
// second round on.
bool LoopCuts::goes_round(sched::ThreadMask cut) {
  is_probing_ = true;
  std::vector<runtime::Picture> two, one;
  bool is_round = run_rounds(cut, 2, &two) && run_rounds(cut, 1, &one);
  for (std::size_t i = 0; is_round && i < two.size(); ++i) {
    is_round = same(two[i], one[i]);
  }
  // As it was: what is told is about that.
  is_round &= run_rounds(cut, 0, nullptr);
  is_probing_ = false;
  return is_round;
}

// Runs the execution with so many more rounds of each circle.
bool LoopCuts::run_rounds(sched::ThreadMask cut, int rounds,
                          std::vector<runtime::Picture>* pictures) {
  if (is_late()) return false;
  const auto events = search_.trace().events();
  std::vector<Event> plan(events.begin(), events.end());
  for (int round = 0; round < rounds; ++round) {
    for (sched::ThreadMask left = cut; left != 0; left &= left - 1) {
      for (const std::uint32_t number : circle_[__builtin_ctz(left)]) {
        plan.push_back(events[number]);
      }
    }
  }
  Probe probe(std::move(plan));
  const auto see = [&] {
    for (sched::ThreadMask left = pictures ? cut : 0; left != 0;
         left &= left - 1) {
      take_picture(static_cast<ThreadId>(__builtin_ctz(left)), cut, {},
                   pictures->emplace_back());
    }
  };
  const LookAtEnd at_end(see);
  runtime::run(probe, settings_, main_, argument_);
  return probe.went_as_planned();
}

}  // namespace plumb::harness
