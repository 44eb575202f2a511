// SPDX-License-Identifier: Apache-2.0
// Expressions and processes as text for people, with values put in.
#pragma once

#include <span>
#include <string>

#include "csp/ast.h"
#include "csp/datum.h"

namespace plumb::csp {

// Bound slots are read from `bound`; those behind it by their names.  In
// brackets as PAT writes it: "((x + 1) >= 2)".
std::string to_text(const Expression& expression, const Module& module,
                    std::span<const Datum> bound);
// The first step in full; what follows it only as far as it is short.
std::string to_text(const Process& process, const Module& module,
                    std::span<const Datum> bound);

}  // namespace plumb::csp
