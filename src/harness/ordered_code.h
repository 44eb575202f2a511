// SPDX-License-Identifier: Apache-2.0
// Lines of code whose memory orders can be changed, to see what comes of it.
#pragma once

#include <string>
#include <vector>

#include "runtime/weak_orders.h"

namespace plumb::harness {

// One line of the code, however often it was compiled.
struct OrderedLine {
  std::string line;
  runtime::Ordered what;
  int order;
  std::vector<runtime::OrderedPlace> places;
};
std::vector<OrderedLine> lines_of_orders(const runtime::WeakOrders& orders);

// From now on: an order for each of the lines.
void set_orders(const std::vector<OrderedLine>& lines,
                const std::vector<int>& orders);

// "queue.h:14: store, relaxed -> release".
std::string change_in_words(const OrderedLine& line, int order);

}  // namespace plumb::harness
