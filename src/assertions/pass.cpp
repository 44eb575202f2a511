// SPDX-License-Identifier: Apache-2.0
#include "assertions/pass.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/input_error.h"
#include "verify/evidence.h"
#include "verify/words.h"

namespace plumb::assertions {

using check::Answer;

void report_model_fault(const lts::System& system, lts::Path path,
                        verify::Outcome& outcome) {
  if (!lts::is_run_of(path, system)) {
    verify::fail("the path to a fault is not a run of the system");
  }
  outcome.answer = Answer::kUnknown;
  outcome.reason = fmt::format("the model goes wrong: {}",
                               system.fault(path.labels.back().fault));
  outcome.path = std::move(path);
}

// The states of a system here are canonical already, if it has a symmetry.
Pass::Pass(const lts::System& system, const Aim& aim,
           const verify::Options& options, Budget& budget)
    : system_(system) {
  if (aim.rows != nullptr && options.store != verify::Options::Store::kExact) {
    throw InputError(
        "'--store compact' and '--store bitstate' keep too little of a state "
        "for questions about cycles",
        "use --store exact");
  }
  verify::SearchLimits limits = verify::limits_of(options);
  limits.watch = aim.watch;
  limits.rows = aim.rows;
  limits.goes_on = aim.goes_on;
  limits.uses_symmetry = false;
  limits.faults_last = true;
  search_ = verify::make_search({.system = system, .codes = {}}, options,
                                aim.tags, limits, budget);
  pairs_ = dynamic_cast<const verify::PairSearch*>(search_.get());
}

Pass::End Pass::run() {
  end_ = search_->run();
  if (end_ == End::kFault) {
    report_model_fault(system_, search_->path(), outcome_);
    decided_ = true;
  }
  return end_;
}

void Pass::decide(Answer answer, std::string reason, lts::Path path) {
  if (!lts::is_run_of(path, system_)) {
    verify::fail("the evidence is not a run of the system");
  }
  decided_ = true;
  outcome_.answer = answer;
  outcome_.reason = std::move(reason);
  outcome_.path = std::move(path);
}

void Pass::decide(Answer answer, std::string reason, lts::Lasso lasso) {
  const lts::Path& path = lasso.path;
  if (!lts::is_run_of(path, system_) || lasso.back_to > path.size() ||
      path.states[lasso.back_to] != path.states.back()) {
    verify::fail("the evidence is not a lasso of the system");
  }
  decided_ = true;
  outcome_.answer = answer;
  outcome_.reason = std::move(reason);
  outcome_.lasso = std::move(lasso);
  outcome_.path.reset();
}

void Pass::give_up(std::string reason) {
  decided_ = true;
  outcome_.answer = Answer::kUnknown;
  outcome_.reason = std::move(reason);
}

verify::Outcome Pass::finish(std::size_t more_bytes, std::string method) {
  verify::Outcome end = verify::complete_outcome(system_, search_->cut());
  outcome_.bounds_met = std::move(end.bounds_met);
  if (!decided_) {
    if (end_ == End::kComplete && search_->meaning().empty()) {
      outcome_.answer = end.answer;
      outcome_.reason = std::move(end.reason);
      outcome_.hint = std::move(end.hint);
    } else {
      outcome_.reason =
          end_ == End::kComplete ? search_->meaning() : search_->limit();
    }
  }
  verify::Statistics& figures = outcome_.statistics;
  search_->add_to(figures);
  figures.pairs = figures.sets = 0;
  figures.represented = 0;  // nothing was reduced by this search
  figures.store_bytes += more_bytes;
  const std::chrono::duration<double> taken = Budget::Clock::now() - start_;
  figures.seconds = taken.count();
  figures.method = std::move(method);
  return std::move(outcome_);
}

}  // namespace plumb::assertions
