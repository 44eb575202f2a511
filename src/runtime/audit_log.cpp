// SPDX-License-Identifier: Apache-2.0
#include "runtime/audit_log.h"

#include <array>
#include <vector>

#include "runtime/announcers.h"

namespace plumb::runtime {

namespace {

// The last announcements of a thread.
struct Announced {
  std::uintptr_t address = 0;
  std::uint32_t size = 0;
  bool writes = false;
  std::uintptr_t pc = 0;
  std::uintptr_t used_at = 0;  // by which access it was taken up
  std::uintptr_t used_by = 0;
};
constexpr std::size_t kAnnounced = 64;

struct Deferred {
  Touch touch;
  std::uintptr_t pc = 0;
  ThreadId thread = 0;
  int hooks = 0;  // since then
};
constexpr int kPatience = 16;

struct Accessed {
  std::uintptr_t address = 0;  // 0: none
  std::uint32_t size = 0;
  std::uint16_t site = 0;  // from 1; 0: it was seen
  ThreadId thread = 0;
  bool writes = false;
  bool is_private = false;

  bool operator==(const Accessed&) const = default;
};

constexpr std::size_t kMostSites = 512;
constexpr std::size_t kMostAccesses = std::size_t{1} << 15;
constexpr std::size_t kSlots = 2 * kMostAccesses;

// Nothing in here allocates once it is made: faults come at any time.
struct Log {
  Announced announced[sched::kMaxThreads][kAnnounced];
  std::uint32_t next[sched::kMaxThreads] = {};
  Deferred deferred[64];
  std::size_t deferred_count = 0;
  std::array<std::uintptr_t, 4096> functions = {};  // that call hooks
  UnseenSite sites[kMostSites];
  std::size_t site_count = 0;
  std::vector<Accessed> accesses;
  std::vector<std::uint32_t> slots;  // a hash table: indices of these, from 1
  bool is_full = false;
};
Log& log() {
  static Log* const made = [] {
    auto* const log = new Log;
    log->accesses.reserve(kMostAccesses);
    log->slots.resize(kSlots);
    return log;
  }();
  return *made;
}

std::uint32_t& slot_of(const Accessed& access) {
  Log& all = log();
  std::uint64_t hash = access.address * 0x9E3779B97F4A7C15u;
  hash ^= access.size + (std::uint64_t{access.thread} << 8) +
          (access.writes ? 1u << 20 : 0u) + (std::uint64_t{access.site} << 32);
  hash *= 0x9E3779B97F4A7C15u;
  std::size_t slot = (hash >> 32) % kSlots;
  while (all.slots[slot] != 0 && all.accesses[all.slots[slot] - 1] != access) {
    slot = (slot + 1) % kSlots;
  }
  return all.slots[slot];
}

void remember(const Accessed& access) {
  Log& all = log();
  std::uint32_t& slot = slot_of(access);
  if (slot != 0) return;
  if (all.accesses.size() == kMostAccesses) {
    all.is_full = true;
    return;
  }
  all.accesses.push_back(access);
  slot = static_cast<std::uint32_t>(all.accesses.size());
}

bool is_overlap(const Accessed& a, const Accessed& b) {
  return a.address < b.address + b.size && b.address < a.address + a.size;
}

bool is_conflict(const Accessed& unseen, const Accessed& other) {
  return unseen.thread != other.thread && (unseen.writes || other.writes) &&
         !(unseen.is_private && other.is_private) && is_overlap(unseen, other);
}

void settle(std::uintptr_t address, std::uint32_t size, bool writes,
            std::uintptr_t pc) {
  Log& all = log();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.deferred_count; ++i) {
    Deferred deferred = all.deferred[i];
    const Touch& touch = deferred.touch;
    if (writes && address <= touch.address &&
        touch.address + touch.size <= address + size &&
        function_of(pc) == function_of(deferred.pc)) {
      continue;
    }
    if (pc == 0 || ++deferred.hooks > kPatience) {
      if (!touch.is_vague && add_announcer(deferred.pc)) continue;
      UnseenSite site;
      site.pc = deferred.pc;
      site.owner = CodeOwner::kTest;
      add_unseen(deferred.thread, touch, site, false);
      continue;
    }
    all.deferred[kept++] = deferred;
  }
  all.deferred_count = kept;
}

std::uintptr_t& function_slot(std::uintptr_t function) {
  auto& functions = log().functions;
  return functions[(function >> 4 ^ function >> 14) % functions.size()];
}

}  // namespace

void forget_unseen() {
  Log& all = log();
  start_log();
  all.site_count = 0;
  all.is_full = false;
  // Emptying a large table takes longer than most audits.
  if (all.accesses.size() > kSlots / 64) {
    all.slots.assign(kSlots, 0);
  } else {
    // The last ones first: those before them in the table are still there.
    while (!all.accesses.empty()) {
      slot_of(all.accesses.back()) = 0;
      all.accesses.pop_back();
    }
  }
  all.accesses.clear();
}

void start_log() {
  Log& all = log();
  settle(0, 0, false, 0);
  for (auto& ring : all.announced) {
    for (Announced& entry : ring) entry = {};
  }
}

void announced(ThreadId thread, std::uintptr_t address, std::uint32_t size,
               bool writes, std::uintptr_t pc) {
  Log& all = log();
  if (all.deferred_count != 0) settle(address, size, writes, pc);
  all.announced[thread][all.next[thread]++ % kAnnounced] = {
      address, size, writes, pc, 0, 0};
  const std::uintptr_t function = function_of(pc);
  function_slot(function) = function;
  remember({address, size, 0, thread, writes, false});
}

