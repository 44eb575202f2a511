// SPDX-License-Identifier: Apache-2.0
#include "runtime/touch.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include <algorithm>

#include "runtime/fibers.h"
#include "runtime/libraries.h"
#include "runtime/loops.h"
#include "runtime/races.h"
#include "runtime/sync_objects.h"

namespace plumb::runtime {

namespace seen_code {
constinit std::uintptr_t begin = 0;
constinit std::size_t size = 0;
}  // namespace seen_code
constinit bool in_library = false;
constinit bool library_gives = false;

namespace {

struct Code {
  std::uintptr_t begin = 0;
  std::size_t size = 0;
};
// LIMIT: of so many libraries at most; what those beyond call is not told.
constexpr std::size_t kMostLibraries = 32;
constinit Code libraries[kMostLibraries];
constinit std::size_t library_count = 0;
constinit Code cxx_library = {};
constexpr std::size_t kMostCLibraries = 16;
constinit Code c_libraries[kMostCLibraries];
constinit std::size_t c_library_count = 0;

Code code_of(const dl_phdr_info* info) {
  std::uintptr_t low = UINTPTR_MAX, high = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_X)) continue;
    const std::uintptr_t at = info->dlpi_addr + header.p_vaddr;
    low = std::min<std::uintptr_t>(low, at);
    high = std::max<std::uintptr_t>(high, at + header.p_memsz);
  }
  return high == 0 ? Code{0, 0} : Code{low, high - low};
}

// Tables of a library: what is in its dynamic section may be an address or
// the distance from where the library lies.
std::uintptr_t placed(const dl_phdr_info* info, std::uintptr_t value) {
  return value < info->dlpi_addr ? info->dlpi_addr + value : value;
}

// Does it call what compilers call at accesses?
bool is_instrumented(const dl_phdr_info* info) {
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
      entry = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr +
                                                 info->dlpi_phdr[i].p_vaddr);
    }
  }
  std::uintptr_t symbols = 0, names = 0, jumps = 0;
  std::size_t jumps_bytes = 0;
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB) symbols = entry->d_un.d_ptr;
    if (entry->d_tag == DT_STRTAB) names = entry->d_un.d_ptr;
    if (entry->d_tag == DT_JMPREL) jumps = entry->d_un.d_ptr;
    if (entry->d_tag == DT_PLTRELSZ) jumps_bytes = entry->d_un.d_val;
  }
  if (symbols == 0 || names == 0 || jumps == 0) return false;
  const auto* symbol =
      reinterpret_cast<const ElfW(Sym)*>(placed(info, symbols));
  const auto* text = reinterpret_cast<const char*>(placed(info, names));
  const auto* jump = reinterpret_cast<const ElfW(Rela)*>(placed(info, jumps));
  for (std::size_t i = 0; i < jumps_bytes / sizeof(*jump); ++i) {
    const char* name = text + symbol[ELF64_R_SYM(jump[i].r_info)].st_name;
    if (strncmp(name, "__tsan_", 7) == 0) return true;
  }
  return false;
}

bool is_called(const char* path, const char* beginning) {
  const char* slash = strrchr(path, '/');
  return strncmp(slash ? slash + 1 : path, beginning, strlen(beginning)) == 0;
}
bool is_cxx_library(const char* path) {
  return is_called(path, "libstdc++.so");
}
bool is_c_library(const char* path) {
  return is_called(path, "libc.so.6") || is_called(path, "ld-linux") ||
         is_called(path, "libnss_") || is_called(path, "libresolv.so");
}

int note_code(dl_phdr_info* info, std::size_t, void*) {
  const Code code = code_of(info);
  const auto ours = reinterpret_cast<std::uintptr_t>(&find_seen_code);
  if (ours - code.begin < code.size) return 0;
  if (is_c_library(info->dlpi_name) && c_library_count < kMostCLibraries) {
    c_libraries[c_library_count++] = code;
  }
  if (info->dlpi_name[0] == '\0') {
    seen_code::begin = code.begin;
    seen_code::size = code.size;
  } else if (library_count < kMostLibraries &&
             (is_cxx_library(info->dlpi_name) ||
              (is_tests_own(info) && is_instrumented(info)))) {
    libraries[library_count++] = code;
    if (is_cxx_library(info->dlpi_name)) cxx_library = code;
  }
  return 0;
}

// Two hulls that contain all ranges, cut at the widest gap.
struct Hulls {
  std::uintptr_t begin[2] = {};
  std::uintptr_t end[2] = {};
};

bool is_hidden(std::uintptr_t address) {
  return (address & kHiddenState) != 0;
}

}  // namespace

void find_seen_code() {
  seen_code::size = 0;
  library_count = c_library_count = 0;
  dl_iterate_phdr(note_code, nullptr);
}

bool is_in_seen_library(std::uintptr_t pc) {
  for (std::size_t i = 0; i < library_count; ++i) {
    if (pc - libraries[i].begin < libraries[i].size) return true;
  }
  return false;
}

bool is_in_cxx_library(std::uintptr_t pc) {
  return pc - cxx_library.begin < cxx_library.size;
}

bool is_in_c_library(std::uintptr_t pc) {
  for (std::size_t i = 0; i < c_library_count; ++i) {
    if (pc - c_libraries[i].begin < c_libraries[i].size) return true;
  }
  return false;
}

