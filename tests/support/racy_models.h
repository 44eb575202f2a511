// SPDX-License-Identifier: Apache-2.0
// Random models for reductions: locks, loops, cells of one's own, faults.
#pragma once

#include <random>
#include <string>

namespace plumb::lang {

// The text of a model with one check, without type errors.
std::string random_racy_model(std::mt19937& random);

}  // namespace plumb::lang
