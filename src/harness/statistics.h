// SPDX-License-Identifier: Apache-2.0
// What searches counted, and what they met on the way.
#pragma once

#include <cstdint>

#include "harness/run_program.h"
#include "runtime/core.h"
#include "runtime/weak_orders.h"

namespace plumb::harness {

struct Statistics {
  std::uint64_t executions = 0;  // that came to an end of their own
  std::uint64_t states = 0;      // that a search by states met
  std::uint64_t graphs = 0;      // ... of models weaker than SC
  std::uint64_t blocked = 0;     // that had nothing new, or were cut short
  std::uint64_t events = 0;      // of all of these
  bool frees = false;            // was memory given back?
  bool reuses = false;           // ... and out again?
  // Could a thread have been given what another one had given back?
  bool could_share = false;
  bool asks_thread = false;  // did the code ask which thread it is?
  bool spared = false;       // see runtime::Outcome
  bool compares_times = false;
  bool has_unseen = false;  // accesses that no hook told of, and that matter
  SeenOperations seen;
  runtime::WeakOrders weak_orders;
  // What execution graphs do not know, if any was met: weaker orders were not
  // explored then.
  runtime::Finding beyond_graphs;

  void add(const Statistics& more);
};

}  // namespace plumb::harness
