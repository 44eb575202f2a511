// SPDX-License-Identifier: Apache-2.0
#include "csp/lints.h"

#include <algorithm>

namespace plumb::csp {

void find_traps(Module& module) {
  std::stable_sort(module.warnings.begin(), module.warnings.end(),
                   [](const Warning& a, const Warning& b) {
                     return a.span.begin < b.span.begin;
                   });
}

}  // namespace plumb::csp
