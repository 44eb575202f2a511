// SPDX-License-Identifier: Apache-2.0
// What one of pi and pi' has and the other has not, and how states hold it.
#pragma once

#include <absl/container/inlined_vector.h>

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "spec/relax_classes.h"
#include "spec/specification.h"

namespace plumb::spec {

// An operation that one of pi and pi' has and the other has not.
struct Debt {
  std::uint16_t code = 0;
  ClassIndex one = 0;  // the class that it is in
  std::uint32_t age = 0;
  // False for a pending operation in `late`: any result will do that leaves
  // it in its class.
  bool result_known = true;
  Value argument;
  Value result;

  bool same_operation(const Debt& other) const {
    return code == other.code && one == other.one &&
           argument == other.argument && result_known == other.result_known &&
           result == other.result;
  }
  auto key() const {
    return std::tuple(code, one, age, result_known, argument.word(),
                      result.word());
  }
};

using Debts = absl::InlinedVector<Debt, 4>;

// A state of the relaxed object: see relax.cpp.
struct Unpacked {
  State base;
  Debts early;
  Debts late;
};

State pack(Unpacked& state);
Unpacked unpack(const State& state);

// How many operations of a packed state are late; as many are early.
std::size_t debts_of(const State& packed);
State base_of(const State& packed);

// The part that decides whether debts can be paid, as one key.
State pack_owed(const State& base, Debts late);

// Is debts[index] not the oldest of those that are the same operation?
bool is_younger_copy(const Debts& debts, std::size_t index);

// Can all debts of class `one` be paid in time?  Each further place of the
// class pays at most one debt of each kind.  A debt of age a can wait for the
// next factor - a + 1 places; serving the oldest first is best, so the i-th
// oldest needs i places.
bool in_time(const Debts& debts, ClassIndex one, std::uint32_t factor);

// One more place of class `one` has gone by.
inline void grow_older(Debts& debts, ClassIndex one) {
  for (Debt& debt : debts) debt.age += debt.one == one ? 1 : 0;
}

}  // namespace plumb::spec
