// SPDX-License-Identifier: Apache-2.0
#include "verify/words.h"

#include "base/invariant.h"

namespace plumb::verify {

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

void fail(const char* what) {
  fail_ourselves(what);
}

}  // namespace plumb::verify
