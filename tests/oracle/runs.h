// SPDX-License-Identifier: Apache-2.0
// All short runs of a small system that repeat themselves.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "assertions/assertions.h"
#include "ltl/formula.h"
#include "lts/path.h"
#include "lts/system.h"

namespace plumb::oracle {

// Calls use(lasso) for each lasso of `most` steps at most, and for each path
// that ends in a stuck state, until it returns false.  Faults are passed over.
void each_lasso(const lts::System& system, std::size_t most,
                const std::function<bool(const lts::Lasso&)>& use);

// What holds along the run, moment by moment.
ltl::Word word_of(const lts::Lasso& lasso,
                  const std::vector<assertions::Proposition>& atoms);

// The processes or events that a step is one of.
std::set<std::string> parties(const lts::System& system,
                              const lts::Label& label,
                              assertions::Fairness fairness);

// Is the run that goes round the cycle for ever fair?
bool is_fair(const lts::Lasso& lasso, const lts::System& system,
             assertions::Fairness fairness);

}  // namespace plumb::oracle
