// SPDX-License-Identifier: Apache-2.0
// Memory that is neither on the heap nor a global, as tests: threads share it
// like any other.
#include <plumb/test.h>

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
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
