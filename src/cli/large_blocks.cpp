// SPDX-License-Identifier: Apache-2.0
//
// Large blocks on large pages.  A history of a million operations is tens of
// megabytes in a few blocks; page by page, the kernel's work of handing them
// out takes a fifth of the whole run.  So the tool, not its libraries, replaces
// the global operator new: blocks of several megabytes begin on a large page
// and ask for large pages.  Where the system has none, nothing is lost.
// It is also where the memory limit is kept: see MemoryCeiling.
//
// AddressSanitizer replaces the operators itself, and must find them paired.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PLUMB_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define PLUMB_SANITIZED
#endif

#ifndef PLUMB_SANITIZED
#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "base/memory_ceiling.h"

namespace {

// Of small blocks, asked for by this thread.
constexpr std::size_t kBetweenLooks = std::size_t{1} << 20;
thread_local std::size_t since_look = 0;

constexpr std::size_t kLargePage = std::size_t{2} << 20;
constexpr std::size_t kLargeBlock = 2 * kLargePage;

void* allocate(std::size_t size) noexcept {
  if (size < kLargeBlock) return std::malloc(size > 0 ? size : 1);
  const std::size_t rounded = (size + kLargePage - 1) / kLargePage * kLargePage;
  if (rounded < size) return nullptr;
  void* block = std::aligned_alloc(kLargePage, rounded);
  if (block != nullptr) madvise(block, rounded, MADV_HUGEPAGE);
  return block;
}

}  // namespace

void* operator new(std::size_t size) {
  since_look += size;
  if (since_look >= kBetweenLooks) {
    since_look = 0;
    if (!plumb::MemoryCeiling::admits(size)) throw std::bad_alloc();
  }
  if (void* block = allocate(size)) return block;
  throw std::bad_alloc();
}

void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}

#endif  // PLUMB_SANITIZED
