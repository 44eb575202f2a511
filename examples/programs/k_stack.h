// SPDX-License-Identifier: Apache-2.0
// The k-stack: a stack of segments of kSlots each.
//
// Source: T. A. Henzinger, C. M. Kirsch, H. Payer, A. Sezgin, A. Sokolova,
// Quantitative relaxation of concurrent data structures, POPL 2013; the double
// read is that of its code in the Scal suite, found by L. Zhang, A.
// Chattopadhyay, C. Wang, Round-Up, ASE 2013.
//
// A push fills a free slot of the top segment, a pop takes any item there.  A
// pop that finds the top segment empty marks it as going, looks again and takes
// it off.  A push into a segment that is going makes sure that its item stays
// (commit): it moves the top to a new version of itself, at which the removal
// fails; or it takes its item back.
//
// Each pop is among the kSlots youngest items, out_of_order(pop=kSlots-1).  No
// factor of quasi is enough, nor for any other stack that is ever out of order:
// when 1 was popped and the 2 above it is left, somebody can push before each
// further pop, and a stack never comes to pop the 1.
//
// Bugs: see KStackBug.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "memory.h"
#include "slots.h"

enum class KStackBug {
  kNone,
  // The mark is read twice, 1 and then 0 when the pop has given up: neither
  // branch is taken, and the item that is in is pushed again.
  kDoubleRead,
  // No push makes sure: an item goes with its segment.
  kNoCommit,
  // The item and the mark are written and looked for without a fence between:
  // push and pop may both miss what the other one wrote.
  kNoFence,
};

template <std::uint32_t kSlots, KStackBug kBug = KStackBug::kNone>
class KStack {
 public:
  KStack() { top_.store(Top(new Segment(nullptr), 0)); }

  void push(int value) {
    const auto item = static_cast<std::uint32_t>(value);
    while (true) {
      const Top top = top_.load(std::memory_order_acquire);
      const Found free = find_free(top->slots);
      if (free.slot.number != 0) {
        if (push_segment(top, item)) return;
      } else if (Slot& slot = top->slots[free.index];
                 swap_slot(slot, free.slot, item) &&
                 commit(top, slot, free.slot.changed_to(item))) {
        return;
      }
    }
  }

  std::optional<int> pop() {
    while (true) {
      const Top top = top_.load(std::memory_order_acquire);
      const auto seen = collect(top->slots);
      const Found full = choose_item(seen);
      if (full.slot.number != 0) {
        if (swap_slot(top->slots[full.index], full.slot, 0)) {
          return static_cast<int>(full.slot.number);
        }
      } else if (top->below != nullptr) {
        remove_segment(top);
      } else if (seen == collect(top->slots) &&
                 top == top_.load(std::memory_order_acquire)) {
        return std::nullopt;
      }
    }
  }

 private:
  // Segments that were taken off are never freed: see memory.h, Collected.
  struct Segment {
    explicit Segment(Segment* other) : below(other) {}

    std::array<Slot, kSlots> slots{};
    std::atomic<int> going{0};  // so many pops want it to go
    Segment* const below;
  };
  using Top = Tagged<Segment>;

  static bool is_empty(const std::array<Versioned, kSlots>& seen) {
    for (const Versioned slot : seen) {
      if (slot.number != 0) return false;
    }
    return true;
  }

  bool move_top(Top from, Segment* to) {
    return top_.compare_exchange_strong(from, Top(to, from.tag() + 1),
                                        std::memory_order_acq_rel,
                                        std::memory_order_relaxed);
  }

  // With the item in it: an empty one might be taken off again at once, by a
  // pop, for ever.
  bool push_segment(Top top, std::uint32_t item) {
    auto* fresh = new Segment(top.cell());
    fresh->slots[0].store({item, 1}, std::memory_order_relaxed);
    const bool is_in = move_top(top, fresh);
    if (!is_in) delete fresh;
    return is_in;
  }

  void remove_segment(Top top) {
    top->going.fetch_add(1, std::memory_order_acq_rel);
    fence();
    if (is_empty(collect(top->slots)) && move_top(top, top->below)) return;
    top->going.fetch_sub(1, std::memory_order_acq_rel);
  }

  static void fence() {
    if (kBug == KStackBug::kNoFence) return;
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

  // Is the item in, for good?
  bool commit(Top top, Slot& slot, Versioned mine) {
    if (kBug == KStackBug::kNoCommit) return true;
    fence();
    if (slot.load(std::memory_order_acquire) != mine) return true;
    if (top->going.load(std::memory_order_acquire) == 0) return true;
    if (kBug == KStackBug::kDoubleRead &&
        top->going.load(std::memory_order_acquire) == 0) {
      return false;
    }
    if (move_top(top, top.cell())) return true;
    return !swap_slot(slot, mine, 0);
  }

  std::atomic<Top> top_;
};
