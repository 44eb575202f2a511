// SPDX-License-Identifier: Apache-2.0
// Structures that are copied, and atomics that are larger than a processor's.
#include <plumb/test.h>

#include <atomic>
#include <thread>

namespace {

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

template <int count>
struct Numbers {
  int number[count];
};

// One thread copies, one changes what is copied, main looks at the copy.
template <int count>
void copy_while_it_changes() {
  static Numbers<count> from, to;
  in_parallel([] { from.number[0] = 1; }, [] { to = from; });
  PLUMB_ASSERT(to.number[0] == 0);
}

// The copy is seen before it was made, then what is copied is changed.
template <int count>
void copy_late() {
  static Numbers<count> from, to;
  std::atomic<bool> changed = false;
  in_parallel(
      [&] {
        from.number[0] = 1;
        changed = true;
      },
      [&] {
        const bool is_new = changed;
        to = from;
        PLUMB_ASSERT(!is_new || to.number[0] == 1);
      });
}

struct Large {
  long first = 0, second = 0, third = 0;
  bool operator==(const Large&) const = default;
};
Large all(long number) {
  return {number, number, number};
}

}  // namespace

PLUMB_TEST(a_structure_of_4_bytes_is_copied) {
  test.set("races", "allow").expect("assertion").run(copy_while_it_changes<1>);
}
PLUMB_TEST(a_structure_of_12_bytes_is_copied) {
  test.set("races", "allow").expect("assertion").run(copy_while_it_changes<3>);
}
PLUMB_TEST(a_structure_of_16_bytes_is_copied) {
  test.set("races", "allow").expect("assertion").run(copy_while_it_changes<4>);
}
PLUMB_TEST(a_structure_of_400_bytes_is_copied) {
  test.set("races", "allow")
      .expect("assertion")
      .run(copy_while_it_changes<100>);
}
PLUMB_TEST(a_copy_has_what_was_written_before) {
  test.set("races", "allow").run(copy_late<4>);
}

// The copy's source is read when it is written to, not before: three threads
// see an order in which the copy comes between two writes.
PLUMB_TEST(a_copy_takes_place_at_once) {
  test.set("races", "allow").expect("assertion").run([] {
    static Numbers<4> from, to;
    int seen = 0;
    std::thread copies([] { to = from; });
    in_parallel([] { from.number[0] = 1; }, [&] { seen = to.number[0]; });
    copies.join();
    PLUMB_ASSERT(seen == 0);
  });
}

PLUMB_TEST(a_large_atomic_is_no_race) {
  test.run([] {
    std::atomic<Large> value = all(0);
    in_parallel([&] { value.store(all(1)); },
                [&] {
                  const Large seen = value.load();
                  PLUMB_ASSERT(seen.first == seen.third);
                });
  });
}

PLUMB_TEST(a_large_atomic_orders_accesses) {
  test.run([] {
    std::atomic<Large> value = all(0);
    int plain = 0;
    in_parallel(
        [&] {
          plain = 5;
          value.store(all(1), std::memory_order_release);
        },
        [&] {
          const Large seen = value.load(std::memory_order_acquire);
          PLUMB_ASSERT(seen.first == 0 || plain == 5);
        });
  });
}

PLUMB_TEST(a_relaxed_large_atomic_does_not) {
  test.expect("race").run([] {
    std::atomic<Large> value = all(0);
    int plain = 0;
    in_parallel(
        [&] {
          plain = 5;
          value.store(all(1), std::memory_order_relaxed);
        },
        [&] {
          const Large seen = value.load(std::memory_order_relaxed);
          PLUMB_ASSERT(seen.first == 0 || plain == 5);
        });
  });
}

PLUMB_TEST(a_large_exchange_loses_nothing) {
  test.run([] {
    std::atomic<Large> value = all(0);
    Large seen[2];
    in_parallel([&] { seen[0] = value.exchange(all(1)); },
                [&] { seen[1] = value.exchange(all(2)); });
    const Large last = value.load();
    PLUMB_ASSERT(seen[0].first + seen[1].second + last.third == 3);
  });
}

PLUMB_TEST(a_large_load_and_store_lose_an_update) {
  test.expect("assertion").run([] {
    std::atomic<Large> value = all(0);
    const auto add = [&] { value.store(all(value.load().first + 1)); };
    in_parallel(add, add);
    PLUMB_ASSERT(value.load().first == 2);
  });
}

PLUMB_TEST(a_large_compare_exchange_does_not) {
  test.run([] {
    std::atomic<Large> value = all(0);
    const auto add = [&] {
      Large seen = value.load();
      while (!value.compare_exchange_strong(seen, all(seen.first + 1))) {
      }
    };
    in_parallel(add, add);
    PLUMB_ASSERT(value.load().first == 2);
  });
}
