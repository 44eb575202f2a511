// SPDX-License-Identifier: Apache-2.0
// All small histories of an object.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "history/history.h"
#include "spec/specification.h"

namespace plumb::testing {

// A call with the results that it may return.
struct Choice {
  spec::Call call;
  std::vector<Value> results;
};

// Every call over the values 1 and 2 (in pairs also null first), with every
// result of its kind.
std::vector<Choice> choices_over_two_values(const spec::Specification& object);

// Visits every history of exactly `operations` calls from `choices` by at most
// `processes` processes, where a process whose call is pending calls nothing
// more; but of those that differ only in names, one:
// - Processes are named in the order of their first invocations.  Conditions
//   and specifications ask only whether two calls have the same process.
// - Adjacent invocations come in the order of their processes' names, and so
//   do adjacent returns.  Exchanging two of them changes none of the orders
//   that conditions speak about.
// - 1 is mentioned before 2.  The objects here treat all values alike.
void for_all_histories(
    std::uint32_t operations, std::uint32_t processes,
    const std::vector<Choice>& choices,
    const std::function<void(const history::History&)>& visit);

}  // namespace plumb::testing
