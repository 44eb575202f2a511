// SPDX-License-Identifier: Apache-2.0
#include "runtime/weak_orders.h"

#include <algorithm>
#include <iterator>

namespace plumb::runtime {

WeakOrders weak_orders;
bool notes_all_orders = false;
std::uintptr_t seen_weak[kWeakSlots];
std::uint64_t seen_sites[kWeakSlots];
std::size_t other_orders = 0;

namespace {

OtherOrder table[kMostOtherOrders];

}  // namespace

void forget_weak_orders() {
  weak_orders = WeakOrders{};
  std::fill(std::begin(seen_weak), std::end(seen_weak), 0);
  std::fill(std::begin(seen_sites), std::end(seen_sites), 0);
}

void set_other_orders(const OtherOrder* orders, std::size_t count) {
  other_orders = std::min(count, kMostOtherOrders);
  std::copy_n(orders, other_orders, table);
}

int other_order(Ordered what, int order, std::uintptr_t pc) {
  const OrderedPlace here = ordered_place(what, order, pc);
  for (std::size_t i = 0; i < other_orders; ++i) {
    if (table[i].place == here) return table[i].order;
  }
  return order;
}

}  // namespace plumb::runtime
