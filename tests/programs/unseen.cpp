// SPDX-License-Identifier: Apache-2.0
// Accesses that no hook announces, which the audit must find: inside libraries,
// assembly, functions that are not instrumented, the kernel.  And those that it
// must not take for something else.
#include <plumb/test.h>

#include <fcntl.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <list>
#include <map>
#include <memory_resource>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

long number = 0;
char name[32] = "alpha";
long table[8] = {8, 7, 6, 5, 4, 3, 2, 1};
std::mutex mutex;

// --- code without hooks

#if defined(__clang__)
#define UNSEEN __attribute__((noinline, disable_sanitizer_instrumentation))
#else
#define UNSEEN __attribute__((noinline, no_sanitize("thread")))
#endif

UNSEEN long load_unseen(const long* from) {
  return *const_cast<const volatile long*>(from);
}
UNSEEN void store_unseen(long* to, long value) {
  *const_cast<volatile long*>(to) = value;
}

void increment_in_one_instruction(long* at) {
  asm volatile("incq %0" : "+m"(*at));
}
long add_locked(long* at) {
  long one = 1;
  asm volatile("lock xaddq %0, %1" : "+r"(one), "+m"(*at));
  return one;
}

utsname names;
void* ask_for_names(void* to) {
  long result = SYS_uname;
  asm volatile("syscall" : "+a"(result) : "D"(to) : "rcx", "r11", "memory");
  return nullptr;
}

int by_size(const void* a, const void* b) {
  const long x = *static_cast<const long*>(a);
  const long y = *static_cast<const long*>(b);
  return x < y ? -1 : x > y;
}

}  // namespace

// What is read and written by functions that are not instrumented may be meant
// to be atomic: these are events.
PLUMB_TEST(increments_without_hooks_are_lost) {
  test.expect("assertion");
  test.run([] {
    const auto increment = [] {
      store_unseen(&number, load_unseen(&number) + 1);
    };
    in_parallel(increment, increment);
    PLUMB_ASSERT(number == 2);
  });
}

PLUMB_TEST(increments_without_hooks_under_a_mutex_are_not_lost) {
  test.run([] {
    const auto increment = [] {
      const std::lock_guard<std::mutex> lock(mutex);
      store_unseen(&number, load_unseen(&number) + 1);
    };
    in_parallel(increment, increment);
    PLUMB_ASSERT(number == 2);
  });
}

PLUMB_TEST(locked_instructions_are_atomic) {
  test.run([] {
    const auto increment = [] { add_locked(&number); };
    in_parallel(increment, increment);
    PLUMB_ASSERT(number == 2);
  });
}

PLUMB_TEST(locked_instructions_do_not_happen_at_once) {
  test.expect("assertion");
  test.run([] {
    in_parallel([] { add_locked(&number); }, [] { add_locked(&number); });
    PLUMB_ASSERT(number == 2);
    long first = -1;
    in_parallel([&] { first = add_locked(&number); },
                [] { add_locked(&number); });
    PLUMB_ASSERT(first == 2);
  });
}

PLUMB_TEST(an_increment_in_one_instruction_is_plain) {
  test.expect("race");
  test.run([] {
    in_parallel([] { increment_in_one_instruction(&number); },
                [] { increment_in_one_instruction(&number); });
  });
}

PLUMB_TEST(unseen_against_a_plain_access_is_a_race) {
  test.expect("race");
  test.run([] {
    in_parallel([] { store_unseen(&number, 1); }, [] { number = 2; });
  });
}

// An instruction may touch two places.
PLUMB_TEST(copies_in_one_instruction) {
  test.expect("race");
  test.run([] {
    static long copy[8];
    in_parallel(
        [] {
          void* to = copy;
          const void* from = table;
          std::size_t bytes = sizeof(copy);
          asm volatile("rep movsb"
                       : "+D"(to), "+S"(from), "+c"(bytes)
                       :
                       : "memory");
        },
        [] { copy[6] = 1; });
  });
}

// What the audit made an event of was not announced by a hook: the next such
// access in the same function is one, too.
PLUMB_TEST(a_lock_in_assembly) {
  test.run([] {
    static int lock, value;
    const auto increment = [] {
      int before = 1;
      asm volatile("xchgl %0, %1" : "+r"(before), "+m"(lock) : : "memory");
      if (before != 0) return;
      ++value;
      asm volatile("movl $0, %0" : "=m"(lock) : : "memory");
    };
    in_parallel(increment, increment);
  });
}

