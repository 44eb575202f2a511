// SPDX-License-Identifier: Apache-2.0
// SNZI, a scalable non-zero indicator, tells whether anybody is there.
//
// Source: F. Ellen, Y. Lev, V. Luchangco, M. Moir, SNZI: scalable nonzero
// indicators, PODC 2007.
//
// Threads arrive at a leaf (one here); the leaf tells the root of its first
// arrival and its last departure only, so that the root is seldom touched.  A
// leaf that was empty first becomes "half" full, then tells the root, then
// becomes full; whoever finds it half full helps.  So nobody who arrived has
// returned before the root knows.  Linearizable; an arrival may take effect at
// a step of the one who helped.  Nobody departs who has not arrived.
//
// Without the half state, the second to arrive finds the leaf full and is done
// while the first has not yet told the root: somebody is there, and a query
// says no.  In order again when all calls have returned: quiescent consistent.
#pragma once

#include <atomic>
#include <cstdint>

class Snzi {
 public:
  void arrive() {
    int undo = 0;
    for (bool done = false; !done;) {
      Leaf leaf = leaf_.load(std::memory_order_acquire);
      if (leaf.count >= 2) {
        done = swap_leaf(leaf, {leaf.count + 2, leaf.version});
        continue;
      }
      if (leaf.count == 0) {
        const Leaf half{1, leaf.version + 1};
        if (!swap_leaf(leaf, half)) continue;
        done = true;
        leaf = half;
      }
      root_arrive();
      if (!swap_leaf(leaf, {2, leaf.version})) ++undo;
    }
    for (; undo > 0; --undo) root_depart();
  }

  void depart() {
    Leaf leaf = leaf_.load(std::memory_order_acquire);
    while (!leaf_.compare_exchange_weak(
        leaf, Leaf{leaf.count - 2, leaf.version}, std::memory_order_acq_rel,
        std::memory_order_acquire)) {
    }
    if (leaf.count == 2) root_depart();
  }

  bool query() const {
    return (indicator_.load(std::memory_order_acquire) & 1) != 0;
  }

 private:
  // Counts of the leaf are doubled: half is 1, one thread is 2.
  struct alignas(8) Leaf {
    std::uint32_t count = 0;
    std::uint32_t version = 0;
  };
  struct alignas(8) Root {
    std::uint16_t count = 0;
    std::uint16_t announce = 0;  // 1: the indicator must be set
    std::uint32_t version = 0;
  };

  bool swap_leaf(Leaf from, Leaf to) {
    return leaf_.compare_exchange_strong(from, to, std::memory_order_acq_rel,
                                         std::memory_order_relaxed);
  }

  void root_arrive() {
    Root root = root_.load(std::memory_order_acquire);
    Root next;
    do {
      next = root;
      if (root.count == 0) {
        next.announce = 1;
        ++next.version;
      }
      ++next.count;
    } while (!root_.compare_exchange_weak(root, next, std::memory_order_acq_rel,
                                          std::memory_order_acquire));
    if (next.announce == 0) return;
    set_indicator();
    Root told = next;
    told.announce = 0;
    root_.compare_exchange_strong(next, told, std::memory_order_acq_rel,
                                  std::memory_order_relaxed);
  }

  void root_depart() {
    Root root = root_.load(std::memory_order_acquire);
    Root next;
    do {
      next = root;
      --next.count;
      next.announce = 0;
    } while (!root_.compare_exchange_weak(root, next, std::memory_order_acq_rel,
                                          std::memory_order_acquire));
    if (next.count > 0) return;
    std::uint32_t seen = indicator_.load(std::memory_order_acquire);
    while (root_.load(std::memory_order_acquire).version == next.version) {
      if (indicator_.compare_exchange_strong(seen, (seen | 1) + 1,
                                             std::memory_order_acq_rel,
                                             std::memory_order_acquire)) {
        return;
      }
    }
  }

  void set_indicator() {
    std::uint32_t seen = indicator_.load(std::memory_order_acquire);
    while (!indicator_.compare_exchange_weak(seen, (seen + 2) | 1,
                                             std::memory_order_acq_rel,
                                             std::memory_order_acquire)) {
    }
  }

  std::atomic<Leaf> leaf_{Leaf{}};
  std::atomic<Root> root_{Root{}};
  // The last bit is the indicator, the others count its writes: with them a
  // swap does what the paper's store-conditional does.
  std::atomic<std::uint32_t> indicator_{0};
};

// Without the half state.
class SnziWithoutHalf {
 public:
  void arrive() {
    if (leaf_.fetch_add(1, std::memory_order_acq_rel) == 0) {
      root_.fetch_add(1, std::memory_order_acq_rel);
    }
  }
  void depart() {
    if (leaf_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      root_.fetch_sub(1, std::memory_order_acq_rel);
    }
  }
  bool query() const { return root_.load(std::memory_order_acquire) > 0; }

 private:
  std::atomic<int> leaf_{0}, root_{0};
};
