// SPDX-License-Identifier: Apache-2.0
// Treiber's stack: a linked list whose top is swapped.
//
// Source: R. K. Treiber, Systems programming: coping with parallelism, IBM RJ
// 5118, 1986.
//
// Linearizable while no cell that somebody still looks at is used again: with a
// garbage collector, or with a tag beside the top that every push raises.  A
// pop takes effect at its swap, or where it reads an empty top.
//
// With cells used again and no tag it is the textbook case of ABA: a slow pop
// has read the top A and what is below it, B; A and B are popped, A is pushed
// again; the top is the same as before, so the swap succeeds and leaves B on
// top, which is free.
#pragma once

#include <atomic>
#include <optional>

#include "memory.h"

struct TreiberOptions {
  bool tag = false;
  bool swap = true;  // a pop swaps the top; false: writes it
};

template <typename Memory = Collected,
          TreiberOptions kOptions = TreiberOptions{}>
class TreiberStack {
 public:
  ~TreiberStack() {
    Node* node = top_.load(std::memory_order_relaxed).cell();
    while (node != nullptr) {
      Node* next = node->next.load(std::memory_order_relaxed);
      Memory::put(node);
      node = next;
    }
  }

  void push(int value) {
    Node* node = Memory::template get<Node>();
    node->value.store(value, std::memory_order_relaxed);
    Top top = top_.load(std::memory_order_relaxed);
    do {
      node->next.store(top.cell(), std::memory_order_relaxed);
    } while (!top_.compare_exchange_weak(
        top, Top(node, top.tag() + (kOptions.tag ? 1 : 0)),
        std::memory_order_release, std::memory_order_relaxed));
  }

  std::optional<int> pop() {
    Top top = top_.load(std::memory_order_acquire);
    while (top.cell() != nullptr) {
      Node* next = top->next.load(std::memory_order_relaxed);
      if (move_top(top, Top(next, top.tag()))) {
        const int value = top->value.load(std::memory_order_relaxed);
        Memory::put(top.cell());
        return value;
      }
    }
    return std::nullopt;
  }

 private:
  // Atomic, as a cell that is used again may still be read by a slow pop.
  struct Node {
    std::atomic<int> value;
    std::atomic<Node*> next;
    Node* next_free;
  };
  using Top = Tagged<Node>;

  bool move_top(Top& from, Top to) {
    if constexpr (!kOptions.swap) {
      top_.store(to, std::memory_order_release);
      return true;
    }
    return top_.compare_exchange_weak(from, to, std::memory_order_acquire,
                                      std::memory_order_acquire);
  }

  std::atomic<Top> top_{Top()};
};
