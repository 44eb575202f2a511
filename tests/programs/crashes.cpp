// SPDX-License-Identifier: Apache-2.0
// Tests of what ends a program, as tests: each is found.
#include <plumb/test.h>

#include <atomic>
#include <cassert>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <thread>

namespace {

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

int* volatile nowhere = nullptr;
volatile int zero = 0;

// Not instrumented: only the end of the stack is in its way.
__attribute__((no_sanitize("thread"))) int recurse(int depth) {
  volatile char frame[1000];
  frame[0] = static_cast<char>(depth);
  return depth == -1 ? 0 : recurse(depth + 1) + frame[0];
}

}  // namespace

PLUMB_TEST(a_null_pointer_is_read_in_one_order_only) {
  test.expect("crash").run([] {
    static int value = 5;
    std::atomic<int*> pointer = nullptr;
    in_parallel([&] { pointer = &value; },
                [&] { PLUMB_ASSERT(*pointer.load() == 5); });
  });
}

PLUMB_TEST(a_null_pointer_is_written) {
  test.expect("crash").run([] { *nowhere = 1; });
}

PLUMB_TEST(a_division_by_zero) {
  test.expect("crash").run([] {
    volatile int result = 100 / zero;
    static_cast<void>(result);
  });
}

PLUMB_TEST(a_trap) {
  test.expect("crash").run([] { __builtin_trap(); });
}

PLUMB_TEST(a_wild_address) {
  test.expect("crash").run([] {
    int* volatile wild = reinterpret_cast<int*>(0x8000000000000000u);
    *wild = 1;
  });
}

PLUMB_TEST(a_recursion_without_end) {
  test.expect("stack-overflow").run([] { static_cast<void>(recurse(0)); });
}

PLUMB_TEST(a_recursion_without_end_in_another_thread) {
  test.expect("stack-overflow").run([] {
    std::thread([] { static_cast<void>(recurse(0)); }).join();
  });
}

PLUMB_TEST(an_assertion_that_fails) {
  test.expect("assertion").run([] {
    std::atomic<int> value = 0;
    in_parallel([&] { value = 1; },
                [&] { assert(value == 0 && "nobody was here"); });
  });
}

PLUMB_TEST(abort_is_called) {
  test.expect("assertion").run([] { std::abort(); });
}

PLUMB_TEST(terminate_is_called) {
  test.expect("assertion").run([] { std::terminate(); });
}

PLUMB_TEST(exit_is_called_by_a_thread) {
  test.expect("assertion").run([] {
    std::thread([] { std::exit(0); }).join();
  });
}

PLUMB_TEST(exit_with_a_status_that_says_no) {
  test.expect("assertion").run([] { std::exit(3); });
}

PLUMB_TEST(exit_with_a_status_that_says_yes) {
  test.run([] {
    std::thread([] {}).join();
    std::exit(0);
  });
}
