// SPDX-License-Identifier: Apache-2.0
// Memory that is neither on the heap nor a global, as tests: threads share it
// like any other.
#include <plumb/test.h>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <mutex>
#include <thread>

namespace {

thread_local int own = 0;
thread_local int* kept = nullptr;

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

int* map_page() {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  PLUMB_ASSERT(page != MAP_FAILED);
  return static_cast<int*>(page);
}

}  // namespace

PLUMB_TEST(a_thread_local_is_shared_by_its_address) {
  test.expect("race").run([] {
    std::atomic<int*> shown{nullptr};
    in_parallel(
        [&] {
          shown.store(&own);
          own = 7;
        },
        [&] {
          if (int* other = shown.load()) PLUMB_ASSERT(*other >= 0);
        });
  });
}

PLUMB_TEST(a_thread_local_is_shared_and_left_alone) {
  test.run([] {
    std::atomic<int*> shown{nullptr};
    in_parallel(
        [&] {
          own = 7;
          shown.store(&own);
        },
        [&] {
          if (int* other = shown.load()) PLUMB_ASSERT(*other == 7);
        });
  });
}

PLUMB_TEST(thread_locals_are_ones_own) {
  test.run([] {
    in_parallel([] { PLUMB_ASSERT(++own == 1); },
                [] { PLUMB_ASSERT(++own == 1); });
  });
}

PLUMB_TEST(a_thread_local_is_shared_where_races_are_allowed) {
  test.expect("assertion").set("races", "allow").run([] {
    std::atomic<int*> shown{nullptr};
    in_parallel(
        [&] {
          shown.store(&own);
          own = 7;
        },
        [&] {
          if (int* other = shown.load()) PLUMB_ASSERT(*other != 7);
        });
  });
}

PLUMB_TEST(mapped_memory_is_shared) {
  test.expect("race").run([] {
    int* page = map_page();
    in_parallel([=] { *page = *page + 1; }, [=] { *page = *page + 1; });
    munmap(page, 4096);
  });
}

PLUMB_TEST(mapped_memory_is_shared_where_races_are_allowed) {
  test.expect("assertion").set("races", "allow").run([] {
    int* page = map_page();
    in_parallel([=] { *page = *page + 1; }, [=] { *page = *page + 1; });
    PLUMB_ASSERT(*page == 2);
    munmap(page, 4096);
  });
}

PLUMB_TEST(mapped_memory_is_shared_under_a_lock) {
  test.run([] {
    std::mutex mutex;
    int* page = map_page();
    const auto add = [&] {
      const std::lock_guard lock(mutex);
      *page = *page + 1;
    };
    in_parallel(add, add);
    PLUMB_ASSERT(*page == 2);
    munmap(page, 4096);
  });
}

// That another thread looks at the stack is known only when it does; it may be
// the last execution, and what was written there by then was not watched.
std::atomic<int*> on_stack{nullptr};

PLUMB_TEST(a_local_is_shared_in_one_execution_only) {
  test.expect("race").run([] {
    pthread_t reader, writer;
    const auto read = [](void*) -> void* {
      if (int* local = on_stack.load()) PLUMB_ASSERT(*local >= 0);
      return nullptr;
    };
    const auto write = [](void*) -> void* {
      int local = 0;
      on_stack.store(&local);
      local = 7;
      return nullptr;
    };
    pthread_create(&reader, nullptr, read, nullptr);
    pthread_create(&writer, nullptr, write, nullptr);
    pthread_join(reader, nullptr);
    pthread_join(writer, nullptr);
  });
}

PLUMB_TEST(a_block_is_kept_by_a_thread_local) {
  test.run([] {
    if (kept == nullptr) kept = new int(0);
    in_parallel([] {}, [] { PLUMB_ASSERT(*kept == 0); });
  });
}

PLUMB_TEST(a_block_is_kept_by_a_thread_local_of_a_thread_that_ended) {
  test.expect("leak").run(
      [] { in_parallel([] { kept = new int(0); }, [] {}); });
}

