// SPDX-License-Identifier: Apache-2.0
// Where the variables and channels of a module lie.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "csp/library.h"
#include "csp/valuation.h"

namespace plumb::csp {

namespace {

// LIMIT: a model with larger arrays is refused; each state would hold them.
constexpr std::uint64_t kMostSlots = 1'000'000;

std::int32_t clamped(std::int64_t number) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(number, std::numeric_limits<std::int32_t>::min(),
                               std::numeric_limits<std::int32_t>::max()));
}

void set_range(const Range& range, Layout::Entry& entry) {
  entry.has_range = range.low.has_value() || range.high.has_value();
  if (range.low) entry.low = clamped(*range.low);
  if (range.high) entry.high = clamped(*range.high);
}

// The product of the dimensions; a record without them counts its elements.
std::uint64_t length_of(const Variable& variable) {
  if (variable.dimensions.empty()) {
    const bool listed =
        variable.initial && variable.initial->kind == ExprKind::kRecord;
    return listed ? variable.initial->children.size() : 1;
  }
  std::uint64_t length = 1;
  for (const std::uint32_t size : variable.dimensions) {
    length = std::min(length * size, kMostSlots + 1);
  }
  return length;
}

Layout::Slot::Kind kind_of(const Layout::Entry& entry) {
  using Kind = Layout::Slot::Kind;
  if (entry.left_out) return Kind::kLeftOut;
  if (entry.type) return Kind::kObject;
  return entry.is_boolean ? Kind::kBoolean : Kind::kNumber;
}

}  // namespace

Layout::Layout(const Module& module, bool leave_out_hidden)
    : channels_(module.channels) {
  for (const Variable& variable : module.variables) {
    add_variable(variable, leave_out_hidden && variable.hidden);
  }
  buffers_.resize(module.buffers);
  for (const Channel& channel : channels_) {
    for (std::uint32_t i = 0; i < channel.elements; ++i) {
      Buffer& buffer = buffers_[channel.first + i];
      buffer.capacity = channel.capacity;
      buffer.name = channel.name;
      if (channel.is_array) buffer.name += "[" + std::to_string(i) + "]";
    }
  }
}

void Layout::add_variable(const Variable& variable, bool leave_out) {
  Entry entry;
  entry.name = variable.name;
  entry.first = static_cast<std::uint32_t>(slots_.size());
  entry.dimensions = variable.dimensions;
  entry.is_array =
      !variable.dimensions.empty() ||
      (variable.initial && variable.initial->kind == ExprKind::kRecord);
  entry.is_boolean = variable.is_boolean;
  entry.left_out = leave_out;
  entry.low = std::numeric_limits<std::int32_t>::min();
  entry.high = std::numeric_limits<std::int32_t>::max();
  if (variable.range) set_range(*variable.range, entry);
  entry.span = variable.span;
  const std::uint64_t length = length_of(variable);
  if (slots_.size() + length > kMostSlots) {
    throw RuntimeFault{
        FaultKind::kMemory,
        "the variables of a model may have " + std::to_string(kMostSlots) +
            " elements at most, and with '" + variable.name + "' are more",
        variable.span};
  }
  entry.length = static_cast<std::uint32_t>(length);
  Datum value = Datum::integer(0);
  if (!variable.type.empty()) {
    const ClassInfo* type = find_class(variable.type);
    if (type == nullptr) {
      throw RuntimeFault{FaultKind::kType,
                         "there is no class '" + variable.type + "'",
                         variable.span};
    }
    entry.type = type->id;
    value = type->make({});
  } else if (entry.is_boolean) {
    value = Datum::boolean(false);
  }
  if (length == 0) value = Datum();
  // A first slot always: an array of another length may be put there.
  const std::uint32_t count = std::max(entry.length, 1u);
  slot_values_.resize(slot_values_.size() + count, value);
  for (std::uint32_t i = 1; i <= count; ++i) {
    slots_.push_back(
        {kind_of(entry), entry.type.value_or(ClassId::kSet), count - i});
  }
  variables_.push_back(std::move(entry));
}

void Layout::set_hidden(std::uint32_t variable, std::span<const Datum> values) {
  std::copy(values.begin(), values.end(),
            slot_values_.begin() + variables_[variable].first);
}

}  // namespace plumb::csp
