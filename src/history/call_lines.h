// SPDX-License-Identifier: Apache-2.0
// Reads the format of LiMo: "[1] call push(3)", "[1] return".
#pragma once

#include "history/assembler.h"
#include "history/line_reader.h"
#include "history/poll.h"

namespace plumb::history {

// Reads to the end, or until `poll` says stop.  Throws InputError.
void read_call_lines(LineReader& lines, Assembler& assembler, Poll& poll,
                     bool follow);

}  // namespace plumb::history
