// SPDX-License-Identifier: Apache-2.0
// Reads what Jepsen logs of operations, among other lines of a log.
//   INFO  jepsen.util - 4	:invoke	:read	nil
#pragma once

#include <string_view>

#include "history/assembler.h"
#include "history/line_reader.h"
#include "history/poll.h"

namespace plumb::history {

// Is there such a line in this text?
bool is_jepsen_log(std::string_view text);

// Reads to the end, or until `poll` says stop.  Throws InputError.
void read_jepsen_log(LineReader& lines, Assembler& assembler, Poll& poll,
                     bool follow);

}  // namespace plumb::history
