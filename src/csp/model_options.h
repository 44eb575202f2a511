// SPDX-License-Identifier: Apache-2.0
// How a CSP# module is run.
#pragma once

#include <cstdint>
#include <vector>

#include "csp/ast.h"

namespace plumb::csp {

struct ModelOptions {
  // States are told apart exactly as PAT does, and hvars are no part of them.
  bool pat_identity = false;
  // Variables that are never read before they are written again get their
  // initial values back.  Labels and propositions do not change.
  bool reset_dead_variables = false;
};

// What is asked of the states of a system.
struct Watched {
  std::vector<std::uint32_t> propositions;
  std::vector<ExprPtr> expressions;
};

}  // namespace plumb::csp
