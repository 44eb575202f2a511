// SPDX-License-Identifier: Apache-2.0
#include "runtime/audit.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unwind.h>

#include "runtime/announcers.h"
#include "runtime/audit_calls.h"
#include "runtime/audit_code.h"
#include "runtime/audit_log.h"
#include "runtime/audit_objects.h"
#include "runtime/audit_signals.h"
#include "runtime/audit_unseen.h"
#include "runtime/code_visits.h"
#include "runtime/fibers.h"
#include "runtime/heap.h"
#include "runtime/library_calls.h"
#include "runtime/mappings.h"
#include "runtime/thread_data.h"
#include "runtime/tls.h"
#include "runtime/unhooked_code.h"

extern "C" __attribute__((visibility("hidden"))) void audit_restore();
// Where handlers return to: within this library, so that this call is not
// looked at.  The unwinder knows it by these very bytes, and by having no
// tables.
asm(R"(
  .text
  .p2align 4
  .hidden audit_restore
  .globl audit_restore
  nop
  nop
audit_restore:
  .byte 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05
  nop
)");

namespace plumb::runtime {

namespace audit {
constinit bool on = false;
}  // namespace audit

namespace {

constexpr std::uintptr_t kPage = 4096;
constexpr int kSignals[] = {SIGSEGV, SIGTRAP, SIGSYS};
constinit KernelAction before[3] = {};
constinit std::uint64_t fault_count = 0;
constinit bool in_handler = false;
constinit ThreadMask closed_threads = 0;

// Pages of stacks and of thread-local data that other threads were seen to
// touch, in this program: they are closed even while their owner runs, if it is
// in code that no hook tells of.  (What runs on a closed page takes a fault for
// each step.)
constexpr std::size_t kMostShared = 16;
constinit std::uintptr_t shared_pages[kMostShared] = {};
constinit std::size_t shared_count = 0;
constinit ThreadMask in_unhooked = 0;   // who is in such code
constinit bool all_is_watched = false;  // see audit_watch_own()
// A hook is about to return, on such a page: one instruction at a time.
constinit bool is_leaving = false;
// ... but it did not: who stays has much to do, and needs its stack open.
constexpr int kMostStepsToLeave = 200;
constinit int steps_to_leave = 0;
// ... until it comes back to the test's code, which must not run meanwhile.
constinit bool code_is_closed = false;

constexpr std::size_t kMostLent = 64;
constinit std::uintptr_t lent[kMostLent] = {};
constinit std::size_t lent_count = 0;

void protect(AddressRange range, int how) {
  kernel(SYS_mprotect, {{range.begin, range.end - range.begin,
                         static_cast<std::uint64_t>(how)}});
}

AddressRange heap_range() {
  return {kHeap, kHeap + Heap::kBytes};
}
AddressRange stack_range(ThreadId thread) {
  const Stack stack = stack_of(thread);
  return {stack.low, stack.low + stack.size};
}

AddressRange pages_of(AddressRange range) {
  return {range.begin & ~(kPage - 1), (range.end + kPage - 1) & ~(kPage - 1)};
}

// What is a thread's own: its stack, and the test's thread-local data, beside
// which the C library has its own.
template <typename Visit>
void each_own(ThreadId thread, Visit visit) {
  visit(stack_range(thread));
  tls_each_block(
      thread,
      [](void* context, std::uintptr_t begin, std::size_t bytes) {
        (*static_cast<Visit*>(context))({begin, begin + bytes});
      },
      &visit);
}

void protect_own(ThreadId thread, int how) {
  each_own(thread, [&](AddressRange range) { protect(pages_of(range), how); });
}

bool is_on_pages_of(ThreadId thread, std::uintptr_t address) {
  bool is_it = false;
  each_own(thread, [&](AddressRange range) {
    is_it |= pages_of(range).contains(address);
  });
  return is_it;
}

bool is_own(std::uintptr_t address) {
  return is_on_pages_of(state.current, address);
}

bool is_in_unhooked() {
  return (in_unhooked & sched::bit(state.current)) != 0;
}

// Is what the thread that runs shares with others closed to itself?
bool is_watched() {
  return all_is_watched || is_in_unhooked();
}

// Pages that the thread shares with others.
void protect_own_shared(int how) {
  for (std::size_t i = 0; i < shared_count; ++i) {
    if (!is_own(shared_pages[i])) continue;
    protect({shared_pages[i], shared_pages[i] + kPage}, how);
  }
}

bool is_audited(const Mapping& mapping) {
  return (mapping.access & (PROT_WRITE | PROT_EXEC)) == PROT_WRITE;
}

void protect_all(int how) {
  protect(heap_range(), how);
  for (const AddressRange& range : data_of_test()) protect(range, how);
  for (const Mapping& mapping : mappings()) {
    if (is_audited(mapping)) protect({mapping.begin, mapping.end}, how);
  }
  for (ThreadMask rest = closed_threads; rest != 0; rest &= rest - 1) {
    protect_own(static_cast<ThreadId>(__builtin_ctz(rest)), how);
  }
  if (how != PROT_NONE || is_watched()) protect_own_shared(how);
}

bool is_shared_page(std::uintptr_t page) {
  for (std::size_t i = 0; i < shared_count; ++i) {
    if (shared_pages[i] == page) return true;
  }
  return false;
}

void add_shared_page(std::uintptr_t page) {
  if (shared_count == kMostShared || is_shared_page(page)) return;
  shared_pages[shared_count++] = page;
}

void find_shared_pages() {
  shared_count = 0;
  for (std::size_t i = 0; i < sched::kMaxThreads; ++i) {
    const auto thread = static_cast<ThreadId>(i);
    each_own(thread, [&](AddressRange range) {
      each_shared_page(range, thread, add_shared_page);
    });
  }
}

// Nobody's data, but that of the C library for each thread.
bool is_of_library(const Touch& touch) {
  bool is_near = false, is_it = true;
  for (std::uint32_t t = 0; t < threads_so_far(); ++t) {
    each_own(static_cast<ThreadId>(t), [&](AddressRange range) {
      is_near |= pages_of(range).contains(touch.address);
      is_it &= !range.contains(touch.address);
    });
  }
  return is_near && is_it;
}

bool is_of_data(std::uintptr_t address) {
  for (const AddressRange& range : data_of_test()) {
    if (range.contains(address)) return true;
  }
  return false;
}

bool is_protected(std::uintptr_t address) {
  if (is_shared_page(address & ~(kPage - 1))) {
    return is_watched() || !is_own(address);
  }
  if (heap_range().contains(address) || is_of_data(address)) return true;
  for (const Mapping& mapping : mappings()) {
    if (mapping.contains(address) && is_audited(mapping)) return true;
  }
  for (ThreadMask rest = closed_threads; rest != 0; rest &= rest - 1) {
    const auto thread = static_cast<ThreadId>(__builtin_ctz(rest));
    if (is_on_pages_of(thread, address)) return true;
  }
  return false;
}

bool is_lent(std::uintptr_t page) {
  for (std::size_t i = 0; i < lent_count; ++i) {
    if (lent[i] == page) return true;
  }
  return false;
}

// What lies on the stack that we run on stays open, or we would be the first to
// need it; but for those who are about to leave.  That comes last: from then on
// whatever is needed of it is lent anew.
void close_lent(bool all) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < lent_count; ++i) {
    const std::uintptr_t page = lent[i];
    if (!is_protected(page)) continue;
    if (is_own(page)) {
      lent[kept++] = page;
    } else {
      protect({page, page + kPage}, PROT_NONE);
    }
  }
  lent_count = kept;
  while (all && lent_count != 0) {
    const std::uintptr_t page = lent[--lent_count];
    protect({page, page + kPage}, PROT_NONE);
  }
}

