// SPDX-License-Identifier: Apache-2.0
// Results of histories, for programs.
#pragma once

#include <string>

#include "report/json_value.h"
#include "report/result.h"

namespace plumb::report {

// An error that kept an input from being judged.
struct BadInput {
  std::string file;
  std::string message;
};

Json to_json(const HistoryResult& result);

}  // namespace plumb::report
