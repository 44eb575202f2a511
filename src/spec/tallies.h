// SPDX-License-Identifier: Apache-2.0
// States of an object with counts beside them, for objects that relax it.
#pragma once

#include <cstdint>
#include <span>

#include "spec/specification.h"

namespace plumb::spec {

// A state is: how many counts there are; for each, operation code and count
// in one word, then the part of the object that it concerns (null where the
// object is one whole); then the state of the object.  Counts of 0 are left
// out and the others sorted, so equal things have equal words.

State with_no_tallies(const State& object);
State object_in(const State& state);

std::uint32_t tally_in(const State& state, std::uint16_t code, Value part);

// `state` with another count, and `object` in place of its object.
State with_tally(const State& state, std::uint16_t code, Value part,
                 std::uint32_t count, const State& object);
// `state` with the same counts, and `object` in place of its object.
State with_object(const State& state, const State& object);

// Parts with to[i] for each from[i], and the object as `object`.
State with_renamed_parts(const State& state, const State& object,
                         std::span<const Value> from,
                         std::span<const Value> to);

// "; 2 times in a row: deq" for each count; "" if there is none.
std::string describe_tallies(const State& state, const Specification& base,
                             std::string_view what);

// What a count of `call` concerns: one part, if the parts are objects.
inline Value part_counted(const Specification& base, const Call& call) {
  if (!base.parts_are_objects()) return Value();
  return base.part(call).value_or(Value());
}

}  // namespace plumb::spec
