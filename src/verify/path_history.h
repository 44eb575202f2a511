// SPDX-License-Identifier: Apache-2.0
// The history of a run of a model: its calls and how they overlap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "history/history.h"
#include "lts/system.h"

namespace plumb::verify {

// Labels that are internal leave no mark in it.  Lines are the numbers of the
// steps, from 1.  `codes` gives for each operation of the system its index in
// the specification.
history::History history_of(std::span<const lts::Label> labels,
                            const std::vector<std::uint16_t>& codes,
                            std::size_t processes);

}  // namespace plumb::verify
