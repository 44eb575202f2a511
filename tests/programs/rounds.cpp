// SPDX-License-Identifier: Apache-2.0
// Loops that threads keep each other in, or that count their rounds, are
// decided; those that count where no memory of the test shows it are not cut.
#include <plumb/test.h>

#include <getopt.h>
#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <memory_resource>
#include <mutex>
#include <new>
#include <thread>

PLUMB_TEST(two_locks_in_either_order) {
  test.memory("sc");  // there are too many graphs
  test.run([] {
    std::mutex a, b;
    int value = 0;
    std::thread other([&] {
      const std::scoped_lock both(a, b);
      ++value;
    });
    {
      const std::scoped_lock both(b, a);
      ++value;
    }
    other.join();
    PLUMB_ASSERT(value == 2);
  });
}

PLUMB_TEST(three_locks_in_any_order) {
  test.memory("sc");  // there are too many graphs
  test.run([] {
    std::mutex a, b, c;
    std::thread other([&] { const std::scoped_lock all(a, b, c); });
    { const std::scoped_lock all(c, a, b); }
    other.join();
  });
}

PLUMB_TEST(two_locks_that_are_not_given_back) {
  test.expect("deadlock").run([] {
    std::mutex a, b;
    std::thread other([&] {
      std::lock(a, b);
      a.unlock();
    });
    std::lock(b, a);
    b.unlock();
    a.unlock();
    other.join();
  });
}

PLUMB_TEST(a_barrier_of_one_phase) {
  test.memory("sc");  // there are too many graphs
  test.run([] {
    std::barrier<> barrier(2);
    int first = 0, second = 0;
    std::thread other([&] {
      first = 1;
      barrier.arrive_and_wait();
      PLUMB_ASSERT(second == 1);
    });
    second = 1;
    barrier.arrive_and_wait();
    PLUMB_ASSERT(first == 1);
    other.join();
  });
}

PLUMB_TEST(a_stop_is_requested_while_somebody_waits) {
  test.memory("sc");  // there are too many graphs
  test.run([] {
    std::mutex mutex;
    std::condition_variable_any changed;
    bool ready = false;
    std::jthread waits([&](std::stop_token stop) {
      std::unique_lock lock(mutex);
      changed.wait(lock, stop, [&] { return ready; });
    });
    waits.request_stop();
  });
}

// Whoever does not see the stop soon gives up.
template <typename GivesUp>
void rounds(GivesUp gives_up) {
  std::atomic<bool> stop = false;
  bool gave_up = false;
  std::thread other([&] { stop = true; });
  while (!stop && !gave_up) gave_up = gives_up();
  other.join();
  PLUMB_ASSERT(!gave_up);
}

PLUMB_TEST(rounds_are_counted_in_mapped_memory) {
  test.expect("assertion").run([] {
    static int* count;
    count = static_cast<int*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    rounds([] { return ++*count == 3; });
  });
}

PLUMB_TEST(rounds_are_counted_by_getopt) {
  test.expect("assertion").run([] {
    static char name[] = "test", letters[] = "-abc";
    static char* words[] = {name, letters, nullptr};
    optind = 0;
    rounds([] { return getopt(2, words, "abc") == -1; });
  });
}

PLUMB_TEST(rounds_are_counted_through_a_pointer_to_a_function) {
  test.expect("assertion").run([] {
    static char name[] = "test", letters[] = "-abc";
    static char* words[] = {name, letters, nullptr};
    static int (*volatile next)(int, char* const[], const char*) = getopt;
    optind = 0;
    rounds([] { return next(2, words, "abc") == -1; });
  });
}

PLUMB_TEST(rounds_are_counted_by_handlers) {
  test.expect("assertion").run([] {
    std::set_new_handler(nullptr);
    rounds([] {
      const bool is_set = std::get_new_handler() != nullptr;
      std::set_new_handler([] {});
      return is_set;
    });
  });
}

PLUMB_TEST(rounds_are_counted_by_the_default_resource) {
  test.expect("assertion").run([] {
    std::pmr::set_default_resource(nullptr);
    rounds([] {
      std::pmr::memory_resource* const none = std::pmr::null_memory_resource();
      return std::pmr::set_default_resource(none) == none;
    });
  });
}

PLUMB_TEST(rounds_are_counted_in_keys) {
  test.expect("assertion").run([] {
    static pthread_key_t first;
    pthread_key_create(&first, nullptr);
    rounds([] {
      pthread_key_t key = 0;
      pthread_key_create(&key, nullptr);
      return key - first >= 3;
    });
  });
}

// --- calls that may wait for ever, and do so by going round

namespace {
// Room for one; takes what is there, or goes round.
class SpinningSlot {
 public:
  void enq(int value) {
    for (int none = 0; !value_.compare_exchange_strong(none, value);) none = 0;
  }
  int deq() {
    for (;;) {
      int value = value_.load();
      if (value != 0 && value_.compare_exchange_strong(value, 0)) return value;
    }
  }

 private:
  std::atomic<int> value_ = 0;
};

// The second to take does not look whether it was the first.
class WrongSpinningSlot {
 public:
  void enq(int value) { value_ = value; }
  int deq() {
    for (;;) {
      const int value = value_.load();
      if (value == 0) continue;
      value_ = 0;
      return value;
    }
  }

 private:
  std::atomic<int> value_ = 0;
};

template <typename Slot>
void two_take_one(plumb::Test& test) {
  auto slot = test.object<Slot>();
  auto enq = slot.operation("enq", PLUMB_METHOD(enq));
  auto deq = slot.operation("deq", PLUMB_METHOD(deq));
  test.spec("blocking_queue");
  test.program().thread(deq()).thread(enq(1)).thread(deq());
}
}  // namespace

PLUMB_TEST(two_wait_for_one) {
  two_take_one<SpinningSlot>(test);
}
PLUMB_TEST(two_wait_for_one_and_both_take_it) {
  test.expect("violated");
  two_take_one<WrongSpinningSlot>(test);
}

// What is asked of a library while there is one thread only is no reason to let
// the loops of all threads go round.
PLUMB_TEST(a_library_is_asked_before_the_threads) {
  test.set("executions", "1000").run([] {
    optind = 0;
    static char name[] = "test";
    static char* words[] = {name, nullptr};
    PLUMB_ASSERT(getopt(1, words, "abc") == -1);
    std::atomic<bool> is_set = false;
    std::thread sets([&] { is_set = true; });
    while (!is_set) {
    }
    sets.join();
  });
}
PLUMB_TEST(a_thread_is_started_by_attributes) {
  test.set("executions", "1000").run([] {
    static std::atomic<bool> is_set;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    const auto set = [](void*) -> void* {
      is_set = true;
      return nullptr;
    };
    pthread_create(&thread, &attributes, set, nullptr);
    pthread_attr_destroy(&attributes);
    while (!is_set) {
    }
  });
}
