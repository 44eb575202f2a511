// SPDX-License-Identifier: Apache-2.0
// The bounded k-FIFO queue: a ring of segments of kSlots each.
//
// Source: C. M. Kirsch, M. Lippautz, H. Payer, Fast and scalable, lock-free
// k-FIFO queues, PaCT 2013; their code is in the Scal suite.
//
// An enqueue fills a free slot of the tail segment, a dequeue takes any item
// of the head segment.  A dequeue that finds an item in a segment that is also
// the tail moves the tail on first, so that nothing more comes in: a segment
// gives out its items before the next one does, quasi(deq=kSlots-1).
//
// An enqueue that put its item into the head segment may have come too late, as
// a dequeue may be leaving that segment.  It makes sure (commit): it moves the
// head to a new version of itself, at which the one who leaves fails; or it
// takes its item back and tries again.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "slots.h"

struct KFifoOptions {
  // An enqueue that finds the ring full moves the tail on even if the head has
  // not moved: they meet, and a dequeue takes a full queue for an empty one.
  bool meet = false;
  // A dequeue leaves the tail where it is.  Harmless to each dequeue, which
  // still takes from the oldest segment; but items come in beside an old one
  // for ever, so no factor is enough in the long run.
  bool close = true;
};

template <std::uint32_t kSlots, std::uint32_t kSegments,
          KFifoOptions kOptions = KFifoOptions{}>
class BoundedKFifo {
 public:
  // Tries again while the ring is full.
  void enq(int value) {
    const auto item = static_cast<std::uint32_t>(value);
    while (true) {
      const Versioned tail = tail_.load(std::memory_order_acquire);
      const Versioned head = head_.load(std::memory_order_acquire);
      const Found free = find_free(segments_[tail.number]);
      if (tail != tail_.load(std::memory_order_acquire)) continue;
      if (free.slot.number == 0) {
        Slot& slot = segments_[tail.number][free.index];
        if (swap_slot(slot, free.slot, item) &&
            commit(tail.number, slot, free.slot.changed_to(item))) {
          return;
        }
      } else if (next(tail.number) != head.number) {
        advance(tail_, tail);
      } else if (is_empty(head.number)) {
        if (advance(head_, head) || kOptions.meet) advance(tail_, tail);
      }
    }
  }

  std::optional<int> deq() {
    while (true) {
      const Versioned head = head_.load(std::memory_order_acquire);
      const Found full = choose_item(collect(segments_[head.number]));
      const Versioned tail = tail_.load(std::memory_order_acquire);
      if (head != head_.load(std::memory_order_acquire)) continue;
      if (full.slot.number != 0) {
        if (kOptions.close && head.number == tail.number) advance(tail_, tail);
        if (swap_slot(segments_[head.number][full.index], full.slot, 0)) {
          return static_cast<int>(full.slot.number);
        }
      } else if (head.number != tail.number) {
        advance(head_, head);
      } else if (tail == tail_.load(std::memory_order_acquire)) {
        return std::nullopt;
      }
    }
  }

 private:
  using Mark = std::atomic<Versioned>;

  static std::uint32_t next(std::uint32_t segment) {
    return (segment + 1) % kSegments;
  }

  static bool advance(Mark& mark, Versioned from) {
    return swap_slot(mark, from, next(from.number));
  }

  bool is_empty(std::uint32_t segment) const {
    for (const Slot& slot : segments_[segment]) {
      if (slot.load(std::memory_order_acquire).number != 0) return false;
    }
    return true;
  }

  // Is the item in, for good?
  bool commit(std::uint32_t segment, Slot& slot, Versioned mine) {
    if (slot.load(std::memory_order_acquire) != mine) return true;
    const Versioned head = head_.load(std::memory_order_acquire);
    const Versioned tail = tail_.load(std::memory_order_acquire);
    const auto behind = (segment + kSegments - head.number) % kSegments;
    const auto length = (tail.number + kSegments - head.number) % kSegments;
    if (behind > 0 && behind <= length) return true;
    if (behind == 0 && swap_slot(head_, head, head.number)) return true;
    return !swap_slot(slot, mine, 0);
  }

  std::array<std::array<Slot, kSlots>, kSegments> segments_{};
  Mark head_{Versioned{}}, tail_{Versioned{}};
};
