// SPDX-License-Identifier: Apache-2.0
// Michael and Scott's queue: a linked list with a dummy at its head.
//
// Source: M. M. Michael, M. L. Scott, Simple, fast, and practical non-blocking
// and blocking concurrent queue algorithms, PODC 1996.
//
// Linearizable.  A dequeue of the empty queue takes effect where it read that
// nothing follows the head, but only if it finds out later that nothing has
// changed: its point depends on the future.
//
// The paper's counters (tags here) and its second looks at the head and the
// tail are there because cells are used again.  With a garbage collector the
// queue is right without them; with cells used again each of them is needed:
//   no tags            the head is the same cell as before, its next is not
//   no look at head    next was read from a cell that is free: "empty" though
//                      it never was
//   no look at tail    an item is linked behind a cell that is not in the queue
//   value read late    after the swap the cell may hold another value
//   empty early        head and tail are the same cell, but not at the same
//   time
//   next relaxed       who reads the null of a cell that is used again need not
//                      see that the head has changed: C++ allows it
#pragma once

#include <atomic>
#include <optional>

#include "memory.h"

struct MsOptions {
  bool tags = true;
  bool look_at_head_again = true;
  bool look_at_tail_again = true;
  bool value_after_swap = false;
  bool empty_early = false;  // before the second look at the head
  std::memory_order next = std::memory_order_release;  // of a fresh cell
};

template <typename Memory = Collected, MsOptions kOptions = MsOptions{}>
class MsQueue {
 public:
  MsQueue() {
    Node* dummy = make_node(0);
    head_.store(Link(dummy, 0), std::memory_order_relaxed);
    tail_.store(Link(dummy, 0), std::memory_order_relaxed);
  }
  ~MsQueue() {
    Node* node = head_.load(std::memory_order_relaxed).cell();
    while (node != nullptr) {
      Node* next = node->next.load(std::memory_order_relaxed).cell();
      Memory::put(node);
      node = next;
    }
  }

  void enq(int value) {
    Node* node = make_node(value);
    Link tail;
    while (true) {
      tail = tail_.load(std::memory_order_acquire);
      Link next = tail->next.load(std::memory_order_acquire);
      if (kOptions.look_at_tail_again &&
          tail != tail_.load(std::memory_order_acquire)) {
        continue;
      }
      if (next.cell() != nullptr) {
        swap(tail_, tail, next.cell());
      } else if (swap(tail->next, next, node)) {
        break;
      }
    }
    swap(tail_, tail, node);
  }

  std::optional<int> deq() {
    while (true) {
      const Link head = head_.load(std::memory_order_acquire);
      const Link tail = tail_.load(std::memory_order_acquire);
      if (kOptions.empty_early && head.cell() == tail.cell()) {
        return std::nullopt;
      }
      const Link next = head->next.load(std::memory_order_acquire);
      if (kOptions.look_at_head_again &&
          head != head_.load(std::memory_order_acquire)) {
        continue;
      }
      if (head.cell() == tail.cell()) {
        if (next.cell() == nullptr) return std::nullopt;
        swap(tail_, tail, next.cell());
        continue;
      }
      if (const auto value = take(head, next.cell())) return value;
    }
  }

 private:
  struct Node;
  using Link = Tagged<Node>;
  // Atomic, as a cell that is used again may still be read by a slow thread.
  struct Node {
    std::atomic<int> value;
    std::atomic<Link> next{Link()};
    Node* next_free;
  };

  // The tag of `next` lives as long as the cell.
  static Node* make_node(int value) {
    Node* node = Memory::template get<Node>();
    node->value.store(value, std::memory_order_relaxed);
    const Link next = node->next.load(std::memory_order_relaxed);
    node->next.store(Link(nullptr, next.tag()), kOptions.next);
    return node;
  }

  static bool swap(std::atomic<Link>& link, Link from, Node* to) {
    const Link with_tag(to, from.tag() + (kOptions.tags ? 1 : 0));
    return link.compare_exchange_strong(
        from, with_tag, std::memory_order_acq_rel, std::memory_order_relaxed);
  }

  std::optional<int> take(Link head, Node* next) {
    int value = 0;
    if (!kOptions.value_after_swap) {
      value = next->value.load(std::memory_order_relaxed);
    }
    if (!swap(head_, head, next)) return std::nullopt;
    if (kOptions.value_after_swap) {
      value = next->value.load(std::memory_order_relaxed);
    }
    Memory::put(head.cell());
    return value;
  }

  std::atomic<Link> head_, tail_;
};
