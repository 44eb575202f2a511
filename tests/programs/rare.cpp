// SPDX-License-Identifier: Apache-2.0
// Code that no hook tells of, where few executions come to it, or few show that
// it matters: those that are audited before the search do not.
#include <plumb/test.h>

#include <pthread.h>
#include <search.h>

#include <atomic>
#include <memory_resource>
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
UNSEEN void store_unseen_at(long* to, bool wanted) {
  if (wanted) *const_cast<volatile long*>(to) = 1;
}
UNSEEN long load_unseen_from(const long* from) {
  return *const_cast<const volatile long*>(from);
}
UNSEEN long load_unseen_after_a_call(const long* from) {
  const bool is_mine = pthread_equal(pthread_self(), pthread_self()) != 0;
  return is_mine ? *const_cast<const volatile long*>(from) : 0;
}
thread_local long own = 0;

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

// Data of one thread, which touches it by itself in code without hooks.
template <typename First, typename Second>
void rarely_beside_main(First first, Second second) {
  std::atomic<int> steps = 0;
  std::thread counts([&] {
    for (int i = 1; i <= 5; ++i) steps.store(i);
  });
  std::thread other([&] { first(steps.load() == 3); });
  second(steps.load() == 3);
  counts.join();
  other.join();
}

void check_unseen(const long* from, bool now) {
  if (now) PLUMB_ASSERT(load_unseen_from(from) == load_unseen_from(from));
}

PLUMB_TEST(a_local_of_main_is_rarely_written_by_another_thread) {
  test.expect("assertion");
  test.run([] {
    long local = 0;
    rarely_beside_main([&](bool now) { store_unseen_at(&local, now); },
                       [&](bool now) { check_unseen(&local, now); });
  });
}

PLUMB_TEST(a_local_of_main_is_rarely_written_by_main) {
  test.expect("assertion");
  test.run([] {
    long local = 0;
    rarely_beside_main([&](bool now) { check_unseen(&local, now); },
                       [&](bool now) { store_unseen_at(&local, now); });
  });
}

// What stands in for the system's functions needs the stack, too.
PLUMB_TEST(a_local_is_read_unseen_after_a_call_that_is_seen) {
  test.expect("assertion");
  test.run([] {
    long local = 0;
    rarely_beside_main([&](bool now) { store_unseen_at(&local, now); },
                       [&](bool now) {
                         const long* const at = &local;
                         PLUMB_ASSERT(!now || load_unseen_after_a_call(at) ==
                                                  load_unseen_after_a_call(at));
                       });
  });
}

PLUMB_TEST(a_thread_local_of_main_is_rarely_written_by_another_thread) {
  test.expect("assertion");
  test.run([] {
    long* const mine = &own;
    *mine = 0;
    rarely_beside_main([=](bool now) { store_unseen_at(mine, now); },
                       [=](bool now) { check_unseen(mine, now); });
  });
}

PLUMB_TEST(a_local_of_main_is_rarely_locked_in_assembly) {
  test.expect("assertion");
  test.run([] {
    long local = 0;
    rarely_beside_main([&](bool now) { check_unseen(&local, now); },
                       [&](bool now) {
                         if (now) asm volatile("lock incq %0" : "+m"(local));
                       });
  });
}

PLUMB_TEST(a_virtual_function_of_a_library_is_called_rarely) {
  test.expect("race");
  test.run([] {
    std::pmr::monotonic_buffer_resource pool;
    rarely([&](bool now) { return now ? void(pool.allocate(8)) : void(); },
           [&](bool now) { return now ? void(pool.allocate(8)) : void(); });
  });
}

PLUMB_TEST(a_library_is_called_rarely_by_a_pointer) {
  test.expect("race");
  test.run([] {
    static void* (*volatile find)(const void*, const void*, size_t*, size_t,
                                  int (*)(const void*, const void*)) = lfind;
    rarely([](bool now) { return now ? void(names[3][0] = 'x') : void(); },
           [](bool now) {
             if (!now) return;
             char unknown[8] = "y";
             size_t count = 4;
             find(unknown, names, &count, sizeof(unknown), compare);
           });
  });
}
