// SPDX-License-Identifier: Apache-2.0
#include "harness/statistics.h"

#include <algorithm>
#include <cstddef>

namespace plumb::harness {

void Statistics::add(const Statistics& more) {
  executions += more.executions;
  states += more.states;
  graphs += more.graphs;
  blocked += more.blocked;
  events += more.events;
  frees |= more.frees;
  reuses |= more.reuses;
  could_share |= more.could_share;
  asks_thread |= more.asks_thread;
  spared |= more.spared;
  compares_times |= more.compares_times;
  has_unseen |= more.has_unseen;
  seen.add(more.seen);
  weak_orders.has_untold |= more.weak_orders.has_untold;
  weak_orders.has_volatile |= more.weak_orders.has_volatile;
  const std::size_t places =
      std::min<std::size_t>(more.weak_orders.count, runtime::WeakOrders::kMost);
  for (std::size_t i = 0; i < places; ++i) {
    weak_orders.add(more.weak_orders.places[i]);
  }
  if (beyond_graphs.fault == runtime::Fault::kNone) {
    beyond_graphs = more.beyond_graphs;
  }
}

}  // namespace plumb::harness
