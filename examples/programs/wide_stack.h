// SPDX-License-Identifier: Apache-2.0
// Treiber's stack with a tag beside its top, swapped as 16 bytes.
//
// Source: R. K. Treiber, Systems programming: coping with parallelism, IBM RJ
// 5118, 1986; the IBM System/370 had the double compare-and-swap for it.
//
// A whole word of tag never comes round in practice, and pointers keep all
// their bits.  Nodes come from an array and are used again by index, the last
// one first.  Linearizable; without raising the tag, ABA (treiber_stack.h).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

template <bool kRaise = true>
class WideStack {
 public:
  WideStack() {
    for (Node& node : nodes_) push_node(free_, &node);
  }

  // False if there is no node left.
  bool push(int value) {
    Node* node = pop_node(free_);
    if (node == nullptr) return false;
    node->value.store(value, std::memory_order_relaxed);
    push_node(top_, node);
    return true;
  }

  std::optional<int> pop() {
    Node* node = pop_node(top_);
    if (node == nullptr) return std::nullopt;
    const int value = node->value.load(std::memory_order_relaxed);
    push_node(free_, node);
    return value;
  }

 private:
  // Atomic, as a node that is used again may still be read by a slow pop.
  struct Node {
    std::atomic<int> value{0};
    std::atomic<Node*> next{nullptr};
  };
  struct alignas(16) Top {
    Node* node = nullptr;
    std::uint64_t tag = 0;
  };
  static_assert(sizeof(Top) == 16);

  static void push_node(std::atomic<Top>& list, Node* node) {
    Top top = list.load(std::memory_order_acquire);
    do {
      node->next.store(top.node, std::memory_order_relaxed);
    } while (!list.compare_exchange_weak(top, Top{node, top.tag},
                                         std::memory_order_acq_rel,
                                         std::memory_order_acquire));
  }

  static Node* pop_node(std::atomic<Top>& list) {
    Top top = list.load(std::memory_order_acquire);
    while (top.node != nullptr) {
      Node* next = top.node->next.load(std::memory_order_relaxed);
      if (list.compare_exchange_weak(top, Top{next, top.tag + (kRaise ? 1 : 0)},
                                     std::memory_order_acq_rel,
                                     std::memory_order_acquire)) {
        return top.node;
      }
    }
    return nullptr;
  }

  std::array<Node, 3> nodes_;
  std::atomic<Top> top_{Top{}}, free_{Top{}};
};