// --- objects on the stack of a thread that uses them itself

PLUMB_TEST(a_local_of_main_is_shared) {
  test.expect("assertion");
  test.run([] {
    long local = 0;
    const auto increment = [&] {
      store_unseen(&local, load_unseen(&local) + 1);
    };
    in_parallel(increment, increment);
    PLUMB_ASSERT(local == 2);
  });
}

// No hook is called in between.
UNSEEN void increment_unseen(long* at) {
  store_unseen(at, load_unseen(at) + 1);
}

PLUMB_TEST(a_local_of_main_is_shared_and_nothing_is_announced) {
  test.expect("assertion");
  test.run([] {
    long local = 0;
    long* const at = &local;
    in_parallel([at] { increment_unseen(at); }, [at] { increment_unseen(at); });
    PLUMB_ASSERT(local == 2);
  });
}

long seen_in_between = 0;

// Neither what starts a thread nor what allocates is a hook.
UNSEEN void* increment_in_thread(void* at) {
  auto* const number_at = static_cast<long*>(at);
  const long before = load_unseen(number_at);
  free(malloc(8));
  store_unseen(number_at, before + 1);
  return nullptr;
}

UNSEEN void increment_twice(long* at) {
  pthread_t other;
  pthread_create(&other, nullptr, increment_in_thread, at);
  increment_in_thread(at);
  pthread_join(other, nullptr);
}

PLUMB_TEST(a_local_of_main_is_shared_by_functions_without_hooks) {
  test.expect("assertion");
  test.run([] {
    long local = 0;
    increment_twice(&local);
    PLUMB_ASSERT(local == 2);
  });
}

UNSEEN void* look_once(void* at) {
  seen_in_between = load_unseen(static_cast<long*>(at));
  return nullptr;
}

UNSEEN void store_behind_malloc(long* at) {
  pthread_t other;
  pthread_create(&other, nullptr, look_once, at);
  void* const one = malloc(8);
  store_unseen(at, 1);
  void* const two = malloc(8);
  store_unseen(at, 2);
  pthread_join(other, nullptr);
  free(one);
  free(two);
}

PLUMB_TEST(a_local_is_shared_and_stored_to_behind_an_allocation) {
  test.expect("assertion");
  test.run([] {
    long local = 0;
    store_behind_malloc(&local);
    PLUMB_ASSERT(seen_in_between != 1);
  });
}

// --- libraries

PLUMB_TEST(iterators_of_maps) {
  test.expect("race");
  test.run([] {
    std::map<int, int> map{{1, 1}};
    auto at = map.begin();
    in_parallel([&] { map.emplace(2, 2); }, [&] { ++at; });
  });
}

PLUMB_TEST(maps_under_a_mutex) {
  test.run([] {
    std::map<int, int> map;
    const auto add = [&](int key) {
      const std::lock_guard<std::mutex> lock(mutex);
      map.emplace(key, key);
    };
    in_parallel([&] { add(1); }, [&] { add(2); });
    PLUMB_ASSERT(map.size() == 2);
  });
}

PLUMB_TEST(lists) {
  test.expect("race");
  test.run([] {
    std::list<int> list;
    in_parallel([&] { list.push_back(1); }, [&] { list.push_back(2); });
  });
}

// The code of pools is in the library, their memory is the test's.
PLUMB_TEST(pools) {
  test.expect("race");
  test.run([] {
    std::pmr::unsynchronized_pool_resource pool;
    void* first = pool.allocate(8);
    void* second = pool.allocate(8);
    in_parallel([&] { pool.deallocate(first, 8); },
                [&] { pool.deallocate(second, 8); });
  });
}

PLUMB_TEST(pools_under_a_mutex) {
  test.run([] {
    std::pmr::unsynchronized_pool_resource pool;
    const auto use = [&] {
      const std::lock_guard<std::mutex> lock(mutex);
      pool.deallocate(pool.allocate(8), 8);
    };
    in_parallel(use, use);
  });
}

PLUMB_TEST(pools_that_count_up) {
  test.expect("race");
  test.run([] {
    std::pmr::monotonic_buffer_resource pool;
    const auto use = [&] { PLUMB_ASSERT(pool.allocate(8) != nullptr); };
    in_parallel(use, use);
  });
}

