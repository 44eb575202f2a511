// SPDX-License-Identifier: Apache-2.0
// Specifications whose arguments and results can be written in several ways.
#pragma once

#include <cstdint>

#include "base/value.h"

namespace plumb::spec {

// What a Specification may be, too.  Who brings calls from outside asks it.
class Notation {
 public:
  virtual ~Notation() = default;

  // The argument that `argument` stands for (a map by names: a list).  Throws
  // InputError without a place if operation `code` takes none such.
  virtual Value taken(std::uint16_t code, Value argument) const = 0;
  // The same of what the caller saw: a set in any order is that set.
  virtual Value given(std::uint16_t code, Value result) const = 0;
};

}  // namespace plumb::spec
