// SPDX-License-Identifier: Apache-2.0
// System calls that the test makes by syscall(), and the like.
#pragma once

#include <cstdint>

namespace plumb::runtime {

// Makes one for code at `pc`, or what stands in for it; an error is -1, with
// errno.
long system_call(long number, const std::uint64_t (&arguments)[6],
                 const void* pc);

}  // namespace plumb::runtime
