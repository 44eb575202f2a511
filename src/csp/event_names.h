// SPDX-License-Identifier: Apache-2.0
// The events that a CSP# model writes, without their fields.
#pragma once

#include <set>
#include <string>

#include "csp/ast.h"

namespace plumb::csp {

// Channels are among them.
std::set<std::string> event_names(const Module& module);

}  // namespace plumb::csp
