// SPDX-License-Identifier: Apache-2.0
// System calls that wait in the kernel, where nobody can let others go on.
#pragma once

#include <cstdint>

namespace plumb::runtime {

// Would this call have to wait, as things are?  Only those that are made by
// libraries are known: files, locks of files, futexes, named pipes.
bool would_wait(long number, const std::uint64_t (&arguments)[6]);

// Does it wait for some time, but for less than a second?
bool waits_for_a_while(long number, const std::uint64_t (&arguments)[6]);

// The name of a call that may wait; of others, "another one".
const char* name_of_call(long number);

}  // namespace plumb::runtime
