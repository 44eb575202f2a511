// SPDX-License-Identifier: Apache-2.0
// Jumps that put back which signals are blocked: sigsetjmp(), siglongjmp().
//
// The C library saves the mask that the kernel knows; that of a thread is kept
// in signals.cpp, and is put behind it, where there is room for many more
// signals than there are.
#include <setjmp.h>

#include <cstdint>

#include "runtime/core.h"
#include "runtime/globals.h"
#include "runtime/reals.h"
#include "runtime/signals.h"

#if defined(__x86_64__)

namespace plumb::runtime {
namespace {

constexpr std::size_t kMaskAt = 14, kMarkAt = 15;
constexpr unsigned long kMark = 0x706c756d62;  // "plumb"
static_assert(sizeof(sigset_t) == 16 * sizeof(long));

using Jump = void(sigjmp_buf, int);
constinit Real<Jump> real_siglongjmp{"siglongjmp"};
constinit Real<Jump> real_longjmp_chk{"__longjmp_chk"};
constinit Real<Jump> real_sigsetjmp{"__sigsetjmp"};

void restore(const __jmp_buf_tag* to, const void* pc) {
  if (!active || !to->__mask_was_saved) return;
  if (to->__saved_mask.__val[kMarkAt] != kMark) return;
  set_signal_mask(to->__saved_mask.__val[kMaskAt], pc);
}

}  // namespace
}  // namespace plumb::runtime

using namespace plumb::runtime;

// Returns where the C library's own is, which is gone to with the stack as it
// was: it returns twice.
extern "C" __attribute__((visibility("hidden"))) Jump* note_sigsetjmp(
    __jmp_buf_tag* to, int saves) {
  if (active)
    globals_written(reinterpret_cast<std::uintptr_t>(to), sizeof(*to));
  if (active && saves) {
    to->__saved_mask.__val[kMaskAt] = signal_mask();
    to->__saved_mask.__val[kMarkAt] = kMark;
  }
  return real_sigsetjmp.get();
}

extern "C" __attribute__((naked)) void enter_sigsetjmp() asm("__sigsetjmp");
void enter_sigsetjmp() {
  asm volatile(
      "push %rdi\n"
      "push %rsi\n"
      "sub $8, %rsp\n"
      "call note_sigsetjmp\n"
      "add $8, %rsp\n"
      "pop %rsi\n"
      "pop %rdi\n"
      "jmp *%rax");
}

#define PLUMB_JUMP(name, real)                                                \
  extern "C"                                                                  \
      [[noreturn]] void stand_in_##name(sigjmp_buf to, int value) asm(#name); \
  void stand_in_##name(sigjmp_buf to, int value) {                            \
    restore(to, __builtin_return_address(0));                                 \
    real(to, value);                                                          \
    __builtin_unreachable();                                                  \
  }
PLUMB_JUMP(siglongjmp, real_siglongjmp)
PLUMB_JUMP(longjmp, real_siglongjmp)
PLUMB_JUMP(_longjmp, real_siglongjmp)
PLUMB_JUMP(__longjmp_chk, real_longjmp_chk)

#endif
