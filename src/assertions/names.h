// SPDX-License-Identifier: Apache-2.0
// What a visible step is called.
#pragma once

#include <cstddef>

#include "lts/system.h"

namespace plumb::assertions {

inline bool is_visible(const lts::Label& label) {
  return label.kind != lts::LabelKind::kInternal &&
         label.kind != lts::LabelKind::kFault;
}

// What the environment can tell of a visible label: two steps with equal names
// are the same event.
lts::Label name_of(const lts::Label& label);

struct LabelHash {
  std::size_t operator()(const lts::Label& label) const;
};

}  // namespace plumb::assertions