// Returns false if that does not help: it was open already.
bool lend(std::uintptr_t address) {
  const std::uintptr_t page = address & ~(kPage - 1);
  if (is_lent(page)) return false;
  if (lent_count == kMostLent) close_lent(false);
  lent[lent_count++] = page;
  protect({page, page + kPage}, PROT_READ | PROT_WRITE);
  return true;
}

// Code may be written (code_visits.h).
void close_code(bool is_closed) {
  if (code_is_closed == is_closed) return;
  code_is_closed = is_closed;
  const int open = is_closed ? 0 : PROT_EXEC;
  for (const AddressRange& range : code_of_test()) {
    protect(range, PROT_READ | PROT_WRITE | open);
  }
}

// Who called, from the innermost function on: up to the test's own code, or up
// to ours, which stands in for what the test called.
struct Callers {
  std::uintptr_t pc = 0;  // where it begins
  bool has_begun = false;
  bool at_exit = false;
  CodeOwner owner = CodeOwner::kNobody;
  std::uintptr_t at = 0;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto& callers = *static_cast<Callers*>(argument);
  const std::uintptr_t pc = _Unwind_GetIP(context);
  if (!callers.has_begun) {
    callers.has_begun = pc == callers.pc;
    return _URC_NO_REASON;
  }
  const CodeOwner owner = owner_of_code(pc - 1);
  if (owner != CodeOwner::kTest && owner != CodeOwner::kOurs) {
    return _URC_NO_REASON;
  }
  callers.at_exit =
      _Unwind_GetRegionStart(context) == address_of_destructor_calls();
  if (callers.at_exit) return _URC_END_OF_STACK;
  callers.owner = owner;
  callers.at = pc;
  return _URC_END_OF_STACK;
}

