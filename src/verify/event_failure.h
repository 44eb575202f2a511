// SPDX-License-Identifier: Apache-2.0
// What an assertion about events fails on, for others to put in words.
#pragma once

#include <cstdint>
#include <vector>

#include "lts/system.h"

namespace plumb::verify {

// Labels are visible ones, as the environment sees them.
struct EventFailure {
  enum class Kind : std::uint8_t {
    kAmbiguous,   // the last step, events[0], may lead to another state
    kNotAllowed,  // ... is not allowed, while `offered` are
    // At the end of the run the implementation offers `offered` only; the
    // specification accepts at least one of `accepted`, and so `events` are
    // missing.  Without any, it never comes to rest there.
    kRefused,
  };
  using Events = std::vector<lts::Label>;

  Kind kind = Kind::kAmbiguous;
  Events events = {};
  Events offered = {};
  std::vector<Events> accepted = {};

  // Is it about the last step of the run, not about the state at its end?
  bool is_of_last_step() const { return kind != Kind::kRefused; }
};

}  // namespace plumb::verify
