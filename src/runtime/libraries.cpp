// SPDX-License-Identifier: Apache-2.0
#include "runtime/libraries.h"

#include <cstddef>
#include <cstring>
#include <initializer_list>

namespace plumb::runtime {

namespace {

struct Range {
  std::uintptr_t begin = 0;
  std::size_t size = 0;
};
// LIMIT: of so many libraries at most; those beyond count as the test's.
constexpr std::size_t kMostRanges = 128;
constinit Range ranges[kMostRanges];
constinit std::size_t range_count = 0;

bool starts_with(const char* text, const char* start) {
  return std::strncmp(text, start, std::strlen(start)) == 0;
}

bool contains(const dl_phdr_info* info, std::uintptr_t address) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (address - begin < header.p_memsz) return true;
  }
  return false;
}

const char* last_part(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

// What it locks there it locks for the test: std::atomic_load(&shared_ptr).
bool is_cxx_library(const char* path) {
  return starts_with(last_part(path), "libstdc++.so");
}

int note_library(dl_phdr_info* info, std::size_t, void*) {
  if (is_tests_own(info) || is_cxx_library(info->dlpi_name)) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_W)) continue;
    if (range_count == kMostRanges) return 1;
    ranges[range_count++] = {info->dlpi_addr + header.p_vaddr, header.p_memsz};
  }
  return 0;
}

struct Visitor {
  void (*visit)(void*, std::uintptr_t, std::size_t);
  void* context;
};

// The loader makes a part of it read-only; all of it can be read.
int visit_data(dl_phdr_info* info, std::size_t, void* argument) {
  const auto& visitor = *static_cast<const Visitor*>(argument);
  const bool is_library = info->dlpi_name[0] != '\0';
  if (!is_library ||
      contains(info, reinterpret_cast<std::uintptr_t>(&is_tests_own))) {
    return 0;
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_W)) continue;
    visitor.visit(visitor.context, info->dlpi_addr + header.p_vaddr,
                  header.p_memsz);
  }
  return 0;
}

}  // namespace

void each_library_data(void (*visit)(void*, std::uintptr_t, std::size_t),
                       void* context) {
  Visitor visitor{visit, context};
  dl_iterate_phdr(visit_data, &visitor);
}

bool is_tests_own(const dl_phdr_info* info) {
  if (info->dlpi_name[0] == '\0') return true;  // the executable
  for (const char* folder : {"/lib/", "/lib64/", "/usr/", "/nix/", "linux-"}) {
    if (starts_with(info->dlpi_name, folder)) return false;
  }
  return !contains(info, reinterpret_cast<std::uintptr_t>(&is_tests_own));
}

bool has_data_of_threads(const dl_phdr_info* info) {
  if (is_tests_own(info)) return true;
  if (contains(info, reinterpret_cast<std::uintptr_t>(&is_tests_own))) {
    return false;
  }
  for (const char* used : {"libc.so", "libstdc++.so", "libdw.so", "libelf.so",
                           "libabsl_raw_hash_set.so"}) {
    if (starts_with(last_part(info->dlpi_name), used)) return false;
  }
  return true;
}

void find_libraries() {
  range_count = 0;
  dl_iterate_phdr(note_library, nullptr);
}

bool in_system_library(std::uintptr_t address) {
  for (std::size_t i = 0; i < range_count; ++i) {
    if (address - ranges[i].begin < ranges[i].size) return true;
  }
  return false;
}

}  // namespace plumb::runtime
