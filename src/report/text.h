// SPDX-License-Identifier: Apache-2.0
// Results for people, on a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "report/result.h"

namespace plumb::report {

struct TextOptions {
  bool color = false;
  std::size_t width = 100;
};

// A line with the verdict, then the evidence; ends in a newline.
std::string to_text(const HistoryResult& result, const TextOptions& options);

}  // namespace plumb::report
