// SPDX-License-Identifier: Apache-2.0
// Runs of a model as JSON files, written and read.
#pragma once

#include <string>

#include "report/json_value.h"
#include "report/trace.h"

namespace plumb::report {

// The schema is in docs/models.md.
Json to_json(const Trace& trace);

// A whole file: `trace` with the name of the tool.
std::string trace_file(const Trace& trace);

// Reads such a file; `name` is what errors call it.  Throws InputError.
Trace read_trace(const std::string& name, const std::string& text);

}  // namespace plumb::report
