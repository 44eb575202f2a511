// SPDX-License-Identifier: Apache-2.0
// A queue whose trace counts are known: each of n threads enqueues once and
// dequeues once [MichaelScott96]; 222 traces with two threads.
#include <plumb/test.h>

#include <atomic>

namespace {

struct Node {
  std::atomic<Node*> next{nullptr};
  int value = 0;
};

constexpr auto kTake = std::memory_order_acquire;
constexpr auto kGive = std::memory_order_release;
constexpr auto kOnly = std::memory_order_relaxed;

// Nodes are never used again, so none is freed; node v holds v.
class Queue {
 public:
  void enqueue(int value) {
    Node* node = &pool_[value];
    node->value = value;
    node->next.store(nullptr, kOnly);
    for (;;) {
      Node* last = tail_.load(kTake);
      Node* next = last->next.load(kTake);
      if (last != tail_.load(kTake)) continue;
      if (next != nullptr) {
        tail_.compare_exchange_strong(last, next, kGive, kOnly);
        continue;
      }
      if (last->next.compare_exchange_strong(next, node, kGive, kOnly)) {
        tail_.compare_exchange_strong(last, node, kGive, kOnly);
        return;
      }
    }
  }

  int dequeue() {
    for (;;) {
      Node* first = head_.load(kTake);
      Node* last = tail_.load(kTake);
      Node* next = first->next.load(kTake);
      if (first != head_.load(kTake)) continue;
      if (first == last) {
        if (next == nullptr) return 0;
        tail_.compare_exchange_strong(last, next, kGive, kOnly);
        continue;
      }
      const int value = next->value;
      if (head_.compare_exchange_strong(first, next, kGive, kOnly)) {
        return value;
      }
    }
  }

 private:
  Node pool_[16];
  std::atomic<Node*> head_{pool_}, tail_{pool_};
};

// Two threads, with so many calls each: values of the first are odd.
void declare_long(plumb::Test& test, int calls) {
  auto queue = test.object<Queue>();
  auto enq = queue.operation("enq", PLUMB_METHOD(enqueue));
  auto deq = queue.operation("deq", PLUMB_METHOD(dequeue));
  test.spec("queue");
  auto program = test.program();
  for (int t = 1; t <= 2; ++t) {
    switch (calls) {
      case 3:
        program.thread(enq(t), deq(), enq(t + 2));
        break;
      case 4:
        program.thread(enq(t), deq(), enq(t + 2), deq());
        break;
      default:
        program.thread(enq(t), deq(), enq(t + 2), deq(), enq(t + 4), deq());
    }
  }
}

void declare(plumb::Test& test, int threads) {
  auto queue = test.object<Queue>();
  auto enq = queue.operation("enq", PLUMB_METHOD(enqueue));
  auto deq = queue.operation("deq", PLUMB_METHOD(dequeue));
  test.spec("queue");
  auto program = test.program();
  for (int t = 1; t <= threads; ++t) program.thread(enq(t), deq());
}

PLUMB_TEST(q2) {
  declare(test, 2);
}
PLUMB_TEST(q3) {
  declare(test, 3);
}
PLUMB_TEST(q2x3) {
  declare_long(test, 3);
}
PLUMB_TEST(q2x4) {
  declare_long(test, 4);
}
PLUMB_TEST(q2x6) {
  declare_long(test, 6);
}

}  // namespace
