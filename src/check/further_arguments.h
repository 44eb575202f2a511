// SPDX-License-Identifier: Apache-2.0
// Which arguments operations may have that nobody has called yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/value.h"
#include "spec/relax.h"
#include "spec/specification.h"

namespace plumb::check {

// The values that are spoken of: by a history, or by all that the clients of a
// model can do and what they were given.
class Mentioned {
 public:
  // Requires: `object` outlives this.
  explicit Mentioned(const spec::Specification& object) : object_(object) {}

  void add_call(std::uint16_t code, Value argument);
  // Null says that there was nothing, and is left out.
  void add_result(std::uint16_t code, Value result);
  void add_value(Value value);
  // To be called when all is added.
  void finish();

  bool speaks_of(Value value) const;
  const spec::Specification& object() const { return object_; }
  // Whole arguments, and results.
  const std::vector<Value>& values() const { return values_; }
  // Those, and what pairs consist of.
  const std::vector<Value>& items() const { return items_; }
  // Parts of the object.
  const std::vector<Value>& keys() const { return keys_; }
  // By a pair.
  bool writes_null() const { return writes_null_; }

 private:
  const spec::Specification& object_;
  std::vector<Value> values_, items_, keys_;
  bool writes_null_ = false;
};

// By operation code, of those that `classes` relax: arguments that stand for
// all that there are, in histories as in models, whether or not the object at
// hand has such an operation.  Those are what is mentioned, and others, of each
// kind that classes tell apart; of a further one of that kind nothing can be
// said that is not true of these as well (see further_arguments.cpp).
//
// At most `calls` operations of relaxed classes have been called, if that is
// known.
std::vector<std::vector<Value>> further_arguments(
    const std::vector<spec::RelaxedClass>& classes, const Mentioned& mentioned,
    std::size_t calls = SIZE_MAX);

void sort_and_dedup(std::vector<Value>& values);

}  // namespace plumb::check
