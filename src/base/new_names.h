// SPDX-License-Identifier: Apache-2.0
// Values by other names.
#pragma once

#include <vector>

#include "base/value.h"

namespace plumb {

// `value` with new_name(v) in place of each v that is not a list, also inside
// lists.
template <typename NewName>
Value with_new_names(Value value, const NewName& new_name) {
  if (!value.is_list()) return new_name(value);
  std::vector<Value> items;
  for (const Value item : value.items()) {
    items.push_back(with_new_names(item, new_name));
  }
  return Value::list(items);
}

}  // namespace plumb
