// SPDX-License-Identifier: Apache-2.0
// What the JSON results of all levels share.
#pragma once

#include <cstdint>
#include <span>

#include "check/explain.h"
#include "history/history.h"
#include "report/json_value.h"
#include "spec/specification.h"

namespace plumb::report {

// Operations of a history, by their indices.  They say on which lines they
// stand, or, where there is no file, at which moments they were.
Json operations_json(const history::History& history,
                     const spec::Specification& object,
                     std::span<const std::uint32_t> indices);

Json explanation_json(const history::History& history,
                      const spec::Specification& object,
                      const check::Explanation& why);

}  // namespace plumb::report
