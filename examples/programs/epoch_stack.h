// SPDX-License-Identifier: Apache-2.0
// Treiber's stack with epochs, so that nodes can be freed.
//
// Source: K. Fraser, Practical lock-freedom, PhD thesis, University of
// Cambridge, 2004, section 5.2.3.
//
// A thread that is inside says which epoch it came in.  The epoch moves on when
// all who are inside are in the present one.  A node that was taken out in
// epoch e is freed in epoch e + kGrace: with 2, nobody who could have seen it
// is still inside.  Linearizable, no node is freed too early.  With 1, somebody
// who came in in the same epoch may still read it.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "thread_slots.h"

template <std::uint64_t kGrace = 2>
class EpochStack {
 public:
  // Nobody else is there any more.
  ~EpochStack() {
    for (Node* node = top_.load(std::memory_order_relaxed); node != nullptr;) {
      Node* next = node->next;
      delete node;
      node = next;
    }
    Slots::for_each([](Visit& slot) { free_until(slot, UINT64_MAX); });
  }

  void push(int value) {
    auto* node = new Node{value, top_.load(std::memory_order_relaxed)};
    while (!top_.compare_exchange_weak(node->next, node,
                                       std::memory_order_release,
                                       std::memory_order_relaxed)) {
    }
  }

  std::optional<int> pop() {
    Visit& visit = Slots::mine();
    visit.epoch.store(epoch_.load(std::memory_order_seq_cst),
                      std::memory_order_seq_cst);
    Node* top = top_.load(std::memory_order_seq_cst);
    while (top != nullptr && !top_.compare_exchange_strong(
                                 top, top->next, std::memory_order_seq_cst,
                                 std::memory_order_seq_cst)) {
    }
    std::optional<int> value;
    if (top != nullptr) {
      value = top->value;
      retire(visit, top);
    }
    visit.epoch.store(kOutside, std::memory_order_release);
    return value;
  }

 private:
  static constexpr std::uint64_t kOutside = 0;
  struct Node {
    int value;
    Node* next;
    Node* next_retired = nullptr;
    std::uint64_t retired_in = 0;
  };
  struct Visit {
    std::atomic<std::uint64_t> epoch{kOutside};
    Node* retired = nullptr;  // taken out by this thread, not yet freed
  };
  using Slots = ThreadSlots<Visit>;

  static void retire(Visit& mine, Node* node) {
    const std::uint64_t epoch = epoch_.load(std::memory_order_seq_cst);
    node->retired_in = epoch;
    node->next_retired = mine.retired;
    mine.retired = node;
    if (move_on(epoch)) free_until(mine, epoch + 1);
  }

  static bool move_on(std::uint64_t epoch) {
    bool all_here = true;
    Slots::for_each([&](Visit& slot) {
      const std::uint64_t its = slot.epoch.load(std::memory_order_seq_cst);
      if (its != kOutside && its != epoch) all_here = false;
    });
    return all_here && epoch_.compare_exchange_strong(epoch, epoch + 1);
  }

  static void free_until(Visit& slot, std::uint64_t epoch) {
    Node** link = &slot.retired;
    while (*link != nullptr) {
      Node* node = *link;
      if (node->retired_in + kGrace <= epoch) {
        *link = node->next_retired;
        delete node;
      } else {
        link = &node->next_retired;
      }
    }
  }

  // Of all threads, as their slots are: one stack of a kind at a time.
  static inline std::atomic<std::uint64_t> epoch_{1};
  std::atomic<Node*> top_{nullptr};
};
