// SPDX-License-Identifier: Apache-2.0
// Harris and Michael's list: a set as a sorted list without locks.
//
// Source: T. L. Harris, A pragmatic implementation of non-blocking linked
// lists, DISC 2001; M. M. Michael, High performance dynamic lock-free hash
// tables and list-based sets, SPAA 2002.
//
// A link and a mark are one word.  A removal marks the link that leaves its
// node, after which nobody can change it, and then unlinks the node; whoever
// comes by a marked node helps.  Linearizable; needs a garbage collector.
//
// kAttemptMark: the removal of an early printing of Herlihy and Shavit's book,
// whose step "set the mark if the link is still the same" also succeeds when
// the mark is set already: two removals of one key succeed.  Found by P. Cerny
// et al., Model checking of linearizability of concurrent list implementations,
// CAV 2010.  kNoMark: nodes are unlinked and not marked; what is added behind
// one that goes, goes with it.
#pragma once

#include <atomic>
#include <limits>

#include "memory.h"

enum class HarrisBug { kNone, kAttemptMark, kNoMark };

template <HarrisBug kBug = HarrisBug::kNone>
class HarrisMichaelList {
 public:
  HarrisMichaelList()
      : tail_(new Node(std::numeric_limits<int>::max(), nullptr)),
        head_(new Node(std::numeric_limits<int>::min(), tail_)) {}

  bool add(int key) {
    while (true) {
      const auto [before, node] = find(key);
      if (node->key == key) return false;
      auto* fresh = new Node(key, node);
      if (swap(before->next, Link(node, 0), Link(fresh, 0))) return true;
      delete fresh;
    }
  }

  bool remove(int key) {
    while (true) {
      const auto [before, node] = find(key);
      if (node->key != key) return false;
      const Link next = node->next.load(std::memory_order_acquire);
      if (kBug != HarrisBug::kNoMark) {
        if (kBug == HarrisBug::kNone && next.tag() != 0) continue;
        if (!mark(*node, next.cell())) continue;
      }
      const bool is_out =
          swap(before->next, Link(node, 0), Link(next.cell(), 0));
      if (kBug == HarrisBug::kNoMark && !is_out) continue;
      return true;
    }
  }

  bool contains(int key) {
    const Node* node = head_;
    while (node->key < key) {
      node = node->next.load(std::memory_order_acquire).cell();
    }
    return node->key == key &&
           node->next.load(std::memory_order_acquire).tag() == 0;
  }

 private:
  struct Node;
  using Link = Tagged<Node>;  // tag 1: the node that it leaves is out
  // Never freed: see memory.h, Collected.
  struct Node {
    Node(int its_key, Node* its_next) : key(its_key), next(Link(its_next, 0)) {}

    const int key;
    std::atomic<Link> next;
  };
  struct Place {
    Node* before;
    Node* node;  // the first whose key is not less
  };

  static bool swap(std::atomic<Link>& link, Link from, Link to) {
    return link.compare_exchange_strong(from, to, std::memory_order_acq_rel,
                                        std::memory_order_relaxed);
  }

  static bool mark(Node& node, Node* next) {
    if (kBug == HarrisBug::kAttemptMark) {
      const Link seen = node.next.load(std::memory_order_acquire);
      return seen.cell() == next && swap(node.next, seen, Link(next, 1));
    }
    return swap(node.next, Link(next, 0), Link(next, 1));
  }

  // Unlinks the marked nodes that it comes by; starts again if that fails.
  Place find(int key) {
    while (true) {
      Node* before = head_;
      Node* node = head_->next.load(std::memory_order_acquire).cell();
      while (true) {
        const Link next = node->next.load(std::memory_order_acquire);
        if (next.tag() != 0) {
          if (!swap(before->next, Link(node, 0), Link(next.cell(), 0))) break;
          node = next.cell();
        } else if (node->key >= key) {
          return {before, node};
        } else {
          before = node;
          node = next.cell();
        }
      }
    }
  }

  Node* tail_;
  Node* head_;
};
