// SPDX-License-Identifier: Apache-2.0
// The formats of printf and scanf: which memory their arguments point to.
//
// LIMIT: arguments that are numbered ("%1$s") are not followed; nor are those
// of the functions for wide characters.
#pragma once

#include <cstdarg>
#include <cstddef>

#include "runtime/touch.h"

namespace plumb::runtime {

// What printing this reads ("%s") and writes ("%n"), besides the output.  The
// format is read, too.
void tell_printf(Ranges& to, const char* format, std::va_list arguments);

// What scanning this writes: at most, or, given how many conversions were
// assigned, exactly.  `input`: so many bytes are there to be read.
void tell_scanf_at_most(Ranges& to, const char* format, std::va_list arguments,
                        std::size_t input);
void tell_scanf(Ranges& to, const char* format, std::va_list arguments,
                int assigned);

}  // namespace plumb::runtime
