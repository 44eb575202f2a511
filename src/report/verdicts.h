// SPDX-License-Identifier: Apache-2.0
// What the results of a result file come to, for those who write them anew.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/json_value.h"

namespace plumb::report {

// One check, test or history.  Whatever a file leaves out is empty.
struct Judged {
  enum class Kind { kPassed, kViolated, kUnknown };
  Kind kind = Kind::kUnknown;

  std::string name, file;
  // Where to look first: the fault, if there is one, else the check.
  std::string at_file;
  std::size_t at_line = 0;  // 0: there is none
  std::string condition;
  std::string verdict;  // "violated"
  std::string reason;   // as one sentence without a full stop, never empty
  std::string rule;     // what went wrong, as a word: "linearizable", "race"
  std::string text;     // all that people are shown
  double seconds = 0;

  // The run that shows it, step by step.
  struct Step {
    std::string file;
    std::size_t line = 0;
    std::string text;    // "T1: CAS top: null -> #1"
    std::string thread;  // "T1"
  };
  std::vector<Step> steps;
};

// Something that could not be judged at all.
struct NotJudged {
  std::string file, message;
};

struct Verdicts {
  std::string version, level;
  double seconds = 0;
  std::vector<Judged> results;
  std::vector<NotJudged> errors;
};

// Requires: `file` is a result file; members may be missing or wrong.
Verdicts verdicts_in(const Json& file);

// On one line: "no order of the calls explains them".
std::string headline(const Judged& one);

}  // namespace plumb::report
