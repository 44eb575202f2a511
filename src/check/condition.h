// SPDX-License-Identifier: Apache-2.0
// A consistency condition is an order and a specification.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"
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

// By operation name.
using Factors = std::map<std::string, std::uint32_t>;

// The values from `lowest` to `highest`.  A list counts as its first item: a
// pair `[priority, item]` as its priority, `[key, value]` as its key.
struct ValueRange {
  Value lowest;
  Value highest;

  bool contains(Value value) const;
  bool meets(const ValueRange& other) const;
  std::string to_string() const;  // "1", "1..3"
  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

// Some of the operations of one name: `insert(1..2)`, `remove_min -> 1`.
struct MemberPattern {
  std::string operation;
  std::optional<ValueRange> argument;  // nothing: any
  std::optional<ValueRange> result;

  // Of operations whose name is that of the pattern.
  bool matches(Value with_argument, Value with_result) const {
    return (!argument || argument->contains(with_argument)) &&
           (!result || result->contains(with_result));
  }
  bool meets(const MemberPattern& other) const;
  std::string to_string() const;
  friend bool operator==(const MemberPattern&, const MemberPattern&) = default;
};

// Operations that swap places with each other: they share one numbering.  A
// take that found nothing is in no class, whatever the patterns say.
struct ClassPattern {
  std::string name;
  std::uint32_t factor = 0;
  std::vector<MemberPattern> members;

  std::string to_string() const;  // "urgent{insert(1..2)}=1"
  friend bool operator==(const ClassPattern&, const ClassPattern&) = default;
};

struct Condition {
  Order order = Order::kRealTime;
  // Of quasi(...), for all operations of a name; empty: not relaxed.  A factor
  // of 0 changes nothing.
  Factors factors;
  // Of quasi(...), too: those with a name.  No operation is in two classes.
  std::vector<ClassPattern> classes;
  // Relaxations of the object after [HenzingerEtAl13]; see spec/overtaking.h
  // and spec/stuttering.h.  Of these, only stuttering goes together with the
  // two above, and then upon them.
  Factors out_of_order;
  Factors late;
  Factors stuttering;
  // Do the other two come upon stuttering, and not it upon them?
  bool stutters_first = false;
  Reading reading = Reading::kInPlace;
  // Judge the history alone, not with what could still happen after it.
  bool closed = false;

  // Is anything asked for but the object as it is?
  bool relaxed() const { return quasi() || transformed(); }
  // ... by factors above 0 of quasi(...)?
  bool quasi() const;
  // ... by one of the other relaxations?
  bool transformed() const;
  // Does it say quasi(...), if only with factors of 0?
  bool says_quasi() const { return !factors.empty() || !classes.empty(); }
  // Is it quasi-linearizability as the papers print it?
  bool literal() const { return reading == Reading::kLiteral && says_quasi(); }
  // Can objects be judged one by one?  Sequential consistency is not local.
  bool local() const {
    return order == Order::kRealTime || order == Order::kQuiescent;
  }
  std::string to_string() const;
};

// Reads "linearizable", "quasi(deq=2, enq=0)", "quiescent+quasi(deq=1)", ...
// Throws InputError.
Condition parse_condition(std::string_view text);

// Throws InputError if a factor or a class names no operation of `object`, or
// asks of it what it has not.
void require_factors_fit(const Condition& condition,
                         const spec::Specification& object);

}  // namespace plumb::check
