// SPDX-License-Identifier: Apache-2.0
#include "explore/parent_log.h"

#include <algorithm>

#include "base/invariant.h"
#include "explore/varint.h"

namespace plumb::explore {
namespace {

constexpr std::uint64_t kBetweenBookmarks = 1024;
// A half of a byte says a number below this, or that a varint with the rest
// follows.
constexpr std::uint64_t kLong = 15;

}  // namespace

bool ParentLog::add(const Entry& entry) {
  PLUMB_CHECK(entry.parent >= last_parent_);
  if (size_ % kBetweenBookmarks == 0 &&
      !bookmarks_.push_back({log_.size(), last_parent_})) {
    return false;
  }
  const std::uint64_t on = entry.parent - last_parent_;
  const std::uint64_t halves =
      std::min(on, kLong) << 4 | std::min(entry.transition, kLong);
  if (!log_.push_back(static_cast<std::uint8_t>(halves))) return false;
  if (on >= kLong && !put(on - kLong)) return false;
  if (entry.transition >= kLong && !put(entry.transition - kLong)) return false;
  last_parent_ = entry.parent;
  ++size_;
  return true;
}

bool ParentLog::put(std::uint64_t rest) {
  std::uint8_t bytes[kMostVarintBytes];
  const std::uint8_t* const end = write_varint(bytes, rest);
  return std::all_of(
      static_cast<const std::uint8_t*>(bytes), end,
      [this](std::uint8_t byte) { return log_.push_back(byte); });
}

ParentLog::Entry ParentLog::operator[](std::uint64_t number) const {
  PLUMB_CHECK(number < size_);
  const Bookmark& bookmark = bookmarks_[number / kBetweenBookmarks];
  std::uint64_t at = bookmark.at;
  Entry entry{bookmark.parent, 0};
  for (std::uint64_t i = 0; i <= number % kBetweenBookmarks; ++i) {
    const unsigned halves = log_[at++];
    entry.parent += get(at, halves >> 4);
    entry.transition = get(at, halves & 15);
  }
  return entry;
}

std::uint64_t ParentLog::get(std::uint64_t& at, unsigned half) const {
  if (half < kLong) return half;
  std::uint8_t bytes[kMostVarintBytes];
  std::size_t length = 0;
  do {
    bytes[length] = log_[at++];
  } while (bytes[length++] >= 0x80);
  std::uint64_t rest = 0;
  read_varint(bytes, rest);
  return kLong + rest;
}

}  // namespace plumb::explore
