// SPDX-License-Identifier: Apache-2.0
// What a user says the states of a system stand for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/value.h"
#include "lts/system.h"

namespace plumb::lts {

// A relation between states of a system and abstract states, given as what
// each state is related to.
class Abstraction {
 public:
  virtual ~Abstraction() = default;

  // Appends the abstract states that `state`, as System packs it, is related
  // to: none, one or several.  An abstract state is a sequence of values, as
  // specifications have them.  Returns why that could not be found out, for
  // people, if evaluating the relation went wrong there (an assertion failed,
  // an index was out of range).
  virtual std::optional<std::string> relate(
      StateView state,
      std::vector<std::vector<Value>>& abstract_states) const = 0;
};

}  // namespace plumb::lts
