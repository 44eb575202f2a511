// SPDX-License-Identifier: Apache-2.0
// Why a history cannot be explained, in words.
#pragma once

#include <string>

#include "check/explain.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::report {

// The longest order that explains a beginning of the history, and why nothing
// can come next; empty if the explanation does not say.
std::string longest_order_text(const history::History& history,
                               const spec::Specification& object,
                               const check::Explanation& why);

}  // namespace plumb::report
