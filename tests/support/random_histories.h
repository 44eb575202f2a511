// SPDX-License-Identifier: Apache-2.0
// Small random histories, and how to make one that fails a test smaller.
#pragma once

#include <cstdint>
#include <functional>
#include <random>

#include "history/history.h"
#include "spec/specification.h"

namespace plumb::testing {

struct RandomShape {
  std::uint32_t operations = 5;
  std::uint32_t processes = 3;
  std::uint32_t values = 2;
  bool distinct = false;  // no value is put in twice
  // In a hundred: calls that never return; results that are made up.
  std::uint32_t pending = 10;
  std::uint32_t wrong = 15;
};

// The calls run on the object at some moment while they are under way, so that
// many of the histories are linearizable; then some results are exchanged
// among each other or made up, so that many are nearly so.  A call that blocks
// stays pending, or returns nevertheless.
history::History random_history(std::mt19937& random,
                                const spec::Specification& object,
                                const RandomShape& shape);

// A different shape for each round: sizes up to `most` operations, few and
// many processes and values, with and without pending calls.
RandomShape random_shape(std::mt19937& random, std::uint32_t most);

// Requires: limit > 0.  The same numbers with every library, which
// std::uniform_int_distribution does not promise.
std::uint32_t below(std::mt19937& random, std::uint32_t limit);

history::History without(const history::History& history, std::size_t index);

// Drops operations as long as it still `fails`.
history::History shrink(
    history::History history,
    const std::function<bool(const history::History&)>& fails);

}  // namespace plumb::testing
