// SPDX-License-Identifier: Apache-2.0
// Checks a whole file: its objects, what they implement, its checks.
#pragma once

#include <memory>
#include <vector>

#include "lang/ast.h"
#include "lang/parser.h"
#include "lang/types_object.h"
#include "text/diagnostics.h"

namespace plumb::lang {

// Resolves names and checks types.
// Requires: the parser found no fault.
void check_module(Parsed& parsed, Diagnostics& diagnostics);

// The same for a check that was added to a module later.
void check_added(Check& check, const Module& module, Diagnostics& diagnostics);

// Does `object` have the operations of what it implements?  Finds the
// specification among `objects`, if it is one of the file.
void check_implements(Object& object, const std::vector<Object*>& objects,
                      ExpressionChecker& expressions);

// Names the object and the constants of a check, and looks at its bounds.
// `checkers` are those of the objects of the file.
void check_check(Check& check, const Module& module,
                 const std::vector<std::unique_ptr<ObjectChecker>>& checkers,
                 Diagnostics& diagnostics);

// The same for a check that compares two specifications; `names` are those of
// the file.
void check_refinement(Check& check, const Module& module, Names& names,
                      Diagnostics& diagnostics);

// Of a condition: the place behind the `+` that follows `at` outside all
// parentheses, or beyond the end.
std::size_t next_part(const std::string& text, std::size_t at);

}  // namespace plumb::lang