Callers callers_of(std::uintptr_t pc) {
  Callers callers;
  callers.pc = pc;
  _Unwind_Backtrace(visit, &callers);
  return callers;
}

// What is about to happen at `pc` was not told by the runtime: was it seen?
// Fills in who does it if not.
bool was_seen(const Touch& touch, std::uintptr_t pc, UnseenSite& site) {
  site.pc = pc;
  site.owner = owner_of_code(pc);
  if (site.owner == CodeOwner::kTest) {
    if (was_announced(state.current, touch, pc)) return true;
    if (!touch.writes && !touch.locked && is_instrumented(pc) &&
        !is_known_unseen(pc)) {
      defer(state.current, touch, pc);
      return true;
    }
    return false;
  }
  const Callers callers = callers_of(pc);
  if (callers.owner == CodeOwner::kOurs) return true;
  site.caller = callers.at;
  site.at_exit = callers.at_exit;
  return is_of_loader(touch.address) ||
         was_announced_for(state.current, touch, callers.at);
}

// Where to return to, and registers to be restored: where a local has been that
// others knew, now lies what nobody else means.
bool is_of_call(const Touch& touch) {
  return touch.pushes || touch.pops;
}

// What a function finds by its frame is announced where others may know of it.
// Where that has been a local before that others knew, it may be anything now.
// LIMIT: assembly that touches a local of its own function, without a lock.
bool is_compilers_own(const Touch& touch, std::uintptr_t pc) {
  return touch.in_frame && !touch.locked &&
         owner_of_code(pc) == CodeOwner::kTest &&
         (is_of_call(touch) || is_instrumented(pc) ||
          calls_nobody(function_of(pc)));
}

// ... unless they forget it: what a function returns, if that is a structure.
void note_forgotten(const Touch& touch, std::uintptr_t pc) {
  if (!all_is_watched || is_of_call(touch) || touch.is_vague ||
      !is_hooked(pc) || was_announced(state.current, touch, pc)) {
    return;
  }
  if (touch.writes) {
    add_announcer(pc);
  } else {
    defer(state.current, touch, pc);
  }
}

// What of it was not announced.
void find_unseen(const Touches& touches, std::uintptr_t pc,
                 UnseenAccess& unseen) {
  for (std::size_t i = 0; i < touches.count; ++i) {
    const Touch& touch = touches.all[i];
    if (i != 0 && !is_protected(touch.address)) continue;
    if (is_of_library(touch)) continue;
    // Of locals, compilers announce those only that others may know of.
    if (is_own(touch.address)) {
      if (!is_touched_by_others(state.current, touch.address, touch.size)) {
        continue;
      }
      if (is_compilers_own(touch, pc)) {
        note_forgotten(touch, pc);
        continue;
      }
    }
    if (was_seen(touch, pc, unseen.site)) continue;
    unseen.touches[unseen.count++] = touch;
    unseen.site.is_announced |= unseen.site.owner == CodeOwner::kTest &&
                                !touch.locked && !touch.is_vague &&
                                add_announcer(pc);
  }
}

