// SPDX-License-Identifier: Apache-2.0
// The different labels of a system by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assertions/names.h"
#include "base/flat_table.h"
#include "lts/system.h"

namespace plumb::assertions {

class Labels {
 public:
  std::uint32_t number(const lts::Label& label) {
    const auto next = static_cast<std::uint32_t>(all_.size());
    const auto [entry, is_new] = numbers_.try_emplace(label, next);
    if (is_new) all_.push_back(label);
    return entry->second;
  }
  const lts::Label& operator[](std::uint32_t number) const {
    return all_[number];
  }
  std::size_t size() const { return all_.size(); }

 private:
  FlatMap<lts::Label, std::uint32_t, LabelHash> numbers_;
  std::vector<lts::Label> all_;
};

}  // namespace plumb::assertions
