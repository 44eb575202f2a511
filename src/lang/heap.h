// SPDX-License-Identifier: Apache-2.0
// Garbage collection, and the names of cells: one state, one string of bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/program.h"

namespace plumb::lang {

// The number of the place where a process rests.
inline std::uint32_t rest_of(const Program& program,
                             const std::uint8_t* frame) {
  if (!program.wide_pc()) return *frame;
  return static_cast<std::uint32_t>(frame[0] | frame[1] << 8);
}

// Numbers the cells in the order in which they are found from the variables,
// breadth first, then from the frame of each process; drops those that are
// not found.  Two states that differ only in where their cells lie become the
// same, as in the canonical heaps of [Iosif04].  Returns how many are left.
//
// All that can be reached from the variables comes first, so that what a
// process holds has no influence on the names of what all can see.
//
// `old_names`, if there is one, gets the former name of each cell that is left.
std::uint32_t collect(const Program& program, std::uint8_t* state,
                      std::uint32_t cells,
                      std::vector<std::uint32_t>* old_names = nullptr);

// How many cells of `state` can be reached from its variables: 1 to that
// number.  Requires: collect() made its names.
std::uint32_t reachable_by_all(const Program& program,
                               const std::uint8_t* state);

}  // namespace plumb::lang