// Returns false if it is none of our business.
bool on_fault(siginfo_t* info, greg_t* registers, bool was_active) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const auto pc = static_cast<std::uintptr_t>(registers[REG_RIP]);
  constexpr greg_t kWrite = 2, kFetch = 16;
  const greg_t error = registers[REG_ERR];
  if ((error & kFetch) && code_is_closed &&
      owner_of_code(pc) == CodeOwner::kTest) {
    close_code(false);
    close_lent(true);
    return true;
  }
  // Back from there, unless it is an instruction that hooks should have told
  // of.
  if (is_in_unhooked() && !all_is_watched && was_active && is_own(address) &&
      is_hooked(pc) && !touches_of(registers, address, false).all[0].locked) {
    in_unhooked &= ~sched::bit(state.current);
    close_lent(true);
    protect_own_shared(PROT_READ | PROT_WRITE);
    return true;
  }
  if (info->si_code != SEGV_ACCERR || (error & kFetch) ||
      !is_protected(address)) {
    return false;
  }
  // What was open for the runtime is not for the test.
  if (was_active && !is_running_one(pc) && !own_library().contains(pc)) {
    close_lent(true);
  }
  if (!lend(address)) return false;
  ++fault_count;
  if (!was_active || is_running_one(pc)) return true;
  if (!own_library().contains(pc)) {
    is_leaving = false;
  } else if (is_own(address) &&
             (!is_leaving || ++steps_to_leave > kMostStepsToLeave)) {
    is_leaving = false;
    close_code(true);
    return true;
  }
  if (!own_library().contains(pc) && !has_told(pc)) {
    UnseenAccess unseen;
    find_unseen(touches_of(registers, address, (error & kWrite) != 0), pc,
                unseen);
    if (unseen.count != 0) {
      close_lent(true);
      go_and_tell(registers, unseen, pc);
      return true;
    }
  }
  // It has got its breakpoint just now, which lets it run.
  if (!is_announcer(pc)) run_one(registers);
  return true;
}

bool on_trap(greg_t* registers) {
  if (!ran_one(registers)) return false;
  close_lent(true);
  return true;
}

// A trap that was set in the test's code, or on its way into a library.
bool passes_trap(greg_t* registers) {
  const bool was_in_handler = in_handler;
  in_handler = true;  // the decoder may need what is closed
  const bool is_passed = pass_breakpoint(registers) ||
                         pass_announcer(registers) ||
                         pass_library_gate(registers);
  in_handler = was_in_handler;
  return is_passed;
}

// As audit.h says of the runtime: what it needs is open until the test goes on.
// What protectors of stacks need may be closed yet.
__attribute__((no_stack_protector)) void handle(int signal, siginfo_t* info,
                                                void* context_) {
  auto* const registers = static_cast<ucontext_t*>(context_)->uc_mcontext.gregs;
  if (!in_handler) {
    set_passed_again(static_cast<std::uintptr_t>(registers[REG_RIP]));
  }
  if (signal == SIGTRAP && passes_trap(registers)) return;
  const bool was_active = active;
  if (in_handler) {
    // The unwinder may look at the test's data.
    if (signal == SIGSEGV &&
        lend(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
      return;
    }
    kernel(SYS_exit_group, {{70}});
  }
  active = false;
  in_handler = true;
  bool is_done = false;
  switch (signal) {
    case SIGSEGV:
      is_done = on_fault(info, registers, was_active);
      break;
    case SIGTRAP:
      is_done = on_trap(registers);
      break;
    default:
      is_done = on_call(info, registers, was_active);
  }
  in_handler = false;
  active = was_active;
  if (is_done) return;
  for (std::size_t i = 0; i < 3; ++i) {
    if (kSignals[i] != signal) continue;
    if (before[i].handler == nullptr) {  // SIG_DFL: happens again, as it was
      kernel(SYS_rt_sigaction,
             {{static_cast<std::uint64_t>(signal), bits_of(&before[i]), 0, 8}});
      return;
    }
    using Handler = void (*)(int, siginfo_t*, void*);
    reinterpret_cast<Handler>(before[i].handler)(signal, info, context_);
  }
}

}  // namespace

