// SPDX-License-Identifier: Apache-2.0
// A stack whose trace counts are known: each of n threads pushes once and pops
// once [Treiber86]; 40 traces with two threads, 25,680 with three.
#include <plumb/test.h>

#include <atomic>

namespace {

struct Node {
  std::atomic<Node*> next{nullptr};
  int value = 0;
};

// Nodes are never used again, so none is freed; node v holds v.
class Stack {
 public:
  void push(int value) {
    Node* node = &pool_[value];
    node->value = value;
    Node* top = top_.load(std::memory_order_relaxed);
    do {
      node->next.store(top, std::memory_order_relaxed);
    } while (!top_.compare_exchange_strong(top, node, std::memory_order_release,
                                           std::memory_order_relaxed));
  }

  int pop() {
    Node* top = top_.load(std::memory_order_acquire);
    while (top != nullptr) {
      Node* next = top->next.load(std::memory_order_relaxed);
      if (top_.compare_exchange_strong(top, next, std::memory_order_acquire,
                                       std::memory_order_acquire)) {
        return top->value;
      }
    }
    return 0;
  }

 private:
  std::atomic<Node*> top_{nullptr};
  Node pool_[16];
};

void declare(plumb::Test& test, int threads) {
  auto stack = test.object<Stack>();
  auto push = stack.operation("push", PLUMB_METHOD(push));
  auto pop = stack.operation("pop", PLUMB_METHOD(pop));
  test.spec("stack");
  auto program = test.program();
  for (int t = 1; t <= threads; ++t) program.thread(push(t), pop());
}

PLUMB_TEST(t2) {
  declare(test, 2);
}
PLUMB_TEST(t3) {
  declare(test, 3);
}
// Two threads with six calls each.
PLUMB_TEST(t2x6) {
  auto stack = test.object<Stack>();
  auto push = stack.operation("push", PLUMB_METHOD(push));
  auto pop = stack.operation("pop", PLUMB_METHOD(pop));
  test.spec("stack");
  auto program = test.program();
  for (int t = 1; t <= 2; ++t) {
    program.thread(push(t), pop(), push(t + 2), pop(), push(t + 4), pop());
  }
}

}  // namespace
