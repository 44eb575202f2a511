// SPDX-License-Identifier: Apache-2.0
#include "report/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "report/utf8.h"
#include "report/verdicts.h"

namespace plumb::report {

namespace {

using Kind = Judged::Kind;

// Viewers give up on longer ones.
constexpr std::size_t kMostSteps = 1000;

Json message(const std::string& text) {
  return {{"text", valid_utf8(text)}};
}

bool is_file(const std::string& file) {
  return !file.empty() && file.front() != '<';
}

Json location(const std::string& file, std::size_t line) {
  Json artifact = {{"uri", uri_of(file)}};
  if (file.front() != '/') artifact["uriBaseId"] = "%SRCROOT%";
  Json physical = {{"artifactLocation", std::move(artifact)}};
  // Some readers want a line in any case.
  physical["region"] = {{"startLine", std::max<std::size_t>(line, 1)}};
  return {{"physicalLocation", std::move(physical)}};
}

// All threads in one flow: it is their order that matters.
Json code_flow(const Judged& one) {
  Json locations = Json::array();
  for (const Judged::Step& step : one.steps) {
    if (locations.size() == kMostSteps) break;
    if (!is_file(step.file) || step.line == 0) continue;
    Json at = location(step.file, step.line);
    at["message"] = message(step.text);
    locations.push_back({{"location", std::move(at)},
                         {"executionOrder", locations.size() + 1}});
  }
  if (locations.empty()) return nullptr;
  return {
      {"threadFlows", Json::array({{{"locations", std::move(locations)}}})}};
}

// Fowler, Noll and Vo's hash (FNV-1a): the same on every machine.
std::string fingerprint(const Judged& one) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::string* part :
       {&one.file, &one.name, &one.condition, &one.rule}) {
    for (const char c : *part + '\0') {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
  }
  return fmt::format("{:016x}", hash);
}

std::string rule_id(const Judged& one) {
  return one.kind == Kind::kUnknown ? "unknown" : one.rule;
}

std::string about(const std::string& rule, const Verdicts& verdicts) {
  if (rule == "unknown") return "A limit was reached before a verdict.";
  if (verdicts.level == "program") {
    return fmt::format("An execution of the test shows: {}.", rule);
  }
  return fmt::format("What was checked does not hold: {}.", rule);
}

Json result_of(const Judged& one, std::size_t rule) {
  Json out;
  out["ruleId"] = valid_utf8(rule_id(one));
  out["ruleIndex"] = rule;
  out["level"] = one.kind == Kind::kViolated ? "error" : "warning";
  out["message"] = message(fmt::format("{}: {}", one.name, headline(one)));
  out["locations"] = Json::array();
  if (is_file(one.at_file))
    out["locations"].push_back(location(one.at_file, one.at_line));
  out["partialFingerprints"] = {{"plumb/v1", fingerprint(one)}};
  Json flow = code_flow(one);
  if (!flow.is_null()) out["codeFlows"] = Json::array({std::move(flow)});
  return out;
}

Json notifications_of(const Verdicts& verdicts) {
  Json out = Json::array();
  for (const NotJudged& error : verdicts.errors) {
    Json one = {{"level", "error"}, {"message", message(error.message)}};
    if (is_file(error.file)) {
      one["locations"] = Json::array({location(error.file, 0)});
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

// As RFC 3986 has it: what is no unreserved character, nor a separator, in
// percent.
std::string uri_of(const std::string& path) {
  constexpr std::string_view kKept = "-._~/";
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') ||
                          kKept.find(c) != std::string_view::npos;
    out += is_plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

Json sarif_of(const Json& file) {
  const Verdicts verdicts = verdicts_in(file);
  Json results = Json::array(), rules = Json::array();
  std::map<std::string, std::size_t> by_id;
  for (const Judged& one : verdicts.results) {
    if (one.kind == Kind::kPassed) continue;
    const std::string id = rule_id(one);
    const auto [rule, is_new] = by_id.try_emplace(id, by_id.size());
    if (is_new) {
      rules.push_back({{"id", valid_utf8(id)},
                       {"shortDescription", message(about(id, verdicts))}});
    }
    results.push_back(result_of(one, rule->second));
  }
  Json driver = {{"name", "plumb"}, {"rules", std::move(rules)}};
  if (!verdicts.version.empty()) driver["version"] = verdicts.version;
  Json run;
  run["tool"] = {{"driver", std::move(driver)}};
  run["invocations"] = Json::array(
      {{{"executionSuccessful", verdicts.errors.empty()},
        {"toolExecutionNotifications", notifications_of(verdicts)}}});
  run["columnKind"] = "unicodeCodePoints";
  run["results"] = std::move(results);
  Json out;
  out["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  out["version"] = "2.1.0";
  out["runs"] = Json::array({std::move(run)});
  return out;
}

}  // namespace plumb::report
