// SPDX-License-Identifier: Apache-2.0
#include "verify/words.h"

#include <cstdio>
#include <cstdlib>

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
  std::fprintf(stderr, "plumb: an error of the checker itself: %s\n", what);
  std::abort();
}

}  // namespace plumb::verify
