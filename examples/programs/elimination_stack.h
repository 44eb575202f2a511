// SPDX-License-Identifier: Apache-2.0
// The elimination back-off stack: a push and a pop that meet need no stack.
//
// Source: D. Hendler, N. Shavit, L. Yerushalmi, A scalable lock-free stack
// algorithm, SPAA 2004; over Treiber's stack.  Here with one place to meet at,
// as an exchanger (M. Herlihy, N. Shavit, The Art of Multiprocessor
// Programming, 2008, chapter 11).
//
// A push that lost at the top leaves its node at the place, looks once and
// takes it back; a pop that lost at the top takes what lies there.  Then the
// push takes effect at the step of the pop, right before it.  Linearizable.  An
// eager call goes to the place at once, which shows with two threads what else
// needs three.
//
// If nodes are used again and a pop reads the item before it takes the node,
// the node may be the same and its item another: ABA.
#pragma once

#include <plumb/test.h>

#include <atomic>
#include <optional>

#include "memory.h"

template <typename Memory = Collected, bool kReadEarly = false>
class EliminationStack {
 public:
  void push(int value) {
    Node* node = Memory::template get<Node>();
    node->value.store(value, std::memory_order_relaxed);
    bool eager = plumb::choose(2) == 1;
    while (true) {
      if (!eager && try_push(node)) return;
      eager = false;
      if (hand_over(node)) return;
    }
  }

  std::optional<int> pop() {
    bool eager = plumb::choose(2) == 1;
    while (true) {
      if (!eager) {
        Top top = top_.load(std::memory_order_acquire);
        if (top.cell() == nullptr) return std::nullopt;
        Node* next = top->next.load(std::memory_order_relaxed);
        if (top_.compare_exchange_strong(top, Top(next, top.tag()),
                                         std::memory_order_acquire,
                                         std::memory_order_relaxed)) {
          return value_of(top.cell());
        }
      }
      eager = false;
      if (const auto value = take_over()) return value;
    }
  }

 private:
  struct Node {
    std::atomic<int> value{0};
    std::atomic<Node*> next{nullptr};
    Node* next_free;
  };
  using Top = Tagged<Node>;  // with a tag, so that the stack itself is right

  static int value_of(Node* node) {
    const int value = node->value.load(std::memory_order_relaxed);
    Memory::put(node);
    return value;
  }

  bool try_push(Node* node) {
    Top top = top_.load(std::memory_order_relaxed);
    node->next.store(top.cell(), std::memory_order_relaxed);
    return top_.compare_exchange_strong(top, Top(node, top.tag() + 1),
                                        std::memory_order_release,
                                        std::memory_order_relaxed);
  }

  // Leaves the node at the place and takes it back; true if somebody has it.
  bool hand_over(Node* node) {
    Node* nobody = nullptr;
    if (!place_.compare_exchange_strong(nobody, node, std::memory_order_release,
                                        std::memory_order_relaxed)) {
      return false;
    }
    Node* mine = node;
    if (place_.compare_exchange_strong(mine, nullptr, std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
      return false;
    }
    place_.store(nullptr, std::memory_order_release);
    return true;
  }

  std::optional<int> take_over() {
    Node* node = place_.load(std::memory_order_acquire);
    if (node == nullptr || node == &taken_) return std::nullopt;
    const int early = node->value.load(std::memory_order_relaxed);
    if (!place_.compare_exchange_strong(node, &taken_,
                                        std::memory_order_acq_rel,
                                        std::memory_order_relaxed)) {
      return std::nullopt;
    }
    const int late = value_of(node);
    return kReadEarly ? early : late;
  }

  std::atomic<Top> top_{Top()};
  // Null: nobody is here.  &taken_: the push has not yet seen that it was met.
  std::atomic<Node*> place_{nullptr};
  Node taken_;
};
