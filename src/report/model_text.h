// SPDX-License-Identifier: Apache-2.0
// What came of the checks of a model, for people on a terminal.
#pragma once

#include <string>

#include "report/model_result.h"
#include "report/text.h"

namespace plumb::report {

// A line with the check and its verdict, then figures and evidence; ends in a
// newline.
std::string to_text(const ModelResult& result, const TextOptions& options);

// The steps, the history and why no order explains it.
std::string evidence_text(const ModelResult& result,
                          const TextOptions& options);

// "treiber.plumb:27: treiber linearizable with 3 processes".
std::string name_of(const ModelResult& result);

}  // namespace plumb::report
