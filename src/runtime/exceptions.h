// SPDX-License-Identifier: Apache-2.0
// What the end of a handler frees is part of letting go of its exception.
#pragma once

namespace plumb::runtime {

// The next block that the C++ library frees is no event of its own.
extern bool frees_at_once __attribute__((visibility("hidden")));

}  // namespace plumb::runtime
