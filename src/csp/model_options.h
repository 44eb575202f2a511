// SPDX-License-Identifier: Apache-2.0
// How a CSP# module is run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "csp/ast.h"

namespace plumb::csp {

struct ModelOptions {
  // States are told apart exactly as PAT does, and hvars are no part of them.
  bool pat_identity = false;
  // Variables that are never read before they are written again get their
  // initial values back.  Labels and propositions do not change.
  bool reset_dead_variables = false;
  // Of steps that do not meet only one order is taken, where Observed says
  // what can be told apart.
  bool partial_order = false;
};

// What is asked of the states of a system.
struct Watched {
  std::vector<std::uint32_t> propositions;
  std::vector<ExprPtr> expressions;
};

// Which events can be seen by who asks: their order matters, that of others
// does not.
struct Observed {
  enum class Events : std::uint8_t { kAll, kNamed, kNone };
  Events events = Events::kAll;
  std::vector<std::string> names = {};  // kNamed: as labels have them
};

}  // namespace plumb::csp
