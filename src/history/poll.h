// SPDX-License-Identifier: Apache-2.0
// Asks a budget now and then whether reading must stop.
#pragma once

#include <cstdint>

#include "base/budget.h"

namespace plumb::history {

class Poll {
 public:
  explicit Poll(Budget* budget) : budget_(budget) {}

  // Call it for each line.  A line is far cheaper than a step of a search.
  bool spent() {
    constexpr std::uint32_t kLinesPerStep = 16;
    if (++lines_ % kLinesPerStep == 0 && budget_) budget_->spent();
    return limit() != Limit::kNone;
  }
  Limit limit() const { return budget_ ? budget_->limit() : Limit::kNone; }

 private:
  Budget* budget_;
  std::uint32_t lines_ = 0;
};

}  // namespace plumb::history
