// SPDX-License-Identifier: Apache-2.0
// What a violation is shown with: the program, the run, the history.
#pragma once

#include <string>

#include "harness/explore.h"
#include "harness/outcome.h"

namespace plumb::harness {

// As one clause: "data race: ...", "no order of the calls explains them".
std::string reason_of(const runtime::Finding& finding);

// Runs the execution once more: does it show what was found?  Explains, until
// `end`, a history that it shows.
Evidence evidence_of(const Question& question, const Schedule& schedule,
                     Budget::Clock::time_point end);

// Once more, and writes down what it does: that takes a while.
void add_story(const Question& question, const Schedule& schedule, bool color,
               Evidence& evidence);

// "T1: push(1); pop()", one line for each thread.
std::vector<std::string> lines_of(const test::Case& test,
                                  const Program& program);

// The same for calls that were made by real threads: there is no run to show.
Evidence evidence_of(const Question& question, const CallTrace& calls,
                     const std::vector<std::uint8_t>& ends);

}  // namespace plumb::harness
