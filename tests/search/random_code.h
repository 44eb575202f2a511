// SPDX-License-Identifier: Apache-2.0
// Makes random programs for machines.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "search/machine.h"

namespace plumb::search_test {

// What a program is made of.
enum class Flavour : std::uint8_t {
  kCells,        // loads, stores, updates, branches; no loops
  kRetries,      // with loops that end when nobody disturbs them
  kSpins,        // with loops that wait for others
  kLocks,        // mutexes, which may deadlock, and plain data
  kCollections,  // a stack, a queue
  kFaults,       // nodes that are freed, checks that fail
  kWaits,        // what threads wait for, other than mutexes
  kWeak,         // loops that end, with memory orders
};
inline constexpr int kFlavours = 8;
const char* to_string(Flavour flavour);

using Threads = std::vector<Code>;

Threads random_threads(std::mt19937& random, Flavour flavour);
std::string to_string(const Threads& threads);

// Is there an order that is weaker than seq_cst?
bool is_weak(const Threads& threads);

// May its threads run for ever?
bool may_spin(const Threads& threads);

}  // namespace plumb::search_test
