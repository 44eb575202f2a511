// SPDX-License-Identifier: Apache-2.0
// The operations of a history as columns, for pages that draw all of them.
#pragma once

#include <cstddef>

#include "report/json_value.h"
#include "report/result.h"

namespace plumb::report {

// Which operations: the first, and how many.
struct Window {
  std::size_t first = 0, count = 0;
};
// At most `most` operations, those round the ones that cannot be explained.
// Requires: result.history is there.
Window window_of(const HistoryResult& result, std::size_t most);

// The schema is in docs/results.md.
Json history_table(const HistoryResult& result, std::size_t most);

}  // namespace plumb::report
