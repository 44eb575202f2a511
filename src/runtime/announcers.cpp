// SPDX-License-Identifier: Apache-2.0
#include "runtime/announcers.h"

#include <sys/mman.h>

#include <algorithm>

#include "runtime/audit.h"
#include "runtime/audit_code.h"
#include "runtime/audit_objects.h"
#include "runtime/audit_unseen.h"
#include "runtime/core.h"
#include "runtime/unhooked_code.h"

namespace plumb::runtime {

namespace {

constexpr std::uint8_t kBreakpoint = 0xCC;
// LIMIT: those beyond are audited.
constexpr std::size_t kMost = 512;

struct Announcer {
  std::uint8_t* at = nullptr;
  std::uint8_t original = 0;
  bool is_certain = false;  // to be plain
};

// Nothing is allocated here: faults come at any time.
constinit Announcer all[kMost] = {};
constinit std::size_t count = 0;
constinit bool is_allowed = true;
constinit bool have_failed = false;

Announcer* find(std::uintptr_t pc) {
  auto* const at = reinterpret_cast<std::uint8_t*>(pc);
  auto* const found = std::find_if(
      all, all + count, [at](const Announcer& one) { return one.at == at; });
  return found == all + count ? nullptr : found;
}

bool make_writable(std::uintptr_t pc) {
  constexpr std::uintptr_t kPage = 4096;
  return mprotect(reinterpret_cast<void*>(pc & ~(kPage - 1)), kPage,
                  PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
}

void set_all(bool is_set) {
  for (std::size_t i = 0; i < count; ++i) {
    *all[i].at = is_set ? kBreakpoint : all[i].original;
  }
}

// What a hook would have told of it.
UnseenAccess access_at(const greg_t* registers, std::uintptr_t pc) {
  UnseenAccess access;
  access.site.pc = pc;
  access.site.owner = CodeOwner::kTest;
  access.site.is_announced = true;
  const Touches touches = touches_of(registers, 0, false);
  for (std::size_t i = 1; i < touches.count; ++i) {
    access.touches[access.count++] = touches.all[i];
  }
  return access;
}

}  // namespace

bool add_announcer(std::uintptr_t pc) {
  if (!is_allowed) return false;
  if (find(pc) != nullptr) return true;
  if (count == kMost || !is_hooked(pc) || !can_run_copy(pc) ||
      !make_writable(pc)) {
    return false;
  }
  auto* const at = reinterpret_cast<std::uint8_t*>(pc);
  if (*at == kBreakpoint) return false;
  all[count++] = {at, *at, is_plain_for_certain(pc)};
  *at = kBreakpoint;
  return true;
}

bool is_announcer(std::uintptr_t pc) {
  return is_allowed && find(pc) != nullptr;
}

std::uint32_t announcer_count() {
  return is_allowed ? static_cast<std::uint32_t>(count) : 0;
}

void start_announcers(bool are_allowed) {
  is_allowed = are_allowed;
  have_failed = false;
  set_all(are_allowed);
}

bool announcers_failed() {
  return have_failed;
}

void require_plain_race(std::uintptr_t pc, std::uintptr_t other_pc,
                        bool is_atomic) {
  if (!is_allowed) return;
  const Announcer* const one = find(pc - 1);
  const Announcer* const other = find(other_pc - 1);
  if (one == nullptr && other == nullptr) return;
  const auto is_certain = [](const Announcer* it) {
    return it == nullptr || it->is_certain;
  };
  if (!is_atomic && (is_certain(one) || is_certain(other))) return;
  if (is_certain(one) && is_certain(other)) return;
  have_failed = true;
  is_allowed = false;
  set_all(false);
  leave_execution();
}

bool pass_announcer(greg_t* registers) {
  const auto pc = static_cast<std::uintptr_t>(registers[REG_RIP]) - 1;
  Announcer* const found = find(pc);
  if (found == nullptr) return false;
  registers[REG_RIP] -= 1;
  if (*found->at != kBreakpoint) return true;
  *found->at = found->original;
  if (active && !has_told(pc)) {
    const UnseenAccess access = access_at(registers, pc);
    *found->at = kBreakpoint;
    go_and_tell(registers, access, pc);
    return true;
  }
  run_one(registers);
  *found->at = kBreakpoint;
  return true;
}

}  // namespace plumb::runtime
