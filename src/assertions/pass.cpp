// SPDX-License-Identifier: Apache-2.0
#include "assertions/pass.h"

#include <fmt/format.h>

#include <chrono>

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
  if (!decided_) verify::conclude(explorer_, outcome_);
  verify::fill_bounds(explorer_, outcome_);
  const std::chrono::duration<double> taken = Budget::Clock::now() - start_;
  verify::fill_statistics(explorer_, more_bytes, taken.count(), outcome_);
  outcome_.statistics.method = std::move(method);
  return std::move(outcome_);
}

}  // namespace plumb::assertions
