// SPDX-License-Identifier: Apache-2.0
// The results of several test programs as one.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "report/json.h"
#include "report/json_value.h"
#include "report/result_file.h"

namespace plumb::cli {

class MergedResults {
 public:
  // Takes what one program told.
  void add(report::Json results, std::vector<report::BadInput> errors);
  void add(report::BadInput error) { errors_.push_back(std::move(error)); }

  // A whole result file.
  report::Json to_json(const report::RunFacts& facts);

  // The files that runs lead through, as far as they can be read.
  report::Sources sources() const;

  std::size_t tests() const { return results_.size(); }
  // "12 tests: 11 as expected, 1 unknown".
  std::string summary() const;

 private:
  report::Json results_ = report::Json::array();
  std::vector<report::BadInput> errors_;
};

}  // namespace plumb::cli
