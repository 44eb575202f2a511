// SPDX-License-Identifier: Apache-2.0
// What plumb needs of a machine: facts as they were found, and what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumb::cli {

// A problem stops `plumb test`; a warning only hampers something.
enum class Health { kOk, kWarning, kProblem };

// One line of `plumb doctor`.
struct Finding {
  std::string subject;
  Health health = Health::kOk;
  std::string found;
  std::string advice;  // what to do; "" if it is well
};

// Something that was looked for; else `why_not` and `advice` say what is wrong.
struct Search {
  std::string found;
  std::string why_not, advice;
};

struct Library {
  Search place;         // libplumbline.so
  std::string version;  // of its file; "" if the name does not tell
};

// A test that was built and run to see whether that works: one counter is
// right, the other one is not.
struct Trial {
  bool was_run = false;
  std::string right_verdict, wrong_verdict;  // "" if there was none
  bool has_lines = false;                    // steps name lines of the source
  bool has_variables = false;                // ... and variables
  std::string said;  // by compiler and test, if it failed
};

struct Folder {
  std::string path;
  bool can_write = false;
  bool can_execute = true;  // programs that lie in it
  std::uint64_t free = 0;   // bytes
};

struct Machine {
  std::string architecture;        // x86_64
  bool has_fsgsbase = false;       // changes of threads without system calls
  bool can_fix_addresses = false;  // personality(ADDR_NO_RANDOMIZE) works
  std::uint64_t memory = 0;        // bytes
  std::optional<std::uint64_t> memory_of_group;  // what a container may use
  std::optional<std::uint64_t> address_space;    // ulimit -v
  unsigned cores = 1;
  std::optional<double> cores_of_group;
  bool can_trace = true;  // for debuggers
};

struct Terminal {
  bool is_there = false;
  bool has_color = false;
  std::string encoding;  // of the locale: UTF-8
};

Finding judge_compiler(const Search& compiler);
Finding judge_c_compiler(const Search& compiler);
Finding judge_library(const Library& library, const std::string& version);
Finding judge_instrumentation(const Trial& trial);
Finding judge_debug_information(const Trial& trial);
Finding judge_processor(const Machine& machine);
Finding judge_addresses(const Machine& machine);
Finding judge_memory(const Machine& machine);
Finding judge_cores(const Machine& machine);
Finding judge_cache(const Folder& folder);
Finding judge_temporary(const Folder& folder);
Finding judge_spill(const Folder& folder);
Finding judge_debugger(const Search& debugger, const Machine& machine);
Finding judge_terminal(const Terminal& terminal);

// Is there no problem?  Only `plumb test` asks for more than memory and a
// processor, so the other commands work in any case.
bool can_test(const std::vector<Finding>& findings);

// Lines for people, and a last one that sums up.
std::string to_text(const std::vector<Finding>& findings, bool color);

// "12.5 GB".
std::string bytes_in_words(std::uint64_t bytes);

}  // namespace plumb::cli
