// SPDX-License-Identifier: Apache-2.0
// Looks at, compares and changes trees of a CSP# model.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "csp/ast.h"

namespace plumb::csp {

// A text that is the same for equal trees only, wherever they stand.
std::string key(const Expression& expression);
std::string key(const Statement& statement);
std::string key(const Process& process);
std::string key(const std::vector<EventName>& events);

// A tree with the same kind and numbers, but each child changed.
ExprPtr with_children(const Expression& expression,
                      const std::function<ExprPtr(const ExprPtr&)>& change);
// Each expression that stands directly in a statement changed.
StatementPtr with_expressions(
    const Statement& statement,
    const std::function<ExprPtr(const ExprPtr&)>& change);

// Calls `look` for the expression and all below it, blocks included.
void visit(const Expression& expression,
           const std::function<void(const Expression&)>& look);
void visit(const Statement& statement,
           const std::function<void(const Expression&)>& look);
// Every expression of a process and those below it.
void visit(const Process& process,
           const std::function<void(const Expression&)>& look);

}  // namespace plumb::csp
