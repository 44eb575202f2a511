// SPDX-License-Identifier: Apache-2.0
// Loops that must not be cut, or the one execution that fails is never seen:
// each test looks like a retry loop, and is none in one respect.
#include <plumb/test.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace {

// Its loop stores what is there already, unless another thread put something
// else there; what the loop has read is the same in both cases.
PLUMB_TEST(a_store_that_is_silent_only_at_first) {
  test.expect("assertion").run([] {
    std::atomic<int> cell{1}, go{0};
    std::thread writer([&] {
      for (;;) {
        if (go.load() != 0) break;
        cell.store(1);
      }
      PLUMB_ASSERT(!"the writer came to its end");
    });
    cell.store(0);
    if (cell.load() == 1) go.store(1);
    if (cell.load() == 1) go.store(1);
    go.store(2);
    writer.join();
  });
}

PLUMB_TEST(a_store_that_is_silent_only_at_first_and_matters) {
  test.expect("assertion").run([] {
    std::atomic<int> cell{1}, go{0};
    std::thread writer([&] {
      int seen = 0;
      for (;;) {
        seen = go.load();
        if (seen != 0) break;
        cell.store(1);
      }
      PLUMB_ASSERT(seen != 1);
    });
    cell.store(0);
    go.store(cell.load() == 1 ? 1 : 2);
    writer.join();
  });
}

// An iteration that stores is left out, since another thread stores the same
// later; but that need not have happened yet.
PLUMB_TEST(a_store_that_another_thread_may_do_as_well) {
  test.expect("assertion").run([] {
    std::atomic<int> way{0}, one{0}, two{0}, go{0};
    std::thread worker([&] {
      while (go.load() == 0) {
        if (way.load() == 0) {
          one.store(1);
        } else {
          two.store(1);
        }
      }
    });
    std::thread helper([&] {
      one.store(1);
      one.store(0);
    });
    way.store(1);
    const bool early = one.load() == 1;
    if (two.load() == 1) {
      const bool late = one.load() == 1;
      PLUMB_ASSERT(!(early && late));
    }
    go.store(1);
    worker.join();
    helper.join();
  });
}

// Whoever swaps gets something else, and writes the same.
PLUMB_TEST(a_swap_in_a_loop_tells_what_was_there) {
  test.expect("assertion").run([] {
    std::atomic<int> cell{0};
    int sum = 0;
    std::thread other([&] { cell.store(2); });
    for (int i = 0; i < 3; ++i) sum += cell.exchange(1);
    PLUMB_ASSERT(sum != 4);
    other.join();
  });
}

volatile int old_flag = 0;

PLUMB_TEST(a_loop_over_a_volatile_with_a_counter) {
  test.expect("assertion").run([] {
    std::thread other([] { old_flag = 1; });
    int seen = 0;
    for (int i = 0; i < 3; ++i) seen += old_flag == 0;
    other.join();
    PLUMB_ASSERT(seen != 3);
  });
}

// Two threads run the same code on different arguments.
void count_up(std::atomic<int>& flag, int step, std::atomic<int>& done) {
  for (int i = 0; i < 2; i += step) {
    if (flag.load() != 0) return;
  }
  done.store(1);
}

PLUMB_TEST(two_threads_with_the_same_past_and_other_arguments) {
  test.expect("assertion").run([] {
    std::atomic<int> flag{0}, done{0};
    std::thread forever([&] { count_up(flag, 0, done); });
    std::thread twice([&] { count_up(flag, 1, done); });
    flag.store(1);
    forever.join();
    twice.join();
    PLUMB_ASSERT(done.load() == 0);
  });
}

PLUMB_TEST(what_a_thread_read_while_alone_counts) {
  test.expect("assertion").run([] {
    std::atomic<int> step{0}, flag{0};
    std::thread first([&] { step.store(1); });
    std::thread second([&] { step.store(0); });
    first.join();
    second.join();
    const int by = step.load();
    std::thread third([&] { flag.store(1); });
    bool left = true;
    for (int i = 0; i < 2; i += by) {
      if (flag.load() != 0) {
        left = false;
        break;
      }
    }
    third.join();
    PLUMB_ASSERT(!left);
  });
}

PLUMB_TEST(a_deadline_ends_a_loop) {
  test.expect("assertion").run([] {
    using Clock = std::chrono::steady_clock;
    std::atomic<int> flag{0};
    std::thread other([&] { flag.store(1); });
    const auto deadline = Clock::now() + std::chrono::milliseconds(3);
    bool late = false;
    while (flag.load() == 0) {
      if (Clock::now() > deadline) {
        late = true;
        break;
      }
    }
    other.join();
    PLUMB_ASSERT(!late);
  });
}

struct Large {
  char room[5 << 20];
  int count;
};

