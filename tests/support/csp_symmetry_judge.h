// SPDX-License-Identifier: Apache-2.0
// Is a symmetry of a CSP# process one?  For tests.
#pragma once

#include <cstddef>
#include <string>

#include "csp/symmetry.h"
#include "lts/system.h"

namespace plumb::csp {

struct SymmetryJudgement {
  std::string wrong;        // "" if nothing is
  std::size_t states = 0;   // of the system
  std::size_t kept = 0;     // canonical forms of them
  std::size_t several = 0;  // states whose renamings have other forms
  bool cut = false;         // there are more
};

// Looks at all states that are reached, with each exchange of two neighbours,
// or the rings turned by one:
// the renamed state takes the renamed steps, and no others.  Then walks
// through the quotient: it has the canonical forms of all states and no more.
SymmetryJudgement judge_symmetry(const lts::System& system,
                                 const NameSymmetry& symmetry,
                                 std::size_t most_states);

}  // namespace plumb::csp
