// SPDX-License-Identifier: Apache-2.0
// Atoms of formulas about models with calls: inv(read), res(0, read, 5).
#pragma once

#include <string>

#include "assertions/assertions.h"
#include "base/input_error.h"
#include "lts/system.h"

namespace plumb::assertions {

// `inv` is that a call begins, `res` that it returns.  A process may stand
// before the operation, the argument or the result, as JSON writes it, after
// it.  Throws InputError, with `place`, for all else.
Proposition call_atom(const std::string& atom, const lts::System& system,
                      const Place& place);

}  // namespace plumb::assertions