PLUMB_TEST(sorting) {
  test.expect("race");
  test.run([] {
    in_parallel([] { qsort(table, 8, sizeof(long), by_size); },
                [] { table[3] = 17; });
  });
}

PLUMB_TEST(a_time_is_written) {
  test.expect("race");
  static std::tm when;
  test.run([] {
    const std::time_t now = 0;
    in_parallel([&] { gmtime_r(&now, &when); }, [] { when.tm_year = 3; });
  });
}

// --- the kernel

PLUMB_TEST(the_kernel_writes) {
  test.expect("race");
  test.run([] {
    in_parallel(
        [] {
          const int file = open("/dev/zero", O_RDONLY);
          PLUMB_ASSERT(read(file, name, 8) == 8);
          close(file);
        },
        [] { name[3] = 'x'; });
  });
}

PLUMB_TEST(the_kernel_reads) {
  test.expect("race");
  test.run([] {
    in_parallel(
        [] {
          const int file = open("/dev/null", O_WRONLY);
          PLUMB_ASSERT(write(file, name, 8) == 8);
          close(file);
        },
        [] { name[3] = 'x'; });
  });
}

PLUMB_TEST(the_kernel_writes_by_other_calls) {
  test.expect("race");
  static itimerval timer;
  test.run([] {
    in_parallel([] { getitimer(ITIMER_REAL, &timer); },
                [] { timer.it_value.tv_usec = 3; });
  });
}

PLUMB_TEST(the_kernel_writes_in_pieces) {
  test.expect("race");
  test.run([] {
    in_parallel(
        [] {
          const int file = open("/dev/zero", O_RDONLY);
          const iovec piece = {name, 8};
          PLUMB_ASSERT(preadv(file, &piece, 1, 0) == 8);
          close(file);
        },
        [] { name[3] = 'x'; });
  });
}

PLUMB_TEST(the_kernel_is_called_by_number) {
  test.expect("race");
  static utsname system;
  test.run([] {
    in_parallel([] { syscall(SYS_uname, &system); },
                [] { system.release[0] = 'x'; });
  });
}

// In a function that nobody of the test's calls.
PLUMB_TEST(the_kernel_is_called_in_assembly_where_a_thread_starts) {
  test.expect("race");
  test.run([] {
    pthread_t thread;
    pthread_create(&thread, nullptr, ask_for_names, &names);
    names.sysname[0] = 'x';
    pthread_join(thread, nullptr);
  });
}

PLUMB_TEST(the_kernel_under_a_mutex) {
  test.run([] {
    in_parallel(
        [] {
          const int file = open("/dev/zero", O_RDONLY);
          {
            const std::lock_guard<std::mutex> lock(mutex);
            PLUMB_ASSERT(read(file, name, 8) == 8);
          }
          close(file);
        },
        [] {
          const std::lock_guard<std::mutex> lock(mutex);
          name[3] = 'x';
        });
  });
}

// --- what is nobody's business

PLUMB_TEST(files_are_the_library_s_own) {
  test.run([] {
    std::FILE* file = std::fopen("/dev/null", "w");
    in_parallel([=] { std::fputs("one", file); },
                [=] { std::fputs("two", file); });
    std::fclose(file);
  });
}

PLUMB_TEST(exceptions_and_streams) {
  test.run([] {
    const auto work = [] {
      std::ostringstream out;
      out << "text " << 17;
      try {
        throw std::runtime_error(out.str());
      } catch (const std::exception& error) {
        PLUMB_ASSERT(std::string(error.what()) == "text 17");
      }
    };
    in_parallel(work, work);
  });
}

PLUMB_TEST(what_was_there_before_the_threads) {
  struct Base {
    virtual ~Base() = default;
  };
  struct Derived : Base {
    int value = 3;
  };
  test.run([] {
    std::map<int, int> map{{1, 1}, {2, 2}, {3, 3}};
    Derived object;
    const auto look = [&] {
      int sum = 0;
      for (const auto& [key, value] : map) sum += value;
      Base* base = &object;
      sum += dynamic_cast<Derived*>(base)->value;
      PLUMB_ASSERT(sum == 9);
    };
    in_parallel(look, look);
  });
}
