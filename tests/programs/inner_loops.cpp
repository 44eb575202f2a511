// SPDX-License-Identifier: Apache-2.0
// Loops that have loops in them, and loops of tests whose races are allowed: a
// round in vain is left out, and no other one.
#include <plumb/test.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

namespace {

struct Slots {
  std::atomic<int> slots[2] = {};

  // Until nobody holds `what`, as reclaimers of memory wait.
  void wait_for(int what) {
    for (bool is_held = true; is_held;) {
      is_held = false;
      for (const auto& slot : slots) is_held |= slot.load() == what;
    }
  }
};

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

bool is_seen_in_a_round(const std::atomic<bool>& is_set) {
  for (int i = 0; i < 3; ++i) {
    if (is_set.load()) return true;
  }
  return false;
}

// What the writer is about to change is seen in the middle by who does not look
// twice.
template <bool kLooksTwice>
struct SequenceLock {
  std::atomic<unsigned> count = 0;
  int a = 0, b = 0;

  void write(int value) {
    ++count;
    a = value;
    b = value;
    ++count;
  }
  std::pair<int, int> read() {
    for (;;) {
      const unsigned before = count.load();
      if (before & 1u) continue;
      const std::pair both(a, b);
      if (!kLooksTwice || count.load() == before) return both;
    }
  }
};

struct Count {
  int rounds;
};

template <bool kLooksTwice>
void read_beside_writes() {
  SequenceLock<kLooksTwice> lock;
  in_parallel(
      [&] {
        lock.write(1);
        lock.write(2);
      },
      [&] {
        const auto [a, b] = lock.read();
        PLUMB_ASSERT(a == b);
      });
}

}  // namespace

PLUMB_TEST(all_slots_are_looked_at_until_none_holds_it) {
  test.set("executions", "1000").run([] {
    Slots it;
    it.slots[0] = it.slots[1] = 1;
    in_parallel(
        [&] {
          it.slots[0] = 0;
          it.slots[1] = 2;
        },
        [&] { it.wait_for(1); });
  });
}
PLUMB_TEST(a_slot_holds_it_for_ever) {
  test.set("executions", "1000").expect("livelock").run([] {
    Slots it;
    it.slots[1] = 1;
    in_parallel([&] { it.slots[0] = 2; }, [&] { it.wait_for(1); });
  });
}
PLUMB_TEST(each_round_looks_three_times) {
  test.set("executions", "1000").run([] {
    std::atomic<bool> is_set = false;
    in_parallel([&] { is_set = true; },
                [&] {
                  while (!is_seen_in_a_round(is_set)) {
                  }
                });
  });
}
PLUMB_TEST(rounds_that_look_three_times_are_counted) {
  test.set("executions", "1000").expect("assertion").run([] {
    std::atomic<bool> is_set = false;
    in_parallel([&] { is_set = true; },
                [&] {
                  int rounds = 0;
                  while (rounds < 4 && !is_seen_in_a_round(is_set)) ++rounds;
                  PLUMB_ASSERT(rounds < 4);
                });
  });
}

// Compilers announce the ends of a copy one after the other.
PLUMB_TEST(each_round_copies) {
  test.set("races", "allow").set("executions", "1000").run([] {
    struct Pair {
      int a, b;
    };
    Pair pair = {1, 2}, copy = {};
    std::atomic<bool> is_set = false;
    in_parallel([&] { is_set = true; },
                [&] {
                  do {
                    copy = pair;
                  } while (!is_set);
                });
    PLUMB_ASSERT(copy.b == 2);
  });
}
PLUMB_TEST(each_round_copies_texts) {
  test.set("races", "allow").set("executions", "1000").run([] {
    char text[] = "text", copy[] = "copy";
    std::atomic<bool> is_set = false;
    in_parallel([&] { is_set = true; },
                [&] {
                  do {
                    std::strcpy(copy, text);
                  } while (!is_set);
                });
    PLUMB_ASSERT(copy[0] == 't');
  });
}
// Nothing but the copies themselves changes, on the stack of another thread.
template <typename Copy>
void count_copies(plumb::Test& test, Copy copy) {
  test.set("races", "allow").set("executions", "1000").expect("assertion");
  test.run([copy] {
    Count next[] = {{1}, {2}, {3}, {4}};
    std::thread owns([&] {
      Count place[] = {{}, {}};
      std::atomic<bool> is_set = false;
      in_parallel(
          [&] {
            while (!is_set && place[0].rounds < 3) {
              copy(place, next + place[0].rounds);
            }
            PLUMB_ASSERT(place[0].rounds < 3);
          },
          [&] { is_set = true; });
    });
    owns.join();
  });
}
PLUMB_TEST(copies_are_counted) {
  count_copies(test, [](Count* to, const Count* from) { *to = *from; });
}
PLUMB_TEST(copies_of_the_library_are_counted) {
  count_copies(test, [](Count* to, const Count* from) {
    std::memcpy(static_cast<void*>(to), from, sizeof(Count));
  });
}

PLUMB_TEST(readers_of_a_sequence_lock_go_round) {
  test.set("races", "allow").set("executions", "1000");
  test.run(read_beside_writes<true>);
}
PLUMB_TEST(readers_of_a_sequence_lock_that_look_once) {
  test.set("races", "allow").set("executions", "1000").expect("assertion");
  test.run(read_beside_writes<false>);
}
PLUMB_TEST(rounds_are_counted_where_races_are_allowed) {
  test.set("races", "allow").set("executions", "1000").expect("assertion");
  test.run([] {
    std::atomic<bool> is_set = false;
    int rounds = 0;
    in_parallel(
        [&] {
          const int seen = rounds;
          is_set = true;
          PLUMB_ASSERT(seen < 3);
        },
        [&] {
          while (!is_set) ++rounds;
        });
  });
}
