// SPDX-License-Identifier: Apache-2.0
// The lazy list: a set as a sorted list whose nodes are marked, then unlinked.
//
// Source: S. Heller, M. Herlihy, V. Luchangco, M. Moir, W. N. Scherer III, N.
// Shavit, A lazy concurrent list-based set algorithm, OPODIS 2005.
//
// As the optimistic list, but a node says by a mark that it is out, so that the
// check need not go along the list, and `contains` takes no lock at all.
// Linearizable; a `contains` that finds nothing may take effect at a step of an
// add of another thread.  Needs a garbage collector.
//
// Without the check, a node that is out is changed.  Harmless, since the locks
// are held: a `contains` that does not look at the mark, and a removal that
// unlinks before it marks.
#pragma once

#include <atomic>
#include <limits>
#include <mutex>

struct LazyOptions {
  bool validate = true;
  bool contains_looks_at_mark = true;
  bool mark_first = true;
};

template <LazyOptions kOptions = LazyOptions{}>
class LazyList {
 public:
  LazyList()
      : head_(new Node(std::numeric_limits<int>::min(),
                       new Node(std::numeric_limits<int>::max(), nullptr))) {}

  bool add(int key) {
    const Locked place = find_and_lock(key);
    if (place.node->key == key) return false;
    place.before->next.store(new Node(key, place.node),
                             std::memory_order_release);
    return true;
  }

  bool remove(int key) {
    const Locked place = find_and_lock(key);
    if (place.node->key != key) return false;
    if (!kOptions.mark_first) unlink(place);
    place.node->is_out.store(true, std::memory_order_release);
    if (kOptions.mark_first) unlink(place);
    return true;
  }

  bool contains(int key) {
    const Node* node = find(key).node;
    if (node->key != key) return false;
    return !kOptions.contains_looks_at_mark ||
           !node->is_out.load(std::memory_order_acquire);
  }

 private:
  // Never freed: see memory.h, Collected.
  struct Node {
    Node(int its_key, Node* its_next) : key(its_key), next(its_next) {}

    const int key;
    std::atomic<bool> is_out{false};
    std::atomic<Node*> next;
    std::mutex lock;
  };
  struct Place {
    Node* before;
    Node* node;  // the first whose key is not less
  };
  // Two neighbours, locked as long as this lives.
  struct Locked : Place {
    explicit Locked(Place place)
        : Place(place),
          before_lock(this->before->lock),
          node_lock(this->node->lock) {}

    std::unique_lock<std::mutex> before_lock, node_lock;
  };

  Place find(int key) const {
    Node* before = head_;
    Node* node = before->next.load(std::memory_order_acquire);
    while (node->key < key) {
      before = node;
      node = node->next.load(std::memory_order_acquire);
    }
    return {before, node};
  }

  Locked find_and_lock(int key) const {
    while (true) {
      Locked place(find(key));
      if (!kOptions.validate || is_valid(place)) return place;
    }
  }

  static bool is_valid(const Place& place) {
    return !place.before->is_out.load(std::memory_order_acquire) &&
           !place.node->is_out.load(std::memory_order_acquire) &&
           place.before->next.load(std::memory_order_acquire) == place.node;
  }

  static void unlink(const Place& place) {
    place.before->next.store(place.node->next.load(std::memory_order_relaxed),
                             std::memory_order_release);
  }

  Node* head_;
};
