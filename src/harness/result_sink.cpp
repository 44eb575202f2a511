// SPDX-License-Identifier: Apache-2.0
#include "harness/result_sink.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/input_error.h"
#include "base/staged_file.h"

namespace plumb::harness {

namespace {

using report::Json;

[[noreturn]] void fail(const char* where) {
  throw InputError(
      fmt::format("cannot write {}: {}", where, std::strerror(errno)));
}

// Programs count on getting the smallest number that is free.
constexpr int kFarFromOthers = 500;

}  // namespace

ResultSink::ResultSink(std::string file) : file_(std::move(file)) {
  output_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, kFarFromOthers);
  if (output_ < 0) output_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
}

ResultSink::~ResultSink() {
  if (output_ >= 0) close(output_);
}

void ResultSink::say(const std::string& text) {
  if (text.empty()) return;
  if (is_for_plumb()) return add(Json{{"text", text}});
  std::fflush(nullptr);  // what the code under test has said comes before
  if (!write_all(output_, text)) fail("to standard output");
}

void ResultSink::add(const Json& line) {
  if (!is_for_plumb()) return;
  const std::string text =
      line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  std::fflush(nullptr);
  const int file = open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const bool written = file >= 0 && write_all(file, text);
  const int error = errno;
  if (file >= 0) close(file);
  errno = error;
  if (!written) fail("results");
}

void ResultSink::add(const report::BadInput& error) {
  add(Json{{"error", {{"file", error.file}, {"message", error.message}}}});
  if (!is_for_plumb()) std::fputs(error.message.c_str(), stderr);
}

void ResultSink::end() {
  add(Json{{"end", true}});
}

}  // namespace plumb::harness
