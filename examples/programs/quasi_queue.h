// SPDX-License-Identifier: Apache-2.0
// The quasi queue: segments of kCells cells; a dequeue takes any item there.
//
// Source: Y. Afek, G. Korland, E. Yanovsky, Quasi-linearizability: relaxed
// consistency for improved concurrency, OPODIS 2010 (the segment queue).  The
// bugs are those of Round-Up (L. Zhang, A. Chattopadhyay, C. Wang, IEEE TSE
// 41(12), 2015), which tells but does not print them.
//
// A cell is used once: free, full, taken.  A segment is followed by another
// only when none of its cells is free, and left only when all are taken.  So
// each segment holds kCells items that were enqueued one after another and
// gives all of them out before the next one does: no dequeue is more than
// kCells - 1 places from where a queue would have it, quasi(deq=kCells-1).
// Which free cell an enqueue fills does not matter, as dequeues choose.
//
// "Empty" needs care: a dequeue that looks at one cell after the other may miss
// an item that comes in behind it while another goes out before it.  It looks
// until two rounds agree; as cells only move on, that is a snapshot.
#pragma once

#include <plumb/test.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

enum class QuasiBug {
  kNone,
  kFarAway,   // b1: a dequeue may take from the segment behind the first
  kTakenToo,  // b2: ... what was already taken
  kOneLook,   // b3: ... nothing, when the one cell it looks at is not full
};

template <std::uint32_t kCells, QuasiBug kBug = QuasiBug::kNone>
class QuasiQueue {
 public:
  QuasiQueue() {
    auto* segment = new Segment;
    head_.store(segment, std::memory_order_relaxed);
    tail_.store(segment, std::memory_order_relaxed);
    first_ = segment;
  }
  ~QuasiQueue() {
    while (first_ != nullptr) {
      Segment* next = first_->next.load(std::memory_order_relaxed);
      delete first_;
      first_ = next;
    }
  }

  void enq(int value) {
    while (true) {
      Segment* tail = tail_.load(std::memory_order_acquire);
      for (auto& cell : tail->cells) {
        int free = 0;
        if (cell.compare_exchange_strong(free, value, std::memory_order_acq_rel,
                                         std::memory_order_relaxed)) {
          return;
        }
      }
      append(tail);
    }
  }

  std::optional<int> deq() {
    while (true) {
      Segment* head = head_.load(std::memory_order_acquire);
      if constexpr (kBug == QuasiBug::kFarAway) {
        Segment* next = head->next.load(std::memory_order_acquire);
        if (next != nullptr && plumb::choose(2) == 1) {
          if (const auto value = take(*next, collect(*next))) return value;
        }
      }
      const auto seen = collect(*head);
      if (const auto value = take(*head, seen)) return value;
      if constexpr (kBug == QuasiBug::kOneLook) return std::nullopt;
      if (has_item(seen) || seen != collect(*head)) continue;
      if (seen.back() == 0) return std::nullopt;  // no segment follows
      Segment* next = head->next.load(std::memory_order_acquire);
      if (next == nullptr) return std::nullopt;
      head_.compare_exchange_strong(head, next, std::memory_order_acq_rel,
                                    std::memory_order_relaxed);
    }
  }

 private:
  // 0: free; above: full, with this item; below: taken.
  using Cells = std::array<std::atomic<int>, kCells>;
  using Seen = std::array<int, kCells>;
  struct Segment {
    Cells cells{};
    std::atomic<Segment*> next{nullptr};
  };

  void append(Segment* tail) {
    Segment* next = tail->next.load(std::memory_order_acquire);
    if (next == nullptr) {
      auto* fresh = new Segment;
      if (tail->next.compare_exchange_strong(next, fresh,
                                             std::memory_order_acq_rel,
                                             std::memory_order_acquire)) {
        next = fresh;
      } else {
        delete fresh;
      }
    }
    tail_.compare_exchange_strong(tail, next, std::memory_order_acq_rel,
                                  std::memory_order_relaxed);
  }

  // Takes any of the items that were seen, unless somebody else did.
  static std::optional<int> take(Segment& segment, const Seen& seen) {
    std::array<std::uint32_t, kCells> full{};
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < kCells; ++i) {
      const bool is_full = kBug == QuasiBug::kTakenToo  ? seen[i] != 0
                           : kBug == QuasiBug::kOneLook ? true
                                                        : seen[i] > 0;
      if (is_full) full[count++] = i;
    }
    if (count == 0) return std::nullopt;
    const std::uint32_t cell = full[count > 1 ? plumb::choose(count) : 0];
    int item = seen[cell];
    if (kBug == QuasiBug::kTakenToo && item < 0) return -item;
    if (item <= 0) return std::nullopt;
    const bool is_mine = segment.cells[cell].compare_exchange_strong(
        item, -item, std::memory_order_acq_rel, std::memory_order_relaxed);
    return is_mine ? std::optional(item) : std::nullopt;
  }

  static Seen collect(const Segment& segment) {
    Seen seen;
    for (std::uint32_t i = 0; i < kCells; ++i) {
      seen[i] = segment.cells[i].load(std::memory_order_acquire);
    }
    return seen;
  }

  static bool has_item(const Seen& seen) {
    for (const int item : seen) {
      if (item > 0) return true;
    }
    return false;
  }

  std::atomic<Segment*> head_, tail_;
  Segment* first_;  // of all there ever were
};
