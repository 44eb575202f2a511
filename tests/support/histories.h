// SPDX-License-Identifier: Apache-2.0
// Histories as pictures: written in tests, and printed when a test fails.
#pragma once

#include <string>
#include <string_view>

#include "history/history.h"
#include "spec/specification.h"

namespace plumb::testing {

// A history from its picture: one line a process, time runs to the right.
//
//     draw(*queue, R"(
//       p: [enq 1          ]   [deq -> 2]
//       q:      [enq 2]             [deq ...
//     )")
//
// `[` stands at the invocation and `]` at the return.  `...` instead of `]`
// says that the call stays pending; the process may go on after it.  Between
// them: the operation's name, its argument if it takes one, and its result
// after `->` if the caller sees one.  A value is a number, null, true, false,
// a word, or a list such as (1,2).  Events in one column overlap: invocations
// come before returns there.
//
// Throws InputError if the picture makes no sense.
history::History draw(const spec::Specification& object,
                      std::string_view picture);

// One process, one call after the other: "enq 1, enq 2, deq -> 1".
history::History in_sequence(const spec::Specification& object,
                             std::string_view calls);

// The picture of `history`: draw() gives the same history back, up to the
// numbering of its moments and the names of its processes.
std::string picture(const history::History& history,
                    const spec::Specification& object);

// Numbers the events from 0 without gaps and puts the operations into the
// order of their invocations.  At equal moments invocations come first.
void make_dense(history::History& history);

}  // namespace plumb::testing
