// SPDX-License-Identifier: Apache-2.0
#include <plumb/test.h>

#include <atomic>

struct Queue {
  std::atomic<int> last = 0;
  void enq(int value) { last = value; }
  int deq() { return last; }
};

PLUMB_TEST(no_such_setting) {
  test.object<Queue>();
  test.set("heaps", "lifo");
}

PLUMB_TEST(no_such_value) {
  test.object<Queue>();
  test.expect("rase");
}

PLUMB_TEST(no_such_specification) {
  test.object<Queue>();
  test.spec("quue");
}

PLUMB_TEST(no_such_operation) {
  auto queue = test.object<Queue>();
  auto enqueue = queue.operation("enqueue", PLUMB_METHOD(enq));
  test.spec("queue");
  test.program().thread(enqueue(1));
}

PLUMB_TEST(no_such_factor) {
  auto queue = test.object<Queue>();
  auto deq = queue.operation("deq", PLUMB_METHOD(deq));
  test.spec("queue");
  test.condition("quasi(dequeue=2)");
  test.program().thread(deq());
}

PLUMB_TEST(not_for_this_thread) {
  auto queue = test.object<Queue>();
  auto deq = queue.operation("deq", PLUMB_METHOD(deq));
  deq.only_by(1);
  test.spec("queue");
  test.program().thread(deq());
}

PLUMB_TEST(nothing_to_run) {
  test.object<Queue>();
  test.spec("queue");
}

PLUMB_TEST(nothing_at_all) {}

PLUMB_TEST(too_many_calls) {
  test.object<Queue>();
  test.programs(8, 8);
}

PLUMB_TEST(no_values) {
  auto queue = test.object<Queue>();
  auto enq = queue.operation("enq", PLUMB_METHOD(enq));
  auto deq = queue.operation("deq", PLUMB_METHOD(deq));
  test.spec("queue").programs(2, 2);
}

PLUMB_TEST(no_such_thread) {
  auto queue = test.object<Queue>();
  auto enq = queue.operation("enq", PLUMB_METHOD(enq));
  auto deq = queue.operation("deq", PLUMB_METHOD(deq));
  enq.values(1, 2);
  deq.only_by(7);
  test.spec("queue").programs(2, 2);
}

PLUMB_TEST(nobody_is_left) {
  auto queue = test.object<Queue>();
  auto enq = queue.operation("enq", PLUMB_METHOD(enq));
  auto deq = queue.operation("deq", PLUMB_METHOD(deq));
  enq.values(1, 2).not_by(0);
  test.spec("queue").programs(1, 2);
}

PLUMB_TEST(in_no_program) {
  auto queue = test.object<Queue>();
  auto enq = queue.operation("enq", PLUMB_METHOD(enq));
  auto deq = queue.operation("deq", PLUMB_METHOD(deq));
  test.spec("queue").program().thread(deq());
}

PLUMB_TEST(no_operation) {
  test.object<Queue>();
  test.spec("queue").programs(2, 2);
}

PLUMB_TEST(no_call) {
  auto queue = test.object<Queue>();
  auto deq = queue.operation("deq", PLUMB_METHOD(deq));
  test.spec("queue").program().thread(deq());
  test.program().thread();
}

PLUMB_TEST(large_numbers) {
  auto queue = test.object<Queue>();
  auto enq = queue.operation("enq", PLUMB_METHOD(enq));
  test.spec("queue").program().thread(enq(~0ul));
}
