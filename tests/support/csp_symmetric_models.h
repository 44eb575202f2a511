// SPDX-License-Identifier: Apache-2.0
// Random CSP# models whose processes are alike, or nearly: for tests.
#pragma once

#include <random>
#include <string>

namespace plumb::csp {

// The text of a model with processes System() and Other(), over the same
// events, and propositions `some` and `odd`.  Each is an indexed ||| or || of
// processes that use their index as alike ones do; if `almost`, with one use
// somewhere that most likely tells them apart.  In a ring, they speak of their
// neighbours too: (i + 1) % N.
std::string random_symmetric_csp(std::mt19937& random, bool almost,
                                 bool ring = false);

}  // namespace plumb::csp
