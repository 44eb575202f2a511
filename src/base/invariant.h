// SPDX-License-Identifier: Apache-2.0
// PLUMB_CHECK: invariants that are checked in every build.
#pragma once

#include <string>

namespace plumb {

// Throws LimitError, which says that this is our error: a wrong verdict would
// be worse, and other checks can go on.
[[noreturn]] void fail_ourselves(const std::string& what);
[[noreturn]] void fail_ourselves(const char* condition, const char* file,
                                 int line);

}  // namespace plumb

// For what would make an answer wrong if it were not so.  Where that costs time
// in an inner loop, it is an assert(), which the debug build checks.
#define PLUMB_CHECK(condition)  \
  (static_cast<bool>(condition) \
       ? static_cast<void>(0)   \
       : ::plumb::fail_ourselves(#condition, __FILE_NAME__, __LINE__))
