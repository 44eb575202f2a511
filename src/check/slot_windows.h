// SPDX-License-Identifier: Apache-2.0
// Which values and takes of a relaxed queue have not met yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/flat_table.h"
#include "base/value.h"

namespace plumb::check {

// quasi(deq=K) of a queue, in place.  The i-th put and the i-th take that got
// something make slot i: in pi' the take there returns what the put brought,
// in pi the take there is another one, whose place in pi' is at most K slots
// off.  So going along the slots we keep those values that no take has
// returned yet, and those takes whose value has not been put yet, each with
// its age in slots: none may get older than K.
//
// Of equal values the one put first goes to the take that came first: if two
// pairs cross, uncrossing them makes neither distance longer than the longer
// of the two was.  What a take of unknown result took is tried.
class SlotWindows {
 public:
  using Id = std::uint32_t;
  static constexpr Id kEmpty = 0;

  explicit SlotWindows(std::uint32_t factor);

  std::size_t size(Id id) const { return windows_[id].size(); }

  // Who takes at a slot: one that returned a value, one of which nobody knows
  // what it returned, or one that may still come, when all others have.
  enum class Taker : std::uint8_t { kKnown, kUnknown, kFurther };

  // Appends what the window can be after the next slot.
  void after(Id id, Value put, Taker taker, Value taken, std::vector<Id>& next);

 private:
  // A value without take, or a take without value.
  struct Entry {
    std::uint64_t word = 0;  // of the value; 0 for a take of unknown result
    std::uint32_t age = 0;
    bool is_take = false;
    bool is_known = true;

    friend bool operator==(const Entry&, const Entry&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Entry& entry) {
      return H::combine(std::move(h), entry.word, entry.age, entry.is_take,
                        entry.is_known);
    }
  };
  using Window = std::vector<Entry>;  // the oldest first

  void put(const Window& from, Value value, std::vector<Window>& out) const;
  void take(const Window& from, Taker taker, Value value,
            std::vector<Window>& out) const;
  bool grow_older(Window& window) const;

  std::uint32_t factor_;
  std::vector<Window> windows_;
  FlatMap<Window, Id> ids_;
  std::vector<Window> after_put_, after_take_;  // scratch
};

}  // namespace plumb::check
