// SPDX-License-Identifier: Apache-2.0
// What came of the checks of models, for programs.
#pragma once

#include "report/json_value.h"
#include "report/model_result.h"

namespace plumb::report {

Json to_json(const ModelResult& result);

}  // namespace plumb::report
