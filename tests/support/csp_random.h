// SPDX-License-Identifier: Apache-2.0
// Random CSP# models: small, and with something of everything.
#pragma once

#include <random>
#include <string>

namespace plumb::csp {

// The text of a model with one assertion, about System(); it has no errors.
// Most such models have few states; what does not end is rare, but happens.
std::string random_csp_model(std::mt19937& random);

}  // namespace plumb::csp
