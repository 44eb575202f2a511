// SPDX-License-Identifier: Apache-2.0
#include "cli/test_merge.h"

#include <fmt/format.h>

#include <utility>

#include "report/history_json.h"

namespace plumb::cli {

bool MergedResults::add(const std::string& text) {
  report::Json file = report::Json::parse(text, nullptr, false);
  if (!file.is_object() || !file.contains("results")) return false;
  for (report::Json& result : file["results"]) {
    results_.push_back(std::move(result));
  }
  for (const report::Json& error : file["errors"]) {
    errors_.push_back({error.value("file", ""), error.value("message", "")});
  }
  return true;
}

std::string MergedResults::to_json() const {
  return report::result_file("program", results_, errors_);
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
