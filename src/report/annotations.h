// SPDX-License-Identifier: Apache-2.0
// Results as the lines with which jobs on GitHub mark files.
#pragma once

#include <string>

#include "report/json_value.h"

namespace plumb::report {

// `::error file=...,line=...,title=...::...` for each violation that was not
// expected, and for what could not be read; `::warning` for what is unknown.
// Empty if all is well.  Requires: `file` is a result file.
std::string annotations_of(const Json& file);

}  // namespace plumb::report
