// SPDX-License-Identifier: Apache-2.0
// Tests of the heap and of data races, as tests: each comes out as it should.
#include <plumb/test.h>

#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace {

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

struct Node {
  int value = 0;
  Node* next = nullptr;
};

struct alignas(64) Line {
  char bytes[64];
};

// From before the execution: what it holds then lies in the C library's heap.
std::vector<int> early = {1, 2, 3};

// Keeps the optimiser from seeing through pointers.
template <typename T>
T* hidden(T* pointer) {
  T* volatile copy = pointer;
  return copy;
}

}  // namespace

PLUMB_TEST(containers_and_strings_work) {
  test.run([] {
    in_parallel(
        [] {
          std::vector<std::string> words;
          for (int i = 0; i < 50; ++i) words.push_back(std::string(40, 'a'));
          PLUMB_ASSERT(words[49].size() == 40);
        },
        [] {
          auto line = std::make_unique<Line>();
          PLUMB_ASSERT(reinterpret_cast<std::uintptr_t>(line.get()) % 64 == 0);
          char* text = strdup("hello");
          text = static_cast<char*>(realloc(text, 100));
          PLUMB_ASSERT(strcmp(text, "hello") == 0);
          PLUMB_ASSERT(malloc_usable_size(text) == 100);
          free(text);
          auto* zeros = static_cast<int*>(calloc(10, sizeof(int)));
          for (int i = 0; i < 10; ++i) PLUMB_ASSERT(zeros[i] == 0);
          free(zeros);
        });
  });
}

