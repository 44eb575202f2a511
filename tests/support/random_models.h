// SPDX-License-Identifier: Apache-2.0
// Random models: small objects that use most of the language.
#pragma once

#include <random>
#include <string>

namespace plumb::lang {

// The text of a model with one check; it has no type errors.
std::string random_model(std::mt19937& random);

}  // namespace plumb::lang
