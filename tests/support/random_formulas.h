// SPDX-License-Identifier: Apache-2.0
// Formulas of temporal logic, written down or made at random.
#pragma once

#include <cstddef>
#include <random>
#include <string>

#include "ltl/formula.h"
#include "ltl/parse.h"
#include "text/source.h"

namespace plumb::testing {

// All of the text.
inline ltl::Property formula(const std::string& text) {
  const text::Source source("formula", text);
  return ltl::parse(source, {0, static_cast<std::uint32_t>(text.size())});
}

// With atoms a, b, ... and about so many operators.
ltl::Property random_formula(std::size_t atoms, std::size_t operators,
                             std::mt19937& random);

// Up to `most` letters.
ltl::Word random_word(std::size_t atoms, std::size_t most,
                      std::mt19937& random);

}  // namespace plumb::testing
