// SPDX-License-Identifier: Apache-2.0
#include "runtime/early_memory.h"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>

namespace plumb::runtime {

namespace early {
constinit bool open = false;
constinit std::uintptr_t begin = 0;
}  // namespace early

namespace {

constexpr std::size_t kPage = 4096;
// Before each block: its size, in a place that keeps blocks aligned.
constexpr std::size_t kHeader = 16;

constinit std::uintptr_t executable_begin = 0, executable_end = 0;
constinit std::size_t used = 0;

// The first object is the executable.
int find_executable(dl_phdr_info* info, std::size_t, void*) {
  std::uintptr_t low = UINTPTR_MAX, high = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const std::uintptr_t at = info->dlpi_addr + header.p_vaddr;
    low = std::min<std::uintptr_t>(low, at);
    high = std::max<std::uintptr_t>(high, at + header.p_memsz);
  }
  executable_begin = low & ~(kPage - 1);
  executable_end = high;
  return 1;
}

// Constructors of this library run before those of the executable.
__attribute__((constructor)) void open_early_memory() {
  dl_iterate_phdr(find_executable, nullptr);
  if (executable_begin <= kEarlyBytes) return;
  const std::uintptr_t wanted = executable_begin - kEarlyBytes;
  void* const memory = mmap(
      reinterpret_cast<void*>(wanted), kEarlyBytes, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == MAP_FAILED) return;
  // Kernels that do not know the flag choose a place themselves.
  if (reinterpret_cast<std::uintptr_t>(memory) != wanted) {
    munmap(memory, kEarlyBytes);
    return;
  }
  early::begin = wanted;
  early::open = true;
}

std::size_t* header_of(const void* block) {
  return reinterpret_cast<std::size_t*>(
      reinterpret_cast<std::uintptr_t>(block) - kHeader);
}

}  // namespace

void* allocate_early(std::size_t bytes, std::size_t alignment) {
  if (!early::open || bytes > kEarlyBytes || alignment > kPage) return nullptr;
  const std::uintptr_t mask = std::max(alignment, kHeader) - 1;
  const std::uintptr_t at = (early::begin + used + kHeader + mask) & ~mask;
  const std::size_t end = at - early::begin + bytes;
  if (end > kEarlyBytes) return nullptr;
  used = end;
  void* const block = reinterpret_cast<void*>(at);
  *header_of(block) = bytes;
  return block;
}

bool is_in_executable(std::uintptr_t pc) {
  return pc - executable_begin < executable_end - executable_begin;
}

std::size_t early_size_of(const void* block) {
  return *header_of(block);
}

std::size_t early_bytes() {
  return used;
}

void close_early_memory() {
  early::open = false;
}

}  // namespace plumb::runtime
