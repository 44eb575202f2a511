// SPDX-License-Identifier: Apache-2.0
// Events by number, the same for both sides of a refinement.
#pragma once

#include <cstdint>

#include "assertions/labels.h"
#include "assertions/names.h"
#include "lts/system.h"

namespace plumb::assertions {

using EventId = std::uint32_t;

class Events {
 public:
  static constexpr EventId kTau = 0;

  Events() { names_.number(lts::Label()); }

  EventId number(const lts::Label& label) {
    return is_visible(label) ? names_.number(name_of(label)) : kTau;
  }
  const lts::Label& operator[](EventId event) const { return names_[event]; }

 private:
  Labels names_;
};

}  // namespace plumb::assertions
