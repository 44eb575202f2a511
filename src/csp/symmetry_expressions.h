// SPDX-License-Identifier: Apache-2.0
// Expressions that name all interchangeable values alike.
#pragma once

#include <cstdint>
#include <functional>

#include "csp/ast.h"

namespace plumb::csp {

// What a value becomes where this constant stands; the same where it has no
// other names.
using Renamed = std::function<std::int64_t(const Expression& constant)>;
// May an array of so many elements be indexed by this without a fault?
using IsSafeIndex =
    std::function<bool(const Expression& index, std::uint32_t size)>;

// Does the tree mean the same with its constants renamed: x[0] == 1 &&
// x[1] == 1 with 0 and 1 exchanged?  True only where that is plain to see.
bool means_the_same(const Expression& tree, const Renamed& renamed,
                    const Module& module, const IsSafeIndex& is_safe);

}  // namespace plumb::csp
