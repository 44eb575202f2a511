// SPDX-License-Identifier: Apache-2.0
// A set as a sorted list with a lock in every node, taken hand over hand.
//
// Source: R. Bayer, M. Schkolnick, Concurrency of operations on B-trees, Acta
// Informatica 9, 1977; as a list: M. Herlihy, N. Shavit, The Art of
// Multiprocessor Programming, 2008, section 9.5.
//
// Whoever goes along the list holds the lock of a node until it has that of the
// next one, so nobody passes anybody.  A change is made with two neighbours
// locked.  Linearizable; a node that is unlinked can be deleted at once, as
// nobody can be waiting for it.
//
// A removal that gives up the lock of the node before the one to be removed
// unlinks it from a node that may have been removed itself.
#pragma once

#include <limits>
#include <mutex>

#include "memory.h"

template <typename Memory = Deleted, bool kTwoLocks = true>
class LockCouplingList {
 public:
  LockCouplingList() : head_(make(std::numeric_limits<int>::min(), nullptr)) {
    set_next(head_, make(std::numeric_limits<int>::max(), nullptr));
  }
  ~LockCouplingList() {
    for (Node* node = head_; node != nullptr;) {
      Node* next = next_of(node);
      Memory::put(node);
      node = next;
    }
  }

  bool add(int key) {
    const auto [before, node] = find(key);
    const bool is_new = node->key != key;
    if (is_new) set_next(before, make(key, node));
    node->lock.unlock();
    before->lock.unlock();
    return is_new;
  }

  bool remove(int key) {
    const auto [before, node] = find(key);
    const bool is_there = node->key == key;
    if (!kTwoLocks) before->lock.unlock();
    if (is_there) set_next(before, next_of(node));
    node->lock.unlock();
    if (kTwoLocks) before->lock.unlock();
    if (is_there) Memory::put(node);
    return is_there;
  }

  bool contains(int key) {
    const auto [before, node] = find(key);
    const bool is_there = node->key == key;
    node->lock.unlock();
    before->lock.unlock();
    return is_there;
  }

 private:
  struct Node {
    int key = 0;
    // Atomic for the sake of the variant that writes it without its lock.
    std::atomic<Node*> next{nullptr};
    std::mutex lock;
  };
  struct Place {
    Node* before;
    Node* node;  // the first whose key is not less
  };

  static Node* make(int key, Node* next) {
    Node* node = Memory::template get<Node>();
    node->key = key;
    set_next(node, next);
    return node;
  }
  static Node* next_of(const Node* node) {
    return node->next.load(std::memory_order_relaxed);
  }
  static void set_next(Node* node, Node* next) {
    node->next.store(next, std::memory_order_relaxed);
  }

  // Returns with both of them locked.
  Place find(int key) {
    Node* before = head_;
    before->lock.lock();
    Node* node = next_of(before);
    node->lock.lock();
    while (node->key < key) {
      before->lock.unlock();
      before = node;
      node = next_of(node);
      node->lock.lock();
    }
    return {before, node};
  }

  Node* head_;
};
