// SPDX-License-Identifier: Apache-2.0
// The smallest quasi factor with which a condition holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ask/subject.h"
#include "base/budget.h"

namespace plumb::ask {

// What became of the search.
struct MinimumFactor {
  std::string of;  // an operation, or a class that the condition names
  std::uint32_t largest = 8;
  std::optional<std::uint32_t> found;
  std::uint32_t tried = 0;  // the last one
  bool refuted = false;     // that one is too small, and it was the largest
};

// Has it such factors: is it about an order, exact or relaxed by quasi(...)?
bool has_factors(const Subject& subject);

// Tries the factors 0, 1, 2, ... until the condition holds.  The outcome is
// that of the last one tried, and `question` is what was asked then.  Throws
// InputError.
Outcome find_minimum_factor(const Subject& subject, Question& question,
                            MinimumFactor& minimum, Budget& budget);

}  // namespace plumb::ask
