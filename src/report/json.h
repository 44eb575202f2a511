// SPDX-License-Identifier: Apache-2.0
// Results for programs: one JSON object for a whole run.
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace plumb::report {

// An error that kept an input from being judged.
struct BadInput {
  std::string file;
  std::string message;
};

std::string to_json(const std::vector<HistoryResult>& results,
                    const std::vector<BadInput>& errors);

}  // namespace plumb::report
