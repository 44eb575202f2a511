// SPDX-License-Identifier: Apache-2.0
// Two specifications that a check compares, ready to run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/value.h"
#include "lang/ast.h"
#include "lang/model.h"
#include "spec/specification.h"

namespace plumb::lang {

// A side of `check spec A refines B`, without its relaxation.
struct ComparedSpec {
  spec::SpecificationPtr specification;
  // For each of its operations: the arguments that are tried, {null} if it
  // takes none.
  std::vector<std::vector<Value>> arguments;
};

struct Comparison {
  ComparedSpec left, right;
  // For each operation of the left one: its index in the right one.
  std::vector<std::uint16_t> codes;
  // No longer sequences than this; 0: of any length.
  std::uint32_t operations = 0;
  std::string bounds;  // "values 1..2, any number of operations"
};

// Throws InputError.  Requires: check.refinement is not null.
Comparison compile_refinement(const Module& module, const Check& check,
                              const Settings& settings);

}  // namespace plumb::lang
