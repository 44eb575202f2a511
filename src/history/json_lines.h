// SPDX-License-Identifier: Apache-2.0
// Reads events that are JSON objects, one on each line, or in one array.
#pragma once

#include "history/assembler.h"
#include "history/line_reader.h"
#include "history/poll.h"

namespace plumb::history {

// Both read to the end, or until `poll` says stop, and throw InputError.
void read_json_lines(LineReader& lines, Assembler& assembler, Poll& poll,
                     bool remember_shapes, bool follow);

// LIMIT: an array is held in memory as a whole, so it must be smaller than
// the longest line.
void read_json_array(LineReader& lines, Assembler& assembler, Poll& poll);

}  // namespace plumb::history
