// SPDX-License-Identifier: Apache-2.0
#include "runtime/core.h"

#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "runtime/annotations.h"
#include "runtime/audit.h"
#include "runtime/code_visits.h"
#include "runtime/crash.h"
#include "runtime/entry.h"
#include "runtime/execution.h"
#include "runtime/fibers.h"
#include "runtime/file_waits.h"
#include "runtime/globals.h"
#include "runtime/graph_memory.h"
#include "runtime/leaks.h"
#include "runtime/left_behind.h"
#include "runtime/library_calls.h"
#include "runtime/library_data.h"
#include "runtime/loaded_libraries.h"
#include "runtime/loop_points.h"
#include "runtime/loop_rounds.h"
#include "runtime/mappings.h"
#include "runtime/races.h"
#include "runtime/standard_streams.h"
#include "runtime/sync_calls.h"
#include "runtime/sync_objects.h"
#include "runtime/thread_data.h"
#include "runtime/tls.h"
#include "runtime/touch.h"
#include "runtime/unhooked_code.h"

namespace plumb::runtime {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

bool active = false;
std::uint32_t run_number = 0;
Watcher watcher = nullptr;
Onlooker* onlooker = nullptr;
LoopGuard* loop_guard = nullptr;
bool at_loop_point = false;
bool fails_after_anchors = false;
std::span<const FirstStack> first_stacks;
State state;

namespace {

sched::Scheduler* scheduler = nullptr;
fcontext_t home = nullptr;
Settings current_settings;
Finding found;
sched::RunEnd run_end = sched::RunEnd::kComplete;
bool asked = false;        // the loop guard did not know
bool must_repeat = false;  // for something that was not watched
ThreadId came_from = 0;    // who ran before the one that runs

// So much of a stack most tests do with.
constexpr std::size_t kFirstFrames = 4096;
constexpr std::size_t kFirstRegisters = 128;

// Leaves the fiber that runs and goes on where run() waits.
[[noreturn]] void go_home(sched::RunEnd end) {
  run_end = end;
  active = false;
  tls_home();
  jump_fcontext(home, nullptr);
  __builtin_unreachable();
}

// A thread comes from somewhere else: that stack is not its own.
void arrive(const transfer_t& from) {
  *static_cast<fcontext_t*>(from.data) = from.fctx;
  if (audit::on) audit_close_thread(came_from);
}

// Floating-point exceptions that were raised are each thread's own.  Contexts
// keep those of the vector unit; these are the old unit's, and there are hardly
// ever any.
#if defined(__x86_64__)
constexpr std::uint16_t kRaised = 0x3F;

std::uint16_t take_exceptions() {
  std::uint16_t status = 0;
  if (!float_state_matters) return status;
  asm volatile("fnstsw %0" : "=a"(status));
  status &= kRaised;
  if (__builtin_expect(status != 0, 0)) asm volatile("fnclex");
  return status;
}

void give_exceptions(std::uint16_t raised) {
  if (__builtin_expect(raised == 0, 1)) return;
  std::uint32_t environment[7];
  asm volatile("fnstenv %0" : "=m"(environment));
  environment[1] |= raised;
  asm volatile("fldenv %0" : : "m"(environment));
}

// A test begins without those of the tool's own computations.
void forget_exceptions() {
  take_exceptions();
  std::uint32_t mode = 0;
  asm volatile("stmxcsr %0" : "=m"(mode));
  mode &= ~std::uint32_t{kRaised};
  asm volatile("ldmxcsr %0" : : "m"(mode));
}
#else
int take_exceptions() {
  return 0;
}
void give_exceptions(int) {}
void forget_exceptions() {}
#endif

void switch_to(ThreadId thread) {
  Fiber& from = here();
  came_from = state.current;
  if (audit::on) audit_open_thread(thread);
  set_current(thread);
  tls_switch(thread);
  const auto raised = take_exceptions();
  arrive(jump_fcontext(here().context, &from.context));
  give_exceptions(raised);
}

ThreadMask enabled_threads() {
  ThreadMask enabled = state.alive & ~state.conditional;
  for (ThreadMask left = state.alive & state.conditional; left != 0;
       left &= left - 1) {
    const auto thread = static_cast<ThreadId>(__builtin_ctz(left));
    const Fiber& fiber = state.fibers[thread];
    if (fiber.enabled(fiber.object)) enabled |= sched::bit(thread);
  }
  return enabled;
}

void log_step(LoopLog& log, const Event& event) {
  // What does not depend on the past is worked out beside it.
  const std::uint64_t told = mix(mix(event.seen, event.found),
                                 event.choice + (event.writes ? 1u << 20 : 0));
  log.past = mix(mix(log.past, event.site ^ event.address), told);
  log.observed =
      mix(mix(log.observed, event.site ^ event.address),
          mix(event.seen, event.choice + (event.writes ? 1u << 20 : 0)));
  if (log.count < kMaxLoopSteps) {
    log.steps[log.count] = {
        event.site,  event.address, event.value, log.entry.stack_pointer(),
        state.steps, event.size,    event.kind,  event.writes || event.second};
  }
  ++log.count;
}

// What this thread joined has told it all that it saw.
void learn_from(const LoopLog& log) {
  LoopLog& mine = here().loops;
  mine.past = mix(mine.past, log.past);
  mine.observed = mix(mine.observed, log.past);
  mine.is_blind |= log.is_blind;
}

bool never(const void*) {
  return false;
}

// Lets the scheduler say who goes on, and goes on there.
void schedule() {
  active = false;
  const ThreadMask enabled = enabled_threads();
  if (enabled == 0 && (state.alive & state.waits_outside) != 0) {
    fail(Fault::kUnsupported, 0, "%s", kWaitsOutside);
  }
  if (enabled == 0) {
    go_home(state.alive == 0 ? sched::RunEnd::kComplete
                             : sched::RunEnd::kStuck);
  }
  const ThreadId next = scheduler->pick(
      {enabled, state.yielding & enabled, state.current, state.pending});
  if (next == sched::kNoThread) go_home(sched::RunEnd::kAbandoned);
  if (next != state.current) switch_to(next);
  active = true;
}

// At its first event a thread gives the word back to who started it.
bool return_to_starter() {
  Fiber& fiber = here();
  if (fiber.starter == sched::kNoThread) return false;
  const ThreadId starter = fiber.starter;
  fiber.starter = sched::kNoThread;
  switch_to(starter);
  return true;
}

[[noreturn]] void end_thread(void* result) {
  if (state.current != 0) require_no_robust_mutex();
  if (state.ends_are_events) {
    active = true;
    Turn turn(sync_event(Kind::kUpdate, end_of(state.current), true, nullptr));
    turn.done();
  }
  active = false;
  Fiber& fiber = here();
  fiber.result = result;
  fiber.has_ended = true;
  const ThreadId self_id = state.current;
  state.alive &= ~sched::bit(self_id);
  return_to_starter();
  if (state.waits_for_all && state.alive == 0) {
    state.waits_for_all = false;
    state.alive = 1;
    switch_to(0);
  }
  schedule();
  __builtin_unreachable();
}

void fiber_main(transfer_t from) {
  if (state.current == 0) {
    *static_cast<fcontext_t*>(from.data) = from.fctx;
  } else {
    arrive(from);
  }
  Fiber& fiber = here();
  active = true;
  void* result = run_entry(fiber.entry, fiber.argument);
  destroy_thread_data();
  end_thread(result);
}

// Rubbish of earlier executions must not make states look different.
void clear_stack(ThreadId thread, std::uintptr_t top) {
  for (const FirstStack& first : first_stacks) {
    if (first.thread != thread) continue;
    std::memcpy(reinterpret_cast<void*>(top - first.size), first.bytes,
                first.size);
    // Here lie the registers that the fiber starts with.
    std::memset(reinterpret_cast<void*>(top - kFirstRegisters), 0,
                kFirstRegisters);
    return;
  }
  std::memset(reinterpret_cast<void*>(top - kFirstFrames), 0, kFirstFrames);
}

void make_fiber(ThreadId thread, void* (*entry)(void*), void* argument) {
  Fiber& fiber = state.fibers[thread];
  const Stack stack = stack_of(thread);
  if (audit::on) audit_open_thread(thread);
  if (loop_guard) {
    clear_stack(thread, stack.low + stack.size);
  }
  fiber.context = make_fcontext(reinterpret_cast<void*>(stack.low + stack.size),
                                stack.size, fiber_main);
  fiber.entry = entry;
  fiber.argument = argument;
  fiber.next = &state.pending[thread];
  // Thread 0's locals are what free-form tests share.
  const bool shared = thread == 0 || (state.shared_stacks >> thread & 1);
  fiber.own = shared ? Stack{} : stack;
  fiber.enabled = nullptr;
  fiber.span = Span{};
  fiber.floor = 0;
  fiber.starter = sched::kNoThread;
  fiber.has_ended = false;
  fiber.joined = 0;
  fiber.spurious[0] = fiber.spurious[1] = 0;
  fiber.depth = fiber.hashed = 0;
  fiber.loops.count = fiber.loops.write_count = 0;
  fiber.loops.entry_at = UINT32_MAX;
  fiber.loops.round = {};
  fiber.loops.past = fiber.loops.observed = thread + 1u;
  fiber.loops.base = 0;
  fiber.loops.unseen = 0;
  fiber.loops.is_blind = false;
  fiber.hashes[0] = 0;
  *fiber.next = Event{};
  fiber.next->thread = thread;
  tls_start_run(thread);
}

// What lies below a stack is out of bounds.  A thread that starts touches some
// KiB, so pages are small ones.
bool map_stacks() {
  constexpr std::size_t kAll = sched::kMaxThreads * kStackRoom;
  if (!map_memory(kRegion, kAll)) return false;
  madvise(reinterpret_cast<void*>(kRegion), kAll, MADV_NOHUGEPAGE);
  for (std::size_t thread = 0; thread < sched::kMaxThreads; ++thread) {
    mprotect(reinterpret_cast<void*>(kRegion + thread * kStackRoom),
             kStackRoom - kStackBytes, PROT_NONE);
  }
  return true;
}

void start_run() {
  ++run_number;
  found = Finding{};
  run_end = sched::RunEnd::kComplete;
  state.steps = 0;
  set_current(0);
  state.threads = 1;
  state.alive = 1;
  state.conditional = 0;
  state.yielding = 0;
  state.waits_outside = 0;
  state.cut = 0;
  asked = must_repeat = at_loop_point = false;
  state.unforgotten = 1;
  state.waits_for_all = false;
  state.in_race_mode = current_settings.find_races;
  state.is_alone = true;
  state.together_from = 0;
  state.spared = false;
  heap().start_run(current_settings.heap);
  races().start_run();
  forget_annotations();
  in_library = library_gives = false;
}

}  // namespace

ThreadId self() {
  return state.current;
}
bool alone() {
  return state.is_alone;
}
const Event* pending_events() {
  return state.pending;
}
const Settings& settings() {
  return current_settings;
}

bool prepare() {
  static bool is_ready = false;
  if (!is_ready) {
    if (!map_stacks() || !heap().reserve() || !races().reserve()) {
      return false;
    }
    // The C library would allocate these at the first word that a test
    // prints, in memory that the next execution does not know.
    static char out[BUFSIZ];
    std::setvbuf(stdout, out, isatty(1) ? _IOLBF : _IOFBF, sizeof(out));
    is_ready = true;
  }
  tls_prepare();
  find_seen_code();
  find_standard_streams();
  audit_prepare();
  watch_library_calls();
  state.shared_stacks = 0;
  state.ends_are_events = false;
  catch_crashes();
  watch_process();
  library_data_snapshot();
  globals_snapshot();
  return true;
}

void finish() {
  stop_watching_visits();
  stop_watching_process();
  globals_restore();
  tls_start_run(0);
  stop_catching_crashes();
}
std::uintptr_t saved_stack_pointer(ThreadId thread) {
  return reinterpret_cast<std::uintptr_t>(state.fibers[thread].context);
}
const LoopLog& loop_log(ThreadId thread) {
  return state.fibers[thread].loops;
}
Span span_of(ThreadId thread) {
  return state.fibers[thread].span;
}
void begin_span() {
  here().span = Span{};
  here().loops.count = here().loops.write_count = 0;
  here().loops.entry_at = UINT32_MAX;
  here().loops.round = {};
  // The first thread keeps what its calls gave.
  if (state.current != 0) anchor(state.current, state.current);
  here().loops.base =
      reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}
Span span() {
  return here().span;
}
std::uint32_t threads_so_far() {
  return state.threads;
}
std::uint32_t events_so_far() {
  return state.steps;
}
bool has_ended(ThreadId thread) {
  return state.fibers[thread].has_ended;
}
void* result_of(ThreadId thread) {
  return state.fibers[thread].result;
}

void share_stack(ThreadId thread) {
  state.shared_stacks |= sched::bit(thread);
  if (thread == 0) return;
  must_repeat = true;
  go_home(sched::RunEnd::kAbandoned);
}

void watch_ends() {
  if (state.ends_are_events) return;
  state.ends_are_events = must_repeat = true;
  go_home(sched::RunEnd::kAbandoned);
}

namespace {

// For what is left: see announce_when().
void wait_for_turn(Predicate enabled, const void* object) {
  Fiber& fiber = here();
  const ThreadMask bit = sched::bit(state.current);
  fiber.enabled = enabled;
  fiber.object = object;
  if (enabled) state.conditional |= bit;
  if (fiber.next->kind == Kind::kYield) state.yielding |= bit;
  active = false;
  if (!return_to_starter()) schedule();
  if (audit::on) audit_close();
  active = true;
  state.conditional &= ~bit;
}

#if defined(__x86_64__)
// Registers of the x87 and of MMX keep what they hold when functions are
// called, if anybody uses them; 0: nobody does.
std::uint64_t old_registers() {
  static const bool can_tell = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned kExtended = 0xD, kTells = 1u << 2;
    return __get_cpuid_count(kExtended, 1, &a, &b, &c, &d) && (a & kTells);
  }();
  std::uint32_t in_use = 0, high = 0;
  if (can_tell) asm volatile("xgetbv" : "=a"(in_use), "=d"(high) : "c"(1));
  if (!(in_use & 1)) return 0;
  alignas(16) std::uint64_t image[64];
  asm volatile("fxsave64 %0" : "=m"(image));
  std::uint64_t hash = 1;
  for (std::size_t i = 4; i < 20; ++i) hash = mix(hash, image[i]);
  return mix(hash, image[0] >> 16 & 0xFF3800);  // which are in use
}
#endif

// How it rounds, and which exceptions were raised.
std::uint64_t floating_point_mode() {
#if defined(__x86_64__)
  std::uint32_t mode = 0;
  std::uint16_t control = 0, status = 0;
  asm volatile("stmxcsr %0" : "=m"(mode));
  asm volatile("fnstcw %0" : "=m"(control));
  asm volatile("fnstsw %0" : "=m"(status));
  return (mode | std::uint64_t{control} << 32 |
          (std::uint64_t{status} & kRaised) << 48) ^
         old_registers();
#else
  return 0;
#endif
}

void ask_about_loop(const LoopQuestion& question) {
  active = false;
  if (audit::on) audit_open_all();
  const LoopAnswer answer = loop_guard->at_repeat(question);
  if (audit::on) audit_close_all();
  if (answer == LoopAnswer::kAsk) {
    asked = true;
    go_home(sched::RunEnd::kAbandoned);
  }
  active = true;
  if (answer == LoopAnswer::kCut) {
    state.cut |= sched::bit(state.current);
    wait_for_turn(never, nullptr);
  }
}

// Who counted rounds has forgotten that afterwards, at the latest where the
// function with the loop has returned.
void notice_end_of_loop(LoopLog& log, const Event& event) {
  LoopRound& round = log.round;
  const bool has_returned = log.entry.stack_pointer() > round.stack;
  if (round.was_left && !has_returned) return;
  const std::uint32_t distance = round.distance;
  round.was_left = true;
  if (has_returned) round.distance = 0;
  ask_about_loop({state.current, log.count - distance, log.count, event, true});
}

// A loop within another one comes here some times in each round of that.
void ask_about_outer_loops(const LoopLog& log, const Event& event,
                           std::uint32_t inner) {
  constexpr int kMost = 8;
  int count = 0;
  std::uint32_t distance = inner;
  while (count++ < kMost && (distance = round_before(log, event, distance))) {
    ask_about_loop({state.current, log.count - distance, log.count, event});
  }
}

// Is the thread where it was before in this call?
void notice_loop() {
  at_loop_point = false;
  LoopLog& log = here().loops;
  std::memcpy(log.entry.word, entry_registers, sizeof(log.entry.word));
  if (float_state_matters) log.entry.word[11] ^= floating_point_mode();
  log.entry_at = log.count;
  loop_guard->at_point(state.current);
  const Event& event = *here().next;
  if (log.count == 0 || log.count > kMaxLoopSteps || log.is_blind) return;
  if (event.kind == Kind::kUnlock) return;  // what it gives back, it took
  const std::uint32_t distance = distance_back(log, event);
  if (log.round.distance != 0 && log.round.distance != distance) {
    notice_end_of_loop(log, event);
  }
  if (distance > log.count) return;
  ask_about_loop({state.current, log.count - distance, log.count, event});
  ask_about_outer_loops(log, event, distance);
  log.round = {distance, log.entry.stack_pointer(), false};
}

}  // namespace

