// SPDX-License-Identifier: Apache-2.0
// Linearization points: the steps at which operations take effect.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/value.h"

namespace plumb::verify {

// What takes effect when a step is taken.
struct Effect {
  enum class Whose : std::uint8_t {
    kOwn,           // of the process that takes the step, if it is pending
    kOthersBefore,  // pending ones of other processes, before the own one
    kOthersAfter,
  };
  Whose whose = Whose::kOwn;
  // Whether it happens at this step is open: both ways are followed.  Others'
  // effects are always so.
  bool may = false;
  std::optional<Value> only;    // just with this result; nothing: any
  std::uint16_t operation = 0;  // of others: of the system

  friend bool operator==(const Effect&, const Effect&) = default;
};

struct Policy {
  bool marks = false;  // the own operation takes effect at marked steps
  std::map<std::uint32_t, std::vector<Effect>> effects;  // by edge

  friend bool operator==(const Policy&, const Policy&) = default;
};

}  // namespace plumb::verify
