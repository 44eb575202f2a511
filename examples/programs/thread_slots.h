// SPDX-License-Identifier: Apache-2.0
// One of kCount slots for each thread that asks for it, until it ends.
#pragma once

#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>

// `Slot` is given from thread to thread: who gets it sees all that its last
// holder did.
template <typename Slot, std::size_t kCount = 4>
class ThreadSlots {
 public:
  static Slot& mine() {
    thread_local Handle handle;
    return handle.entry->slot;
  }

  // Calls `function` with the slots of all threads.
  template <typename Function>
  static void for_each(Function function) {
    for (Entry& entry : entries_) function(entry.slot);
  }

 private:
  struct Entry {
    std::atomic<bool> held{false};
    Slot slot;
  };
  struct Handle {
    Handle() : entry(entries_.data()) {
      while (entry->held.exchange(true, std::memory_order_acquire)) {
        ++entry;
        assert(entry != entries_.data() + kCount);
      }
    }
    ~Handle() { entry->held.store(false, std::memory_order_release); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    Entry* entry;
  };

  static inline std::array<Entry, kCount> entries_;
};
