// SPDX-License-Identifier: Apache-2.0
// What tests ask for by name while they run: choices, threads, failures.
#include <cstdio>

#include "harness/model_spec.h"
#include "harness/run_program.h"
#include "plumb/test/abi.h"
#include "runtime/core.h"

extern "C" {

std::uint32_t plumb_choose(std::uint32_t bound) {
  return plumb::runtime::active ? plumb::runtime::choose(bound)
                                : plumb::harness::choose_in_model(bound);
}

int plumb_thread() {
  using plumb::harness::ProgramRun;
  if (!plumb::runtime::active) return ProgramRun::native_thread;
  plumb::runtime::thread_was_asked = true;
  const int self = plumb::runtime::self();
  if (ProgramRun::threads < 0) return self;
  return self > 0 ? self - 1 : ProgramRun::threads;
}

void plumb_fail(const char* what, const char* file, int line) {
  if (!plumb::runtime::active) {
    std::fprintf(stderr, "%s:%d: '%s' does not hold\n", file, line, what);
    __builtin_trap();
  }
  plumb::runtime::fail(
      plumb::runtime::Fault::kAssertion,
      reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)),
      "'%s' does not hold (%s:%d)", what, file, line);
}
}
