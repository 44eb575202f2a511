// SPDX-License-Identifier: Apache-2.0
// Which processes and values of a compiled object are interchangeable.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lang/client.h"
#include "lang/program.h"
#include "lts/reduction.h"
#include "lts/symmetry.h"
#include "spec/specification.h"

namespace plumb::lang {

// Null if nothing is interchangeable.  Appends to `notes` why something that
// is `wanted` is not done.  `program` and `client` must last.
// `specification`: what histories are compared with, or null.
std::unique_ptr<lts::Symmetry> find_symmetry(
    const Program& program, const Client& client,
    const spec::Specification* specification, const lts::Reductions& wanted,
    std::vector<std::string>& notes);

}  // namespace plumb::lang
