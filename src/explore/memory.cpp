// SPDX-License-Identifier: Apache-2.0
#include "explore/memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

namespace plumb::explore {
namespace {

constexpr std::size_t kLine = 64;
// From here on a block has pages of its own; also the size from which large
// pages (2 MiB on most machines) can help.
constexpr std::size_t kLarge = std::size_t{1} << 20;

std::uint8_t* map(std::size_t bytes) {
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return nullptr;
#ifdef MADV_HUGEPAGE
  madvise(data, bytes, MADV_HUGEPAGE);  // a wish; nothing depends on it
#endif
  return static_cast<std::uint8_t*>(data);
}

}  // namespace

Memory::Memory(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) return;
  const std::size_t whole = (bytes + kLine) / kLine * kLine;
  if (whole >= kLarge) {
    data_ = map(whole);
  } else if (void* data = std::aligned_alloc(kLine, whole)) {
    data_ = static_cast<std::uint8_t*>(std::memset(data, 0, whole));
  }
  size_ = data_ ? whole : 0;
}

Memory::~Memory() {
  if (size_ >= kLarge) {
    munmap(data_, size_);
  } else {
    std::free(data_);
  }
}

}  // namespace plumb::explore
