// SPDX-License-Identifier: Apache-2.0
// Parts of locals that other threads know.
//
// Clang's hooks leave them out unless asked (TestBuilder::flags_for), so this
// is run with clang as well.
#include <plumb/test.h>

#include <atomic>
#include <cstring>
#include <thread>

namespace {
struct Counters {
  int first = 0;
  int second = 0;
};
struct Node {
  Node* next = nullptr;
  int value = 0;
};
}  // namespace

PLUMB_TEST(a_member_is_counted_up) {
  test.expect("race").run([] {
    Counters counters;
    std::thread other([&] { ++counters.second; });
    ++counters.second;
    other.join();
    PLUMB_ASSERT(counters.second == 2);
  });
}

PLUMB_TEST(members_beside_each_other) {
  test.run([] {
    Counters counters;
    std::thread other([&] { ++counters.second; });
    ++counters.first;
    other.join();
    PLUMB_ASSERT(counters.first == 1 && counters.second == 1);
  });
}

PLUMB_TEST(an_element_is_read) {
  test.expect("race").run([] {
    char text[8] = "abc";
    std::thread other([&] { std::strcpy(text, "xyz"); });
    volatile char letter = text[1];
    static_cast<void>(letter);
    other.join();
  });
}

PLUMB_TEST(elements_under_a_flag) {
  test.run([] {
    int all[3] = {};
    std::atomic<bool> is_ready = false;
    std::thread other([&] {
      all[1] = 5;
      is_ready = true;
    });
    if (is_ready) PLUMB_ASSERT(all[1] == 5);
    other.join();
  });
}

PLUMB_TEST(a_member_of_a_node) {
  test.expect("race").run([] {
    Node node;
    Node* const shared = &node;
    std::thread other([=] { shared->value = 1; });
    node.value = 2;
    other.join();
  });
}
