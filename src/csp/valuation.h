// SPDX-License-Identifier: Apache-2.0
// The variables and channels of one state, and how they lie in its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "csp/ast.h"
#include "csp/datum.h"
#include "csp/fault.h"
#include "lts/system.h"

namespace plumb::csp {

// How many cells a word of a mask of cells stands for.
inline constexpr std::size_t kMaskWord = 64;

// Where the variables of a module lie.
class Layout {
 public:
  struct Entry {
    std::string name;
    std::uint32_t first = 0;   // slot of the first element
    std::uint32_t length = 1;  // slots; 1 for what is no array
    bool is_array = false;
    bool is_boolean = false;
    bool left_out = false;           // no part of the bytes
    std::optional<ClassId> type;     // of objects
    std::int32_t low = 0, high = 0;  // of each element; all numbers: no range
    bool has_range = false;
    std::vector<std::uint32_t> dimensions;
    Span span;
  };
  // What encode() and decode() need to know of a slot, all that they look at.
  struct Slot {
    enum class Kind : std::uint8_t { kNumber, kBoolean, kObject, kLeftOut };
    Kind kind = Kind::kNumber;  // that it was declared to hold
    ClassId type = ClassId::kSet;
    std::uint32_t behind = 0;  // slots of the variable that follow this one
  };
  struct Buffer {
    std::string name;  // "c", "c[2]"
    std::uint32_t capacity = 0;
  };

  // `leave_out_hidden`: hvars are not part of the bytes; decode() gives them
  // their initial values.  Throws RuntimeFault for a variable that cannot be
  // laid out (an unknown class, an array too large).
  explicit Layout(const Module& module, bool leave_out_hidden = false);

  const std::vector<Entry>& variables() const { return variables_; }
  const std::vector<Buffer>& buffers() const { return buffers_; }
  const std::vector<Channel>& channels() const { return channels_; }
  const std::vector<Slot>& slots() const { return slots_; }
  // What each slot holds at first, before initial expressions are evaluated.
  const std::vector<Datum>& slot_values() const { return slot_values_; }
  // Gives the variables that are left out their initial values.
  void set_hidden(std::uint32_t variable, std::span<const Datum> values);

 private:
  void add_variable(const Variable& variable, bool leave_out);

  std::vector<Entry> variables_;
  std::vector<Channel> channels_;
  std::vector<Buffer> buffers_;
  std::vector<Slot> slots_;
  std::vector<Datum> slot_values_;
};

// A value that changes; copies are independent of each other and cheap.
// Requires: the Layout outlives it.
class Valuation {
 public:
  explicit Valuation(const Layout& layout);

  const Layout& layout() const { return *layout_; }

  // Reads what encode() wrote; returns where it ends.
  const std::uint8_t* decode(const std::uint8_t* begin,
                             const std::uint8_t* end);
  // Appends; equal valuations (but for what is left out) give equal bytes.
  void encode(lts::StateBytes& out) const;

  // A whole variable: its value, an array as a copy.
  Datum get(std::uint32_t variable) const;
  // Throws RuntimeFault if an element is out of range.  An array of another
  // length replaces the old one, as in PAT.
  void set(std::uint32_t variable, const Datum& value);
  // Elements of an array, flattened; 0 for what is no array.  Both throw
  // RuntimeFault if there is no such element.
  const Datum& element(std::uint32_t variable, std::int64_t index) const;
  void set_element(std::uint32_t variable, std::int64_t index, Datum value);
  // How many elements the variable has now; 1 for what is no array.
  std::size_t length(std::uint32_t variable) const;
  // An element to change in place, as methods of objects do.  Requires: it
  // does not become an array.
  Datum& own_element(std::uint32_t variable, std::int64_t index);
  // Of a variable that is no array: Layout::Entry::first.
  Datum& slot(std::uint32_t number) { return slots_[number]; }
  const Datum& slot(std::uint32_t number) const { return slots_[number]; }

  // Buffers of channels: messages, first in first out.  An array of channels
  // has Channel::elements buffers from Channel::first on.
  std::size_t size(std::uint32_t buffer) const { return counts_[buffer]; }
  bool full(std::uint32_t buffer) const {
    return counts_[buffer] >= layout_->buffers()[buffer].capacity;
  }
  // Requires: size(buffer) > 0.  Valid until the next change.
  std::span<const Datum> front(std::uint32_t buffer) const;
  // Requires: size(buffer) > 0.
  void pop(std::uint32_t buffer);
  // Requires: !full(buffer).
  void push(std::uint32_t buffer, std::span<const Datum> message);
  // All messages of a buffer, the first one first.
  std::vector<std::vector<Datum>> messages(std::uint32_t buffer) const;

  // For people: {"x", "3"}, {"a", "[1,2]"}, {"c", "<1.2, 3>"}.
  std::vector<lts::Variable> describe() const;

  friend bool operator==(const Valuation& left, const Valuation& right) {
    return left.slots_ == right.slots_ && left.counts_ == right.counts_ &&
           left.lengths_ == right.lengths_ && left.fields_ == right.fields_;
  }

 private:
  std::size_t first_message(std::uint32_t buffer) const;
  std::size_t first_field(std::size_t message) const;
  void check(const Layout::Entry& entry, const Datum& value) const;
  void encode_slots(lts::StateBytes& out) const;
  void decode_slots(const std::uint8_t*& at);

  const Layout* layout_;
  // Invariant: a variable whose value has not its declared shape (an array of
  // another length, an array where none was declared) has that array in its
  // first slot and zeros behind it.
  std::vector<Datum> slots_;
  // The messages of all buffers, buffer by buffer: how many each has, how
  // many fields each message has, and the fields.
  std::vector<std::uint32_t> counts_, lengths_;
  std::vector<Datum> fields_;
};

// All initial valuations: one, or several if there is a `= *`.  Throws
// RuntimeFault for initial values out of range, a `*` without a finite range,
// and more than `most` valuations.  Fixes what `layout` says of variables that
// are left out.
std::vector<Valuation> initial_valuations(const Module& module, Layout& layout,
                                          std::size_t most = 100'000);

}  // namespace plumb::csp
