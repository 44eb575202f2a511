// SPDX-License-Identifier: Apache-2.0
// boost::lockfree: queue, stack and spsc_queue.
//
// Nodes of queue and stack are used again through a list of free ones, with
// tags against ABA.  A slow thread may read a node while another one writes it
// for its next use; what was read is thrown away as the tag has changed.  In
// C++ this is a data race, and a known one; the other tests allow it.
#include "../calls.h"
#include "library.h"

#if __has_include(<boost/lockfree/queue.hpp>)
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/lockfree/stack.hpp>

namespace {

namespace lockfree = boost::lockfree;

class Queue {
 public:
  void enq(int item) { queue_.push(item); }
  bool is_empty() const { return queue_.empty(); }
  std::optional<int> deq() {
    int item = 0;
    const bool found = queue_.pop(item);
    return given(found, item);
  }

 private:
  lockfree::queue<int> queue_{1};
};

template <std::size_t kCapacity>
class BoundedQueue {
 public:
  bool enq(int item) { return queue_.push(item); }
  std::optional<int> deq() {
    int item = 0;
    const bool found = queue_.pop(item);
    return given(found, item);
  }

 private:
  lockfree::queue<int, lockfree::capacity<kCapacity>> queue_;
};

class Stack {
 public:
  void push(int item) { stack_.push(item); }
  std::optional<int> pop() {
    int item = 0;
    const bool found = stack_.pop(item);
    return given(found, item);
  }

 private:
  lockfree::stack<int> stack_{1};
};

class SpscQueue {
 public:
  bool enq(int item) { return queue_.push(item); }
  std::optional<int> deq() {
    int item = 0;
    const bool found = queue_.pop(item);
    return given(found, item);
  }

 private:
  lockfree::spsc_queue<int, lockfree::capacity<2>> queue_;
};

struct QueueModel {
  std::vector<int> items;
  bool operator==(const QueueModel&) const = default;

  void enq(int item) { items.push_back(item); }
  std::optional<int> deq() {
    if (items.empty()) return std::nullopt;
    const int item = items.front();
    items.erase(items.begin());
    return item;
  }
  bool is_empty() const { return items.empty(); }
};

}  // namespace

// Both read the link of the node at the head; one frees it.
PLUMB_TEST(boost_queue_race) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.expect("race");
  test.program().before(enq(1)).thread(deq()).thread(deq());
}

// Michael and Scott's queue: linearizable.
PLUMB_TEST(boost_queue) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.set("races", "allow");
  test.program().thread(enq(1), deq()).thread(enq(2), deq());
}

// empty() compares head and tail, read one after the other, without their
// tags.  A node that leaves the head and comes back at the tail in between
// makes the queue look empty, which it never was.  The manual says that the
// answer is of little use while others are at work.
PLUMB_TEST(boost_queue_empty) {
  auto queue = test.object<Queue, QueueModel>();
  auto enq = queue.operation("enq", PLUMB_METHOD(enq));
  auto deq = queue.operation("deq", PLUMB_METHOD(deq));
  auto is_empty = queue.operation("is_empty", PLUMB_METHOD(is_empty));
  test.set("races", "allow").expect("violated");
  test.program()
      .before(enq(1), enq(2))
      .thread(is_empty())
      .thread(deq(), enq(3));
}

// With a bound, an enqueue finds no free node if another one has taken it but
// not yet linked it, or a dequeue has not yet given it back: a queue of one,
// empty for all to see, refuses an item.
PLUMB_TEST(boost_queue_bounded) {
  auto [enq, deq] = queue_calls<BoundedQueue<1>>(test, "queue(1)");
  test.set("races", "allow").expect("violated");
  test.program().thread(enq(1), deq()).thread(enq(2));
}

// It is a queue that may refuse.
PLUMB_TEST(boost_queue_bounded_may_refuse) {
  auto [enq, deq] = queue_and_model<BoundedQueue<1>, WeakQueue<1>>(test);
  test.set("races", "allow");
  test.program().thread(enq(1), deq()).thread(enq(2), deq());
}

// A pop reads the next pointer of a node that another pop frees.
PLUMB_TEST(boost_stack_race) {
  auto [push, pop] = stack_calls<Stack>(test);
  test.expect("race");
  test.program().before(push(1)).thread(pop()).thread(pop());
}

// Treiber's stack with tags: linearizable.
PLUMB_TEST(boost_stack) {
  auto [push, pop] = stack_calls<Stack>(test);
  test.set("races", "allow");
  test.program().thread(push(1), pop()).thread(push(2), pop());
}

// The program that shows ABA where there are no tags (treiber_stack.cpp).
PLUMB_TEST(boost_stack_aba) {
  auto [push, pop] = stack_calls<Stack>(test);
  test.set("races", "allow");
  test.program()
      .before(push(1), push(2))
      .thread(pop())
      .thread(pop(), pop(), push(3))
      .after(pop(), pop());
}

// One thread enqueues, one dequeues: free of races, and linearizable for
// sequentially consistent memory.
PLUMB_TEST(boost_spsc_queue) {
  auto [enq, deq] = queue_calls<SpscQueue>(test, "queue(2)");
  test.memory("sc");
  enq.values(1, 2, 3).distinct();
  enq.only_by(0);
  deq.only_by(1);
  test.drain(deq()).programs(2, 3);
}

// Full for one, empty for the other: stores wait in buffers, on x86, too.
PLUMB_TEST(boost_spsc_queue_full_and_empty) {
  auto [enq, deq] = queue_calls<SpscQueue>(test, "queue(2)");
  test.expect("violated");
  test.program().thread(enq(1), enq(2), enq(3)).thread(deq(), deq());
}

// Two dequeue, which the manual forbids: both have the same item.
PLUMB_TEST(boost_spsc_queue_two_consumers) {
  auto [enq, deq] = queue_calls<SpscQueue>(test, "queue(2)");
  test.expect("violated");
  test.program().before(enq(1), enq(2)).thread(deq()).thread(deq());
}
#else
PLUMB_WITHOUT_LIBRARY(boost)
#endif