void announce(const Event& event) {
  announce_when(event, nullptr, nullptr);
}

void announce_when(const Event& event, Predicate enabled, const void* object) {
  Event& mine = *here().next;
  mine = event;
  mine.thread = state.current;
  if (loop_guard && at_loop_point) notice_loop();
  wait_for_turn(enabled, object);
}

void announce_next() {
  wait_for_turn(nullptr, nullptr);
}

void announce_next_in_loop() {
  notice_loop();
  wait_for_turn(nullptr, nullptr);
}

void did(const Event& event) {
  Event& mine = *here().next;
  mine = event;
  mine.thread = state.current;
  did_next();
}

void did_next() {
  Fiber& fiber = here();
  Event& mine = *fiber.next;
  mine.after = fiber.floor;
  if (fiber.span.first == UINT32_MAX) fiber.span.first = state.steps;
  fiber.span.last = state.steps;
  if (loop_guard) log_step(fiber.loops, mine);
  if (mine.kind != Kind::kYield) state.yielding = 0;
  active = false;
  if (watcher) watcher({mine, false, 0, fiber.frames, shown_depth(), mine.pc});
  scheduler->saw(mine);
  active = true;
  if (graphs) require_graph_event(mine);
  if (++state.steps >= current_settings.steps) {
    found.fault = Fault::kStepLimit;
    found.thread = state.current;
    go_home(sched::RunEnd::kAbandoned);
  }
  if (audit::on) audit_leave();
}

