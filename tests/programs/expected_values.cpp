// SPDX-License-Identifier: Apache-2.0
// What atomic operations are given by pointers, and give: the value that a
// compare-exchange expects, results of large atomics.  It may be anywhere.
#include <plumb/test.h>

#include <atomic>
#include <thread>

namespace {

struct Three {
  char all[3];
};
struct Pair {
  long first, second;
};
struct Triple {
  long first, second, third;
};

std::atomic<int> word;
std::atomic<Three> three;
std::atomic<Pair> pair;
std::atomic<Triple> triple;

int expected;
Three expected_three;
Pair expected_pair;
Triple expected_triple;
Triple plain_triple;

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

template <typename T>
void exchange_if(std::atomic<T>& atomic, T& wanted, T value) {
  atomic.compare_exchange_strong(wanted, value);
}

}  // namespace

#define RACES(name, one, another)                           \
  PLUMB_TEST(name) {                                        \
    test.expect("race").run(                                \
        [] { in_parallel([] { one; }, [] { another; }); }); \
  }
#define GOES(name, one, another)                                 \
  PLUMB_TEST(name) {                                             \
    test.run([] { in_parallel([] { one; }, [] { another; }); }); \
  }

RACES(a_number_is_expected_and_written, exchange_if(word, expected, 5),
      expected = 7)
RACES(a_number_is_expected_by_both_and_found, expected = 1;
      exchange_if(word, expected, 5), exchange_if(word, expected, 5))
RACES(three_bytes_are_expected_and_written,
      exchange_if(three, expected_three, {{1, 2, 3}}),
      expected_three.all[1] = 0)
RACES(sixteen_bytes_are_expected_and_written,
      exchange_if(pair, expected_pair, {1, 2}), expected_pair.second = 7)
RACES(many_bytes_are_expected_and_written,
      exchange_if(triple, expected_triple, {1, 2, 3}),
      expected_triple.third = 7)
RACES(many_bytes_are_loaded_and_written,
      __atomic_load(&plain_triple, &expected_triple, __ATOMIC_SEQ_CST),
      expected_triple.third = 7)
RACES(many_bytes_are_stored_and_written,
      __atomic_store(&plain_triple, &expected_triple, __ATOMIC_SEQ_CST),
      expected_triple.third = 7)
RACES(many_bytes_are_exchanged_and_written, Triple value = {};
      __atomic_exchange(&plain_triple, &value, &expected_triple,
                        __ATOMIC_SEQ_CST),
      expected_triple.third = 7)

// Who succeeds only reads.
GOES(two_expect_the_same_number_and_only_one_can_fail, int mine = 1;
     exchange_if(word, mine, 5), int mine = 2; exchange_if(word, mine, 6))
GOES(many_bytes_are_expected_by_both, Triple mine = {};
     exchange_if(triple, mine, {1, 2, 3}), Triple mine = {};
     exchange_if(triple, mine, {4, 5, 6}))

// To read what is expected is a step of its own, and so is to write it.
PLUMB_TEST(a_number_is_expected_before_another_thread_changes_it) {
  test.set("races", "allow").expect("assertion").run([] {
    word = expected = 0;
    in_parallel([] { exchange_if(word, expected, 5); }, [] { expected = 7; });
    PLUMB_ASSERT(word == 5);
  });
}
PLUMB_TEST(what_was_found_is_written_after_another_thread_s_number) {
  test.set("races", "allow").expect("assertion").run([] {
    word = 3;
    expected = 0;
    in_parallel([] { exchange_if(word, expected, 5); }, [] { expected = 7; });
    PLUMB_ASSERT(expected == 7);
  });
}
PLUMB_TEST(a_loop_over_a_number_on_a_stack_that_others_know) {
  test.set("races", "allow").run([] {
    int count = 0;
    std::atomic<int*> known = &count;
    std::atomic<int> sum = 0;
    std::thread other([&] { sum.fetch_add(*known.load()); });
    int before = 7;
    while (!sum.compare_exchange_weak(before, before + 1)) {
    }
    other.join();
    PLUMB_ASSERT(sum == 1);
  });
}

// As stacks do it: a node is nobody else's until the exchange works.
PLUMB_TEST(a_member_of_a_node_is_expected) {
  struct Node {
    Node* next;
  };
  test.run([] {
    static Node first, second;
    std::atomic<Node*> top = nullptr;
    const auto push = [&](Node* node) {
      node->next = top;
      while (!top.compare_exchange_weak(node->next, node)) {
      }
    };
    const auto look = [&] {
      const Node* const node = top;
      return node != nullptr && node->next == node;
    };
    in_parallel(
        [&] {
          push(&first);
          PLUMB_ASSERT(!look());
        },
        [&] {
          push(&second);
          PLUMB_ASSERT(!look());
        });
  });
}
