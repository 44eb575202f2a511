// SPDX-License-Identifier: Apache-2.0
// Which operations went too far, in words and as two orders.
#pragma once

#include <optional>
#include <string>

#include "check/excess.h"
#include "history/history.h"
#include "report/json_value.h"
#include "spec/specification.h"

namespace plumb::report {

// Which operations stand how far from their turn, and below them pi and pi',
// place below place; or that no factor explains the history.
std::string excess_text(const history::History& history,
                        const spec::Specification& object,
                        const check::Excess& excess, std::size_t width);

// Does it say which operation went too far?  Then the longest order says
// nothing more.
inline bool names_one(const std::optional<check::Excess>& excess) {
  return excess && !excess->too_far.empty();
}

Json excess_json(const history::History& history,
                 const spec::Specification& object,
                 const check::Excess& excess);

}  // namespace plumb::report
