// SPDX-License-Identifier: Apache-2.0
// Looks at this machine, for `plumb doctor`.
#pragma once

#include "cli/doctor.h"

namespace plumb::cli {

// The compiler with its version and where it is.
Search probe_compiler(bool for_c);
Search probe_debugger();
Library probe_library();
Machine probe_machine();
Folder probe_cache();
Folder probe_temporary();
Folder probe_spill();
Terminal probe_terminal(bool has_color);

// Has `plumb test` build and run a test in a folder that goes afterwards.
Trial try_test();
// What the results of that test say, as `plumb test --json` wrote them.
Trial trial_of(const std::string& json, const std::string& said);

}  // namespace plumb::cli
