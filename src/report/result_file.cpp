// SPDX-License-Identifier: Apache-2.0
#include "report/result_file.h"

#include <utility>

#include "base/version.h"

namespace plumb::report {

Json result_file(const char* level, Json results,
                 const std::vector<BadInput>& errors, const RunFacts& facts) {
  Json out;
  out["tool"] = "plumb";
  out["version"] = kVersion;
  out["schema"] = kSchema;
  out["level"] = level;
  if (!facts.command.empty()) {
    out["command"] = facts.command;
    out["seconds"] = facts.seconds;
  }
  out["results"] = std::move(results);
  out["errors"] = Json::array();
  for (const BadInput& error : errors) {
    out["errors"].push_back({{"file", error.file}, {"message", error.message}});
  }
  if (!facts.sources.empty()) out["sources"] = facts.sources;
  return out;
}

void Sources::add(const std::string& name, const std::string& text) {
  if (text.size() > kLongest || bytes_ + text.size() > kAll || has(name)) {
    return;
  }
  bytes_ += text.size();
  texts_[name] = text;
}

}  // namespace plumb::report
