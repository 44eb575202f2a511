// SPDX-License-Identifier: Apache-2.0
// What came of the checks of models, for programs.
#pragma once

#include <string>
#include <vector>

#include "report/json.h"
#include "report/model_result.h"

namespace plumb::report {

// One JSON object for a whole run.
std::string to_json(const std::vector<ModelResult>& results,
                    const std::vector<BadInput>& errors);

}  // namespace plumb::report
