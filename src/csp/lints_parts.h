// SPDX-License-Identifier: Apache-2.0
// What the searches for traps share.
#pragma once

#include <functional>
#include <vector>

#include "csp/ast.h"

namespace plumb::csp {

// Events with blocks that never synchronise, hiding sets that miss one.
void find_traps_of_events(Module& module);
// Variables whose values nobody reads any more, but which split states.
void find_stale_variables(Module& module);

void add(Module& module, std::vector<Warning> found);
// The process and all that stands in it; references are not followed.
void for_each_process(const Process& process,
                      const std::function<void(const Process&)>& see);
// The expression and all its parts, but for blocks of macros.
void for_each_expression(const Expression& expression,
                         const std::function<void(const Expression&)>& see);

}  // namespace plumb::csp
