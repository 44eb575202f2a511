// SPDX-License-Identifier: Apache-2.0
// A queue of a library as it is: 2 threads with 2 and with 3 calls.
#include <plumb/test.h>

#include <boost/lockfree/queue.hpp>

namespace {

class Queue {
 public:
  void enqueue(int value) { queue_.push(value); }
  int dequeue() {
    int value = 0;
    return queue_.pop(value) ? value : 0;
  }

 private:
  boost::lockfree::queue<int> queue_{0};
};

void declare(plumb::Test& test, bool is_long) {
  auto queue = test.object<Queue>();
  auto enq = queue.operation("enq", PLUMB_METHOD(enqueue));
  auto deq = queue.operation("deq", PLUMB_METHOD(dequeue));
  test.spec("queue");
  auto program = test.program();
  for (int t = 1; t <= 2; ++t) {
    if (is_long) {
      program.thread(enq(t), deq(), enq(t + 2));
    } else {
      program.thread(enq(t), deq());
    }
  }
}

PLUMB_TEST(b2x2) {
  declare(test, false);
}
PLUMB_TEST(b2x3) {
  declare(test, true);
}

}  // namespace