void Ranges::reads_text(const char* text) {
  reads(text, strlen(text) + 1);
}

void Ranges::reads_text(const char* text, std::size_t most) {
  const std::size_t length = strnlen(text, most);
  reads(text, length < most ? length + 1 : most);
}

void Ranges::uses_hidden(const void* key, bool writes) {
  add(reinterpret_cast<const void*>(number_of(key) | kHiddenState), 8, writes);
}

void Ranges::add(const void* begin, std::size_t bytes, bool writes) {
  const std::uintptr_t at = number_of(begin);
  // What was freed has no end: that is told first.
  if (!is_hidden(at)) check_access(at, 1, writes, pc_);
  if (how_ == How::kCheck) {
    if (!is_hidden(at)) check_access(at, bytes, writes, pc_);
  } else if (how_ == How::kAtOnce) {
    plain_access(at, bytes, writes, pc_);
  } else if (is_hidden(at) || check_access(at, bytes, writes, pc_)) {
    if (count_ == kMost) {
      not_supported(reinterpret_cast<const void*>(pc_),
                    "a call that touches more than 32 pieces of memory, "
                    "where races are allowed");
    }
    ranges_[count_++] = {at, bytes, writes};
  }
}

bool Ranges::covers(const Ranges& others) const {
  for (std::size_t i = 0; i < others.count_; ++i) {
    const Range& other = others.ranges_[i];
    const bool found =
        std::any_of(ranges_, ranges_ + count_, [&](const Range& mine) {
          return mine.begin <= other.begin && mine.writes >= other.writes &&
                 mine.begin + mine.bytes >= other.begin + other.bytes;
        });
    if (!found) return false;
  }
  return true;
}

void tell_use(const volatile void* object, std::uintptr_t pc) {
  if (is_seen(pc)) note_use(number_of(object), pc);
}

void tell_life(const volatile void* object, std::size_t bytes,
               std::uintptr_t pc) {
  if (!is_seen(pc)) return;
  tell_after(pc, [&](Ranges& to) {
    to.writes(const_cast<const void*>(object), bytes);
  });
}

bool Telling::are_events() {
  return !state.in_race_mode && !state.is_alone;
}

void Telling::before(std::uintptr_t pc, Tell tell, void* context) {
  if (are_events()) return collect(pc, tell, context);
  Ranges now(Ranges::How::kAtOnce, pc);
  tell(now, context);
}

void Telling::at_most(std::uintptr_t pc, Tell tell, void* context) {
  if (are_events()) collect(pc, tell, context);
}

void Telling::after(std::uintptr_t pc, Tell tell, void* context) {
  Ranges now(are_events() ? Ranges::How::kCheck : Ranges::How::kAtOnce, pc);
  tell(now, context);
}

// While this thread waited for its turn, a text may have become longer.
void Telling::collect(std::uintptr_t pc, Tell tell, void* context) {
  Ranges ranges(Ranges::How::kCollect, pc);
  tell(ranges, context);
  while (take_turn(ranges)) {
    Ranges now(Ranges::How::kCollect, pc);
    tell(now, context);
    if (ranges.covers(now)) return;
    ranges = now;
  }
}

// Returns false if there is nothing to be told.
bool Telling::take_turn(const Ranges& ranges) {
  using Range = Ranges::Range;
  if (ranges.count_ == 0) return false;
  Range sorted[Ranges::kMost];
  std::copy_n(ranges.ranges_, ranges.count_, sorted);
  Range* const end = sorted + ranges.count_;
  std::sort(sorted, end,
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  // From here on it is the second one.
  Range* second = end;
  std::uintptr_t reach = sorted->begin + sorted->bytes, widest = 0;
  for (Range* range = sorted + 1; range < end; ++range) {
    if (range->begin > reach && range->begin - reach > widest) {
      widest = range->begin - reach;
      second = range;
    }
    reach = std::max(reach, range->begin + range->bytes);
  }
  Hulls hulls;
  for (const Range* range = sorted; range < end; ++range) {
    const int which = range < second ? 0 : 1;
    if (hulls.end[which] == 0) hulls.begin[which] = range->begin;
    hulls.end[which] = std::max(hulls.end[which], range->begin + range->bytes);
  }
  const std::uintptr_t sizes[] = {hulls.end[0] - hulls.begin[0],
                                  hulls.end[1] - hulls.begin[1]};
  if (std::max(sizes[0], sizes[1]) > UINT32_MAX) {
    not_supported(reinterpret_cast<const void*>(ranges.pc_),
                  "a call that touches memory in three distant places, "
                  "where races are allowed");
  }
  Event event;
  event.address = hulls.begin[0];
  event.size = static_cast<std::uint32_t>(sizes[0]);
  event.writes = ranges.count_ > 1 || sorted->writes;
  event.kind = event.writes ? Kind::kWrite : Kind::kRead;
  event.pc = ranges.pc_;
  event.site = site_of(ranges.pc_);
  if (hulls.end[1] != 0) {
    event.second = hulls.begin[1];
    event.second_size = static_cast<std::uint32_t>(sizes[1]);
    if (loop_guard) note_written(event.second, event.second_size);
  }
  announce(event);
  for (const Range* range = sorted; range < end; ++range) {
    if (is_hidden(range->begin)) continue;
    note_access(range->begin, range->bytes, range->writes, ranges.pc_);
  }
  did(event);
  return true;
}

}  // namespace plumb::runtime
