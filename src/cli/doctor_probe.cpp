// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_probe.h"

#include <fmt/format.h>
#include <langinfo.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "base/input_error.h"
#include "cli/process.h"
#include "cli/test_build.h"
#include "cli/test_cache.h"

namespace plumb::cli {

namespace fs = std::filesystem;

namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string first_line_of(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// What a file says if its first word is a number.
std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  if (!(in >> number)) return std::nullopt;
  return number;
}

// A change of the child's, so that nothing changes here.
bool can_fix_addresses() {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    const int now = personality(0xffffffff);
    const bool changed =
        now != -1 &&
        personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) != -1;
    _exit(changed ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The folders of the control groups that this process is in, innermost first.
std::vector<fs::path> control_groups() {
  const fs::path top = "/sys/fs/cgroup";
  std::vector<fs::path> out = {top};
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("0::/")) continue;
    fs::path group = fs::path(line.substr(4)).lexically_normal();
    for (; !group.empty() && group != "."; group = group.parent_path()) {
      out.insert(out.end() - 1, top / group);
    }
  }
  return out;
}

void probe_groups(Machine& machine) {
  const auto lower = [](auto& limit, auto value) {
    limit = std::min(limit.value_or(value), value);
  };
  for (const fs::path& group : control_groups()) {
    if (const auto bytes = number_in(group / "memory.max")) {
      lower(machine.memory_of_group, *bytes);
    }
    std::ifstream in(group / "cpu.max");  // "200000 100000", or "max 100000"
    double quota = 0, period = 0;
    if (in >> quota >> period && period > 0) {
      lower(machine.cores_of_group, quota / period);
    }
  }
}

// As TestCache does it: a full disk tells only when bytes come.
bool can_write_to(const fs::path& folder) {
  std::string name = (folder / "plumb-XXXXXX").string();
  const int file = mkstemp(name.data());
  if (file < 0) return false;
  const std::string block(4096, '.');
  const bool written = write(file, block.data(), block.size()) ==
                       static_cast<ssize_t>(block.size());
  close(file);
  unlink(name.c_str());
  return written;
}

Folder probe_folder(const fs::path& path) {
  Folder out;
  out.path = path.string();
  out.can_write = !path.empty() && can_write_to(path);
  struct statvfs facts {};
  if (statvfs(path.c_str(), &facts) == 0) {
    out.free = static_cast<std::uint64_t>(facts.f_bavail) * facts.f_frsize;
    out.can_execute = (facts.f_flag & ST_NOEXEC) == 0;
  }
  return out;
}

}  // namespace

Search probe_compiler(bool for_c) {
  try {
    std::vector<std::string> command = find_compiler(for_c);
    // The last word that is no option: the first may be ccache.
    const auto name = std::find_if(
        command.rbegin(), command.rend(),
        [](const std::string& word) { return !word.starts_with('-'); });
    const std::string place =
        name != command.rend() ? find_program(*name) : command.front();
    command.push_back("--version");
    const ProcessResult result = run_process(command);
    if (!result.succeeded()) {
      return {.found = "",
              .why_not = fmt::format("'{}' does not tell its version",
                                     fmt::join(command, " ")),
              .advice =
                  fmt::format("name another one in {}", for_c ? "CC" : "CXX")};
    }
    return {.found = fmt::format("{} ({})", first_line(result.output), place),
            .why_not = "",
            .advice = ""};
  } catch (const InputError& error) {
    return {.found = "", .why_not = error.what(), .advice = error.hint()};
  }
}

Search probe_debugger() {
  const std::string place = find_program("gdb");
  if (place.empty()) {
    return {.found = "", .why_not = "there is no gdb", .advice = "install gdb"};
  }
  return {.found = place, .why_not = "", .advice = ""};
}

Library probe_library() {
  Library out;
  try {
    const fs::path library = find_installation().library;
    out.place.found = library.string();
    std::error_code error;
    const std::string name = fs::canonical(library, error).filename().string();
    constexpr std::string_view kBefore = "libplumbline.so.";
    if (name.starts_with(kBefore)) out.version = name.substr(kBefore.size());
  } catch (const InputError& error) {
    out.place.why_not = error.what();
    out.place.advice = error.hint();
  }
  return out;
}

Machine probe_machine() {
  constexpr unsigned long kFsgsbase = 2;  // a bit of AT_HWCAP2
  Machine out;
  utsname system{};
  if (uname(&system) == 0) out.architecture = system.machine;
  out.has_fsgsbase = (getauxval(AT_HWCAP2) & kFsgsbase) != 0;
  out.can_fix_addresses = can_fix_addresses();
  out.memory = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
               static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    out.address_space = limit.rlim_cur;
  }
  out.cores = std::max(1u, std::thread::hardware_concurrency());
  probe_groups(out);
  out.can_trace = first_line_of("/proc/sys/kernel/yama/ptrace_scope") != "3";
  return out;
}

Folder probe_cache() {
  try {
    const TestCache cache;
    if (cache.note().empty()) return probe_folder(cache.folder());
  } catch (const fs::filesystem_error&) {
    // There is no temporary folder either, which probe_temporary tells.
  }
  Folder out;  // it went elsewhere; where it should be can be repaired
  out.path = users_cache_folder().string();
  return out;
}

Folder probe_temporary() {
  std::error_code error;
  const fs::path path = fs::temp_directory_path(error);
  if (!error) return probe_folder(path);
  const char* const named = std::getenv("TMPDIR");
  Folder out;
  out.path = named != nullptr ? named : "/tmp";
  return out;
}

Folder probe_spill() {
  const char* const named = std::getenv("TMPDIR");
  return probe_folder(named != nullptr ? named : "/var/tmp");
}

Terminal probe_terminal(bool has_color) {
  Terminal out;
  out.is_there = isatty(STDOUT_FILENO) != 0;
  out.has_color = has_color;
  std::setlocale(LC_CTYPE, "");
  out.encoding = nl_langinfo(CODESET);
  std::setlocale(LC_CTYPE, "C");
  return out;
}

}  // namespace plumb::cli
