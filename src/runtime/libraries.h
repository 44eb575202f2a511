// SPDX-License-Identifier: Apache-2.0
// Which parts of the program are the test's own, and which the system's.
#pragma once

#include <link.h>

#include <algorithm>
#include <cstdint>

namespace plumb::runtime {

// Is this loaded object the executable, or a shared library that is neither
// ours nor lies where the system's libraries are?
bool is_tests_own(const dl_phdr_info* info);

// Is the thread-local data of this object each test thread's own?  That of
// libraries that the runtime uses as well is not: what it needs of theirs is
// known (tls.h).
bool has_data_of_threads(const dl_phdr_info* info);

// Calls add(begin, end) for its data.  What the loader makes read-only after
// relocation cannot be written, neither by the test nor by us.
template <typename Add>
void each_writable(const dl_phdr_info* info, Add add) {
  constexpr std::uintptr_t kPage = 4096;
  std::uintptr_t fixed_begin = 0, fixed_end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_GNU_RELRO) continue;
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    fixed_begin = begin & ~(kPage - 1);
    fixed_end = (begin + header.p_memsz) & ~(kPage - 1);
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_W)) continue;
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    const std::uintptr_t end = begin + header.p_memsz;
    if (fixed_end <= begin || end <= fixed_begin) {
      add(begin, end);
    } else {
      add(begin, std::min(end, fixed_begin));
      add(std::max(begin, fixed_end), end);
    }
  }
}

// Looks at what is loaded.  To be called before executions begin.
void find_libraries();

// Calls visit(context, begin, bytes) for the data of all libraries but ours
// that can be written.
void each_library_data(void (*visit)(void*, std::uintptr_t, std::size_t),
                       void* context);

// Is this memory data of a library of the system, but for C++'s, or of ours?
// What it locks in there is its own business: there is nothing to explore.
bool in_system_library(std::uintptr_t address);

}  // namespace plumb::runtime
