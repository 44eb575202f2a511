// SPDX-License-Identifier: Apache-2.0
// What a test program tells of its tests, line by line (harness/result_sink).
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/common.h"
#include "report/json.h"
#include "report/json_value.h"

namespace plumb::cli {

// Whatever becomes of the program, and whatever its exit status is: verdicts
// are those that it told, and only with a last line are they all.
class ToldResults {
 public:
  // In memory, under a name that the program can open; it goes with us.
  // Throws InputError.
  ToldResults();
  ~ToldResults();
  ToldResults(const ToldResults&) = delete;
  ToldResults& operator=(const ToldResults&) = delete;

  const std::string& path() const { return path_; }

  // Takes what was told since; `say` is given what is for people.
  using Say = std::function<void(std::FILE* to, const std::string& text)>;
  void read_more(const Say& say);

  bool are_whole() const { return are_whole_; }
  // A violation that was found, of a test whose result did not come, is its
  // result.
  void add_found(const Say& say);
  // Tests that were begun, or were to be, and have no result, get one: unknown,
  // for this reason.  If nothing was told at all, one with this name does.
  void add_unknown(const std::string& name, const std::string& file,
                   const std::string& reason, const Say& say);
  ExitStatus status() const { return status_; }
  report::Json take_results() { return std::move(results_); }
  std::vector<report::BadInput> take_errors() { return std::move(errors_); }

 private:
  void take(const std::string& line, const Say& say);
  void add(report::Json result);

  int file_ = -1;
  std::string path_;
  std::size_t read_ = 0;  // bytes
  std::string rest_;      // of a line that has no end yet
  bool are_whole_ = false;
  bool is_broken_ = false;  // somebody else wrote to it
  ExitStatus status_ = kExitHolds;
  report::Json tests_ = report::Json::array();  // all, by name and place
  report::Json results_ = report::Json::array();
  report::Json found_;  // a violation of a test whose result is to come
  std::vector<report::BadInput> errors_;
};

}  // namespace plumb::cli