std::uint32_t choose(std::uint32_t bound) {
  if (bound <= 1) return 0;
  if (bound > kMostChoices) {
    fail(Fault::kUnsupported, 0,
         "a choice of %u outcomes: at most %u can be tried", bound,
         kMostChoices);
  }
  Event event;
  event.kind = Kind::kChoose;
  event.outcomes = static_cast<std::uint8_t>(bound);
  announce(event);
  active = false;
  const std::uint32_t choice = scheduler->choose(state.current, bound);
  active = true;
  event.choice = static_cast<std::uint16_t>(choice);
  did(event);
  return choice;
}

bool fails_spuriously(Spurious kind, Event& event) {
  const bool is_cas = kind == Spurious::kCas;
  if (!(is_cas ? current_settings.weak_cas_fails
               : current_settings.waits_end)) {
    return false;
  }
  active = false;
  if (is_cas && loop_guard) {
    const LoopAnswer answer = loop_guard->at_weak_success(event);
    if (answer == LoopAnswer::kAsk) {
      asked = true;
      go_home(sched::RunEnd::kAbandoned);
    }
    if (answer == LoopAnswer::kCut) {  // it would only try again
      active = true;
      return false;
    }
  }
  std::uint8_t& met = here().spurious[static_cast<std::size_t>(kind)];
  bool fails = false;
  if (met == kMostSpurious) {
    state.spared = true;
  } else {
    fails = scheduler->fails(state.current);
    event.outcomes = 2;
    event.choice = fails;
    met += fails;
  }
  active = true;
  return fails;
}

