// SPDX-License-Identifier: Apache-2.0
// What came of tests, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "harness/outcome.h"
#include "report/json.h"
#include "report/json_value.h"
#include "report/text.h"

namespace plumb::harness {

// A line with the test and its verdict, figures, then the evidence; ends in a
// newline.
std::string to_text(const TestResult& result,
                    const report::TextOptions& options);

// One entry of "results", and one JSON object for a whole run.
report::Json to_json(const TestResult& result);
std::string to_json(const std::vector<TestResult>& results,
                    const std::vector<report::BadInput>& errors);

}  // namespace plumb::harness
