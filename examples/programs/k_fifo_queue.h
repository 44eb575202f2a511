// SPDX-License-Identifier: Apache-2.0
// The unbounded k-FIFO queue: linked segments of kSlots each.
//
// Source: C. M. Kirsch, M. Lippautz, H. Payer, Fast and scalable, lock-free
// k-FIFO queues, PaCT 2013; their code is in the Scal suite.
//
// As the bounded one (bounded_k_fifo_queue.h), but a segment that was left is
// never used again; a flag says so to enqueues that come too late.
// quasi(deq=kSlots-1).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "memory.h"
#include "slots.h"

template <std::uint32_t kSlots>
class KFifo {
 public:
  KFifo() : first_(new Segment) {
    head_.store(Link(first_, 0), std::memory_order_relaxed);
    tail_.store(Link(first_, 0), std::memory_order_relaxed);
  }
  ~KFifo() {
    while (first_ != nullptr) {
      Segment* next = first_->next.load(std::memory_order_relaxed);
      delete first_;
      first_ = next;
    }
  }

  void enq(int value) {
    const auto item = static_cast<std::uint32_t>(value);
    while (true) {
      const Link tail = tail_.load(std::memory_order_acquire);
      const Found free = find_free(tail->slots);
      if (tail != tail_.load(std::memory_order_acquire)) continue;
      if (free.slot.number != 0) {
        advance_tail(tail);
      } else if (Slot& slot = tail->slots[free.index];
                 swap_slot(slot, free.slot, item) &&
                 commit(tail.cell(), slot, free.slot.changed_to(item))) {
        return;
      }
    }
  }

  std::optional<int> deq() {
    while (true) {
      const Link head = head_.load(std::memory_order_acquire);
      const Found full = choose_item(collect(head->slots));
      const Link tail = tail_.load(std::memory_order_acquire);
      if (head != head_.load(std::memory_order_acquire)) continue;
      if (full.slot.number != 0) {
        if (head.cell() == tail.cell()) advance_tail(tail);
        if (swap_slot(head->slots[full.index], full.slot, 0)) {
          return static_cast<int>(full.slot.number);
        }
      } else if (head.cell() != tail.cell()) {
        advance_head(head);
      } else if (tail == tail_.load(std::memory_order_acquire)) {
        return std::nullopt;
      }
    }
  }

 private:
  struct Segment {
    std::array<Slot, kSlots> slots{};
    std::atomic<bool> is_out{false};
    std::atomic<Segment*> next{nullptr};
  };
  using Link = Tagged<Segment>;

  static bool swap(std::atomic<Link>& link, Link from, Segment* to) {
    return link.compare_exchange_strong(from, Link(to, from.tag() + 1),
                                        std::memory_order_acq_rel,
                                        std::memory_order_relaxed);
  }

  void advance_tail(Link tail) {
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
    swap(tail_, tail, next);
  }

  void advance_head(Link head) {
    const Link tail = tail_.load(std::memory_order_acquire);
    if (tail.cell() == head.cell()) advance_tail(tail);
    head->is_out.store(true, std::memory_order_release);
    swap(head_, head, head->next.load(std::memory_order_acquire));
  }

  // Is the item in, for good?
  bool commit(Segment* segment, Slot& slot, Versioned mine) {
    if (slot.load(std::memory_order_acquire) != mine) return true;
    const Link head = head_.load(std::memory_order_acquire);
    if (!segment->is_out.load(std::memory_order_acquire)) {
      if (head.cell() != segment) return true;
      if (swap(head_, head, segment)) return true;
    }
    return !swap_slot(slot, mine, 0);
  }

  std::atomic<Link> head_, tail_;
  Segment* first_;  // of all there ever were
};