// When all numbers are in use, one of a thread that has ended is given again,
// by who joined it, or was started by who had: all that this one did comes
// before all that the new one will do.  Who that is depends on what the
// starting thread follows and on the order of spawns only, so equivalent
// executions agree.
ThreadId next_thread() {
  if (state.threads < sched::kMaxThreads) {
    return static_cast<ThreadId>(state.threads);
  }
  ThreadMask ended = state.is_alone ? ~ThreadMask{0} : here().joined;
  ended &= ~(sched::bit(0) | sched::bit(state.current));
  if (ended == 0 || graphs) {
    fail(Fault::kUnsupported, 0, "more than %zu threads at once",
         sched::kMaxThreads - 1);
  }
  return static_cast<ThreadId>(__builtin_ctz(ended));
}

ThreadId spawn(void* (*entry)(void*), void* argument) {
  const ThreadId thread = next_thread();
  // Whatever it got to know while there was no other is what it did gave it.
  if (state.threads == 1) here().loops.is_blind = false;
  if (thread == state.threads) {
    ++state.threads;
  } else {
    for (Fiber& fiber : state.fibers) fiber.joined &= ~sched::bit(thread);
  }
  make_fiber(thread, entry, argument);
  if (state.is_alone) {
    state.together_from = state.steps;
    watch_visits_of_threads();
  }
  // What its starter has joined comes before it, too.
  state.fibers[thread].joined = here().joined & ~sched::bit(thread);
  state.fibers[thread].floor = state.together_from;
  state.alive |= sched::bit(thread);
  ++state.unforgotten;
  state.is_alone = false;
  races().spawn(state.current, thread);
  state.fibers[thread].loops.past = mix(here().loops.past, thread + 1u);
  state.fibers[thread].loops.observed = state.fibers[thread].loops.past;
  state.fibers[thread].loops.is_blind = here().loops.is_blind;
  state.fibers[thread].starter = state.current;
  active = false;
  if (current_settings.audit && !audit::on) audit_start();
  switch_to(thread);
  active = true;
  if (audit::on) audit_leave();
  return thread;
}

