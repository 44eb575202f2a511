// SPDX-License-Identifier: Apache-2.0
// What the tests of libraries share.
#pragma once

#include <plumb/test.h>

#include <cstddef>
#include <optional>
#include <vector>

// Libraries return whether there was an item, and write it where they are
// told; specifications have the item, or nothing.
inline std::optional<int> given(bool found, int item) {
  return found ? std::optional(item) : std::nullopt;
}

// A queue that says no more often than it must: an enqueue may find no room
// and, with kMayMiss, a dequeue no item, whatever there is.
template <std::size_t kCapacity, bool kMayMiss = false>
struct WeakQueue {
  std::vector<int> items;
  bool operator==(const WeakQueue&) const = default;

  bool enq(int item) {
    if (items.size() == kCapacity || plumb::choose(2) == 1) return false;
    items.push_back(item);
    return true;
  }
  std::optional<int> deq() {
    if (items.empty() || (kMayMiss && plumb::choose(2) == 1)) {
      return std::nullopt;
    }
    const int item = items.front();
    items.erase(items.begin());
    return item;
  }
};

template <typename Queue, typename Model>
auto queue_and_model(plumb::Test& test) {
  auto queue = test.object<Queue, Model>();
  return std::tuple(queue.operation("enq", PLUMB_METHOD(enq)),
                    queue.operation("deq", PLUMB_METHOD(deq)));
}

// Stands in for the tests of a library that is not installed.
#define PLUMB_WITHOUT_LIBRARY(name)     \
  PLUMB_TEST(name##_is_not_installed) { \
    test.run([] {});                    \
  }
