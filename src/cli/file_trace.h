// SPDX-License-Identifier: Apache-2.0
// Which files a command, say a compiler, opens or only looks for (ptrace).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/process.h"

namespace plumb::cli {

// Absolute names.
struct TracedFiles {
  std::set<std::string> read;        // opened, or tried to
  std::set<std::string> looked_for;  // whether there or not
  std::set<std::string> written;     // or made, renamed, removed

  void add(const TracedFiles& other);
  void leave_out(const std::string& folder);  // and all in it
};

struct TracedProcess {
  ProcessResult result;
  // Nothing if they could not all be seen; then `why_not` says why.
  std::optional<TracedFiles> files;
  std::string why_not;
};

// Runs a command as run_process() does and notes the files that it and all
// that it starts use.  `notes` is a file that is written on the way.
//
// How: this program starts itself again as `plumb --note-files NOTES COMMAND`,
// which starts the command with a filter of system calls that stops it at each
// that names a file.  A process of its own, because only the thread that
// started a tracee may wait for it, and because the tracees end with it.
TracedProcess run_traced(const std::vector<std::string>& argv,
                         const std::string& notes,
                         const ProcessOptions& options = {});

// What that process does; `argv` begins with NOTES.  Returns its exit status.
inline constexpr const char* kNoteFiles = "--note-files";
int note_files(char** argv);

}  // namespace plumb::cli
