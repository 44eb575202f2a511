// SPDX-License-Identifier: Apache-2.0
// Constant expressions: sizes, ranges, bounds.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "lang/ast.h"
#include "text/source.h"

namespace plumb::lang {

// What the constants stand for in one check.
struct ConstantValues {
  absl::flat_hash_map<const Constant*, std::int64_t> values;
  std::int64_t processes = 0;
};

// The value of a constant expression; a boolean is 0 or 1, a member of an enum
// is its index.  Throws InputError with the place in `source` on a division by
// zero, a number that is too large, or a constant without a value.
// Requires: the type checker found no fault with `expression`.
std::int64_t evaluate(const Expression& expression,
                      const ConstantValues& constants, const Source& source);

// Gives every constant of `declared` that has no value yet the one that is
// written in the model, in whatever order they depend on each other.  Those of
// `declared` may depend on each other and on those that have a value.
void define_constants(const std::vector<std::unique_ptr<Constant>>& declared,
                      ConstantValues& constants, const Source& source);

}  // namespace plumb::lang
