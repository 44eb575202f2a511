// SPDX-License-Identifier: Apache-2.0
// What a search looks for, beside steps that go wrong.
#pragma once

#include <cstdint>
#include <optional>

#include "explore/tagging.h"
#include "lts/system.h"

namespace plumb::explore {

// Asked by several threads at once.
class Watch {
 public:
  virtual ~Watch() = default;

  // Is it found in this pair, whose state has these transitions?
  virtual bool is_found(lts::StateView /*state*/, Tag /*tag*/,
                        const lts::Successors& /*out*/) const {
    return false;
  }
  // The same of a pair that was reached for the first time, before it is known
  // what can be done there.
  virtual bool is_goal(lts::StateView /*state*/, Tag /*tag*/) const {
    return false;
  }
  // What Rows keep of a transition, a number; nothing: they leave it out.
  virtual std::optional<std::uint32_t> kept(const lts::Label&) const {
    return std::nullopt;
  }
  // The same of a state without transitions, which then leads to itself.
  virtual std::optional<std::uint32_t> stays(const lts::Successors&) const {
    return std::nullopt;
  }
};

}  // namespace plumb::explore
