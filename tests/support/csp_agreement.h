// SPDX-License-Identifier: Apache-2.0
// Does the semantics of a CSP# model agree with the rules?  For tests.
#pragma once

#include <cstddef>
#include <string>

namespace plumb::walked {

struct Agreement {
  std::string difference;  // "" if there is none
  bool compared = false;   // else there are too many states
  bool has_fault = false, has_end = false;
  std::size_t states = 0;
};

// The subject of the first assertion as the slow interpreter has it, and as
// csp::Model has it with each of its options: strongly bisimilar?  With PAT's
// identity of states there must also be as many of them.
Agreement compare_semantics(const std::string& text, std::size_t most_states);

}  // namespace plumb::walked