void exit_thread(void* result) {
  end_thread(result);
}

void forget(ThreadId thread) {
  races().join(state.current, thread);
  learn_from(state.fibers[thread].loops);
  here().joined |= state.fibers[thread].joined | sched::bit(thread);
  state.is_alone = --state.unforgotten == 1;
  if (state.is_alone) here().floor = state.steps;
  if (state.is_alone && graphs) forget_all_atomics();
  if (state.is_alone && audit::on) audit_stop();
}

void wait_for_all() {
  const ThreadMask others = state.alive & ~sched::bit(state.current);
  if (others != 0) {
    state.waits_for_all = true;
    state.alive &= ~sched::bit(state.current);
    schedule();
  }
  active = true;
  for (std::uint32_t t = 1; t < state.threads; ++t) {
    races().join(state.current, static_cast<ThreadId>(t));
    learn_from(state.fibers[t].loops);
  }
  state.unforgotten = 1;
  state.is_alone = true;
  if (graphs) forget_all_atomics();
  here().floor = state.steps;
  if (audit::on) audit_stop();
}

void leave_execution() {
  go_home(sched::RunEnd::kAbandoned);
}

void fail(const Finding& finding) {
  found = finding;
  found.thread = state.current;
  go_home(sched::RunEnd::kFailed);
}

