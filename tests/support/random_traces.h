// SPDX-License-Identifier: Apache-2.0
// Random orders of calls, as executions of small programs have them.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "harness/call_trace.h"
#include "spec/specification.h"

namespace plumb::testing {

struct TraceShape {
  std::uint32_t calls = 4;
  std::uint32_t threads = 3;
  std::uint32_t variables = 2;
  std::uint32_t events = 3;    // of a call, at most
  std::uint32_t pending = 10;  // in a hundred threads: the last call is
};

// Threads read and write variables; the order is that of their accesses, as
// far as it can be noticed.  Call numbers and results are 0 and null.
harness::CallTrace random_trace(std::mt19937& random, const TraceShape& shape);

// Gives them random calls, numbered as in `calls`, with results that the
// object gives in one of the orders that the trace admits; some are then made
// wrong.
void give_results(harness::CallTrace& trace, std::mt19937& random,
                  const std::vector<spec::Call>& calls,
                  const spec::Specification& object);

// All orders of the ends that keep the order of the trace; the last ends of
// pending calls are left out.
void for_each_order(
    const harness::CallTrace& trace,
    const std::function<void(const std::vector<std::uint8_t>&)>& visit);

// For messages: who happens before whom.
std::string describe(const harness::CallTrace& trace);

}  // namespace plumb::testing
