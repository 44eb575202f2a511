// SPDX-License-Identifier: Apache-2.0
// Traps of CSP# that are no errors.
#pragma once

#include "csp/ast.h"

namespace plumb::csp {

// Adds to the warnings of a resolved module, in the order of their places.
void find_traps(Module& module);

}  // namespace plumb::csp
