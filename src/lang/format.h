// SPDX-License-Identifier: Apache-2.0
// The house layout of models.
#pragma once

#include <string>

#include "lang/lexer.h"
#include "text/source.h"

namespace plumb::lang {

// The same words and signs, and the same comments, in the house layout.
// Requires: the model parses.
std::string format_tokens(const Source& source, const Lexed& lexed);

}  // namespace plumb::lang
