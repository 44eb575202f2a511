// SPDX-License-Identifier: Apache-2.0
// Results as one page for browsers that needs nothing else.
#pragma once

#include <string>

#include "report/json_value.h"

namespace plumb::report {

// Requires: `result` is a result file, made by result_file() or read by
// read_result().
std::string page_of(Json result);

// `result` as text that can stand in a <script> element: no character of it
// means anything to HTML.
std::string script_text(const Json& result);

}  // namespace plumb::report
