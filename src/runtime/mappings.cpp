// SPDX-License-Identifier: Apache-2.0
// mmap and its kin.  Before main, what static objects map is taken from what
// they allocate (early_memory.h), so that it is data of the test like its
// globals: executions find it as it was.
#include "runtime/mappings.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>

#include "runtime/audit.h"
#include "runtime/core.h"
#include "runtime/early_memory.h"
#include "runtime/left_behind.h"
#include "runtime/sync_objects.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kMostEarly = kEarlyBytes / 4;  // of one mapping

// An arena for each thread, and one for the break.
constexpr std::uintptr_t kArenas = kRegion - (std::uintptr_t{1} << 42);
constexpr std::size_t kArenaBytes = std::size_t{1} << 36;
constexpr std::uintptr_t kBreak = kArenas + sched::kMaxThreads * kArenaBytes;
constexpr std::size_t kMostBreak = std::size_t{64} << 20;

constexpr std::size_t kMostMappings = 1024;
constinit Mapping known[kMostMappings];
constinit std::size_t known_count = 0;
constinit std::uintptr_t front[sched::kMaxThreads] = {};  // 0: nothing yet
constinit std::uintptr_t break_now = kBreak;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

bool is_error(long result) {
  return result < 0 && result >= -4095;
}

// As the C library has it.
long with_errno(long result) {
  if (!is_error(result)) return result;
  errno = static_cast<int>(-result);
  return -1;
}

// --- what is mapped

void add(const Mapping& mapping) {
  if (known_count == kMostMappings) {
    fail(Fault::kUnsupported, 0, "an execution maps memory more than %zu times",
         kMostMappings);
  }
  known[known_count++] = mapping;
  if (audit::on && mapping.access == (PROT_READ | PROT_WRITE)) {
    audit_mapped(mapping.begin, mapping.end);
  }
}

// Forgets a range; what is left of the mappings around it stays.
void cut_out(std::uintptr_t begin, std::uintptr_t end) {
  for (std::size_t i = 0; i < known_count;) {
    const Mapping was = known[i];
    if (was.end <= begin || end <= was.begin) {
      ++i;
      continue;
    }
    known[i] = known[--known_count];
    if (was.begin < begin) {
      Mapping left = was;
      left.end = begin;
      add(left);
    }
    if (end < was.end) {
      Mapping right = was;
      right.begin = end;
      right.offset += end - was.begin;
      add(right);
    }
  }
}

// Calls visit(begin, bytes) for runs of pages that were used.
template <typename Visit>
void each_used(std::uintptr_t begin, std::uintptr_t end, Visit visit) {
  constexpr std::size_t kAtOnce = 64;
  unsigned char used[kAtOnce];
  for (std::uintptr_t at = begin; at < end; at += kAtOnce * kPage) {
    const std::size_t bytes = std::min(end - at, kAtOnce * kPage);
    if (kernel(SYS_mincore, {{at, bytes, bits_of(used)}}) != 0) continue;
    for (std::size_t i = 0; i < bytes / kPage;) {
      std::size_t last = i;
      while (last < bytes / kPage && (used[last] & 1)) ++last;
      if (last > i) visit(at + i * kPage, (last - i) * kPage);
      i = last + 1;
    }
  }
}

// Others must be done with it.
void tell_gone(std::uintptr_t begin, std::size_t bytes, std::uintptr_t pc) {
  tell_before(pc, [&](Ranges& to) {
    for (const Mapping& mapping : mappings()) {
      if (!(mapping.access & PROT_READ)) continue;
      each_used(std::max(begin, mapping.begin),
                std::min(begin + bytes, mapping.end),
                [&](std::uintptr_t at, std::size_t size) {
                  to.writes(reinterpret_cast<const void*>(at), size);
                });
    }
  });
}