PLUMB_TEST(a_counter_in_a_large_block) {
  test.expect("assertion").run([] {
    auto* large = static_cast<Large*>(std::calloc(1, sizeof(Large)));
    std::atomic<int> flag{0};
    std::thread other([&] { flag.store(1); });
    bool many = false;
    while (flag.load() == 0) {
      if (++large->count == 3) {
        many = true;
        break;
      }
    }
    other.join();
    std::free(large);
    PLUMB_ASSERT(!many);
  });
}

PLUMB_TEST(a_counter_in_a_small_block) {
  test.expect("assertion").run([] {
    auto* count = new int(0);
    std::atomic<int> flag{0};
    std::thread other([&] { flag.store(1); });
    bool many = false;
    while (flag.load() == 0) {
      if (++*count == 3) {
        many = true;
        break;
      }
    }
    other.join();
    delete count;
    PLUMB_ASSERT(!many);
  });
}

// Its first iteration writes what its second overwrites, but somebody may have
// looked in between.
PLUMB_TEST(a_store_that_is_seen_before_it_is_overwritten) {
  test.expect("assertion").run([] {
    std::atomic<int> from{1}, shown{0}, go{0};
    std::thread shower([&] {
      int seen = 0;
      for (;;) {
        seen = go.load();
        if (seen != 0) break;
        shown.store(from.load());
      }
      PLUMB_ASSERT(seen != 1);
    });
    std::thread changer([&] { from.store(2); });
    const bool early = shown.load() == 1;
    const bool late = shown.load() == 2;
    go.store(early && late ? 1 : 2);
    shower.join();
    changer.join();
  });
}

// The first iteration stores what is left out in the second; another thread
// may overwrite that, and then it does not matter, or not.
PLUMB_TEST(a_store_that_may_be_overwritten) {
  test.expect("assertion").run([] {
    std::atomic<int> way{0}, one{0}, two{0}, go{0};
    std::thread worker([&] {
      int seen = 0;
      for (;;) {
        seen = go.load();
        if (seen != 0) break;
        if (way.load() == 0) {
          one.store(1);
        } else {
          two.store(1);
        }
      }
      PLUMB_ASSERT(seen != 1);
    });
    std::thread helper([&] { one.store(5); });
    way.store(1);
    const bool both = two.load() == 1 && one.load() == 1;
    go.store(both ? 1 : 2);
    worker.join();
    helper.join();
  });
}

// What another thread sees must stay, too: here only its own stack tells.
PLUMB_TEST(what_another_thread_saw_counts) {
  test.expect("assertion").run([] {
    std::atomic<int> cell{0}, go{0};
    std::thread toggler([&] {
      int seen = 0;
      for (;;) {
        seen = go.load();
        if (seen != 0) break;
        cell.store(1);
        cell.store(0);
      }
      PLUMB_ASSERT(seen != 1);
    });
    const bool up = cell.load() == 1;
    const bool up_again = cell.load() == 0 && cell.load() == 1;
    go.store(up && up_again ? 1 : 2);
    toggler.join();
  });
}

PLUMB_TEST(nobody_ends_this_wait) {
  test.expect("livelock").set("steps", "200").run([] {
    std::atomic<int> flag{0};
    std::thread waiter([&] {
      while (flag.load() != 2) {
      }
    });
    flag.store(1);
    waiter.join();
  });
}

PLUMB_TEST(a_choice_of_many) {
  test.expect("assertion").run([] { PLUMB_ASSERT(plumb::choose(64) != 63); });
}

PLUMB_TEST(who_yields_may_go_on) {
  test.expect("assertion").set("search", "preemptions").set("preemptions", "9");
  test.run([] {
    std::atomic<int> cell{0};
    std::thread yielder([&] {
      std::this_thread::yield();
      cell.store(1);
    });
    std::thread reader([&] { PLUMB_ASSERT(cell.load() == 0); });
    yielder.join();
    reader.join();
  });
}

int shared_number = 0;

PLUMB_TEST(plain_reads_that_race_are_part_of_the_past) {
  test.expect("assertion").set("races", "allow").run([] {
    std::atomic<int> flag{0};
    std::thread other([&] {
      shared_number = 1;
      flag.store(1);
    });
    int sum = 0;
    for (int i = 0; i < 3; ++i) {
      flag.load();
      sum += shared_number;
    }
    other.join();
    PLUMB_ASSERT(sum != 1);
  });
}

PLUMB_TEST(a_counter_on_the_stack_of_another_thread) {
  test.expect("assertion").run([] {
    std::atomic<int*> where{nullptr};
    std::atomic<int> flag{0};
    std::thread owner([&] {
      int count = 0;
      where.store(&count);
      while (flag.load() == 0) {
      }
    });
    std::thread counter([&] {
      int* count = where.load();
      if (count == nullptr) return;
      while (flag.load() == 0) {
        PLUMB_ASSERT(++*count != 3);
      }
      flag.store(2);
    });
    flag.store(1);
    owner.join();
    counter.join();
  });
}

}  // namespace