PLUMB_TEST(a_block_is_kept_under_a_key) {
  test.run([] {
    pthread_key_t key;
    pthread_key_create(&key, nullptr);
    pthread_setspecific(key, new int(0));
    in_parallel([] {}, [] {});
  });
}

PLUMB_TEST(a_block_is_kept_under_a_key_by_a_thread_that_ended) {
  test.expect("leak").run([] {
    pthread_key_t key;
    pthread_key_create(&key, nullptr);
    in_parallel([=] { pthread_setspecific(key, new int(0)); }, [] {});
  });
}

// --- accesses that nothing announces, to any memory

#if defined(__clang__)
#define UNSEEN __attribute__((noinline, disable_sanitizer_instrumentation))
#else
#define UNSEEN __attribute__((noinline, no_sanitize("thread")))
#endif

UNSEEN int load_unseen(const int* from) {
  return *const_cast<const volatile int*>(from);
}
UNSEEN void store_unseen(int* to, int value) {
  *const_cast<volatile int*>(to) = value;
}
void add_unseen(int* to) {
  store_unseen(to, load_unseen(to) + 1);
}

PLUMB_TEST(mapped_memory_is_changed_unseen) {
  test.expect("assertion").run([] {
    int* page = map_page();
    in_parallel([=] { add_unseen(page); }, [=] { add_unseen(page); });
    PLUMB_ASSERT(*page == 2);
    munmap(page, 4096);
  });
}

// Executions that leave mappings behind find the next ones at the same places.
PLUMB_TEST(mapped_memory_is_never_unmapped) {
  test.expect("assertion").run([] {
    int* page = map_page();
    in_parallel([=] { add_unseen(page); }, [=] { add_unseen(page); });
    PLUMB_ASSERT(*page == 2);
  });
}

PLUMB_TEST(mapped_memory_is_changed_unseen_under_a_lock) {
  test.run([] {
    std::mutex mutex;
    int* page = map_page();
    const auto add = [&] {
      const std::lock_guard lock(mutex);
      add_unseen(page);
    };
    in_parallel(add, add);
    PLUMB_ASSERT(*page == 2);
  });
}

std::atomic<int*> shown_page{nullptr};

PLUMB_TEST(memory_is_mapped_by_a_thread) {
  test.expect("assertion").run([] {
    in_parallel(
        [] {
          int* page = map_page();
          shown_page.store(page);
          add_unseen(page);
        },
        [] {
          if (int* page = shown_page.load()) {
            add_unseen(page);
            PLUMB_ASSERT(load_unseen(page) != 1);
          }
        });
  });
}

PLUMB_TEST(mapped_memory_in_assembly) {
  test.expect("race").run([] {
    int* page = map_page();
    const auto add = [=] { asm volatile("incl %0" : "+m"(*page)); };
    in_parallel(add, add);
  });
}