namespace {

// An announcement, in this function, of the byte at `at` of what is touched.
Announced* announcement_of(ThreadId thread, std::uintptr_t at,
                           const Touch& touch, std::uintptr_t pc) {
  Log& all = log();
  const std::uintptr_t function = function_of(pc);
  for (std::size_t back = 1; back <= kAnnounced; ++back) {
    Announced& entry =
        all.announced[thread][(all.next[thread] - back) % kAnnounced];
    if (entry.pc == 0 || at - entry.address >= entry.size ||
        function_of(entry.pc) != function) {
      continue;
    }
    // Parts of words are read before they are written.
    if (entry.writes && !touch.writes && entry.used_at != touch.address) {
      return &entry;
    }
    if (entry.writes != touch.writes) continue;
    if (entry.used_at == touch.address && entry.used_by != pc) continue;
    return &entry;
  }
  return nullptr;
}

}  // namespace

// Each byte of it must have been.
bool was_announced(ThreadId thread, const Touch& touch, std::uintptr_t pc) {
  // Compilers leave these to hooks: it is assembly.
  if (touch.locked) return false;
  const std::uintptr_t end = touch.address + touch.size;
  Announced* used[kAnnounced];
  std::size_t count = 0;
  for (std::uintptr_t at = touch.address; at < end;) {
    Announced* const entry = announcement_of(thread, at, touch, pc);
    if (entry == nullptr || count == kAnnounced) return false;
    used[count++] = entry;
    at = entry->address + entry->size;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (used[i]->writes != touch.writes) continue;
    used[i]->used_at = touch.address;
    used[i]->used_by = pc;
  }
  return true;
}

bool was_announced_for(ThreadId thread, const Touch& touch,
                       std::uintptr_t call) {
  const std::uintptr_t near = touch.writes ? 0 : 128;
  const std::uintptr_t begin = touch.address - near;
  const std::uintptr_t end = touch.address + touch.size + near;
  for (const Announced& entry : log().announced[thread]) {
    if (entry.pc == call && call != 0 && entry.address < end &&
        begin < entry.address + entry.size && (entry.writes || !touch.writes)) {
      return true;
    }
  }
  return false;
}

bool is_instrumented(std::uintptr_t pc) {
  const std::uintptr_t function = function_of(pc);
  return function_slot(function) == function;
}

void defer(ThreadId thread, const Touch& touch, std::uintptr_t pc) {
  Log& all = log();
  constexpr std::size_t kMost = sizeof(all.deferred) / sizeof(all.deferred[0]);
  if (all.deferred_count == kMost) settle(0, 0, false, 0);
  all.deferred[all.deferred_count++] = {touch, pc, thread, 0};
}

UnseenSite* add_unseen(ThreadId thread, const Touch& touch,
                       const UnseenSite& site, bool is_private) {
  Log& all = log();
  std::size_t number = 0;
  while (number < all.site_count &&
         (all.sites[number].pc != site.pc ||
          all.sites[number].caller != site.caller ||
          all.sites[number].writes != touch.writes)) {
    ++number;
  }
  if (number == kMostSites) {
    all.is_full = true;
    return nullptr;
  }
  UnseenSite& known = all.sites[number];
  if (number == all.site_count) {
    ++all.site_count;
    known = site;
    known.writes = touch.writes;
    known.locked = touch.locked;
    known.address = touch.address;
    known.size = touch.size;
  }
  remember({touch.address, touch.size, static_cast<std::uint16_t>(number + 1),
            thread, touch.writes, is_private});
  return &known;
}

bool is_known_unseen(std::uintptr_t pc) {
  const Log& all = log();
  for (std::size_t i = 0; i < all.site_count; ++i) {
    if (all.sites[i].pc == pc) return true;
  }
  return false;
}

bool is_touched_by_others(ThreadId thread, std::uintptr_t address,
                          std::uint32_t size) {
  const Accessed mine{address, size, 0, thread, true, false};
  for (const Accessed& other : log().accesses) {
    if (other.thread != thread && is_overlap(mine, other)) return true;
  }
  return false;
}

void each_shared_page(AddressRange stack, ThreadId owner,
                      void (*visit)(std::uintptr_t page)) {
  constexpr std::uintptr_t kPage = 4096;
  for (const Accessed& access : log().accesses) {
    if (access.thread == owner || !stack.contains(access.address)) continue;
    visit(access.address & ~(kPage - 1));
  }
}

std::span<const UnseenSite> judge_unseen() {
  Log& all = log();
  settle(0, 0, false, 0);
  for (const Accessed& unseen : all.accesses) {
    if (unseen.site == 0) continue;
    UnseenSite& site = all.sites[unseen.site - 1u];
    if (site.matters) continue;
    site.matters = all.is_full;
    for (const Accessed& other : all.accesses) {
      if (!is_conflict(unseen, other)) continue;
      site.matters = true;
      // Of the two, people want to know the bytes that both touch.
      site.address =
          unseen.address > other.address ? unseen.address : other.address;
      break;
    }
  }
  return {all.sites, all.site_count};
}

std::uint32_t unseen_count() {
  return static_cast<std::uint32_t>(log().site_count);
}

}  // namespace plumb::runtime
