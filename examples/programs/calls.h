// SPDX-License-Identifier: Apache-2.0
// Declares objects with the operations of queues, stacks, sets and deques.
//
//   auto [enq, deq] = queue_calls<MsQueue<>>(test);
//   test.program().thread(enq(1), deq()).thread(enq(2), deq());
#pragma once

#include <plumb/test.h>

#include <tuple>

template <typename Queue>
auto queue_calls(plumb::Test& test, const char* spec = "queue") {
  test.spec(spec);
  auto queue = test.object<Queue>();
  return std::tuple(queue.operation("enq", PLUMB_METHOD(enq)),
                    queue.operation("deq", PLUMB_METHOD(deq)));
}

template <typename Stack>
auto stack_calls(plumb::Test& test, const char* spec = "stack") {
  test.spec(spec);
  auto stack = test.object<Stack>();
  return std::tuple(stack.operation("push", PLUMB_METHOD(push)),
                    stack.operation("pop", PLUMB_METHOD(pop)));
}

template <typename Set>
auto set_calls(plumb::Test& test) {
  test.spec("set");
  auto set = test.object<Set>();
  return std::tuple(set.operation("add", PLUMB_METHOD(add)),
                    set.operation("remove", PLUMB_METHOD(remove)),
                    set.operation("contains", PLUMB_METHOD(contains)));
}

// For work stealing: the owner pushes and takes at the back, thieves steal at
// the front.  Thread 0 of generated programs is the owner.
template <typename Deque>
auto stealing_calls(plumb::Test& test, const char* spec = "deque") {
  test.spec(spec);
  auto deque = test.object<Deque>();
  auto push = deque.operation("push_back", PLUMB_METHOD(push));
  auto take = deque.operation("pop_back", PLUMB_METHOD(take));
  auto steal = deque.operation("pop_front", PLUMB_METHOD(steal));
  push.only_by(0);
  take.only_by(0);
  steal.not_by(0);
  return std::tuple(push, take, steal);
}
