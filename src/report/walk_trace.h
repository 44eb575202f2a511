// SPDX-License-Identifier: Apache-2.0
// From a trace, as it was written for people, back to a run of the system.
#pragma once

#include <string>

#include "lts/path.h"
#include "lts/system.h"
#include "report/trace.h"

namespace plumb::report {

// `name` is what the trace is called in messages.  Throws InputError if a step
// does not fit the system, or a lasso does not lead back.
lts::Path walk_trace(const lts::System& system, const Trace& trace,
                     const std::string& name);

}  // namespace plumb::report
