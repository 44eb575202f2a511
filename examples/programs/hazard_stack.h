// SPDX-License-Identifier: Apache-2.0
// Treiber's stack with hazard pointers, so that nodes can be freed.
//
// Source: M. M. Michael, Hazard pointers: safe memory reclamation for lock-free
// objects, IEEE TPDS 15(6), 2004.
//
// Before a pop reads a node it says so in its hazard pointer, and looks again
// whether the node is still on top: from then on whoever takes the node out
// sees the hazard and keeps the node.  Linearizable, no node is freed too
// early, and a node that a hazard points to cannot come back: no ABA.
//
// Without the second look the node may be freed between its being found and
// its being protected.  The same happens if the swap that takes a node out is
// not seq_cst: who takes it out need not see the hazard then, though the other
// one announced it and looked again.
#pragma once

#include <atomic>
#include <optional>

#include "thread_slots.h"

template <bool kLookAgain = true,
          std::memory_order kTakeOut = std::memory_order_seq_cst>
class HazardStack {
 public:
  // Nobody else is there any more.
  ~HazardStack() {
    free_list(top_.load(std::memory_order_relaxed), &Node::next);
    Slots::for_each([](Hazard& slot) {
      free_list(slot.retired, &Node::next_retired);
      slot.retired = nullptr;
    });
  }

  void push(int value) {
    auto* node = new Node{value, top_.load(std::memory_order_relaxed)};
    while (!top_.compare_exchange_weak(node->next, node,
                                       std::memory_order_release,
                                       std::memory_order_relaxed)) {
    }
  }

  std::optional<int> pop() {
    Hazard& hazard = Slots::mine();
    while (true) {
      Node* top = top_.load(std::memory_order_acquire);
      if (top == nullptr) return std::nullopt;
      hazard.pointer.store(top, std::memory_order_seq_cst);
      if (kLookAgain && top != top_.load(std::memory_order_seq_cst)) continue;
      if (!top_.compare_exchange_strong(top, top->next, kTakeOut,
                                        std::memory_order_relaxed)) {
        continue;
      }
      hazard.pointer.store(nullptr, std::memory_order_release);
      const int value = top->value;
      retire(hazard, top);
      return value;
    }
  }

 private:
  struct Node {
    int value;
    Node* next;
    Node* next_retired = nullptr;
  };
  struct Hazard {
    std::atomic<Node*> pointer{nullptr};
    Node* retired = nullptr;  // taken out by this thread, not yet freed
  };
  using Slots = ThreadSlots<Hazard>;

  static void free_list(Node* node, Node* Node::*link) {
    while (node != nullptr) {
      Node* next = node->*link;
      delete node;
      node = next;
    }
  }

  static bool is_protected(const Node* node) {
    bool found = false;
    Slots::for_each([&](Hazard& slot) {
      if (slot.pointer.load(std::memory_order_seq_cst) == node) found = true;
    });
    return found;
  }

  // Frees all that nobody protects.
  static void retire(Hazard& mine, Node* node) {
    node->next_retired = mine.retired;
    mine.retired = nullptr;
    while (node != nullptr) {
      Node* next = node->next_retired;
      if (is_protected(node)) {
        node->next_retired = mine.retired;
        mine.retired = node;
      } else {
        delete node;
      }
      node = next;
    }
  }

  std::atomic<Node*> top_{nullptr};
};
