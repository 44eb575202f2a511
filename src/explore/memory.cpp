// SPDX-License-Identifier: Apache-2.0
#include "explore/memory.h"

#include <cstdlib>
#include <cstring>

#include "explore/spill.h"

namespace plumb::explore {
namespace {

constexpr std::size_t kLine = 64;
// From here on a block has pages of its own; also the size from which large
// pages (2 MiB on most machines) can help.
constexpr std::size_t kLarge = std::size_t{1} << 20;

}  // namespace

Memory::Memory(std::size_t bytes, Use use) {
  if (bytes > SIZE_MAX / 2) return;
  const std::size_t whole = (bytes + kLine) / kLine * kLine;
  if (whole >= kLarge) {
    data_ = Spill::map(whole, use == Use::kAnywhere);
  } else if (void* data = std::aligned_alloc(kLine, whole)) {
    data_ = static_cast<std::uint8_t*>(std::memset(data, 0, whole));
  }
  size_ = data_ ? whole : 0;
}

const char* Memory::why_none() {
  return Spill::is_used() ? "there is no more memory or disk space"
                          : "there is no more memory";
}

Memory::~Memory() {
  if (size_ >= kLarge) {
    Spill::unmap(data_, size_);
  } else {
    std::free(data_);
  }
}

}  // namespace plumb::explore
