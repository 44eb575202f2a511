// SPDX-License-Identifier: Apache-2.0
#include "runtime/weak_orders.h"

#include <algorithm>
#include <iterator>

namespace plumb::runtime {

WeakOrders weak_orders;
std::uintptr_t seen_weak[kWeakSlots];

void forget_weak_orders() {
  weak_orders = WeakOrders{};
  std::fill(std::begin(seen_weak), std::end(seen_weak), 0);
}

}  // namespace plumb::runtime
