// SPDX-License-Identifier: Apache-2.0
// Michael and Scott's queue with two locks: one for each end.
//
// Source: M. M. Michael, M. L. Scott, Simple, fast, and practical non-blocking
// and blocking concurrent queue algorithms, PODC 1996.
//
// The dummy at the head keeps the ends apart, so an enqueue and a dequeue meet
// only at the link of the last node, which is atomic.  Linearizable, and nodes
// can be deleted at once: nobody else looks at the one that is taken off.
// Without the lock of the dequeues, two of them have the same item.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "memory.h"

template <typename Memory = Deleted, bool kLockHead = true>
class TwoLockQueue {
 public:
  TwoLockQueue() : head_(Memory::template get<Node>()), tail_(head_) {}
  ~TwoLockQueue() {
    for (Node* node = head_; node != nullptr;) {
      Node* next = node->next.load(std::memory_order_relaxed);
      Memory::put(node);
      node = next;
    }
  }

  void enq(int value) {
    Node* node = Memory::template get<Node>();
    node->value = value;
    const std::lock_guard guard(tail_lock_);
    tail_->next.store(node, std::memory_order_release);
    tail_ = node;
  }

  std::optional<int> deq() {
    if (kLockHead) head_lock_.lock();
    Node* head = head_.load(std::memory_order_relaxed);
    Node* next = head->next.load(std::memory_order_acquire);
    std::optional<int> value;
    if (next != nullptr) {
      value = next->value;
      head_.store(next, std::memory_order_relaxed);
    }
    if (kLockHead) head_lock_.unlock();
    if (next != nullptr) Memory::put(head);
    return value;
  }

 private:
  struct Node {
    int value = 0;
    std::atomic<Node*> next{nullptr};
  };

  std::mutex head_lock_, tail_lock_;
  // Atomic for the sake of the variant without its lock.
  std::atomic<Node*> head_;
  Node* tail_;
};
