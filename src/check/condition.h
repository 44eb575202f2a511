// SPDX-License-Identifier: Apache-2.0
// A consistency condition is an order and a specification.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "spec/specification.h"

namespace plumb::check {

// The order that the operations of a history must keep when they are put into
// one sequence (see the table in docs/conditions.md).
enum class Order : std::uint8_t {
  kRealTime,            // `a` returned before `b` was invoked
  kProgram,             // same process, `a` first
  kQuiescent,           // a moment with nothing pending lies between them
  kQuiescentAndProgram  // either of the last two
};

// How quasi-linearizability is read.
enum class Reading : std::uint8_t {
  kInPlace,  // operations of a class swap places only with each other
  kLiteral,  // as the papers print it: the order between classes is free
};

struct Condition {
  Order order = Order::kRealTime;
  // By operation name; empty: not relaxed.  A factor of 0 changes nothing.
  std::map<std::string, std::uint32_t> factors;
  Reading reading = Reading::kInPlace;
  // Judge the history alone, not with what could still happen after it.
  bool closed = false;

  bool relaxed() const;
  // Is it quasi-linearizability as the papers print it?
  bool literal() const {
    return reading == Reading::kLiteral && !factors.empty();
  }
  // Can objects be judged one by one?  Sequential consistency is not local.
  bool local() const {
    return order == Order::kRealTime || order == Order::kQuiescent;
  }
  std::string to_string() const;
};

// Reads "linearizable", "quasi(deq=2, enq=0)", "quiescent+quasi(deq=1)", ...
// Throws InputError.
Condition parse_condition(std::string_view text);

// Throws InputError if a factor names no operation of `object`.
void require_factors_fit(const Condition& condition,
                         const spec::Specification& object);

}  // namespace plumb::check
