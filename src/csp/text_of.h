// SPDX-License-Identifier: Apache-2.0
// Parts of a CSP# model as texts for people.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "csp/ast.h"

namespace plumb::csp {

// What to show for a name (kGlobal, kBound, kLocal): its value, say.  Empty:
// the name as it was written.
using NameText = std::function<std::string(const Expression&)>;

// As PAT has it: (2 >= 0), with parentheses around all that has two sides.
std::string text_of(const Expression& expression, const NameText& name = {});
std::string text_of(const Statement& statement, const NameText& name = {});
// "push.i.(H + 1)", "tau"; with its indices, if it has some.
std::string text_of(const EventName& event, const NameText& name = {});
// With parentheses around all operators.
std::string text_of(const Process& process, const Module& module);

std::string_view spelling(Operator op);
std::string_view spelling(ProcessKind kind);  // of operators: "|||"

}  // namespace plumb::csp
