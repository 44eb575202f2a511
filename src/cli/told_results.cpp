// SPDX-License-Identifier: Apache-2.0
#include "cli/told_results.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "base/input_error.h"
#include "cli/inputs.h"
#include "report/read_result.h"

namespace plumb::cli {

namespace {

using report::Json;

using report::text_in;

bool is_result(const Json& result) {
  const Json* const expected = report::member(result, "expected");
  return expected != nullptr && expected->is_boolean() &&
         !text_in(result, "verdict").empty();
}

ExitStatus status_of_result(const Json& result) {
  if (result["expected"] == true) return kExitHolds;
  return text_in(result, "verdict") == "unknown" ? kExitUnknown : kExitViolated;
}

}  // namespace

ToldResults::ToldResults() {
  file_ = memfd_create("plumb-results", MFD_CLOEXEC);
  if (file_ < 0) {
    throw InputError(
        fmt::format("cannot make room for results: {}", std::strerror(errno)));
  }
  path_ = fmt::format("/proc/{}/fd/{}", getpid(), file_);
}

ToldResults::~ToldResults() {
  if (file_ >= 0) close(file_);
}

void ToldResults::read_more(const Say& say) {
  std::array<char, 1 << 16> block;
  for (;;) {
    const ssize_t got =
        pread(file_, block.data(), block.size(), static_cast<off_t>(read_));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    read_ += static_cast<std::size_t>(got);
    rest_.append(block.data(), static_cast<std::size_t>(got));
    std::size_t end = 0;
    while ((end = rest_.find('\n')) != rest_.npos) {
      take(rest_.substr(0, end), say);
      rest_.erase(0, end + 1);
    }
  }
}

void ToldResults::take(const std::string& line, const Say& say) {
  are_whole_ = false;  // nothing comes after the end
  Json told = Json::parse(line, nullptr, false);
  if (!told.is_object() ||
      (told.contains("result") && !is_result(told["result"]))) {
    is_broken_ = true;
    return;
  }
  if (const std::string text = text_in(told, "text"); !text.empty()) {
    say(stdout, text);
  }
  if (told.contains("tests") && told["tests"].is_array()) {
    tests_ = std::move(told["tests"]);
  }
  if (told.contains("reads") && told["reads"].is_array()) {
    for (const Json& file : told["reads"]) {
      if (file.is_string()) note_input(file.get<std::string>());
    }
  }
  if (told.contains("found")) found_ = std::move(told["found"]);
  if (told.contains("result")) {
    found_ = nullptr;
    add(std::move(told["result"]));
  }
  if (told.contains("error")) {
    const Json& error = told["error"];
    status_ = worse(status_, kExitBadInput);
    errors_.push_back({text_in(error, "file"), text_in(error, "message")});
    say(stderr, errors_.back().message);
  }
  are_whole_ = told.contains("end") && !is_broken_;
}

void ToldResults::add(Json result) {
  status_ = worse(status_, status_of_result(result));
  results_.push_back(std::move(result));
}

void ToldResults::add_found(const Say& say) {
  if (!found_.is_object() || !is_result(found_["result"])) return;
  say(stdout, text_in(found_, "text"));
  add(std::move(found_["result"]));
}

void ToldResults::add_unknown(const std::string& name, const std::string& file,
                              const std::string& reason, const Say& say) {
  if (tests_.empty() && results_.empty()) {
    tests_.push_back({{"name", name}, {"file", file}, {"line", 1}});
  }
  // They come in order, but for those with errors.
  std::set<std::pair<std::string, int>> known;
  const auto key_of = [](const Json& one) {
    return std::pair(text_in(one, "name"), one.value("line", 0));
  };
  for (const Json& result : results_) known.insert(key_of(result));
  for (const Json& test : tests_) {
    if (known.contains(key_of(test))) continue;
    say(stdout,
        fmt::format("{}:{}: {}: unknown\n  {}\n", text_in(test, "file"),
                    test.value("line", 0), text_in(test, "name"), reason));
    results_.push_back({{"name", text_in(test, "name")},
                        {"file", text_in(test, "file")},
                        {"line", test.value("line", 0)},
                        {"condition", nullptr},
                        {"specification", nullptr},
                        {"verdict", "unknown"},
                        {"expect", nullptr},
                        {"expected", false},
                        {"reason", reason},
                        {"evidence", nullptr},
                        {"stats", Json::object()}});
    status_ = worse(status_, kExitUnknown);
  }
}

}  // namespace plumb::cli
