// SPDX-License-Identifier: Apache-2.0
#include "harness/ordered_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>

#include "harness/symbols.h"

namespace plumb::harness {

namespace {

using runtime::Ordered;

const char* name_of_order(int order) {
  constexpr const char* kNames[] = {"relaxed", "consume", "acquire",
                                    "release", "acq_rel", "seq_cst"};
  return kNames[order];
}
const char* name_of(Ordered what) {
  constexpr const char* kNames[] = {"load", "store", "read-modify-write",
                                    "compare-exchange that fails",
                                    "lock that is tried in vain"};
  return kNames[static_cast<std::size_t>(what)];
}

}  // namespace

std::vector<OrderedLine> lines_of_orders(const runtime::WeakOrders& orders) {
  static const std::unique_ptr<Symbols> symbols = symbols_of_this_process();
  std::vector<OrderedLine> out;
  const std::size_t known =
      std::min<std::size_t>(orders.count, runtime::WeakOrders::kMost);
  for (std::size_t i = 0; i < known; ++i) {
    const runtime::OrderedPlace& place = orders.places[i];
    std::size_t depth = 0;
    while (depth < std::size(place.stack) && place.stack[depth] != 0) ++depth;
    const std::string line =
        to_string(place_to_show(*symbols, std::span(place.stack).first(depth)));
    const auto same =
        std::find_if(out.begin(), out.end(), [&](const OrderedLine& one) {
          return one.line == line && one.what == place.what &&
                 one.order == place.order;
        });
    OrderedLine& mine =
        same != out.end()
            ? *same
            : out.emplace_back(OrderedLine{line, place.what, place.order, {}});
    mine.places.push_back(place);
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::pair(a.line, a.what) < std::pair(b.line, b.what);
  });
  return out;
}

void set_orders(const std::vector<OrderedLine>& lines,
                const std::vector<int>& orders) {
  std::vector<runtime::OtherOrder> others;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (orders[i] == lines[i].order) continue;
    for (const runtime::OrderedPlace& place : lines[i].places) {
      others.push_back({place, orders[i]});
    }
  }
  runtime::set_other_orders(others.data(), others.size());
}

std::string change_in_words(const OrderedLine& line, int order) {
  return fmt::format("{}: {}, {} -> {}", line.line, name_of(line.what),
                     name_of_order(line.order), name_of_order(order));
}

}  // namespace plumb::harness
