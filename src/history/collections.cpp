// SPDX-License-Identifier: Apache-2.0
#include "history/collections.h"

#include <algorithm>

#include "base/map_value.h"

namespace plumb::history {

Value map_value(std::vector<std::pair<Value, Value>> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) {
                     return compare(a.first, b.first) < 0;
                   });
  std::vector<Value> items;
  for (const auto& [key, value] : entries) {
    items.push_back(key);
    items.push_back(value);
  }
  return map_of(items);
}

Value set_value(std::vector<Value> members) {
  std::sort(members.begin(), members.end(),
            [](Value a, Value b) { return compare(a, b) < 0; });
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return Value::list(members);
}

}  // namespace plumb::history