std::uint64_t audit::faults() {
  return fault_count;
}

void audit_prepare() {
  find_objects();
}

void audit_watch_own(bool all) {
  all_is_watched = all;
}

void audit_enter_unhooked() {
  if (shared_count == 0) return;
  is_leaving = false;
  in_unhooked |= sched::bit(state.current);
  close_lent(true);
  protect_own_shared(PROT_NONE);
}

bool can_audit() {
  return !data_of_test().empty();
}

void audit_start() {
  KernelAction action = {};
  action.handler = reinterpret_cast<void*>(&handle);
  constexpr unsigned long kHasRestorer = 0x04000000;
  action.flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | kHasRestorer;
  action.restorer = reinterpret_cast<void*>(&audit_restore);
  action.mask = 1ul << (SIGVTALRM - 1);  // ticks (patience.h) come later
  for (std::size_t i = 0; i < 3; ++i) {
    kernel(SYS_rt_sigaction, {{static_cast<std::uint64_t>(kSignals[i]),
                               bits_of(&action), bits_of(&before[i]), 8}});
  }
  start_log();
  lent_count = 0;
  closed_threads = 0;
  is_leaving = false;
  in_unhooked = 0;
  find_shared_pages();
  watch_unhooked_calls();
  audit::on = true;
  protect_all(PROT_NONE);
  look_at_calls();
}

void audit_stop() {
  audit::on = false;
  in_handler = false;  // a call that did not come back was left
  stop_looking_at_calls();
  protect_all(PROT_READ | PROT_WRITE);
  close_code(false);  // the stack that this runs on is open now
  closed_threads = 0;
  shared_count = 0;
  lent_count = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    kernel(SYS_rt_sigaction, {{static_cast<std::uint64_t>(kSignals[i]),
                               bits_of(&before[i]), 0, 8}});
  }
}

void audit_note(std::uintptr_t address, std::uint32_t size, bool writes,
                std::uintptr_t pc) {
  announced(state.current, address, size, writes, pc);
  audit_leave();
}

void audit_leave() {
  is_leaving = is_watched() && shared_count != 0;
  steps_to_leave = 0;
  close_lent(true);
}

void audit_close() {
  close_lent(false);
}

void audit_open_all() {
  protect_all(PROT_READ | PROT_WRITE);
  lent_count = 0;
}

void audit_close_all() {
  protect_all(PROT_NONE);
}

std::uintptr_t audit_caller(std::uintptr_t pc, bool& is_ours) {
  const Callers callers = callers_of(pc);
  is_ours = callers.owner == CodeOwner::kOurs;
  return callers.at;
}

bool audit_protects(std::uintptr_t address) {
  return is_protected(address);
}

void audit_mapped(std::uintptr_t begin, std::uintptr_t end) {
  protect({begin, end}, PROT_NONE);
}

void audit_open_thread(ThreadId thread) {
  if (!(closed_threads >> thread & 1)) return;
  protect_own(thread, PROT_READ | PROT_WRITE);
  closed_threads &= ~sched::bit(thread);
  if (!all_is_watched && !(in_unhooked & sched::bit(thread))) return;
  for (std::size_t i = 0; i < shared_count; ++i) {
    if (!is_on_pages_of(thread, shared_pages[i])) continue;
    protect({shared_pages[i], shared_pages[i] + kPage}, PROT_NONE);
  }
}

void audit_close_thread(ThreadId thread) {
  protect_own(thread, PROT_NONE);
  closed_threads |= sched::bit(thread);
}

}  // namespace plumb::runtime
