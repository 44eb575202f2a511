// SPDX-License-Identifier: Apache-2.0
// What came out of one check of a model, as plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/samples.h"
#include "check/excess.h"
#include "check/explain.h"
#include "check/verdict.h"
#include "report/refutation.h"
#include "report/state_graph.h"
#include "report/trace.h"
#include "spec/specification.h"
#include "verify/outcome.h"

namespace plumb::report {

// What became of the search for the smallest quasi factor.
struct MinimumFactor {
  std::string of;  // an operation, or a class with a name
  std::optional<std::uint32_t> found;
  std::uint32_t tried = 0;  // the last one
  bool refuted = false;     // that one is too small, and it was the largest

  std::string to_string() const;  // "smallest factor of deq: 2"
};

struct ModelResult {
  std::string file;
  std::size_t line = 0;   // of the check; 0: it came from the command line
  std::string check;      // "treiber linearizable with 2 processes, values 1"
  std::string condition;  // "linearizable", "lock_free"
  spec::SpecificationPtr specification;  // null if there is none
  std::string bounds;                    // all of them, in words
  std::vector<std::string> operations;   // what points mean by their index

  // What the check line expects; nothing if it does not say.
  std::optional<check::Answer> expect;

  verify::Outcome outcome;
  std::vector<std::string> notes;  // reductions that are off, and why
  std::optional<Trace> trace;      // of a violation
  std::optional<check::Explanation> explanation;
  std::optional<Refutation> refutation;  // of one specification by another
  std::optional<check::Excess> excess;   // quasi conditions only
  std::optional<MinimumFactor> minimum_factor;  // if it was asked for
  bool show_evidence = true;                    // in the text
  std::string replay;  // a command that shows the violation again
  std::size_t peak_memory_bytes = 0;  // of the whole process

  // For pages.
  std::vector<Samples::Point> samples;  // steps of the search over time
  std::optional<StateGraph> graph;
  std::string graph_left_out;  // why there is none

  // Without a word about it, a check is expected to hold.
  bool is_as_expected() const {
    return outcome.answer == expect.value_or(check::Answer::kHolds);
  }
};

// Nobody must take a verdict about quasi factors by the construction of windows
// for an exact one.
void say_windows(ModelResult& result);

}  // namespace plumb::report
