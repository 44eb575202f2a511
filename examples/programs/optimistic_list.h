// SPDX-License-Identifier: Apache-2.0
// A set as a sorted list that is searched without locks and checked with them.
//
// Source: M. Herlihy, N. Shavit, The Art of Multiprocessor Programming, 2008,
// section 9.6.
//
// A call looks for its place without locks, locks the two nodes it found and
// goes along the list once more: are they still there, next to each other?  If
// not, it starts again.  Linearizable; needs a garbage collector, as nodes that
// are out may still be read.  Without the check, a node that is out is changed.
#pragma once

#include <atomic>
#include <limits>
#include <mutex>

template <bool kValidate = true>
class OptimisticList {
 public:
  OptimisticList()
      : head_(new Node(std::numeric_limits<int>::min(),
                       new Node(std::numeric_limits<int>::max(), nullptr))) {}

  bool add(int key) {
    const Locked place = find(key);
    if (place.node->key == key) return false;
    place.before->next.store(new Node(key, place.node),
                             std::memory_order_release);
    return true;
  }

  bool remove(int key) {
    const Locked place = find(key);
    if (place.node->key != key) return false;
    place.before->next.store(place.node->next.load(std::memory_order_relaxed),
                             std::memory_order_release);
    return true;
  }

  bool contains(int key) {
    const Locked place = find(key);
    return place.node->key == key;
  }

 private:
  // Never freed: see memory.h, Collected.
  struct Node {
    Node(int its_key, Node* its_next) : key(its_key), next(its_next) {}

    const int key;
    std::atomic<Node*> next;
    std::mutex lock;
  };

  // Two neighbours, locked as long as this lives.
  struct Locked {
    Locked(Node* its_before, Node* its_node)
        : before(its_before),
          node(its_node),
          before_lock(before->lock),
          node_lock(node->lock) {}

    Node* before;
    Node* node;  // the first whose key is not less
    std::unique_lock<std::mutex> before_lock, node_lock;
  };

  Locked find(int key) {
    while (true) {
      Node* before = head_;
      Node* node = before->next.load(std::memory_order_acquire);
      while (node->key < key) {
        before = node;
        node = node->next.load(std::memory_order_acquire);
      }
      Locked place(before, node);
      if (!kValidate || is_valid(place)) return place;
    }
  }

  bool is_valid(const Locked& place) const {
    const Node* node = head_;
    while (node->key < place.before->key) {
      node = node->next.load(std::memory_order_acquire);
    }
    return node == place.before &&
           node->next.load(std::memory_order_acquire) == place.node;
  }

  Node* head_;
};
