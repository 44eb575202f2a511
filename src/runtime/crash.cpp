// SPDX-License-Identifier: Apache-2.0
#include "runtime/crash.h"

#include <cxxabi.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <typeinfo>

#include "runtime/announcers.h"
#include "runtime/audit_code.h"
#include "runtime/broken_pipes.h"
#include "runtime/code_visits.h"
#include "runtime/core.h"
#include "runtime/patience.h"
#include "runtime/processor.h"
#include "runtime/reals.h"
#include "runtime/signals.h"
#include "runtime/sync_objects.h"
#include "runtime/touch.h"

extern "C" {
[[noreturn]] void __assert_fail(const char*, const char*, unsigned,
                                const char*) noexcept;
[[noreturn]] void __assert_perror_fail(int, const char*, unsigned,
                                       const char*) noexcept;
[[noreturn]] void __stack_chk_fail();
[[noreturn]] void __chk_fail();
}

namespace plumb::runtime {
namespace {

PLUMB_REAL(abort);
PLUMB_REAL(exit);
PLUMB_REAL(_exit);
PLUMB_REAL(_Exit);
PLUMB_REAL(quick_exit);
PLUMB_REAL(__assert_fail);
PLUMB_REAL(__assert_perror_fail);
PLUMB_REAL(__stack_chk_fail);
PLUMB_REAL(__chk_fail);

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
constexpr std::size_t kSignalCount = sizeof(kSignals) / sizeof(kSignals[0]);
constexpr std::size_t kStackSize = 64 << 10;

constinit struct sigaction before[kSignalCount] = {};
constinit stack_t stack_before = {};
constinit std::terminate_handler terminate_before = nullptr;
constinit bool catching = false;
// One stack for the handler, one to go on from where the handler left.
alignas(16) constinit unsigned char handler_stack[kStackSize] = {};
alignas(16) constinit unsigned char safe_stack[kStackSize] = {};

// What the signal told.
struct Crash {
  int signal = 0;
  bool knows_address = false;
  bool was_write = false;
  std::uintptr_t address = 0;
  std::uintptr_t pc = 0;
};
constinit Crash crash;

// Stacks of fibers are followed by nothing else; what cannot be touched among
// them is below the end of one.
bool is_below_a_stack(std::uintptr_t address) {
  constexpr std::uintptr_t kBelow = 64 << 10;
  return address - (kRegion - kBelow) < kHeap - kRegion + kBelow;
}

const char* name_of(int signal) {
  switch (signal) {
    case SIGBUS:
      return "bus error";
    case SIGFPE:
      return "division by zero or overflow of a number";
    case SIGILL:
      return "illegal instruction (a trap of the compiler?)";
    case SIGTRAP:
      return "trap";
    default:
      return "segmentation fault";
  }
}

[[noreturn]] void tell() {
  Finding finding;
  if (crash.signal == SIGILL && is_random_instruction(crash.pc)) {
    fail(Fault::kUnsupported, crash.pc,
         "the processor gives random numbers (rdrand, rdseed), or its own "
         "(rdpid), that are not under control");
  }
  finding.fault = Fault::kCrash;
  finding.pc = crash.pc;
  if (crash.signal == SIGSEGV && crash.knows_address) {
    finding.address = crash.address;
    std::snprintf(finding.text, sizeof(finding.text),
                  "segmentation fault: %s address %#lx",
                  crash.was_write ? "a write to" : "a read of", crash.address);
    if (is_below_a_stack(crash.address)) {
      finding.fault = Fault::kStackOverflow;
      std::snprintf(finding.text, sizeof(finding.text),
                    "the stack of %zu MiB is full", kStackBytes >> 20);
    }
  } else {
    std::snprintf(finding.text, sizeof(finding.text), "%s",
                  name_of(crash.signal));
  }
  fail(finding);
}

[[noreturn]] void tell_handled() {
  fail(Fault::kUnsupported, 0,
       "a handler of the test's for a fault (%s) is not supported",
       name_of(crash.signal));
}

// Outside of executions, as if it had never been caught: the instruction is
// done again, under the handler of before.
void give_back(int signal) {
  for (std::size_t i = 0; i < kSignalCount; ++i) {
    if (kSignals[i] == signal) sigaction(signal, &before[i], nullptr);
  }
}

// Does not tell here: the stack may be full, and what is done within a handler
// is never left by a jump.  It lets the thread go on in tell() instead.
void handle(int signal, siginfo_t* info, void* context_) {
  auto& machine = static_cast<ucontext_t*>(context_)->uc_mcontext;
  if (signal == SIGTRAP &&
      (pass_breakpoint(machine.gregs) || pass_announcer(machine.gregs) ||
       ran_one(machine.gregs))) {
    return;
  }
  if (signal == SIGSEGV && emulate_clock_instruction(*info, machine)) return;
  if (!active && signal == SIGILL &&
      is_random_instruction(
          static_cast<std::uintptr_t>(machine.gregs[REG_RIP]))) {
    return put_random_instructions_back();
  }
  if (!active && !in_library) return give_back(signal);
  active = in_library = false;
  if (is_handled_by_test(signal)) {
    crash.signal = signal;
    return go_on_in(tell_handled, machine.gregs);
  }
  auto* registers = machine.gregs;
  crash.signal = signal;
  crash.pc = static_cast<std::uintptr_t>(registers[REG_RIP]);
  crash.address = number_of(info->si_addr);
  crash.was_write = registers[REG_ERR] & 2;
  // An address that is none at all is not told by the processor.
  crash.knows_address =
      info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR;
  go_on_in(tell, registers);
}

// "std::out_of_range: no such key", of the exception that is being handled.
void describe_exception(const std::type_info& type, char* text,
                        std::size_t size) {
  int status = 0;
  char* name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  const std::exception_ptr current = std::current_exception();
  void* thrown = nullptr;
  std::memcpy(&thrown, &current, sizeof(thrown));
  const char* what = "";
  if (typeid(std::exception).__do_catch(&type, &thrown, 1)) {
    what = static_cast<std::exception*>(thrown)->what();
  }
  std::snprintf(text, size, "%s%s%s", status == 0 ? name : type.name(),
                *what ? ": " : "", what);
  std::free(name);
}

[[noreturn]] void on_terminate() {
  if (!active) {
    if (terminate_before) terminate_before();
    real_abort();
    __builtin_unreachable();
  }
  active = false;
  Finding finding;
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type != nullptr) {
    finding.fault = Fault::kException;
    describe_exception(*type, finding.text, sizeof(finding.text));
  } else {
    finding.fault = Fault::kAssertion;
    std::snprintf(finding.text, sizeof(finding.text),
                  "std::terminate() was called");
  }
  fail(finding);
}

const char* last_part(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// A program that ends by exit(0) when no other thread is left has just ended.
[[noreturn]] void end_by_exit(const char* how, int status, const void* pc) {
  if (status == 0 && self() == 0 && alone()) exit_thread(nullptr);
  fail(Fault::kAssertion, number_of(pc), "%s(%d) was called", how, status);
}

}  // namespace

void go_on_in(void (*function)(), greg_t* registers) {
  const std::uintptr_t top = number_of(safe_stack) + kStackSize;
  registers[REG_RSP] = static_cast<greg_t>(top - 8);
  registers[REG_RIP] =
      static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(function));
  // No single steps, and the direction of string instructions.
  registers[REG_EFL] &= ~0x500;
}

