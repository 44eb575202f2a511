// SPDX-License-Identifier: Apache-2.0
// mmap and munmap: memory that static objects map before main is put back.
//
// It is taken from what they allocate (early_memory.h), so that it is data of
// the test like its globals: executions find it as it was.
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "runtime/audit_signals.h"
#include "runtime/core.h"
#include "runtime/early_memory.h"

namespace plumb::runtime {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kMostBytes = kEarlyBytes / 4;  // of one mapping

// Called before anything else is set up, and by everybody: it asks the kernel
// itself.
long ask(long number, const CallArguments& arguments) {
  const long result = kernel(number, arguments);
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

// Is it anonymous memory, wherever it may lie?
bool is_plain(const CallArguments& what) {
  const auto [at, bytes, access, flags, file, offset] = what.value;
  return at == 0 && (flags & MAP_ANONYMOUS) != 0 &&
         access == (PROT_READ | PROT_WRITE) && bytes != 0 &&
         bytes <= kMostBytes;
}

void* map(const CallArguments& what, std::uintptr_t pc) {
  if (!active && early::open && is_plain(what) && is_in_executable(pc)) {
    const std::size_t whole = (what.value[1] + kPage - 1) / kPage * kPage;
    // It was never used before, so it is zero.
    if (void* const block = allocate_early(whole, kPage)) return block;
  }
  return reinterpret_cast<void*>(ask(SYS_mmap, what));
}

template <typename Number>
std::uint64_t bits(Number number) {
  return static_cast<std::uint64_t>(number);
}

}  // namespace
}  // namespace plumb::runtime

using namespace plumb::runtime;

#define PLUMB_PC reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

extern "C" {

void* mmap(void* at, std::size_t bytes, int access, int flags, int file,
           off_t offset) noexcept {
  return map({{bits_of(at), bytes, bits(access), bits(flags), bits(file),
               bits(offset)}},
             PLUMB_PC);
}

void* mmap64(void* at, std::size_t bytes, int access, int flags, int file,
             off_t offset) noexcept {
  return map({{bits_of(at), bytes, bits(access), bits(flags), bits(file),
               bits(offset)}},
             PLUMB_PC);
}

int munmap(void* at, std::size_t bytes) noexcept {
  if (is_early(at)) return 0;
  return static_cast<int>(ask(SYS_munmap, {{bits_of(at), bytes}}));
}

}  // extern "C"
