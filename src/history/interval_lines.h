// SPDX-License-Identifier: Apache-2.0
// Reads the formats of FastLin, PolyLin and fptlin: a line has an operation.
#pragma once

#include "history/assembler.h"
#include "history/line_reader.h"
#include "history/poll.h"

namespace plumb::history {

// Reads to the end, or until `poll` says stop.  Throws InputError.
void read_interval_lines(LineReader& lines, Assembler& assembler, Poll& poll,
                         bool follow);

}  // namespace plumb::history
