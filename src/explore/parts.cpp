// SPDX-License-Identifier: Apache-2.0
#include "explore/parts.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace plumb::explore {
namespace {

// Reads numbers of any width, the lowest bits first.
class BitReader {
 public:
  explicit BitReader(const std::uint8_t* from) : from_(from) {}

  std::uint32_t next(unsigned width) {
    while (have_ < width) {
      bits_ |= std::uint64_t{*from_++} << have_;
      have_ += 8;
    }
    const auto number =
        static_cast<std::uint32_t>(bits_ & ((std::uint64_t{1} << width) - 1));
    bits_ >>= width;
    have_ -= width;
    return number;
  }

 private:
  const std::uint8_t* from_;
  std::uint64_t bits_ = 0;
  unsigned have_ = 0;
};

}  // namespace

Parts::Parts(std::vector<std::uint32_t> cuts, std::size_t threads, Gate& gate)
    : cuts_(std::move(cuts)) {
  SharedStore::Options options;
  options.threads = threads;
  options.has_entries = false;
  for (std::size_t i = 0; i <= cuts_.size(); ++i) {
    tables_.push_back(std::make_unique<SharedStore>(options, gate));
  }
  widths_.resize(tables_.size());
  widen();
}

lts::StateView Parts::part(lts::StateView state, std::size_t i) const {
  const std::size_t size = state.size();
  const std::size_t begin = i == 0 ? 0 : cuts_[i - 1];
  const std::size_t end = i == cuts_.size() ? size : cuts_[i];
  return state.subspan(std::min(begin, size),
                       std::min(end, size) - std::min(begin, size));
}

bool Parts::number(std::size_t thread, lts::StateView state,
                   std::span<std::uint32_t> numbers) {
  for (std::size_t i = 0; i < count(); ++i) {
    const lts::StateView bytes = part(state, i);
    numbers[i] = tables_[i]->insert(thread, bytes, SharedStore::hash(bytes)).id;
    if (numbers[i] == kNoState) return false;
  }
  return true;
}

bool Parts::fits(std::span<const std::uint32_t> numbers) const {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::uint64_t{numbers[i]} >> widths_[i] != 0) return false;
  }
  return true;
}

// Twice the parts that there are now: a table that has doubled will often
// double again, and each time all records are written anew.
void Parts::widen() {
  std::vector<std::uint8_t> widths = widths_;
  for (std::size_t i = 0; i < count(); ++i) {
    const auto needed = static_cast<int>(std::bit_width(tables_[i]->end()));
    if (needed >= widths[i]) {
      widths[i] = static_cast<std::uint8_t>(std::min(needed + 1, 32));
    }
  }
  set_widths(std::move(widths));
}

void Parts::set_widths(std::vector<std::uint8_t> widths) {
  widths_ = std::move(widths);
  std::size_t bits = 0;
  for (const std::uint8_t width : widths_) bits += width;
  record_bytes_ = (bits + 7) / 8;
}

void Parts::pack(std::span<const std::uint32_t> numbers,
                 std::uint8_t* record) const {
  std::uint64_t bits = 0;
  unsigned have = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    bits |= std::uint64_t{numbers[i]} << have;
    for (have += widths_[i]; have >= 8; have -= 8, bits >>= 8) {
      *record++ = static_cast<std::uint8_t>(bits);
    }
  }
  if (have > 0) *record = static_cast<std::uint8_t>(bits);
}

void Parts::unpack(const std::uint8_t* record,
                   std::span<const std::uint8_t> widths,
                   std::span<std::uint32_t> numbers) const {
  BitReader reader(record);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = reader.next(widths[i]);
  }
}

bool Parts::is_of(const std::uint8_t* record, lts::StateView state) const {
  BitReader reader(record);
  for (std::size_t i = 0; i < count(); ++i) {
    const lts::StateView own = (*tables_[i])[reader.next(widths_[i])];
    const lts::StateView other = part(state, i);
    if (own.size() != other.size() ||
        !same_bytes(own.data(), other.data(), own.size())) {
      return false;
    }
  }
  return true;
}

lts::StateView Parts::unpack(const std::uint8_t* record,
                             lts::StateBytes& state) const {
  state.clear();
  BitReader reader(record);
  for (std::size_t i = 0; i < count(); ++i) {
    const lts::StateView own = (*tables_[i])[reader.next(widths_[i])];
    state.insert(state.end(), own.begin(), own.end());
  }
  return state;
}

std::size_t Parts::bytes() const {
  std::size_t sum = 0;
  for (const auto& table : tables_) sum += table->bytes();
  return sum;
}

}  // namespace plumb::explore