PLUMB_TEST(what_cannot_be_had_is_refused) {
  test.run([] {
    const volatile std::size_t too_much = ~std::size_t{0} - 100;
    PLUMB_ASSERT(hidden(malloc(too_much)) == nullptr);
    bool thrown = false;
    try {
      free(::operator new(too_much));
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    PLUMB_ASSERT(thrown);
  });
}

PLUMB_TEST(a_block_is_freed_by_both) {
  test.expect("double-free").run([] {
    std::atomic<int*> pointer = new int(1);
    const auto take = [&] { delete pointer.load(); };
    in_parallel(take, take);
  });
}

PLUMB_TEST(a_block_is_freed_by_one_of_both) {
  test.run([] {
    std::atomic<int*> pointer = new int(1);
    const auto take = [&] { delete pointer.exchange(nullptr); };
    in_parallel(take, take);
  });
}

PLUMB_TEST(the_middle_of_a_block_is_freed) {
  test.expect("double-free").run([] {
    char* block = hidden(static_cast<char*>(malloc(64)));
    free(hidden(block + 16));
  });
}

PLUMB_TEST(a_block_is_used_after_its_free) {
  test.expect("use-after-free").run([] {
    int* number = new int(1);
    int* same = hidden(number);
    delete number;
    *same = 2;
  });
}

PLUMB_TEST(an_access_goes_beyond_the_block) {
  test.expect("overflow").run([] {
    char* text = hidden(static_cast<char*>(malloc(10)));
    text[10] = 'x';
    free(text);
  });
}

PLUMB_TEST(an_access_goes_before_the_block) {
  test.expect("overflow").run([] {
    int* numbers = hidden(new int[4]);
    numbers[-1] = 5;
    delete[] numbers;
  });
}

PLUMB_TEST(a_block_is_forgotten) {
  test.expect("leak").run([] { hidden(new int(1)); });
}

PLUMB_TEST(two_threads_write_one_variable) {
  test.expect("race").run([] {
    int value = 0;
    in_parallel([&] { value = 1; }, [&] { value = 2; });
  });
}

PLUMB_TEST(two_threads_write_neighbours) {
  test.run([] {
    auto pair = std::make_unique<char[]>(2);
    in_parallel([&] { pair[0] = 1; }, [&] { pair[1] = 2; });
    PLUMB_ASSERT(pair[0] + pair[1] == 3);
  });
}

PLUMB_TEST(a_lock_orders_accesses) {
  test.run([] {
    int value = 0;
    std::mutex mutex;
    const auto add = [&] {
      const std::lock_guard lock(mutex);
      ++value;
    };
    in_parallel(add, add);
    PLUMB_ASSERT(value == 2);
  });
}

PLUMB_TEST(a_node_is_published_with_release) {
  test.run([] {
    std::atomic<Node*> top = nullptr;
    in_parallel(
        [&] {
          Node* node = new Node;
          node->value = 5;
          top.store(node, std::memory_order_release);
        },
        [&] {
          const Node* node = top.load(std::memory_order_acquire);
          PLUMB_ASSERT(node == nullptr || node->value == 5);
        });
    delete top.load();
  });
}

PLUMB_TEST(a_node_is_published_without_release) {
  test.expect("race").run([] {
    std::atomic<Node*> top = nullptr;
    in_parallel(
        [&] {
          Node* node = new Node;
          node->value = 5;
          top.store(node, std::memory_order_relaxed);
        },
        [&] {
          const Node* node = top.load(std::memory_order_acquire);
          PLUMB_ASSERT(node == nullptr || node->value == 5);
        });
    delete top.load();
  });
}

PLUMB_TEST(fences_order_accesses) {
  test.run([] {
    int value = 0;
    std::atomic<bool> flag = false;
    in_parallel(
        [&] {
          value = 5;
          std::atomic_thread_fence(std::memory_order_release);
          flag.store(true, std::memory_order_relaxed);
        },
        [&] {
          if (!flag.load(std::memory_order_relaxed)) return;
          std::atomic_thread_fence(std::memory_order_acquire);
          PLUMB_ASSERT(value == 5);
        });
  });
}

PLUMB_TEST(a_block_is_freed_while_another_thread_reads_it) {
  test.expect("race").run([] {
    std::atomic<Node*> top = new Node;
    in_parallel([&] { delete top.exchange(nullptr); },
                [&] {
                  const Node* node = top.load();
                  if (node != nullptr) PLUMB_ASSERT(node->value == 0);
                });
  });
}

PLUMB_TEST(zeros_are_published_without_release) {
  test.expect("race").run([] {
    std::atomic<int*> numbers = nullptr;
    in_parallel(
        [&] {
          numbers.store(static_cast<int*>(calloc(4, sizeof(int))),
                        std::memory_order_relaxed);
        },
        [&] {
          const int* seen = numbers.load(std::memory_order_acquire);
          if (seen != nullptr) PLUMB_ASSERT(seen[3] == 0);
        });
    free(numbers.load());
  });
}

PLUMB_TEST(what_globals_hold_is_there_in_every_execution) {
  test.run([] {
    std::mutex mutex;
    const auto grow = [&] {
      const std::lock_guard lock(mutex);
      early.push_back(4);
    };
    PLUMB_ASSERT(early.size() == 3 && early[2] == 3);
    in_parallel(grow, grow);
    PLUMB_ASSERT(early.size() == 5 && early[4] == 4);
  });
}

// A free is an event: where races are no findings, both orders are tried.
PLUMB_TEST(a_free_that_may_come_first) {
  test.set("races", "allow");
  test.expect("use-after-free").run([] {
    auto* flag = hidden(new std::atomic<int>(1));
    in_parallel([=] { delete flag; }, [=] { flag->load(); });
  });
}

PLUMB_TEST(a_free_that_may_come_last) {
  test.set("races", "allow");
  test.expect("use-after-free").run([] {
    auto* flag = hidden(new std::atomic<int>(1));
    in_parallel([=] { flag->load(); }, [=] { delete flag; });
  });
}

// With reuse, a block comes back with what it held: nothing is written to it
// before its new owner does.
PLUMB_TEST(a_reused_block_keeps_its_contents) {
  test.set("races", "allow");
  test.set("heap", "lifo");
  test.run([] {
    auto* flag = hidden(new std::atomic<int>(7));
    in_parallel(
        [=] {
          delete flag;
          hidden(new std::atomic<int>(7));
        },
        [=] { PLUMB_ASSERT(flag->load() == 7); });
    delete flag;
  });
}

// The free of its first life has nothing to do with what others do to a block
// in its second one.
PLUMB_TEST(a_reused_block_is_another_block) {
  test.set("heap", "lifo");
  test.run([] {
    std::atomic<int*> shared = nullptr;
    in_parallel(
        [&] {
          free(hidden(malloc(sizeof(int))));
          shared.store(static_cast<int*>(malloc(sizeof(int))),
                       std::memory_order_relaxed);
        },
        [&] {
          int* number = shared.load(std::memory_order_relaxed);
          if (number != nullptr) *number = 1;
        });
    free(shared.load());
  });
}

// Not thread-local data of the test, so all threads have it at one place.
PLUMB_TEST(errno_is_ones_own) {
  test.run([] {
    const auto set = [](int value) {
      errno = value;
      std::this_thread::yield();
      PLUMB_ASSERT(errno == value);
    };
    in_parallel([=] { set(1); }, [=] { set(2); });
  });
}
