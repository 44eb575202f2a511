// SPDX-License-Identifier: Apache-2.0
// What came of the programs of a test.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/samples.h"
#include "check/explain.h"
#include "check/verdict.h"
#include "harness/case.h"
#include "harness/caveats.h"
#include "harness/explore.h"
#include "harness/relax_orders.h"
#include "harness/schedule.h"
#include "harness/strengthen.h"
#include "history/history.h"
#include "report/json_value.h"
#include "runtime/core.h"
#include "spec/specification.h"

namespace plumb::harness {

// One program, under all heaps that it was run with.
struct ProgramOutcome {
  check::Answer answer = check::Answer::kUnknown;
  bool exhaustive = false;
  std::string reason;        // kUnknown: which limit was reached
  runtime::Finding finding;  // kViolated: kNone means a history
  std::optional<Schedule> schedule;
  Statistics statistics;
  std::uint64_t histories = 0;  // distinct
  std::uint32_t heaps = 0;      // a mask of those used
};

// Why a test is violated, for people.
struct Evidence {
  bool is_fault = false;
  bool was_left = false;      // at a limit, before it could show anything
  std::uint32_t program = 0;  // its number, from 1
  std::vector<std::string> program_lines;  // "T1: push(1); pop()"
  // A part of it that is violated as well, if one was found.
  std::vector<std::string> smaller_program_lines;
  std::string schedule;
  std::string finding;   // what is wrong, in a sentence; "": the calls are
  std::string machines;  // "": on any; else where it can happen, a clause
  Remedies remedies;     // memory orders that would help
  std::string story;     // the table of the run
  report::Json steps;    // ... and all of it
  report::Json graph;    // edges between steps, of an execution graph
  // Of calls, not of faults.
  std::optional<history::History> history;
  std::optional<check::Explanation> explanation;
};

struct TestResult {
  std::string name;
  std::string file;
  int line = 0;
  std::string condition;                 // "": of a free-form test
  spec::SpecificationPtr specification;  // null: of a free-form test
  Expectation expect;
  bool says_expect = false;  // does the test say what to expect?

  check::Answer answer = check::Answer::kUnknown;
  std::string reason;
  runtime::Finding finding;
  std::optional<Evidence> evidence;
  std::string replay;  // a command that shows the violation again
  bool show_evidence = true;

  std::size_t programs = 0;      // that were explored
  std::size_t all_programs = 0;  // that there are to explore
  Statistics statistics;
  std::uint64_t histories = 0;
  std::uint32_t heaps = 0;
  SearchKind search = SearchKind::kExhaustive;
  bool exhaustive = false;
  bool stress = false;  // real threads
  // Asked for, of a test that holds.
  std::optional<Relaxations> relaxations;
  Caveats caveats;  // what the verdict does not speak about
  double seconds = 0;
  std::vector<Samples::Point> samples;  // executions over time

  bool is_as_expected() const {
    if (answer != expect.answer) return false;
    return expect.fault == runtime::Fault::kNone ||
           expect.fault == finding.fault;
  }
};

// 0 as expected, 1 not, 3 unknown.
int status_of(const TestResult& result);
// 2 beats 1 beats 3 beats 0.
int worse(int a, int b);

}  // namespace plumb::harness