// What is in this memory is lost, whoever wrote it or is about to; the memory
// stays.
void tell_lost(std::uintptr_t begin, std::size_t bytes, std::uintptr_t pc) {
  constexpr std::size_t kMost = 1 << 20;
  if (bytes > kMost && !alone()) {
    fail(Fault::kUnsupported, pc,
         "madvise() or mmap(MAP_FIXED) throws away more than 1 MiB at once");
  }
  tell_before(pc, [&](Ranges& to) {
    to.writes(reinterpret_cast<const void*>(begin), bytes);
  });
}

// --- mmap

bool is_anonymous(const CallArguments& what) {
  const auto [at, bytes, access, flags, file, offset] = what.value;
  return (flags & MAP_ANONYMOUS) != 0;
}

bool is_shared(const CallArguments& what) {
  constexpr std::uint64_t kType = 3;  // MAP_SHARED or MAP_SHARED_VALIDATE
  return (what.value[3] & kType) != MAP_PRIVATE;
}

// Which file is mapped; 0: none.
std::uint64_t file_of(const CallArguments& what) {
  const auto [at, bytes, access, flags, file, offset] = what.value;
  if (is_anonymous(what)) return 0;
  struct stat about = {};
  if (kernel(SYS_fstat, {{file, bits_of(&about)}}) != 0) {
    return 0;
  }
  if (!is_shared(what)) {
    return S_ISREG(about.st_mode) ? mapped_file(about) : 0;
  }
  if ((access & PROT_WRITE) && about.st_nlink > 0 && S_ISREG(about.st_mode)) {
    note_changed_files("executions map a file to write it");
  }
  return mapped_file(about);
}

// One place by two addresses: nobody would see that they are one.
void require_no_alias(const Mapping& mapping, std::size_t bytes,
                      std::uintptr_t pc) {
  if (mapping.file == 0 || !mapping.is_shared) return;
  for (const Mapping& other : mappings()) {
    if (other.file == mapping.file && other.is_shared &&
        other.offset < mapping.offset + bytes &&
        mapping.offset < other.offset + (other.end - other.begin)) {
      fail(Fault::kUnsupported, pc,
           "the same memory of a file is mapped at two places: what is done by "
           "one address is not seen by the other");
    }
  }
}

std::uintptr_t& front_of_arena() {
  std::uintptr_t& at = front[self()];
  if (at == 0) at = kArenas + self() * kArenaBytes;
  return at;
}

// Some want a certain place, or a certain kind of it.
bool may_lie_anywhere(std::uint64_t flags) {
  return (flags &
          (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_32BIT | MAP_HUGETLB)) == 0;
}

// What lies there was not mapped by this execution (globals, a heap, code) and
// would not be as it was in the next one.
void require_own(std::uintptr_t at, std::size_t bytes, const char* call,
                 std::uintptr_t pc) {
  const std::uintptr_t end = at + whole_pages(bytes);
  for (std::uintptr_t page = at & ~(kPage - 1); page < end; page += kPage) {
    const Mapping* mine = nullptr;
    for (const Mapping& mapping : mappings()) {
      if (mapping.contains(page)) mine = &mapping;
    }
    if (mine != nullptr) {
      page = mine->end - kPage;
      continue;
    }
    unsigned char is_there = 0;
    const std::uint64_t answer = reinterpret_cast<std::uint64_t>(&is_there);
    if (is_error(kernel(SYS_mincore, {{page, kPage, answer}}))) continue;
    fail(Fault::kUnsupported, pc,
         "%s of memory that this execution has not mapped", call);
  }
}

// Of what this execution has mapped there.
void tell_lost_of_own(std::uintptr_t begin, std::uintptr_t end,
                      std::uintptr_t pc) {
  for (const Mapping& mapping : mappings()) {
    const std::uintptr_t from = std::max(begin, mapping.begin);
    const std::uintptr_t to = std::min(end, mapping.end);
    if (from < to && (mapping.access & PROT_READ)) {
      tell_lost(from, to - from, pc);
    }
  }
}

