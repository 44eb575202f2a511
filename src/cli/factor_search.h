// SPDX-License-Identifier: Apache-2.0
// The smallest quasi factor with which a check holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/budget.h"
#include "cli/model_checks.h"
#include "cli/run_check.h"
#include "lang/model.h"
#include "report/model_result.h"

namespace plumb::cli {

struct FactorSearch {
  std::string of;  // an operation, or a class that the condition names
  std::uint32_t largest = 8;
};

// Leaves the checks that have such a factor: those of an order, exact or
// relaxed by quasi(...).  Throws InputError if none is left of some.
void leave_checks_with_factors(std::vector<LoadedCheck>& checks);

// Tries the factors 0, 1, 2, ... until the check holds; what it expects does
// not matter.  The result is that of the last one tried.  Throws InputError.
report::ModelResult find_minimum_factor(const LoadedCheck& check,
                                        const FactorSearch& search,
                                        const lang::Settings& settings,
                                        const HowToCheck& how, Budget budget);

}  // namespace plumb::cli
