// SPDX-License-Identifier: Apache-2.0
#include "history/collections.h"

#include <algorithm>
#include <string>

namespace plumb::history {

Value map_value(std::vector<std::pair<Value, Value>> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) {
                     return compare(a.first, b.first) < 0;
                   });
  std::string text = "{";
  for (const auto& [key, value] : entries) {
    if (text.size() > 1) text += ", ";
    text += key.to_string() + ": " + value.to_string();
  }
  return Value::text(text + "}");
}

Value set_value(std::vector<Value> members) {
  std::sort(members.begin(), members.end(),
            [](Value a, Value b) { return compare(a, b) < 0; });
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return Value::list(members);
}

}  // namespace plumb::history
