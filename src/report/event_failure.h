// SPDX-License-Identifier: Apache-2.0
// What an assertion about events fails on, in words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lts/system.h"
#include "verify/event_failure.h"

namespace plumb::report {

// "push.0", "terminate", "process 1: inv(read)".
std::string event_text(const lts::Label& label,
                       std::span<const std::string> operations);

// As one clause.
std::string reason_of(const verify::EventFailure& failure,
                      std::span<const std::string> operations);
// What would have been possible, a line each.
std::vector<std::string> details_of(const verify::EventFailure& failure,
                                    std::span<const std::string> operations);

}  // namespace plumb::report
