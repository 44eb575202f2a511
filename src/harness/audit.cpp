// SPDX-License-Identifier: Apache-2.0
#include "harness/audit.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "harness/memory_names.h"
#include "harness/symbols.h"
#include "runtime/audit_log.h"
#include "runtime/code_visits.h"
#include "runtime/execution.h"
#include "runtime/heap.h"
#include "runtime/library_calls.h"

namespace plumb::harness {

namespace {

using runtime::CodeOwner;
using runtime::UnseenSite;

// So many are named; who mends these will see the others.
constexpr std::size_t kMostNamed = 3;

std::uintptr_t shown_pc(const UnseenSite& site) {
  return site.caller != 0 ? site.caller : site.pc + 1;
}

const char* name_of_call(int number) {
  switch (number) {
    case SYS_read:
      return "read";
    case SYS_write:
      return "write";
    case SYS_pread64:
      return "pread";
    case SYS_pwrite64:
      return "pwrite";
    case SYS_readv:
      return "readv";
    case SYS_writev:
      return "writev";
    case SYS_recvfrom:
      return "recv";
    case SYS_sendto:
      return "send";
    case SYS_getrandom:
      return "getrandom";
    default:
      return nullptr;
  }
}

class Teller {
 public:
  Teller()
      : symbols_(symbols_of_this_process()),
        names_({[](std::uintptr_t at) { return runtime::heap().block_of(at); },
                0, kNoType},
               *symbols_) {}

  // "Set::add (set.cpp:12)".
  std::string place(std::uintptr_t pc) {
    const CodePlace inner = symbols_->frames_at(pc + 1).back();
    if (inner.function.empty()) return fmt::format("code in {}", inner.binary);
    if (inner.file.empty()) return inner.function;
    return fmt::format("{} ({})", inner.function, to_string(inner));
  }

  // "strcmp (libc.so.6), called from set.cpp:12, reads 'name'".
  std::string tell(const UnseenSite& site) {
    const CodePlace inner = symbols_->frames_at(site.pc + 1).back();
    std::string text;
    if (site.system_call >= 0) {
      const char* name = name_of_call(site.system_call);
      text = name != nullptr ? fmt::format("the system call {}", name)
                             : fmt::format("system call {}", site.system_call);
    } else if (site.owner == CodeOwner::kTest && !inner.file.empty()) {
      text = fmt::format("{} at {}", inner.function, to_string(inner));
    } else {
      text = inner.function.empty()
                 ? fmt::format("code in {}", inner.binary)
                 : fmt::format("{} ({})", inner.function, inner.binary);
    }
    if (site.caller != 0) {
      std::vector<std::uintptr_t> stack = {site.caller};
      stack.insert(stack.end(), site.frames, site.frames + site.frame_count);
      text += fmt::format(", called from {},",
                          to_string(place_to_show(*symbols_, stack)));
    }
    return fmt::format("{} {} '{}'", text, site.writes ? "writes" : "reads",
                       names_.place(site.address, 1));
  }

 private:
  std::unique_ptr<Symbols> symbols_;
  MemoryNames names_;
};

// Reading debug information takes longer than most searches.
Teller& teller() {
  static Teller* const only = new Teller;
  return *only;
}

std::string listed(std::vector<std::string> all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const std::size_t more =
      all.size() > kMostNamed ? all.size() - kMostNamed : 0;
  all.resize(all.size() - more);
  std::string text = fmt::format("{}", fmt::join(all, "; "));
  if (more != 0) text += fmt::format("; and {} more", more);
  return text;
}

// What to do about it.
const char* way_out_of(const UnseenSite& site) {
  if (site.owner == CodeOwner::kTest) {
    return "compile that code along (plumb test TEST.cpp -- CODE.cpp, or "
           "plumb_add_test(... INSTRUMENT target))";
  }
  return "compile that library along, if you have its sources";
}

bool is_lost(const UnseenSite& site) {
  return site.is_lost || site.owner == CodeOwner::kSystem ||
         site.owner == CodeOwner::kNobody;
}

// One that a finding is about.
template <typename Test>
const UnseenSite* any_site(const runtime::Finding& finding, Test test) {
  for (const UnseenSite& site : runtime::judge_unseen()) {
    const std::uintptr_t pc = shown_pc(site);
    const bool is_it = pc == finding.pc || pc == finding.other_pc;
    if (is_it && test(site)) return &site;
  }
  return nullptr;
}

}  // namespace

bool audit_matters() {
  const auto sites = runtime::judge_unseen();
  return std::any_of(sites.begin(), sites.end(),
                     [](const UnseenSite& site) { return site.matters; });
}

bool audit_makes_events() {
  if (visited_unseen() != 0) return true;
  const auto sites = runtime::judge_unseen();
  return std::any_of(sites.begin(), sites.end(), [](const UnseenSite& site) {
    return (site.owner != CodeOwner::kPlain && site.system_call < 0) ||
           site.is_event;
  });
}

std::uintptr_t visited_unseen() {
  const std::uintptr_t at = runtime::visited_unhooked();
  return at != 0 ? at : runtime::library_calls().other;
}

std::string report_of_outsiders() {
  if (!runtime::has_outsiders()) return "";
  return "a thread was started before the test and is not joined: what it does "
         "is not seen";
}

std::string report_of_visits() {
  const std::uintptr_t at = visited_unseen();
  if (at == 0) return "";
  return fmt::format(
      "{} was not compiled along: not seen by the search; compile it along "
      "(plumb test TEST.cpp -- CODE.cpp), or do without --audit off",
      teller().place(at));
}

AuditReport report_of_audit() {
  AuditReport report;
  std::vector<std::string> lost, followed;
  std::string way_out;
  for (const UnseenSite& site : runtime::judge_unseen()) {
    if (!site.matters) continue;
    if (is_lost(site)) {
      lost.push_back(teller().tell(site));
      way_out = way_out_of(site);
    } else {
      followed.push_back(teller().tell(site));
    }
  }
  if (!lost.empty()) {
    report.lost = fmt::format("{}: not seen by the search; {}",
                              listed(std::move(lost)), way_out);
  }
  if (!followed.empty()) report.followed = listed(std::move(followed));
  return report;
}

bool is_of_audit(const runtime::Finding& finding) {
  return any_site(finding, [](const UnseenSite&) { return true; }) != nullptr;
}

bool is_uncertain(const runtime::Finding& finding) {
  return any_site(finding, is_lost) != nullptr;
}

std::string name_of_unseen(const runtime::Finding& finding) {
  const UnseenSite* const site =
      any_site(finding, [](const UnseenSite&) { return true; });
  return site != nullptr ? teller().tell(*site) : "";
}

std::string reason_of_library(std::uintptr_t pc) {
  Dl_info info = {};
  const bool is_known =
      dladdr(reinterpret_cast<void*>(pc), &info) != 0 && info.dli_fname;
  return fmt::format(
      "an execution was left in the middle of {}, whose data is not put back; "
      "if it waits there for other threads, it cannot be tested",
      is_known ? std::filesystem::path(info.dli_fname).filename().string()
               : "a library");
}

}  // namespace plumb::harness
