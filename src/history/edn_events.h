// SPDX-License-Identifier: Apache-2.0
// Reads events that are EDN maps: one after the other, or in vectors.
#pragma once

#include "history/assembler.h"
#include "history/line_reader.h"
#include "history/poll.h"

namespace plumb::history {

// Reads to the end, or until `poll` says stop.  Throws InputError.
void read_edn(LineReader& lines, Assembler& assembler, Poll& poll);

}  // namespace plumb::history