PLUMB_TEST(memory_is_mapped_by_a_call_of_the_system) {
  test.expect("assertion").run([] {
    const long at = syscall(SYS_mmap, nullptr, 4096, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int* page = reinterpret_cast<int*>(at);
    in_parallel([=] { add_unseen(page); }, [=] { add_unseen(page); });
    PLUMB_ASSERT(*page == 2);
  });
}

PLUMB_TEST(mapped_memory_moves) {
  test.expect("assertion").run([] {
    void* moved = mremap(map_page(), 4096, 8192, MREMAP_MAYMOVE);
    PLUMB_ASSERT(moved != MAP_FAILED);
    int* page = static_cast<int*>(moved) + 1024;
    in_parallel([=] { add_unseen(page); }, [=] { add_unseen(page); });
    PLUMB_ASSERT(*page == 2);
  });
}

PLUMB_TEST(mapped_memory_can_be_made_read_only) {
  test.run([] {
    int* page = map_page();
    *page = 3;
    mprotect(page, 4096, PROT_READ);
    const auto look = [=] { PLUMB_ASSERT(load_unseen(page) == 3); };
    in_parallel(look, look);
  });
}

PLUMB_TEST(mapped_memory_is_used_after_its_end) {
  test.expect("race").run([] {
    int* page = map_page();
    *page = 1;
    in_parallel([=] { PLUMB_ASSERT(*page == 1); }, [=] { munmap(page, 4096); });
  });
}

PLUMB_TEST(mapped_memory_is_thrown_away) {
  test.expect("race").run([] {
    int* page = map_page();
    in_parallel([=] { *page = 1; },
                [=] { madvise(page, 4096, MADV_DONTNEED); });
  });
}

PLUMB_TEST(mapped_memory_is_thrown_away_by_a_call_of_the_system) {
  test.expect("race").run([] {
    int* page = map_page();
    in_parallel([=] { *page = 1; },
                [=] { syscall(SYS_madvise, page, 4096, MADV_DONTNEED); });
  });
}

PLUMB_TEST(mapped_memory_is_mapped_over) {
  test.expect("race").run([] {
    int* page = map_page();
    in_parallel([=] { *page = 1; },
                [=] {
                  mmap(page, 4096, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
                });
  });
}

PLUMB_TEST(mapped_memory_is_thrown_away_by_who_uses_it) {
  test.run([] {
    in_parallel(
        [] {
          int* page = map_page();
          *page = 1;
          madvise(page, 4096, MADV_DONTNEED);
          PLUMB_ASSERT(*page == 0);
        },
        [] {});
  });
}

PLUMB_TEST(advice_that_changes_nothing) {
  test.run([] {
    int* page = map_page();
    in_parallel([=] { *page = 1; },
                [=] { madvise(page, 4096, MADV_WILLNEED); });
  });
}

// Who shares it with other processes finds there what was.
PLUMB_TEST(memory_of_several_processes_is_not_thrown_away) {
  test.run([] {
    void* at = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    PLUMB_ASSERT(at != MAP_FAILED);
    int* page = static_cast<int*>(at);
    in_parallel(
        [=] {
          *page = 1;
          PLUMB_ASSERT(*page == 1);
        },
        [=] { madvise(page, 4096, MADV_DONTNEED); });
  });
}

PLUMB_TEST(a_block_is_kept_in_mapped_memory) {
  test.run([] {
    auto** kept_there = reinterpret_cast<int**>(map_page());
    *kept_there = new int(0);
  });
}

PLUMB_TEST(the_break_moves) {
  test.expect("assertion").run([] {
    auto* at = static_cast<int*>(sbrk(4096));
    *at = 0;
    in_parallel([=] { add_unseen(at); }, [=] { add_unseen(at); });
    PLUMB_ASSERT(*at == 2);
    PLUMB_ASSERT(sbrk(0) == at + 1024);
  });
}

PLUMB_TEST(two_threads_move_the_break) {
  test.expect("race").run(
      [] { in_parallel([] { sbrk(4096); }, [] { sbrk(4096); }); });
}

PLUMB_TEST(a_thread_local_of_main_is_changed_unseen) {
  test.expect("assertion").run([] {
    int* mine = &own;
    in_parallel([=] { add_unseen(mine); }, [=] { add_unseen(mine); });
    PLUMB_ASSERT(own == 2);
  });
}

PLUMB_TEST(a_thread_local_is_changed_unseen) {
  test.expect("assertion").run([] {
    std::atomic<int*> shown{nullptr};
    in_parallel(
        [&] {
          shown.store(&own);
          add_unseen(&own);
          PLUMB_ASSERT(load_unseen(&own) == 1);
        },
        [&] {
          if (int* other = shown.load()) add_unseen(other);
        });
  });
}

PLUMB_TEST(thread_locals_that_nobody_shares_are_used_unseen) {
  test.run([] {
    const auto add = [] {
      add_unseen(&own);
      PLUMB_ASSERT(load_unseen(&own) == 1);
    };
    in_parallel(add, add);
  });
}
