// SPDX-License-Identifier: Apache-2.0
#include "cli/test_merge.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <utility>

#include "cli/test_cache.h"
#include "report/read_result.h"

namespace plumb::cli {

void MergedResults::add(report::Json results,
                        std::vector<report::BadInput> errors) {
  for (report::Json& result : results) results_.push_back(std::move(result));
  for (report::BadInput& error : errors) errors_.push_back(std::move(error));
}

report::Json MergedResults::to_json(const report::RunFacts& facts) {
  return report::result_file("program", std::move(results_), errors_, facts);
}

report::Sources MergedResults::sources() const {
  report::Sources out;
  std::set<std::string> seen;
  for (const report::Json& result : results_) {
    const report::Json* const evidence = report::member(result, "evidence");
    if (evidence == nullptr) continue;
    for (const report::Json& step : report::list_in(*evidence, "steps")) {
      const std::string file = report::text_in(step, "file");
      if (file.empty() || !seen.insert(file).second) continue;
      std::error_code error;
      const auto size = std::filesystem::file_size(file, error);
      if (error || size > report::Sources::kLongest) continue;
      if (const auto text = read_whole(file)) out.add(file, *text);
    }
  }
  return out;
}

std::string MergedResults::summary() const {
  std::size_t as_expected = 0, unknown = 0;
  for (const report::Json& result : results_) {
    if (result.value("expected", false)) {
      ++as_expected;
    } else if (result.value("verdict", "") == "unknown") {
      ++unknown;
    }
  }
  std::string out =
      fmt::format("{} tests: {} as expected", tests(), as_expected);
  const std::size_t others = tests() - as_expected - unknown;
  if (others > 0) out += fmt::format(", {} not", others);
  if (unknown > 0) out += fmt::format(", {} unknown", unknown);
  return out;
}

}  // namespace plumb::cli