void fail(Fault fault, std::uintptr_t pc, const char* format, ...) {
  Finding finding;
  finding.fault = fault;
  finding.pc = pc;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(finding.text, sizeof(finding.text), format, arguments);
  va_end(arguments);
  fail(finding);
}

Outcome run(sched::Scheduler& with, const Settings& settings_now,
            void* (*main)(void*), void* argument) {
  scheduler = &with;
  current_settings = settings_now;
  do {
    start_run();
    start_graph_run(with.graphs());
    globals_restore();
    remember_loaded_libraries();
    forget_exceptions();
    make_fiber(0, main, argument);
    tls_switch(0);
    jump_fcontext(state.fibers[0].context, &home);
    active = in_library = false;  // what was left may have been in one
    if (audit::on) audit_stop();
    if (must_repeat) put_back_process();
    if (must_repeat) unmap_all();
  } while (must_repeat && with.repeat_run());
  if (run_end == sched::RunEnd::kComplete && found.fault == Fault::kNone &&
      current_settings.find_leaks) {
    find_leak(found);
  }
  if (onlooker) onlooker->look();
  put_back_process();
  unmap_all();
  if (found.fault != Fault::kNone && found.fault != Fault::kStepLimit) {
    run_end = sched::RunEnd::kFailed;
  }
  Outcome outcome{run_end,   found, state.alive, races().missed(),
                  state.cut, asked, state.steps, state.spared};
  if (asked) return outcome;
  if (state.waits_for_all) outcome.waiting |= 1;
  if (graphs && (run_end == sched::RunEnd::kStuck || graphs->is_stalled())) {
    end_graph_run(state.alive & ~state.cut);
  }
  scheduler->end_run(run_end, state.alive & ~state.cut, state.pending);
  return outcome;
}

}  // namespace plumb::runtime
