// SPDX-License-Identifier: Apache-2.0
#include "base/invariant.h"

#include "base/limit_error.h"

namespace plumb {

void fail_ourselves(const std::string& what) {
  throw LimitError("an error of the checker itself: " + what,
                   "please report it, together with the model");
}

void fail_ourselves(const char* condition, const char* file, int line) {
  fail_ourselves(std::string(condition) + " is not so (" + file + ":" +
                 std::to_string(line) + ")");
}

}  // namespace plumb
