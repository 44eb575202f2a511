// SPDX-License-Identifier: Apache-2.0
// The random dequeue queue: takes any of the kWindow oldest items.
//
// Source: Y. Afek, G. Korland, E. Yanovsky, Quasi-linearizability: relaxed
// consistency for improved concurrency, OPODIS 2010; enqueues as in Michael and
// Scott's queue (PODC 1996).
//
// Items are numbered as they are put in.  A dequeue looks for the oldest item
// that is not taken; the items whose numbers lie in the same kWindow as its own
// form the window, of which it takes any.  So a window is emptied before the
// next one is touched: quasi(deq=kWindow-1).
//
// Without windows, any of the kWindow oldest at the time of the dequeue: each
// dequeue is out of order by at most kWindow - 1, but an item may be overtaken
// again and again, and no factor is enough.
#pragma once

#include <plumb/test.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

template <std::uint32_t kWindow, bool kClosed = true>
class RandomDequeueQueue {
 public:
  RandomDequeueQueue() : first_(new Node(0)) {
    head_.store(first_, std::memory_order_relaxed);
    tail_.store(first_, std::memory_order_relaxed);
    first_->taken.store(true, std::memory_order_relaxed);
  }
  ~RandomDequeueQueue() {
    while (first_ != nullptr) {
      Node* next = first_->next.load(std::memory_order_relaxed);
      delete first_;
      first_ = next;
    }
  }

  void enq(int value) {
    auto* node = new Node(value);
    Node* tail = tail_.load(std::memory_order_acquire);
    while (true) {
      Node* next = nullptr;
      node->number = tail->number + 1;
      if (tail->next.compare_exchange_strong(next, node,
                                             std::memory_order_acq_rel,
                                             std::memory_order_acquire)) {
        break;
      }
      if (tail_.compare_exchange_strong(tail, next, std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
        tail = next;
      }
    }
    tail_.compare_exchange_strong(tail, node, std::memory_order_acq_rel,
                                  std::memory_order_relaxed);
  }

  std::optional<int> deq() {
    while (true) {
      Node* oldest = find_oldest();
      if (oldest == nullptr) return std::nullopt;
      Node* node = choose_from(oldest);
      if (!node->taken.exchange(true, std::memory_order_acq_rel)) {
        return node->value;
      }
    }
  }

 private:
  struct Node {
    explicit Node(int item) : value(item) {}

    const int value;
    std::uint32_t number = 0;  // not changed once it is linked
    std::atomic<bool> taken{false};
    std::atomic<Node*> next{nullptr};
  };

  // The first item that is not taken; null if all are.  Moves the head there.
  Node* find_oldest() {
    Node* head = head_.load(std::memory_order_acquire);
    Node* node = head;
    while (node->taken.load(std::memory_order_acquire)) {
      Node* next = node->next.load(std::memory_order_acquire);
      if (next == nullptr) return nullptr;
      node = next;
    }
    if (node != head) {
      head_.compare_exchange_strong(head, node, std::memory_order_acq_rel,
                                    std::memory_order_relaxed);
    }
    return node;
  }

  static bool in_same_window(const Node& a, const Node& b) {
    return (a.number - 1) / kWindow == (b.number - 1) / kWindow;
  }

  // Any of the items in the window of the oldest that are not taken.
  static Node* choose_from(Node* oldest) {
    std::array<Node*, kWindow> found{oldest};
    std::uint32_t count = 1;
    Node* node = oldest->next.load(std::memory_order_acquire);
    while (count < kWindow && node != nullptr &&
           (!kClosed || in_same_window(*oldest, *node))) {
      if (!node->taken.load(std::memory_order_acquire)) found[count++] = node;
      node = node->next.load(std::memory_order_acquire);
    }
    return found[count > 1 ? plumb::choose(count) : 0];
  }

  std::atomic<Node*> head_, tail_;
  Node* first_;  // of all there ever were
};
