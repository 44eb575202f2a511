// SPDX-License-Identifier: Apache-2.0
// liburcu: cds_wfcq, a queue with wait-free enqueue, and cds_lfs, a stack.
//
// Its atomics and fences for x86 are assembly, which nobody sees: the portable
// ones take their place.  It links nodes by volatile accesses and counts on the
// hardware to order them; C++ is told the orders: release and consume.
#include "../calls.h"
#include "library.h"

#if __has_include(<urcu/wfcqueue.h>)
#define _URCU_ARCH_X86_H
#define CAA_CACHE_LINE_SIZE 128
#include <urcu/compiler.h>
#include <urcu/config.h>
#include <urcu/syscall-compat.h>

#include <urcu/arch/generic.h>
#include <urcu/system.h>
#undef CMM_LOAD_SHARED
#undef _CMM_LOAD_SHARED
#undef CMM_STORE_SHARED
#define CMM_LOAD_SHARED(from) __atomic_load_n(&(from), __ATOMIC_CONSUME)
#define _CMM_LOAD_SHARED(from) CMM_LOAD_SHARED(from)
#define CMM_STORE_SHARED(to, value) \
  __atomic_store_n(&(to), (value), __ATOMIC_RELEASE)
#define _URCU_ARCH_UATOMIC_X86_H
#define UATOMIC_HAS_ATOMIC_BYTE
#define UATOMIC_HAS_ATOMIC_SHORT
#include <urcu/uatomic/generic.h>
#define _LGPL_SOURCE
// C has unions that any of their members turns into; C++ needs these two.
struct cds_lfs_head* ___cds_lfs_pop_all(struct cds_lfs_stack* stack);
struct cds_lfs_node* ___cds_lfs_pop(struct cds_lfs_stack* stack);
#include <urcu/lfstack.h>
#include <urcu/wfcqueue.h>

cds_lfs_head* ___cds_lfs_pop_all(cds_lfs_stack* stack) {
  return ___cds_lfs_pop_all(cds_lfs_stack_ptr_t{.s = stack});
}
cds_lfs_node* ___cds_lfs_pop(cds_lfs_stack* stack) {
  return ___cds_lfs_pop(cds_lfs_stack_ptr_t{.s = stack});
}

namespace {

struct QueueNode {
  cds_wfcq_node node;
  int item;
};

class Queue {
 public:
  Queue() { cds_wfcq_init(&head_, &tail_); }
  ~Queue() { cds_wfcq_destroy(&head_, &tail_); }

  void enq(int item) {
    auto* node = new QueueNode();
    node->item = item;
    cds_wfcq_node_init(&node->node);
    cds_wfcq_enqueue(cds_wfcq_head_cast(&head_), &tail_, &node->node);
  }
  std::optional<int> deq() {
    // As cds_wfcq_dequeue_blocking() does, but for its counting to ten.
    cds_wfcq_dequeue_lock(&head_, &tail_);
    cds_wfcq_node* found;
    do {
      found =
          __cds_wfcq_dequeue_nonblocking(cds_wfcq_head_cast(&head_), &tail_);
    } while (found == CDS_WFCQ_WOULDBLOCK);
    cds_wfcq_dequeue_unlock(&head_, &tail_);
    return item_of(found);
  }

 protected:
  static std::optional<int> item_of(cds_wfcq_node* found) {
    if (found == nullptr) return std::nullopt;
    auto* node = reinterpret_cast<QueueNode*>(found);
    const int item = node->item;
    delete node;
    return item;
  }

  cds_wfcq_head head_;
  cds_wfcq_tail tail_;
};

// A dequeue that would have to wait finds nothing.
class ImpatientQueue : public Queue {
 public:
  std::optional<int> deq() {
    cds_wfcq_node* found =
        __cds_wfcq_dequeue_nonblocking(cds_wfcq_head_cast(&head_), &tail_);
    if (found == CDS_WFCQ_WOULDBLOCK) return std::nullopt;
    return item_of(found);
  }
};

struct StackNode {
  cds_lfs_node node;
  int item;
};

template <bool kLock>
class Stack {
 public:
  Stack() { cds_lfs_init(&stack_); }
  ~Stack() { cds_lfs_destroy(&stack_); }

  void push(int item) {
    auto* node = new StackNode();
    node->item = item;
    cds_lfs_node_init(&node->node);
    cds_lfs_push({.s = &stack_}, &node->node);
  }
  std::optional<int> pop() {
    cds_lfs_node* found =
        kLock ? cds_lfs_pop_blocking(&stack_) : __cds_lfs_pop(&stack_);
    if (found == nullptr) return std::nullopt;
    auto* node = reinterpret_cast<StackNode*>(found);
    const int item = node->item;
    delete node;
    return item;
  }

 private:
  cds_lfs_stack stack_;
};

}  // namespace

// An enqueue swaps the tail, then links its node; a dequeue that comes in
// between waits for the link: linearizable.
PLUMB_TEST(urcu_queue) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.program().thread(enq(1), deq()).thread(enq(2), deq());
}

PLUMB_TEST(urcu_queue_generated) {
  auto [enq, deq] = queue_calls<Queue>(test);
  enq.values(1, 2, 3, 4).distinct();
  test.drain(deq()).programs(2, 2);
}

// A dequeue that does not wait finds nothing where the first enqueue is not
// done but the second is.
PLUMB_TEST(urcu_queue_nonblocking) {
  auto [enq, deq] = queue_calls<ImpatientQueue>(test);
  test.set("leaks", "allow").expect("violated");
  test.program().thread(enq(1)).thread(enq(2), deq());
}

// Pops take a lock, pushes do not: linearizable, also with nodes used again.
PLUMB_TEST(urcu_stack) {
  auto [push, pop] = stack_calls<Stack<true>>(test);
  test.program()
      .before(push(1), push(2))
      .thread(pop())
      .thread(pop(), pop(), push(3))
      .after(pop(), pop());
}

PLUMB_TEST(urcu_stack_generated) {
  auto [push, pop] = stack_calls<Stack<true>>(test);
  push.values(1, 2, 3, 4).distinct();
  test.drain(pop()).programs(2, 2);
}

// Two pops without the lock, or a grace period before a node is used again,
// which the manual asks for: one reads a node that the other deletes ...
PLUMB_TEST(urcu_stack_without_lock) {
  auto [push, pop] = stack_calls<Stack<false>>(test);
  test.expect("race");
  test.program().before(push(1)).thread(pop()).thread(pop());
}
// ... and ABA.
PLUMB_TEST(urcu_stack_without_lock_aba) {
  auto [push, pop] = stack_calls<Stack<false>>(test);
  test.set("races", "allow").set("heap", "fifo").expect("violated");
  test.program()
      .before(push(1), push(2))
      .thread(pop())
      .thread(pop(), pop(), push(3))
      .after(pop(), pop());
}
#else
PLUMB_WITHOUT_LIBRARY(liburcu)
#endif