long map_in_execution(const CallArguments& what, std::uintptr_t pc) {
  const auto [at, bytes, access, flags, file, offset] = what.value;
  if ((flags & MAP_FIXED) && !(flags & MAP_FIXED_NOREPLACE)) {
    require_own(at, bytes, "mmap(MAP_FIXED)", pc);
    tell_lost_of_own(at, at + whole_pages(bytes), pc);
  }
  CallArguments asked = what;
  const bool chooses = may_lie_anywhere(flags) && bytes <= kArenaBytes / 2;
  if (chooses) {
    asked.value[0] = front_of_arena();
    asked.value[3] |= MAP_FIXED_NOREPLACE;
  }
  Mapping mapping;
  {
    const OwnWork own;
    mapping.file = file_of(what);
  }
  mapping.access = static_cast<int>(access);
  mapping.offset = offset;
  mapping.is_shared = is_shared(what);
  require_no_alias(mapping, bytes, pc);
  const long result = kernel(SYS_mmap, asked);
  if (is_error(result)) return result;
  mapping.begin = static_cast<std::uintptr_t>(result);
  mapping.end = mapping.begin + whole_pages(bytes);
  // A page in between is out of bounds.
  if (chooses) front_of_arena() = mapping.end + kPage;
  cut_out(mapping.begin, mapping.end);
  add(mapping);
  return result;
}

long unmap_in_execution(std::uintptr_t at, std::size_t bytes,
                        std::uintptr_t pc) {
  const std::size_t whole = whole_pages(bytes);
  require_own(at, bytes, "munmap()", pc);
  tell_gone(at, whole, pc);
  const long result = kernel(SYS_munmap, {{at, bytes}});
  if (!is_error(result)) cut_out(at, at + whole);
  return result;
}

long change_access(const CallArguments& what, std::uintptr_t pc) {
  const auto [at, bytes, access, unused1, unused2, unused3] = what.value;
  if (~access & (PROT_READ | PROT_WRITE)) {
    require_own(at, bytes, "mprotect()", pc);
  }
  // What the audit has closed is open for the kernel to look at.
  if (audit::on) audit_open_all();
  const long result = kernel(SYS_mprotect, what);
  if (!is_error(result)) {
    const std::uintptr_t end = at + whole_pages(bytes);
    Mapping changed;
    for (const Mapping& mapping : mappings()) {
      if (mapping.contains(at)) changed = mapping;
    }
    if (changed.end != 0) {
      changed.offset += at - changed.begin;
      changed.begin = at;
      changed.end = end;
      changed.access = static_cast<int>(access);
      cut_out(at, end);
      add(changed);
    }
  }
  if (audit::on) audit_close_all();
  return result;
}

long move_in_execution(const CallArguments& what, std::uintptr_t pc) {
  const auto [at, bytes, wanted, flags, to, unused] = what.value;
  Mapping moved;
  for (const Mapping& mapping : mappings()) {
    if (mapping.contains(at)) moved = mapping;
  }
  if (bytes == 0 || moved.end == 0) {
    fail(Fault::kUnsupported, pc,
         "mremap() of memory that this execution has not mapped, or that stays "
         "where it was");
  }
  const std::size_t old_bytes = whole_pages(bytes);
  const std::size_t new_bytes = whole_pages(wanted);
  CallArguments asked = what;
  const bool chooses = new_bytes > old_bytes && (flags & MREMAP_FIXED) == 0;
  if (chooses) {
    if ((flags & MREMAP_MAYMOVE) == 0) return -ENOMEM;
    asked.value[3] |= MREMAP_FIXED;
    asked.value[4] = front_of_arena();
  }
  tell_gone(at, old_bytes, pc);
  if (audit::on) audit_open_all();
  const long result = kernel(SYS_mremap, asked);
  if (!is_error(result)) {
    cut_out(at, at + old_bytes);
    moved.offset += at - moved.begin;
    moved.begin = static_cast<std::uintptr_t>(result);
    moved.end = moved.begin + new_bytes;
    if (chooses) front_of_arena() = moved.end + kPage;
    cut_out(moved.begin, moved.end);
    add(moved);
  }
  if (audit::on) audit_close_all();
  return result;
}

