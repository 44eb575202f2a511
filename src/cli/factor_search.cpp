// SPDX-License-Identifier: Apache-2.0
#include "cli/factor_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/input_error.h"
#include "check/condition.h"
#include "cli/condition_check.h"

namespace plumb::cli {

namespace {

bool has_factors(const LoadedCheck& loaded) {
  if (loaded.check == nullptr) return false;
  const lang::Check& check = *loaded.check;
  if (check.refinement || check.at_marks || check.by_relation ||
      !is_condition(check.property)) {
    return false;
  }
  try {
    return !check::parse_condition(check.property).transformed();
  } catch (const InputError&) {
    return true;  // to be told what is wrong with it
  }
}

LoadedCheck with_factor(const LoadedCheck& loaded, const FactorSearch& search,
                        std::uint32_t factor) {
  check::Condition condition = check::parse_condition(loaded.check->property);
  const auto named = std::find_if(
      condition.classes.begin(), condition.classes.end(),
      [&](const check::ClassPattern& one) { return one.name == search.of; });
  if (named != condition.classes.end()) {
    named->factor = factor;
  } else {
    condition.factors[search.of] = factor;
  }
  LoadedCheck out = with_property(loaded, condition.to_string());
  out.arguments = fmt::format("{} --minimum-factor {} --largest-factor {}",
                              loaded.arguments, search.of, search.largest);
  return out;
}

}  // namespace

void leave_checks_with_factors(std::vector<LoadedCheck>& checks) {
  if (checks.empty()) return;
  std::erase_if(checks,
                [](const LoadedCheck& check) { return !has_factors(check); });
  if (!checks.empty()) return;
  throw InputError(
      "--minimum-factor: none of the checks has quasi factors",
      "'linearizable', 'quasi(...)' and these with other orders have");
}

report::ModelResult find_minimum_factor(const LoadedCheck& check,
                                        const FactorSearch& search,
                                        const lang::Settings& settings,
                                        const HowToCheck& how, Budget budget) {
  report::MinimumFactor minimum;
  minimum.of = search.of;
  for (std::uint32_t factor = 0;; ++factor) {
    report::ModelResult result =
        run_check(with_factor(check, search, factor), settings, how, budget);
    result.expect.reset();
    result.line = check.line;
    if (result.trace) result.trace->line = check.line;
    minimum.tried = factor;
    if (result.outcome.answer == check::Answer::kHolds) minimum.found = factor;
    minimum.refuted = result.outcome.answer == check::Answer::kViolated;
    if (minimum.refuted && factor < search.largest) continue;
    result.minimum_factor = std::move(minimum);
    return result;
  }
}

}  // namespace plumb::cli
