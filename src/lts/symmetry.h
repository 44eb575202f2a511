// SPDX-License-Identifier: Apache-2.0
// States that differ only in the names of processes and values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/value.h"
#include "lts/system.h"

namespace plumb::lts {

// A permutation of 0 .. 15 in one word: half byte i is what i becomes.
class Permutation {
 public:
  static constexpr std::size_t kMost = 16;

  constexpr Permutation() = default;
  static constexpr Permutation swap(std::size_t i, std::size_t j) {
    Permutation out;
    out.set(i, j);
    out.set(j, i);
    return out;
  }
  constexpr std::size_t operator[](std::size_t i) const {
    return static_cast<std::size_t>(word_ >> (4 * i) & 15);
  }
  constexpr void set(std::size_t i, std::size_t to) {
    word_ = (word_ & ~(std::uint64_t{15} << (4 * i))) | std::uint64_t{to}
                                                            << (4 * i);
  }
  constexpr bool is_identity() const { return word_ == kIdentity; }
  // First this, then `next`.
  constexpr Permutation then(Permutation next) const {
    Permutation out;
    for (std::size_t i = 0; i < kMost; ++i) out.set(i, next[(*this)[i]]);
    return out;
  }
  constexpr Permutation inverse() const {
    Permutation out;
    for (std::size_t i = 0; i < kMost; ++i) out.set((*this)[i], i);
    return out;
  }
  constexpr std::uint64_t word() const { return word_; }

  friend constexpr bool operator==(Permutation, Permutation) = default;

 private:
  static constexpr std::uint64_t kIdentity = 0xFEDCBA9876543210;
  std::uint64_t word_ = kIdentity;
};

// New names for processes, and for the interchangeable values, which are
// called by their index in Symmetry::values().
struct Renaming {
  Permutation processes, values;

  bool is_identity() const {
    return processes.is_identity() && values.is_identity();
  }
  Renaming then(const Renaming& next) const {
    return {processes.then(next.processes), values.then(next.values)};
  }
  Renaming inverse() const { return {processes.inverse(), values.inverse()}; }

  friend bool operator==(const Renaming&, const Renaming&) = default;
};

// How a state was brought to its canonical form, and which further renamings
// leave that form as it is.
struct Canonical {
  Renaming renaming;
  // Bit p: exchanging processes p and p + 1 changes nothing.  May have fewer
  // bits than it could, never more.
  std::uint16_t twins = 0;
  // Values from this index on do not occur in the canonical state, so that
  // they may be exchanged among themselves.  May be larger than need be.
  std::uint8_t used_values = Permutation::kMost;
};

// Which renamings of a system lead from runs to runs.  All of it is const and
// may be called by several threads at once.
class Symmetry {
 public:
  virtual ~Symmetry() = default;

  // Replaces `state`, which may change its length, by the representative of
  // all states that it is a renaming of.  Two such states may get different
  // representatives now and then; that costs time, not truth.
  virtual Canonical canonicalize(StateBytes& state) const = 0;
  // The same state by other names, in the canonical form that the system
  // itself gives to its states.
  virtual StateBytes rename(StateView state,
                            const Renaming& renaming) const = 0;
  // The interchangeable values; none if only processes are.
  virtual std::span<const Value> values() const = 0;
  // How many renamings there are in all: 3! * 2!.
  virtual double order() const = 0;
};

// How many states a canonical state stands for.
double orbit_size(const Symmetry& symmetry, const Canonical& how);

// A value by its new name, also inside lists.
Value renamed(Value value, std::span<const Value> values,
              Permutation permutation);
// What a label becomes.
Label renamed(const Label& label, std::span<const Value> values,
              const Renaming& renaming);

}  // namespace plumb::lts