// Does this throw away what is in memory?  What is left then is zeros, or what
// a file holds.
bool throws_away(std::uint64_t advice) {
  constexpr std::uint64_t kEvenIfLocked = 24;  // MADV_DONTNEED_LOCKED
  return advice == MADV_DONTNEED || advice == kEvenIfLocked ||
         advice == MADV_FREE || advice == MADV_REMOVE;
}

bool is_all_shared(std::uintptr_t begin, std::uintptr_t end) {
  const auto all = mappings();
  return std::all_of(all.begin(), all.end(), [&](const Mapping& mapping) {
    return mapping.end <= begin || end <= mapping.begin || mapping.is_shared;
  });
}

// When the kernel does what it may do later is not known: now.
long advise(const CallArguments& what, std::uintptr_t pc) {
  const auto [at, bytes, advice, unused1, unused2, unused3] = what.value;
  CallArguments asked = what;
  if (throws_away(advice)) {
    require_own(at, bytes, "madvise()", pc);
    const std::uintptr_t end = at + whole_pages(bytes);
    // What several processes could share is still there.
    if (advice == MADV_REMOVE || !is_all_shared(at, end)) {
      tell_lost_of_own(at, end, pc);
    }
    if (advice == MADV_FREE) asked.value[2] = MADV_DONTNEED;
  }
  if (audit::on) audit_open_all();
  const long result = kernel(SYS_madvise, asked);
  if (audit::on) audit_close_all();
  return result;
}

// The break is one for all threads.
void tell_break(bool writes, std::uintptr_t pc) {
  tell_before(pc, [&](Ranges& to) { to.uses_hidden(&break_now, writes); });
}

long move_break(std::uintptr_t to, std::uintptr_t pc) {
  if (to < kBreak || to > kBreak + kMostBreak) return -ENOMEM;
  const std::uintptr_t old_end = kBreak + whole_pages(break_now - kBreak);
  const std::uintptr_t new_end = kBreak + whole_pages(to - kBreak);
  if (new_end > old_end) {
    const long result =
        kernel(SYS_mmap, {{old_end, new_end - old_end, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                           static_cast<std::uint64_t>(-1), 0}});
    if (is_error(result)) return result;
    Mapping more;
    more.begin = old_end;
    more.end = new_end;
    more.access = PROT_READ | PROT_WRITE;
    add(more);
  } else if (new_end < old_end) {
    unmap_in_execution(new_end, old_end - new_end, pc);
  }
  break_now = to;
  return 0;
}

// --- before main

void* map(const CallArguments& what, std::uintptr_t pc) {
  const auto [at, bytes, access, flags, file, offset] = what.value;
  if (active && !is_in_c_library(pc)) {
    return reinterpret_cast<void*>(with_errno(map_in_execution(what, pc)));
  }
  if (!active && early::open && at == 0 && is_anonymous(what) &&
      access == (PROT_READ | PROT_WRITE) && bytes != 0 && bytes <= kMostEarly &&
      is_in_executable(pc)) {
    // It was never used before, so it is zero.
    if (void* const block = allocate_early(whole_pages(bytes), kPage)) {
      return block;
    }
  }
  // Called before anything else is set up, and by everybody: asks the kernel
  // itself.
  return reinterpret_cast<void*>(with_errno(kernel(SYS_mmap, what)));
}

template <typename Number>
std::uint64_t bits(Number number) {
  return static_cast<std::uint64_t>(number);
}

}  // namespace

std::span<const Mapping> mappings() {
  return {known, known_count};
}

void each_mapped_page(void (*visit)(void*, std::uintptr_t, std::size_t),
                      void* context) {
  for (const Mapping& mapping : mappings()) {
    if (!(mapping.access & PROT_READ)) continue;
    each_used(mapping.begin, mapping.end,
              [&](std::uintptr_t begin, std::size_t bytes) {
                visit(context, begin, bytes);
              });
  }
}

