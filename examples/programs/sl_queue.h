// SPDX-License-Identifier: Apache-2.0
// The sl-queue: a linked queue for one thread, called by several.
//
// Source: the single-list queue of the Scal suite (C. M. Kirsch et al.), a
// queue as any textbook has it.
//
// Without a lock or an atomic it is undefined behaviour as soon as two calls
// meet, which is the finding.  Seen as plain reads and writes that happen one
// at a time, two enqueues lose an item and two dequeues have the same one; an
// enqueue and a dequeue of a queue that is not nearly empty do no harm.
#pragma once

#include <optional>

class SlQueue {
 public:
  // Nodes that were taken out are never freed: see memory.h, Collected.
  SlQueue() : head_(new Node{0, nullptr}), tail_(head_) {}

  void enq(int value) {
    Node* node = new Node{value, nullptr};
    tail_->next = node;
    tail_ = node;
  }

  std::optional<int> deq() {
    if (head_ == tail_) return std::nullopt;
    Node* next = head_->next;
    head_ = next;
    return next->value;
  }

 private:
  struct Node {
    int value;
    Node* next;
  };

  Node* head_;
  Node* tail_;
};