void catch_crashes() {
  if (catching) return;
  catching = true;
  terminate_before = std::set_terminate(on_terminate);
  stack_t stack = {};
  stack.ss_sp = handler_stack;
  stack.ss_size = kStackSize;
  sigaltstack(&stack, &stack_before);
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignalCount; ++i) {
    sigaction(kSignals[i], &action, &before[i]);
  }
  catch_broken_pipes();
  start_ticks();
  trap_clock_instructions();
  replace_random_instructions();
}

void stop_catching_crashes() {
  if (!catching) return;
  catching = false;
  stop_trapping_clock_instructions();
  put_random_instructions_back();
  stop_ticks();
  stop_catching_broken_pipes();
  for (std::size_t i = 0; i < kSignalCount; ++i) {
    sigaction(kSignals[i], &before[i], nullptr);
  }
  sigaltstack(&stack_before, nullptr);
  std::set_terminate(terminate_before);
}

}  // namespace plumb::runtime

using namespace plumb::runtime;

#define PLUMB_PC __builtin_return_address(0)

extern "C" {

void abort() noexcept {
  if (active) {
    fail(Fault::kAssertion, number_of(PLUMB_PC), "abort() was called");
  }
  real_abort();
  __builtin_unreachable();
}

void exit(int status) noexcept {
  if (active) end_by_exit("exit", status, PLUMB_PC);
  real_exit(status);
  __builtin_unreachable();
}

void _exit(int status) {
  if (active) end_by_exit("_exit", status, PLUMB_PC);
  real__exit(status);
  __builtin_unreachable();
}

void _Exit(int status) noexcept {
  if (active) end_by_exit("_Exit", status, PLUMB_PC);
  real__Exit(status);
  __builtin_unreachable();
}

void quick_exit(int status) noexcept {
  if (active) end_by_exit("quick_exit", status, PLUMB_PC);
  real_quick_exit(status);
  __builtin_unreachable();
}

void __assert_fail(const char* what, const char* file, unsigned line,
                   const char* function) noexcept {
  if (active) {
    fail(Fault::kAssertion, number_of(PLUMB_PC), "%s (%s:%u)", what,
         last_part(file), line);
  }
  real___assert_fail(what, file, line, function);
  __builtin_unreachable();
}

void __assert_perror_fail(int error, const char* file, unsigned line,
                          const char* function) noexcept {
  if (active) {
    fail(Fault::kAssertion, number_of(PLUMB_PC), "unexpected error %d (%s:%u)",
         error, last_part(file), line);
  }
  real___assert_perror_fail(error, file, line, function);
  __builtin_unreachable();
}

void __stack_chk_fail() {
  if (active) {
    fail(Fault::kCrash, number_of(PLUMB_PC),
         "a variable on the stack was overrun");
  }
  real___stack_chk_fail();
  __builtin_unreachable();
}

void __chk_fail() {
  if (active) {
    fail(Fault::kCrash, number_of(PLUMB_PC),
         "a function of the C library was given too small a buffer");
  }
  real___chk_fail();
  __builtin_unreachable();
}

}  // extern "C"
