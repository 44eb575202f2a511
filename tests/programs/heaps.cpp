// SPDX-License-Identifier: Apache-2.0
// Memory that one thread frees is given to another one: ABA between threads.
#include <plumb/test.h>

#include <atomic>
#include <thread>

namespace {

struct Node {
  int value;
};

// T1 takes the node that it saw; T2 takes and frees it; T3 puts in a new one.
void three_threads() {
  std::atomic<Node*> slot{new Node{1}};
  Node* const original = slot.load();
  std::atomic<bool> fresh{false}, freed{false};
  bool first = false, second = false;
  std::thread one([&] {
    Node* seen = slot.load();
    if (seen != original || fresh.load()) return;
    if (!slot.compare_exchange_strong(seen, nullptr)) return;
    first = true;
    delete seen;
  });
  std::thread two([&] {
    Node* seen = original;
    if (!slot.compare_exchange_strong(seen, nullptr)) return;
    second = true;
    delete seen;
    freed.store(true);
  });
  std::thread three([&] {
    if (!freed.load()) return;
    Node* const node = new Node{2};
    fresh.store(true);
    slot.store(node);
  });
  one.join();
  two.join();
  three.join();
  PLUMB_ASSERT(!(first && second));
  delete slot.load();
}

// Who is given a block follows who freed it: no race.
void one_after_another() {
  std::atomic<int> turn{0};
  std::thread one([&] {
    Node* const node = new Node{1};
    node->value = 2;
    delete node;
    turn.fetch_add(1, std::memory_order_relaxed);
  });
  std::thread two([&] {
    Node* const node = new Node{3};
    PLUMB_ASSERT(node->value == 3);
    delete node;
    turn.fetch_add(1, std::memory_order_relaxed);
  });
  one.join();
  two.join();
}

}  // namespace

PLUMB_TEST(from_another_thread) {
  test.run(three_threads).expect("assertion");
}
PLUMB_TEST(from_another_thread_shared) {
  test.run(three_threads).set("heap", "shared").expect("assertion");
}
PLUMB_TEST(from_itself_only) {
  test.run(three_threads).set("heap", "own");
}
PLUMB_TEST(handed_on) {
  test.run(one_after_another);
}

// What std::thread kept for its start is freed after it, and does not hide it.
PLUMB_TEST(a_block_of_a_thread_that_was_joined) {
  test.expect("assertion").run([] {
    int* const first = new int(1);
    std::thread([&] { delete first; }).join();
    int* const second = new int(2);
    PLUMB_ASSERT(first != second);
    delete second;
  });
}
