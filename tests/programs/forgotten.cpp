// SPDX-License-Identifier: Apache-2.0
// Accesses that compilers forget to announce among those that they announce
// (results and arguments that are structures), and assembly among C++: often,
// and where few executions come to them.
#include <plumb/test.h>

#include <atomic>
#include <thread>

namespace {

struct Number {
  long value;
};
struct Pair {
  long first, second;
};
struct Table {
  long all[8];
};

[[gnu::noinline]] Number make_number(long value) {
  return {value};
}
[[gnu::noinline]] Pair make_pair(long value) {
  return {value, value};
}
[[gnu::noinline]] Table make_table(long value) {
  return {{value}};
}
[[gnu::noinline]] long sum(Pair pair) {
  return pair.first + pair.second;
}
[[gnu::noinline]] long sum(Table table) {
  return table.all[0] + table.all[7];
}

Number number;
Pair pair;
Table table;
int word;

template <typename First, typename Second>
void often(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

// Both see that the third thread has come just to 3.
template <typename First, typename Second>
void rarely(First first, Second second) {
  std::atomic<int> steps = 0;
  std::thread counts([&] {
    for (int i = 1; i <= 5; ++i) steps.store(i);
  });
  std::thread other([&] {
    if (steps.load() == 3) first();
  });
  if (steps.load() == 3) second();
  counts.join();
  other.join();
}

}  // namespace

#define BOTH(expectation, name, first, second) \
  PLUMB_TEST(name##_often) {                   \
    test.expect(expectation).run([] {          \
      often([] { first; }, [] { second; });    \
    });                                        \
  }                                            \
  PLUMB_TEST(name##_rarely) {                  \
    test.expect(expectation).run([] {          \
      rarely([] { first; }, [] { second; });   \
    });                                        \
  }

BOTH("race", results_in_a_register, number = make_number(1),
     number = make_number(2))
BOTH("race", results_in_two_registers, pair = make_pair(1), pair = make_pair(2))
BOTH("race", results_in_memory, table = make_table(1), table = make_table(2))
BOTH("race", arguments_in_registers, pair.second = 1, sum(pair))
BOTH("race", results_and_arguments_in_registers, pair = make_pair(1), sum(pair))
BOTH("race", arguments_in_memory, table = make_table(1), sum(table))
BOTH("race", updates_in_assembly,
     asm volatile("incl %0"
                  : "+m"(word)
                  :
                  : "memory"),
     word = 1)
BOTH("holds", arguments_are_only_read, sum(table), sum(table))

// Assembly that others look at by atomic operations may be meant so: then it
// takes place in every order.
PLUMB_TEST(stores_in_assembly_rarely) {
  test.expect("assertion").run([] {
    word = 0;
    rarely(
        [] {
          asm volatile("movl $1, %0" : "=m"(word) : : "memory");
        },
        [] {
          const int before = __atomic_load_n(&word, __ATOMIC_RELAXED);
          PLUMB_ASSERT(before == __atomic_load_n(&word, __ATOMIC_RELAXED));
        });
  });
}

PLUMB_TEST(stores_in_assembly_that_nobody_notices) {
  test.run([] {
    word = 0;
    rarely(
        [] {
          asm volatile("movl $1, %0" : "=m"(word) : : "memory");
        },
        [] { PLUMB_ASSERT(__atomic_load_n(&word, __ATOMIC_RELAXED) < 2); });
  });
}

// --- clang: what is as wide as two registers

using Wide = long __attribute__((vector_size(32)));
Wide wide;

BOTH("race", vectors, wide = wide + 1, wide = wide + 1)
BOTH("race", parts_of_vectors, wide[1] = 1, wide[1] = 2)
BOTH("race", vectors_that_are_read, wide = wide + 1, PLUMB_ASSERT(wide[0] >= 0))

// --- a part was announced right before

PLUMB_TEST(a_result_after_an_assignment_of_a_part) {
  test.expect("race").run([] {
    often(
        [] {
          pair.second = 0;
          pair = make_pair(1);
        },
        [] { pair.first = 2; });
  });
}

PLUMB_TEST(a_copy_after_an_assignment_of_a_part) {
  static char bytes[16];
  test.expect("race").run([] {
    often(
        [] {
          bytes[1] = 1;
          __builtin_memcpy(bytes, "abcdefgh", 8);
        },
        [] { bytes[5] = 2; });
  });
}

PLUMB_TEST(assembly_after_an_assignment_of_a_part) {
  static char bytes[16];
  test.expect("violated").run([] {
    often(
        [] {
          bytes[1] = 1;
          asm volatile("movq $-1, %0" : "=m"(*reinterpret_cast<long*>(bytes)));
        },
        [] {
          bytes[5] = 2;
          PLUMB_ASSERT(bytes[5] == 2);
        });
  });
}

// --- locals that another thread knows

namespace {
// A local of main() is assigned a result while the other thread writes to it.
template <typename T, typename Make, typename Touch>
void is_a_race(plumb::Test& test, Make make, Touch touch) {
  test.expect("race").run([=] {
    T local = {};
    std::thread other([&] { touch(local); });
    local = make();
    other.join();
  });
}
}  // namespace

PLUMB_TEST(a_local_gets_a_number) {
  is_a_race<Number>(
      test, [] { return make_number(1); },
      [](Number& number) { number.value = 2; });
}
PLUMB_TEST(a_local_gets_a_pair) {
  is_a_race<Pair>(
      test, [] { return make_pair(1); }, [](Pair& pair) { pair.second = 2; });
}
PLUMB_TEST(a_local_gets_a_table) {
  is_a_race<Table>(
      test, [] { return make_table(1); },
      [](Table& table) { table.all[7] = 2; });
}
PLUMB_TEST(a_local_gets_a_pair_under_a_flag) {
  test.run([] {
    Pair local = {};
    std::atomic<bool> is_ready = false;
    std::thread other([&] {
      if (is_ready) PLUMB_ASSERT(local.second == 1);
    });
    local = make_pair(1);
    is_ready = true;
    other.join();
  });
}
PLUMB_TEST(a_local_is_written_by_assembly) {
  test.expect("violated").run([] {
    int local = 0;
    std::thread other([&] {
      local = 2;
      PLUMB_ASSERT(local == 2);
    });
    asm volatile("movl $1, %0" : "=m"(local));
    other.join();
  });
}
