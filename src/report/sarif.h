// SPDX-License-Identifier: Apache-2.0
// Results as SARIF 2.1.0, which tools for code scanning read.
#pragma once

#include <string>

#include "report/json_value.h"

namespace plumb::report {

// Violations that were not expected are errors, what is unknown is a warning;
// the run that shows a violation is a code flow.  What could not be read is a
// notification.  Requires: `file` is a result file.
Json sarif_of(const Json& file);

// A path as a reference relative to the root of the sources, or as a URI if it
// is absolute.
std::string uri_of(const std::string& path);

}  // namespace plumb::report
