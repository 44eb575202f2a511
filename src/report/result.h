// SPDX-License-Identifier: Apache-2.0
// What came out of one check, as plain data for every kind of output.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check/excess.h"
#include "check/explain.h"
#include "check/minimum_factor.h"
#include "check/rank_errors.h"
#include "check/verdict.h"
#include "history/history.h"
#include "history/times.h"
#include "spec/specification.h"

namespace plumb::report {

struct HistoryResult {
  std::string file;
  std::string name;  // the file, and the key if there are keys
  std::string condition;
  spec::SpecificationPtr object;
  // Kept only where evidence refers to it.
  std::shared_ptr<const history::History> history;

  check::Verdict verdict;
  std::optional<check::Explanation> explanation;
  std::optional<check::Excess> excess;  // quasi conditions only
  std::optional<check::MinimumFactors> minimum_factors;
  std::optional<check::RankErrors> rank_errors;
  std::size_t listed_takes = 0;  // of those, in JSON
  bool show_order = false;       // was the witness asked for?

  // For pages: how many operations to list, and what else there is to draw.
  std::size_t drawn = 0;
  bool keyed_arguments = false;  // arguments are lists [key, argument]
  bool quiescent = false;        // does the condition speak of such moments?
  history::Times times;
  // Those that the page draws, or else the last ones before the last line of
  // the operations that cannot be explained.
  std::vector<history::Remark> remarks;
  std::optional<check::TwoOrders> orders;  // of a witness of quasi(...)
  std::vector<std::pair<std::string, std::uint32_t>> factors;  // by class

  // A command that shows the violation again.
  std::string replay;

  std::size_t operations = 0;
  std::size_t pending = 0;
  std::size_t processes = 0;
  std::size_t not_judged = 0;  // after the last quiescent moment
  double seconds = 0;          // of deciding
};

}  // namespace plumb::report
