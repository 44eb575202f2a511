// SPDX-License-Identifier: Apache-2.0
// Values that a program stores, copies and compares for equality only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lang/program.h"
#include "lang/symmetry_flow.h"
#include "lang/symmetry_regions.h"

namespace plumb::lang {

// Why something is not interchangeable.
struct Obstacle {
  std::optional<Span> span;
  std::string what;  // "computes with values"
};

// "line 12 computes with values".
std::string text_of(const Obstacle& obstacle, const Source& source);

// Where the integers lie that clients pass and get.
struct DataClasses {
  std::vector<bool> is_data;            // for each node of the flow
  std::optional<Obstacle> obstacle;     // they are more than data
  std::vector<std::int32_t> constants;  // mixed with them
  // Ranges of the places, and those that are checked: each must hold all of
  // the interchangeable values, or none.
  std::vector<FlowFacts::Checked> ranges;
};

DataClasses find_data(const Program& program, const Flow& flow);

// Those of `numbers` that the program treats alike; none, and why, if some
// but not all of them fit somewhere.
std::vector<std::int32_t> alike(const DataClasses& data,
                                std::vector<std::int32_t> numbers,
                                std::optional<Obstacle>& obstacle);

// For each process the number of its group; those of one group are
// interchangeable.
using Groups = std::vector<std::uint8_t>;

// Are there two in one group?
bool any_alike(const Groups& groups);

// Why processes are not interchangeable, as far as the code tells.  Splits
// `groups` where the code asks for a certain process, `index(p) == 0`, or for
// one of a few, `index(p) % 2`.
std::optional<Obstacle> process_obstacle(const Program& program,
                                         const Flow& flow, Groups& groups);

}  // namespace plumb::lang
