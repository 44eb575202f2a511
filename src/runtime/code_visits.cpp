// SPDX-License-Identifier: Apache-2.0
#include "runtime/code_visits.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/announcers.h"
#include "runtime/audit.h"
#include "runtime/core.h"
#include "runtime/globals.h"
#include "runtime/unhooked_code.h"

namespace plumb::runtime {

namespace {

constexpr std::uint8_t kBreakpoint = 0xCC;

struct Breakpoint {
  std::uint8_t* at = nullptr;
  std::uint8_t original = 0;
  Unhooked what = Unhooked::kFunction;
  bool is_set = false;
  bool was_audited = false;  // since watch_visits()
};

// Nothing is allocated in executions: that memory would be the test's.
struct Breakpoints {
  std::vector<Breakpoint> all;  // sorted
  // Those that one thread alone came to; there is room for all.
  std::vector<Breakpoint*> passed;
  // The one whose instruction an audited execution is about to run.
  Breakpoint* passing = nullptr;
};
Breakpoints& points = *new Breakpoints;  // until the very end
constinit std::uintptr_t visited = 0;
constinit bool came_to_stretches = false;

// Code that cannot be written stays as it is, and is not watched.
bool make_writable(std::uint8_t* at) {
  constexpr std::uintptr_t kPage = 4096;
  static std::uintptr_t last = 0;
  const std::uintptr_t page =
      reinterpret_cast<std::uintptr_t>(at) & ~(kPage - 1);
  if (page == last) return true;
  if (mprotect(reinterpret_cast<void*>(page), kPage,
               PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
    return false;
  }
  last = page;
  return true;
}

void find_all() {
  static bool is_done = false;
  if (is_done) return;
  is_done = true;
  auto& all = points.all;
  for (const UnhookedPlace& place : find_unhooked()) {
    auto* const at = reinterpret_cast<std::uint8_t*>(place.at);
    if (*at == kBreakpoint || !make_writable(at)) continue;
    all.push_back({at, *at, place.what});
  }
  points.passed.reserve(all.size());
}

void set(Breakpoint& point) {
  point.is_set = true;
  *point.at = kBreakpoint;
}
void clear(Breakpoint& point) {
  point.is_set = false;
  const auto at = reinterpret_cast<std::uintptr_t>(point.at);
  if (!is_announcer(at)) *point.at = point.original;
}

void note(Breakpoint& point) {
  globals_are_written_unseen = true;
  if (!active || alone()) {
    points.passed.push_back(&point);
  } else if (point.what == Unhooked::kStretch) {
    came_to_stretches |= !audit::on;
    point.was_audited |= audit::on;
  } else {
    visited = reinterpret_cast<std::uintptr_t>(point.at);
  }
}

}  // namespace

void watch_visits() {
  find_all();
  visited = 0;
  came_to_stretches = false;
  points.passed.clear();
  for (Breakpoint& point : points.all) {
    point.was_audited = false;
    if (!point.is_set) set(point);
  }
}

void watch_stretches() {
  for (Breakpoint& point : points.all) {
    if (point.what == Unhooked::kStretch && !point.is_set &&
        !point.was_audited) {
      set(point);
    }
  }
}

void stop_watching_visits() {
  points.passed.clear();
  for (Breakpoint& point : points.all) {
    if (point.is_set) clear(point);
  }
}

std::uintptr_t visited_unhooked() {
  return visited;
}
void watch_unhooked_calls() {
  for (Breakpoint& point : points.all) {
    if (point.what != Unhooked::kStretch && !point.is_set) set(point);
  }
}

void set_passed_again(std::uintptr_t pc) {
  if (points.passing == nullptr ||
      reinterpret_cast<std::uintptr_t>(points.passing->at) == pc) {
    return;
  }
  if (!points.passing->is_set) set(*points.passing);
  points.passing = nullptr;
}

bool visited_stretches() {
  return std::exchange(came_to_stretches, false);
}

bool pass_breakpoint(greg_t* registers) {
  auto* const at = reinterpret_cast<std::uint8_t*>(registers[REG_RIP] - 1);
  const auto found = std::lower_bound(
      points.all.begin(), points.all.end(), at,
      [](const Breakpoint& a, const std::uint8_t* b) { return a.at < b; });
  if (found == points.all.end() || found->at != at) return false;
  if (!found->is_set && is_announcer(reinterpret_cast<std::uintptr_t>(at))) {
    return false;
  }
  registers[REG_RIP] -= 1;
  // Another thread of the system may have been here just now.
  if (!found->is_set) return true;
  clear(*found);
  note(*found);
  if (!audit::on || !active || found->what == Unhooked::kStretch) return true;
  points.passing = &*found;
  audit_enter_unhooked();
  return true;
}

void watch_visits_of_threads() {
  for (Breakpoint* const point : points.passed) set(*point);
  points.passed.clear();
}

}  // namespace plumb::runtime
