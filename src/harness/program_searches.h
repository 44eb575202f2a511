// SPDX-License-Identifier: Apache-2.0
// All searches of one program.
//
// Each heap that may make a difference, weaker memory on top, and samples where
// there is no time for all.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "harness/explore.h"
#include "harness/options.h"
#include "harness/outcome.h"
#include "harness/programs.h"
#include "harness/time_shares.h"

namespace plumb::harness {

class ProgramSearches {
 public:
  // What is searched; it may still change.
  struct Subject {
    const test::Case& test;
    const Options& options;
    const Settings& settings;
    const ProgramList& list;
    const std::unique_ptr<Judge>& judge;  // null: of a free-form test
    const std::unique_ptr<StuckJudge>& stuck;
  };
  explicit ProgramSearches(const Subject& subject) : it_(subject) {}

  Question question(std::size_t program, Heap heap) const;
  ProgramOutcome explore(std::size_t program, Budget& budget);
  ProgramOutcome explore_for(std::size_t program, const Share& share);
  // The reason of those that did not come to their end.
  std::string out_of_time() const;
  Heap first_heap() const { return first_heaps().front(); }

  bool audits_each = false;  // of the programs

 private:
  std::vector<Heap> first_heaps() const;
  std::vector<Heap> further_heaps(const Statistics& statistics) const;
  bool explore_with(const Question& question, ProgramOutcome& outcome,
                    Budget& budget);
  bool explores_weaker(const Statistics& statistics) const;
  void explore_weaker(std::size_t program, ProgramOutcome& outcome,
                      Budget& budget);
  std::vector<Question> samples_of(std::size_t program,
                                   const Statistics& statistics) const;
  bool sample(std::size_t program, const Share& share, ProgramOutcome& outcome);

  const Subject it_;
  unsigned hopeless_ = 0;  // programs that did not come back
  // Of what is explored now.
  Budget::Clock::time_point end_ = Budget::Clock::time_point::max();
};

}  // namespace plumb::harness
