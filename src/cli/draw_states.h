// SPDX-License-Identifier: Apache-2.0
// The states of small models, for pages.
#pragma once

#include "base/budget.h"
#include "cli/model_checks.h"
#include "report/model_result.h"

namespace plumb::cli {

// Fills in result.graph, or why there is none.
void draw_states(const LoadedCheck& check, const ask::Question& question,
                 Budget budget, report::ModelResult& result);

}  // namespace plumb::cli
