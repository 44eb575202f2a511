// SPDX-License-Identifier: Apache-2.0
// Random models in which processes and values are often interchangeable.
#pragma once

#include <random>
#include <string>

namespace plumb::lang {

// The text of a model with one check; it has no type errors.  With `breaks`,
// one statement in a few tells processes or values apart.
std::string random_symmetric_model(std::mt19937& random, bool breaks);

}  // namespace plumb::lang