void unmap_all() {
  for (const Mapping& mapping : mappings()) {
    kernel(SYS_munmap, {{mapping.begin, mapping.end - mapping.begin}});
  }
  known_count = 0;
  break_now = kBreak;
  std::fill(std::begin(front), std::end(front), 0);
}

bool map_by_call(long number, const CallArguments& arguments, std::uintptr_t pc,
                 long& result) {
  switch (number) {
    case SYS_mmap:
      result = map_in_execution(arguments, pc);
      return true;
    case SYS_munmap:
      result = unmap_in_execution(arguments.value[0], arguments.value[1], pc);
      return true;
    case SYS_mprotect:
      result = change_access(arguments, pc);
      return true;
    case SYS_mremap:
      result = move_in_execution(arguments, pc);
      return true;
    case SYS_madvise:
      result = advise(arguments, pc);
      return true;
    default:
      return false;
  }
}

}  // namespace plumb::runtime

using namespace plumb::runtime;

extern "C" {

void* mmap(void* at, std::size_t bytes, int access, int flags, int file,
           off_t offset) noexcept {
  return map({{bits_of(at), bytes, bits(access), bits(flags), bits(file),
               bits(offset)}},
             PLUMB_PC_NUMBER);
}

void* mmap64(void* at, std::size_t bytes, int access, int flags, int file,
             off_t offset) noexcept {
  return map({{bits_of(at), bytes, bits(access), bits(flags), bits(file),
               bits(offset)}},
             PLUMB_PC_NUMBER);
}

int munmap(void* at, std::size_t bytes) noexcept {
  if (is_early(at)) return 0;
  const long result =
      active && !is_in_c_library(PLUMB_PC_NUMBER)
          ? unmap_in_execution(bits_of(at), bytes, PLUMB_PC_NUMBER)
          : kernel(SYS_munmap, {{bits_of(at), bytes}});
  return static_cast<int>(with_errno(result));
}

int mprotect(void* at, std::size_t bytes, int access) noexcept {
  const CallArguments what = {{bits_of(at), bytes, bits(access)}};
  return static_cast<int>(with_errno(active
                                         ? change_access(what, PLUMB_PC_NUMBER)
                                         : kernel(SYS_mprotect, what)));
}

int madvise(void* at, std::size_t bytes, int advice) noexcept {
  const CallArguments what = {{bits_of(at), bytes, bits(advice)}};
  return static_cast<int>(with_errno(active && !is_in_c_library(PLUMB_PC_NUMBER)
                                         ? advise(what, PLUMB_PC_NUMBER)
                                         : kernel(SYS_madvise, what)));
}

void* mremap(void* at, std::size_t bytes, std::size_t wanted, int flags,
             ...) noexcept {
  va_list list;
  va_start(list, flags);
  void* const to = (flags & MREMAP_FIXED) ? va_arg(list, void*) : nullptr;
  va_end(list);
  const CallArguments what = {
      {bits_of(at), bytes, wanted, bits(flags), bits_of(to)}};
  return reinterpret_cast<void*>(
      with_errno(active ? move_in_execution(what, PLUMB_PC_NUMBER)
                        : kernel(SYS_mremap, what)));
}
}

PLUMB_STAND_IN(void*, sbrk, (std::intptr_t bytes)) {
  if (!active) return real_sbrk(bytes);
  tell_break(bytes != 0, PLUMB_PC_NUMBER);
  const std::uintptr_t before = break_now;
  const long result =
      move_break(before + static_cast<std::uintptr_t>(bytes), PLUMB_PC_NUMBER);
  return reinterpret_cast<void*>(is_error(result) ? with_errno(result)
                                                  : static_cast<long>(before));
}

PLUMB_STAND_IN(int, brk, (void* to)) {
  if (!active) return real_brk(to);
  tell_break(true, PLUMB_PC_NUMBER);
  return static_cast<int>(with_errno(move_break(bits_of(to), PLUMB_PC_NUMBER)));
}
