// SPDX-License-Identifier: Apache-2.0
// ConcurrencyKit: ck_stack and ck_fifo where nodes are used again.
//
// Races are allowed: a slow thread may read a node while another one writes it
// for its next use.  Counts are there to notice it.
#include <vector>

#include "../calls.h"
#include "library.h"

#if __has_include(<ck_stack.h>)
#include "ck_portable.h"

namespace {

// Nodes that a thread got rid of; it uses them again, the first one first.
template <typename Node>
struct Spare {
  static thread_local std::vector<Node*> nodes;

  static Node* take() {
    if (nodes.empty()) return new Node();
    Node* node = nodes.front();
    nodes.erase(nodes.begin());
    return node;
  }
};
template <typename Node>
thread_local std::vector<Node*> Spare<Node>::nodes;

struct Fifo {
  ck_fifo_mpmc fifo;

  Fifo() { ck_fifo_mpmc_init(&fifo, new ck_fifo_mpmc_entry()); }
  void enq(int item) {
    ck_fifo_mpmc_enqueue(&fifo, Spare<ck_fifo_mpmc_entry>::take(),
                         new int(item));
  }
  std::optional<int> deq() {
    int* item = nullptr;
    ck_fifo_mpmc_entry* old = nullptr;
    if (!ck_fifo_mpmc_dequeue(&fifo, &item, &old)) return std::nullopt;
    Spare<ck_fifo_mpmc_entry>::nodes.push_back(old);
    return *item;
  }
};

struct Entry {
  ck_stack_entry entry;
  int item;
};
int let_go(ck_stack_entry* popped) {
  auto* entry = reinterpret_cast<Entry*>(popped);
  const int item = entry->item;
  Spare<Entry>::nodes.push_back(entry);
  return item;
}

struct Stack {
  alignas(16) ck_stack stack = CK_STACK_INITIALIZER;

  void push(int item) {
    Entry* entry = Spare<Entry>::take();
    entry->item = item;
    ck_stack_push_mpmc(&stack, &entry->entry);
  }
  std::vector<int> pop_all() {
    std::vector<int> items;
    ck_stack_entry* at = ck_stack_batch_pop_mpmc(&stack);
    while (at != nullptr) {
      ck_stack_entry* next = CK_STACK_NEXT(at);
      items.push_back(let_go(at));
      at = next;
    }
    return items;
  }
};
// "UPMC": for entries that are pushed once.
struct StackForUnique : Stack {
  std::optional<int> pop() {
    ck_stack_entry* entry = ck_stack_pop_upmc(&stack);
    return entry == nullptr ? std::nullopt : std::optional(let_go(entry));
  }
};
// "MPMC": any thread may push any entry, again and again.
struct StackForAll : Stack {
  std::optional<int> pop() {
    ck_stack_entry* entry = ck_stack_pop_mpmc(&stack);
    return entry == nullptr ? std::nullopt : std::optional(let_go(entry));
  }
};

struct StackModel {
  std::vector<int> items;
  bool operator==(const StackModel&) const = default;

  void push(int item) { items.push_back(item); }
  std::optional<int> pop() {
    if (items.empty()) return std::nullopt;
    const int item = items.back();
    items.pop_back();
    return item;
  }
  std::vector<int> pop_all() {
    std::vector<int> all(items.rbegin(), items.rend());
    items.clear();
    return all;
  }
};

template <typename Tested>
void slow_pop(plumb::Test& test) {
  auto [push, pop] = stack_calls<Tested>(test);
  test.set("races", "allow").set("leaks", "allow");
  test.program()
      .before(push(1), push(2))
      .thread(pop())
      .thread(pop(), pop(), push(3))
      .after(pop(), pop());
}

}  // namespace

// Counts beside the pointers: linearizable.
PLUMB_TEST(ck_fifo_mpmc_again) {
  auto [enq, deq] = queue_calls<Fifo>(test);
  test.set("races", "allow").set("leaks", "allow");
  test.program()
      .before(enq(1))
      .thread(deq())
      .thread(deq(), enq(2))
      .after(deq(), deq());
}

// ABA, as the manual says.
PLUMB_TEST(ck_stack_upmc_again) {
  slow_pop<StackForUnique>(test);
  test.expect("violated");
}

// A count that every pop raises: linearizable.
PLUMB_TEST(ck_stack_mpmc_again) {
  slow_pop<StackForAll>(test);
}

// A bug.  A pop of all does not raise the count ("NULL does not need a
// generation count"), so a slow pop does not notice that all are gone and the
// first of them is back: the entry below it, long popped, is on top again.
PLUMB_TEST(ck_stack_mpmc_batch_pop) {
  auto stack = test.object<StackForAll, StackModel>();
  auto push = stack.operation("push", PLUMB_METHOD(push));
  auto pop = stack.operation("pop", PLUMB_METHOD(pop));
  auto pop_all = stack.operation("pop_all", PLUMB_METHOD(pop_all));
  test.set("races", "allow").set("leaks", "allow").expect("violated");
  test.program()
      .before(push(1), push(2))
      .thread(pop())
      .thread(pop_all(), push(3))
      .after(pop(), pop());
}
#else
PLUMB_WITHOUT_LIBRARY(concurrency_kit)
#endif
