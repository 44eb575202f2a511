// SPDX-License-Identifier: Apache-2.0
// Where the results of a test program go, out of reach of the code under test.
#pragma once

#include <string>

#include "report/json.h"
#include "report/json_value.h"

namespace plumb::harness {

// Code under test may close descriptors or put others in their place.  Text
// goes to standard output as it was at the start; for `plumb test`, everything
// goes to a file that is opened by its name for each line, and the exit status
// of this process counts for nothing.  A line is one JSON value:
//   {"tests": all that there are, "reads": files of their specifications}
//   {"text": what people read, "result": one of docs/results.md}
//   {"error": {"file": ..., "message": ...}}
//   {"end": true}: nothing is missing
class ResultSink {
 public:
  // `file`: for `plumb test`; "" if there is none.
  explicit ResultSink(std::string file);
  ~ResultSink();
  ResultSink(const ResultSink&) = delete;
  ResultSink& operator=(const ResultSink&) = delete;

  bool is_for_plumb() const { return !file_.empty(); }

  // All throw InputError if nothing can be written.
  void say(const std::string& text);
  void add(const report::Json& line);
  void add(const report::BadInput& error);
  void end();

 private:
  std::string file_;
  int output_ = -1;  // standard output, by another number
};

}  // namespace plumb::harness
