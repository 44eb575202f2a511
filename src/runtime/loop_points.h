// SPDX-License-Identifier: Apache-2.0
// Functions of ours at which a thread may be seen to go round in a loop.
//
// What a thread is going to do next is decided by its stack and by the
// registers that calls preserve: so these functions begin with writing the
// registers down, before any code of ours can use them.
#pragma once

#include <cstdint>

// rbx, rbp, r12 to r15, rsp, and the arguments: rdi, rsi, rdx, rcx, r8.
extern "C" __attribute__((visibility("hidden")))
std::uint64_t entry_registers[12];

namespace plumb::runtime {

// Are entry_registers those of the call that is under way, whose event is still
// to come?
extern bool at_loop_point __attribute__((visibility("hidden")));

// Functions of the test leave some of their variables as they find them; what
// ours left there must not make two rounds of a loop look different.
void clear_stack_below();

// Lives as long as such a call.
class LoopPoint {
 public:
  LoopPoint() { at_loop_point = true; }
  ~LoopPoint() { leave(); }
  LoopPoint(const LoopPoint&) = delete;
  LoopPoint& operator=(const LoopPoint&) = delete;

 private:
  static void leave();
};

}  // namespace plumb::runtime

#if defined(__x86_64__)

// What is no argument may hold anything: it counts as 0.
#define PLUMB_SAVE_0      \
  "movq $0, 56(%rax)\n\t" \
  "movq $0, 64(%rax)\n\t" \
  "movq $0, 72(%rax)\n\t" \
  "movq $0, 80(%rax)\n\t" \
  "movq $0, 88(%rax)\n\t"
#define PLUMB_SAVE_1        \
  "movq %rdi, 56(%rax)\n\t" \
  "movq $0, 64(%rax)\n\t"   \
  "movq $0, 72(%rax)\n\t"   \
  "movq $0, 80(%rax)\n\t"   \
  "movq $0, 88(%rax)\n\t"
#define PLUMB_SAVE_2        \
  "movq %rdi, 56(%rax)\n\t" \
  "movq %rsi, 64(%rax)\n\t" \
  "movq $0, 72(%rax)\n\t"   \
  "movq $0, 80(%rax)\n\t"   \
  "movq $0, 88(%rax)\n\t"
#define PLUMB_SAVE_3        \
  "movq %rdi, 56(%rax)\n\t" \
  "movq %rsi, 64(%rax)\n\t" \
  "movq %rdx, 72(%rax)\n\t" \
  "movq $0, 80(%rax)\n\t"   \
  "movq $0, 88(%rax)\n\t"
#define PLUMB_SAVE_4        \
  "movq %rdi, 56(%rax)\n\t" \
  "movq %rsi, 64(%rax)\n\t" \
  "movq %rdx, 72(%rax)\n\t" \
  "movq %rcx, 80(%rax)\n\t" \
  "movq $0, 88(%rax)\n\t"
#define PLUMB_SAVE_5        \
  "movq %rdi, 56(%rax)\n\t" \
  "movq %rsi, 64(%rax)\n\t" \
  "movq %rdx, 72(%rax)\n\t" \
  "movq %rcx, 80(%rax)\n\t" \
  "movq %r8, 88(%rax)\n\t"
#define PLUMB_SAVE_AND_GO(hook, arguments)   \
  asm("leaq entry_registers(%rip), %rax\n\t" \
      "movq %rbx, (%rax)\n\t"                \
      "movq %rbp, 8(%rax)\n\t"               \
      "movq %r12, 16(%rax)\n\t"              \
      "movq %r13, 24(%rax)\n\t"              \
      "movq %r14, 32(%rax)\n\t"              \
      "movq %r15, 40(%rax)\n\t"              \
      "movq %rsp, 48(%rax)\n\t" PLUMB_SAVE_##arguments "jmp " #hook)

// Defines the function `name` of the C library, with so many arguments, from
// what follows: its parameters and its body.  (Headers of the system have a
// declaration of it, so its name in C++ is another one.)
#define PLUMB_LOOP_POINT(result, name, arguments, parameters)       \
  extern "C" __attribute__((naked)) void enter_##name() asm(#name); \
  void enter_##name() {                                             \
    PLUMB_SAVE_AND_GO(hook_##name, arguments);                      \
  }                                                                 \
  extern "C" __attribute__((visibility("hidden")))                  \
  result hook_##name parameters asm("hook_" #name);                 \
  result hook_##name parameters

#else

#define PLUMB_LOOP_POINT(result, name, arguments, parameters) \
  extern "C" result hook_##name parameters asm(#name);        \
  result hook_##name parameters

#endif
