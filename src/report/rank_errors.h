// SPDX-License-Identifier: Apache-2.0
// Rank errors and delays of takes, as text and for programs.
#pragma once

#include <cstddef>
#include <string>

#include "check/rank_errors.h"
#include "history/history.h"
#include "report/json_value.h"
#include "spec/specification.h"

namespace plumb::report {

std::string rank_errors_text(const history::History& history,
                             const spec::Specification& object,
                             const check::RankErrors& errors);

// Lists at most `most` takes, those with the largest ranks and delays.
Json rank_errors_json(const history::History& history,
                      const spec::Specification& object,
                      const check::RankErrors& errors, std::size_t most);

}  // namespace plumb::report
