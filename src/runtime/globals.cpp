// SPDX-License-Identifier: Apache-2.0
#include "runtime/globals.h"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "runtime/early_memory.h"
#include "runtime/libraries.h"

namespace plumb::runtime {

namespace globals {
constinit std::uintptr_t low = 0;
constinit std::size_t size = 0;
constinit std::uint8_t* marks = nullptr;
constinit std::uint32_t* marked = nullptr;
constinit std::size_t marked_count = 0;
}  // namespace globals
constinit bool globals_are_written_unseen = false;

namespace {

using globals::kLineBits;
constexpr std::size_t kLine = std::size_t{1} << kLineBits;

// A mark that stays: changed unseen, so put back each time.
constexpr std::uint8_t kAlways = 2;
// ... of lines of the hull that are no data: code, what cannot be written.
constexpr std::uint8_t kNever = 3;

constexpr std::size_t kMostRanges = 8;
constinit GlobalRange ranges[kMostRanges];
constinit std::size_t range_count = 0;

constinit unsigned char* copy = nullptr;    // of the hull
constinit std::uint32_t* always = nullptr;  // the lines marked kAlways
constinit std::size_t always_count = 0;
constinit std::uint64_t restores = 0;  // since the snapshot

void* map(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return memory;
}

std::size_t line_count() {
  return globals::size >> kLineBits;
}

void add(std::uintptr_t begin, std::uintptr_t end) {
  begin &= ~(kLine - 1);
  end = (end + kLine - 1) & ~(kLine - 1);
  if (begin >= end) return;
  if (range_count == kMostRanges) std::abort();
  ranges[range_count++] = {begin, end};
}

// The first object is the executable.
int find_ranges(dl_phdr_info* info, std::size_t, void*) {
  each_writable(info, add);
  return 1;
}

template <typename Visit>
void for_lines(Visit visit) {
  for (std::size_t i = 0; i < range_count; ++i) {
    const std::size_t end = (ranges[i].end - globals::low) >> kLineBits;
    for (std::size_t line = (ranges[i].begin - globals::low) >> kLineBits;
         line < end; ++line) {
      visit(line);
    }
  }
}

void find_hull() {
  dl_iterate_phdr(find_ranges, nullptr);
  add(early::begin, early::begin + early_bytes());
  std::uintptr_t low = UINTPTR_MAX, high = 0;
  for (std::size_t i = 0; i < range_count; ++i) {
    low = std::min(low, ranges[i].begin);
    high = std::max(high, ranges[i].end);
  }
  if (low >= high) return;
  globals::low = low;
  globals::size = high - low;
  copy = static_cast<unsigned char*>(map(globals::size));
  globals::marks = static_cast<std::uint8_t*>(map(line_count()));
  globals::marked = static_cast<std::uint32_t*>(map(line_count() * 4));
  always = static_cast<std::uint32_t*>(map(line_count() * 4));
  std::memset(globals::marks, kNever, line_count());
  for_lines([](std::size_t line) { globals::marks[line] = 0; });
}

unsigned char* data_of(std::size_t line) {
  return reinterpret_cast<unsigned char*>(globals::low + (line << kLineBits));
}
unsigned char* copy_of(std::size_t line) {
  return copy + (line << kLineBits);
}

void put_back(std::size_t line) {
  std::memcpy(data_of(line), copy_of(line), kLine);
}

void compare_all() {
  for_lines([](std::size_t line) {
    if (globals::marks[line]) return;
    if (std::memcmp(data_of(line), copy_of(line), kLine) == 0) return;
    globals::marks[line] = kAlways;
    always[always_count++] = static_cast<std::uint32_t>(line);
  });
}

void clear_marks() {
  for (std::size_t i = 0; i < globals::marked_count; ++i) {
    globals::marks[globals::marked[i]] = 0;
  }
  globals::marked_count = 0;
}

}  // namespace

std::span<const GlobalRange> global_ranges() {
  return {ranges, range_count};
}

std::size_t global_bytes() {
  std::size_t bytes = 0;
  for (const GlobalRange& range : global_ranges()) {
    bytes += range.end - range.begin;
  }
  return bytes;
}

void each_changed_line(void (*visit)(void*, std::size_t, const unsigned char*,
                                     std::size_t),
                       void* context) {
  const auto look = [&](std::size_t line) {
    if (std::memcmp(data_of(line), copy_of(line), kLine) == 0) return;
    visit(context, line, data_of(line), kLine);
  };
  for (std::size_t i = 0; i < globals::marked_count; ++i) {
    look(globals::marked[i]);
  }
  for (std::size_t i = 0; i < always_count; ++i) look(always[i]);
}

void globals_snapshot() {
  close_early_memory();
  if (copy == nullptr) find_hull();
  if (copy == nullptr) return;  // no data at all
  clear_marks();
  for (std::size_t i = 0; i < always_count; ++i) {
    globals::marks[always[i]] = 0;
  }
  always_count = 0;
  restores = 0;
  globals_are_written_unseen = false;
  // Comparing first leaves pages that are zero in both unwritten: large
  // tables that are hardly used take no memory a second time.
  for_lines([](std::size_t line) {
    if (std::memcmp(copy_of(line), data_of(line), kLine) == 0) return;
    std::memcpy(copy_of(line), data_of(line), kLine);
  });
}

void globals_restore() {
  if (globals_are_written_unseen || std::has_single_bit(++restores)) {
    compare_all();
  }
  for (std::size_t i = 0; i < globals::marked_count; ++i) {
    const std::uint32_t line = globals::marked[i];
    globals::marks[line] = 0;
    put_back(line);
  }
  globals::marked_count = 0;
  for (std::size_t i = 0; i < always_count; ++i) put_back(always[i]);
}

}  // namespace plumb::runtime
