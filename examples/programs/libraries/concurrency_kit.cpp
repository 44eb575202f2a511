// SPDX-License-Identifier: Apache-2.0
// ConcurrencyKit: ck_ring, ck_fifo and ck_stack, all three in C.
//
// Nodes are used once; concurrency_kit_again.cpp uses them again.
#include <cstdint>

#include "../calls.h"
#include "library.h"

#if __has_include(<ck_ring.h>)
#include "ck_portable.h"

namespace {

void* to_pointer(int item) {
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(item));
}
int to_item(void* pointer) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(pointer));
}

// A ring of so many slots holds one item less.
template <unsigned kSlots>
struct Ring {
  ck_ring ring;
  ck_ring_buffer slots[kSlots];

  Ring() { ck_ring_init(&ring, kSlots); }
};
template <unsigned kSlots>
struct ManyToMany : Ring<kSlots> {
  bool enq(int item) {
    return ck_ring_enqueue_mpmc(&this->ring, this->slots, to_pointer(item));
  }
  std::optional<int> deq() {
    void* item = nullptr;
    const bool found = ck_ring_dequeue_mpmc(&this->ring, this->slots, &item);
    return given(found, to_item(item));
  }
};
struct ManyToManyTrying : ManyToMany<4> {
  std::optional<int> deq() {
    void* item = nullptr;
    const bool found = ck_ring_trydequeue_mpmc(&ring, slots, &item);
    return given(found, to_item(item));
  }
};
struct OneToOne : Ring<2> {
  bool enq(int item) {
    return ck_ring_enqueue_spsc(&ring, slots, to_pointer(item));
  }
  std::optional<int> deq() {
    void* item = nullptr;
    const bool found = ck_ring_dequeue_spsc(&ring, slots, &item);
    return given(found, to_item(item));
  }
};

struct Fifo {
  ck_fifo_mpmc fifo;

  Fifo() { ck_fifo_mpmc_init(&fifo, new ck_fifo_mpmc_entry()); }
  void enq(int item) {
    ck_fifo_mpmc_enqueue(&fifo, new ck_fifo_mpmc_entry(), to_pointer(item));
  }
  std::optional<int> deq() {
    void* item = nullptr;
    ck_fifo_mpmc_entry* old = nullptr;
    const bool found = ck_fifo_mpmc_dequeue(&fifo, &item, &old);
    return given(found, to_item(item));
  }
};
// The producer uses again what the consumer has left behind.
struct FifoOneToOne {
  ck_fifo_spsc fifo;

  FifoOneToOne() { ck_fifo_spsc_init(&fifo, new ck_fifo_spsc_entry()); }
  void enq(int item) {
    ck_fifo_spsc_entry* entry = ck_fifo_spsc_recycle(&fifo);
    if (entry == nullptr) entry = new ck_fifo_spsc_entry();
    ck_fifo_spsc_enqueue(&fifo, entry, to_pointer(item));
  }
  std::optional<int> deq() {
    void* item = nullptr;
    const bool found = ck_fifo_spsc_dequeue(&fifo, &item);
    return given(found, to_item(item));
  }
};

struct Stack {
  struct Entry {
    ck_stack_entry entry;
    int item;
  };
  ck_stack stack = CK_STACK_INITIALIZER;

  void push(int item) {
    ck_stack_push_upmc(&stack, &(new Entry{{}, item})->entry);
  }
  std::optional<int> pop() {
    ck_stack_entry* entry = ck_stack_pop_upmc(&stack);
    if (entry == nullptr) return std::nullopt;
    return reinterpret_cast<Entry*>(entry)->item;
  }
};

}  // namespace

// An enqueue reserves a slot before its item can be seen: another one finds
// the ring full where a dequeue finds it empty.
PLUMB_TEST(ck_ring_mpmc) {
  auto [enq, deq] = queue_calls<ManyToMany<2>>(test, "queue(1)");
  test.expect("violated");
  test.program().thread(enq(1), deq()).thread(enq(2));
}

// It is a queue that may refuse ...
PLUMB_TEST(ck_ring_mpmc_may_refuse) {
  test.memory("sc");  // its numbers are volatile: to C++, races
  auto [enq, deq] = queue_and_model<ManyToMany<2>, WeakQueue<1>>(test);
  test.program().thread(enq(1), deq()).thread(enq(2));
}

// ... and a queue as long as there is room.
PLUMB_TEST(ck_ring_mpmc_with_room) {
  test.memory("sc");  // its numbers are volatile: to C++, races
  auto [enq, deq] = queue_calls<ManyToMany<4>>(test, "queue(3)");
  test.program().thread(enq(1), deq()).thread(enq(2), deq());
}

// A dequeue copies an item before it has it.  If others take that item and
// fill the slot again, copy and fill are a data race; the copy is thrown away.
PLUMB_TEST(ck_ring_mpmc_race) {
  auto [enq, deq] = queue_calls<ManyToMany<2>>(test, "queue(1)");
  test.expect("race");
  test.program().before(enq(1)).thread(deq()).thread(deq(), enq(2), deq(),
                                                     enq(3));
}

// A try gives up when another one was faster, with an item left.
PLUMB_TEST(ck_ring_mpmc_trydequeue) {
  auto [enq, deq] = queue_calls<ManyToManyTrying>(test, "queue(3)");
  test.expect("violated");
  test.program().before(enq(1), enq(2)).thread(deq()).thread(deq());
}
PLUMB_TEST(ck_ring_mpmc_trydequeue_may_miss) {
  test.memory("sc");  // its numbers are volatile: to C++, races
  auto [enq, deq] = queue_and_model<ManyToManyTrying, WeakQueue<3, true>>(test);
  test.program().before(enq(1), enq(2)).thread(deq()).thread(deq(), enq(3));
}

// One thread enqueues, one dequeues: linearizable.
PLUMB_TEST(ck_ring_spsc) {
  test.memory("sc");  // its numbers are volatile: to C++, races
  auto [enq, deq] = queue_calls<OneToOne>(test, "queue(1)");
  enq.values(1, 2, 3).distinct();
  enq.only_by(0);
  deq.only_by(1);
  test.drain(deq()).programs(2, 3);
}

// Michael and Scott's queue, counts beside its pointers: linearizable.
PLUMB_TEST(ck_fifo_mpmc) {
  auto [enq, deq] = queue_calls<Fifo>(test);
  test.set("leaks", "allow");
  test.program().thread(enq(1), deq()).thread(enq(2), deq());
}

// One thread enqueues, one dequeues: linearizable.
PLUMB_TEST(ck_fifo_spsc) {
  auto [enq, deq] = queue_calls<FifoOneToOne>(test);
  enq.values(1, 2, 3).distinct();
  enq.only_by(0);
  deq.only_by(1);
  test.set("leaks", "allow").drain(deq()).programs(2, 3);
}

// Treiber's stack: linearizable as long as an entry is pushed once.
PLUMB_TEST(ck_stack_upmc) {
  auto [push, pop] = stack_calls<Stack>(test);
  push.values(1, 2, 3, 4).distinct();
  test.set("leaks", "allow").drain(pop()).programs(2, 2);
}
#else
PLUMB_WITHOUT_LIBRARY(concurrency_kit)
#endif
