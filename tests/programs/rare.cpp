// SPDX-License-Identifier: Apache-2.0
// Code that no hook tells of, where few executions come to it, or few show that
// it matters: those that are audited before the search do not.
#include <plumb/test.h>

#include <search.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace {

#if defined(__clang__)
#define UNSEEN __attribute__((noinline, disable_sanitizer_instrumentation))
#else
#define UNSEEN __attribute__((noinline, no_sanitize("thread")))
#endif

long number = 0;
char names[4][8] = {"one", "two", "three", "four"};

UNSEEN void store_unseen(long value) {
  *const_cast<volatile long*>(&number) = value;
}
UNSEEN long load_unseen() {
  return *const_cast<const volatile long*>(&number);
}
UNSEEN void store_unseen_if(bool wanted, long value) {
  if (wanted) *const_cast<volatile long*>(&number) = value;
}
void increment_locked() {
  asm volatile("lock incq %0" : "+m"(number));
}

int compare(const void* a, const void* b) {
  return *static_cast<const char*>(a) - *static_cast<const char*>(b);
}

// Few orders let both threads see that the third one has just come to 7.
template <typename First, typename Second>
void rarely(First first, Second second) {
  std::atomic<int> steps = 0;
  std::thread counts([&] {
    for (int i = 1; i <= 12; ++i) steps.store(i);
  });
  std::thread one([&] { first(steps.load() == 7); });
  std::thread other([&] { second(steps.load() == 7); });
  counts.join();
  one.join();
  other.join();
}

}  // namespace

PLUMB_TEST(functions_without_hooks_are_called_rarely) {
  test.expect("assertion");
  test.run([] {
    const auto write_and_read = [](long value) {
      store_unseen(value);
      PLUMB_ASSERT(load_unseen() == value);
    };
    rarely([&](bool now) { return now ? write_and_read(1) : void(); },
           [&](bool now) { return now ? write_and_read(2) : void(); });
  });
}

PLUMB_TEST(a_function_without_hooks_is_always_called_and_rarely_writes) {
  test.expect("assertion");
  test.run([] {
    rarely([](bool now) { store_unseen_if(now, 1); },
           [](bool now) {
             if (now) PLUMB_ASSERT(load_unseen() == load_unseen());
           });
  });
}

PLUMB_TEST(what_one_thread_does_unseen_another_one_rarely_reads) {
  test.expect("assertion");
  test.run([] {
    rarely([](bool) { store_unseen(1); },
           [](bool now) {
             if (now) PLUMB_ASSERT(load_unseen() == load_unseen());
           });
  });
}

PLUMB_TEST(assembly_is_come_to_rarely) {
  test.expect("assertion");
  test.run([] {
    rarely([](bool now) { return now ? increment_locked() : void(); },
           [](bool now) {
             if (now) PLUMB_ASSERT(load_unseen() == load_unseen());
           });
  });
}

PLUMB_TEST(a_library_is_called_rarely) {
  test.expect("race");
  test.run([] {
    rarely([](bool now) { return now ? void(names[3][0] = 'x') : void(); },
           [](bool now) {
             if (!now) return;
             char unknown[8] = "y";
             size_t count = 4;
             lfind(unknown, names, &count, sizeof(unknown), compare);
           });
  });
}

PLUMB_TEST(functions_without_hooks_before_the_threads) {
  test.run([] {
    store_unseen(3);
    rarely([](bool now) { PLUMB_ASSERT(!now || number == 3); },
           [](bool now) { PLUMB_ASSERT(!now || number == 3); });
    PLUMB_ASSERT(load_unseen() == 3);
  });
}

// Whatever is thrown, only where it matters.
PLUMB_TEST(exceptions_are_thrown_rarely) {
  test.run([] {
    const auto throw_and_catch = [](bool now) {
      try {
        if (now) throw std::runtime_error("now");
      } catch (const std::runtime_error& error) {
        PLUMB_ASSERT(error.what()[0] == 'n');
      }
    };
    rarely(throw_and_catch, throw_and_catch);
  });
}
