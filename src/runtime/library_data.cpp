// SPDX-License-Identifier: Apache-2.0
#include "runtime/library_data.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <locale>
#include <string_view>
#include <vector>

#include "runtime/elf_tables.h"
#include "runtime/libraries.h"

namespace plumb::runtime {

constinit bool system_was_called = false;

namespace {

constexpr std::size_t kPage = 4096;

// A stretch of data and a copy of it.
struct Saved {
  GlobalRange data;
  unsigned char* copy = nullptr;

  std::size_t size() const { return data.end - data.begin; }
  unsigned char* bytes() const {
    return reinterpret_cast<unsigned char*>(data.begin);
  }
};

struct Libraries {
  bool is_known = false;
  std::vector<GlobalRange> own;  // the test's
  std::vector<Saved> saved_own;
  std::vector<Saved> saved_system;
};
Libraries& all = *new Libraries;  // until the very end

Saved with_room(GlobalRange range) {
  void* const memory =
      mmap(nullptr, range.end - range.begin, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return {range, static_cast<unsigned char*>(memory)};
}

void save(const Saved& saved) {
  std::memcpy(saved.copy, saved.bytes(), saved.size());
}

// What differs is written, and nothing else: pages that were never touched stay
// so.
void put_back(const Saved& saved) {
  for (std::size_t at = 0; at < saved.size(); at += kPage) {
    const std::size_t bytes = std::min(kPage, saved.size() - at);
    if (std::memcmp(saved.bytes() + at, saved.copy + at, bytes) == 0) continue;
    std::memcpy(saved.bytes() + at, saved.copy + at, bytes);
  }
}

// --- what the runtime itself changes

// Of the C library's allocator: what using it changes, and what lies between.
void add_allocator(GlobalRange data, std::vector<GlobalRange>& out) {
  constexpr std::size_t kNear = 2048, kMost = std::size_t{1} << 21;
  constexpr int kOfEach = 24;  // more than are kept for one thread
  const auto size = data.end - data.begin;
  const auto* const now = reinterpret_cast<const unsigned char*>(data.begin);
  const std::vector<unsigned char> before(now, now + size);
  void* taken[kOfEach];
  for (std::size_t bytes = 16; bytes <= kMost; bytes += 16 + bytes / 4) {
    for (void*& block : taken) block = std::malloc(bytes);
    for (int i = 0; i < kOfEach; i += 2) std::free(taken[i]);
    for (int i = 1; i < kOfEach; i += 2) std::free(taken[i]);
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (now[i] == before[i]) continue;
    const std::uintptr_t at = data.begin + i;
    if (!out.empty() && at - out.back().end < kNear) {
      out.back().end = at + 1;
    } else {
      out.push_back({at, at + 1});
    }
  }
  for (GlobalRange& range : out) {
    range.begin &= ~std::uintptr_t{63};
    range.end = (range.end + 63) & ~std::uintptr_t{63};
  }
}

void add_stream(const std::FILE* stream, std::vector<GlobalRange>& out) {
  const auto add = [&](const void* at, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(at);
    if (at != nullptr) out.push_back({begin, begin + bytes});
  };
  constexpr std::size_t kWideBytes = 512, kLockBytes = 16;
  add(stream, sizeof(*stream) + sizeof(void*));
  add(stream->_lock, kLockBytes);
  add(stream->_wide_data, kWideBytes);
}

// What the C++ library works out at the first use, without a lock: a race that
// is none of the test's business.
void warm_up() {
  const auto& letters =
      std::use_facet<std::ctype<char>>(std::locale::classic());
  letters.widen(' ');
  char every[256], narrow[256];
  for (int i = 0; i < 256; ++i) {
    every[i] = static_cast<char>(i);
    letters.narrow(every[i], '\0');
  }
  letters.narrow(every, every + 256, '\0', narrow);
}

// --- which libraries

std::string_view name_of(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

bool contains(const dl_phdr_info& info, const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& header = info.dlpi_phdr[i];
    const std::uintptr_t begin = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && at - begin < header.p_memsz) return true;
  }
  return false;
}

bool is_everybodys(std::string_view name) {
  return name.starts_with("libc.so") || name.starts_with("libm.so") ||
         name.starts_with("libstdc++.so") || name.starts_with("libgcc_s.so");
}

// Those that we need, and those that these need.
std::vector<std::string_view> needed_by_us(
    const std::vector<dl_phdr_info>& loaded) {
  std::vector<std::string_view> out;
  const auto add_needed = [&](const dl_phdr_info& info) {
    ElfTables(&info).each_needed([&](std::string_view name) {
      const bool is_new = std::find(out.begin(), out.end(), name) == out.end();
      if (is_new) out.push_back(name);
    });
  };
  for (const dl_phdr_info& info : loaded) {
    if (contains(info, &system_was_called)) add_needed(info);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const dl_phdr_info& info : loaded) {
      if (name_of(info.dlpi_name) == out[i]) add_needed(info);
    }
  }
  return out;
}

// Without what lies in `kept`.
void add_without(GlobalRange range, const std::vector<GlobalRange>& kept,
                 std::vector<Saved>& out) {
  for (const GlobalRange& hole : kept) {
    if (hole.end <= range.begin || range.end <= hole.begin) continue;
    if (range.begin < hole.begin) {
      add_without({range.begin, hole.begin}, kept, out);
    }
    if (hole.end < range.end) add_without({hole.end, range.end}, kept, out);
    return;
  }
  out.push_back(with_room(range));
}

void add_system(const dl_phdr_info& info) {
  std::vector<GlobalRange> kept;
  const bool is_c = name_of(info.dlpi_name).starts_with("libc.so");
  each_writable(&info, [&](std::uintptr_t begin, std::uintptr_t end) {
    if (is_c && begin < end) add_allocator({begin, end}, kept);
  });
  if (is_c) {
    for (const std::FILE* stream : {stdin, stdout, stderr}) {
      add_stream(stream, kept);
    }
  }
  each_writable(&info, [&](std::uintptr_t begin, std::uintptr_t end) {
    if (begin < end) add_without({begin, end}, kept, all.saved_system);
  });
}

void find_all() {
  std::vector<dl_phdr_info> loaded;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        static_cast<std::vector<dl_phdr_info>*>(to)->push_back(*info);
        return 0;
      },
      &loaded);
  const auto ours = needed_by_us(loaded);
  for (const dl_phdr_info& info : loaded) {
    const std::string_view name = name_of(info.dlpi_name);
    if (name.empty() || contains(info, &system_was_called)) continue;
    if (is_tests_own(&info)) {
      each_writable(&info, [](std::uintptr_t begin, std::uintptr_t end) {
        if (begin >= end) return;
        all.own.push_back({begin, end});
        all.saved_own.push_back(with_room({begin, end}));
      });
      continue;
    }
    const bool is_ours =
        std::find(ours.begin(), ours.end(), name) != ours.end();
    const bool is_loader =
        name.starts_with("ld-linux") || name.starts_with("linux-");
    if (is_loader || (is_ours && !is_everybodys(name))) continue;
    add_system(info);
  }
}

}  // namespace

std::span<const GlobalRange> library_ranges() {
  return all.own;
}

void library_data_snapshot() {
  if (!all.is_known) {
    warm_up();
    find_all();
  }
  all.is_known = true;
  for (const Saved& saved : all.saved_own) save(saved);
  for (const Saved& saved : all.saved_system) save(saved);
  system_was_called = false;
}

void library_data_restore() {
  for (const Saved& saved : all.saved_own) put_back(saved);
  if (!system_was_called) return;
  system_was_called = false;
  for (const Saved& saved : all.saved_system) put_back(saved);
}

}  // namespace plumb::runtime
