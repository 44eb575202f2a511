// SPDX-License-Identifier: Apache-2.0
#include "lts/symmetry.h"

#include <gtest/gtest.h>

#include <vector>

#include "lts/permutation_number.h"

namespace plumb::lts {
namespace {

// Four processes and three values, all of which may change places.
class AllRenamings final : public Symmetry {
 public:
  Canonical canonicalize(StateBytes&) const override { return {}; }
  StateBytes rename(StateView state, const Renaming&) const override {
    return {state.begin(), state.end()};
  }
  std::span<const Value> values() const override { return values_; }
  double order() const override { return 24 * 6; }

 private:
  std::vector<Value> values_ = {Value::integer(1), Value::integer(2),
                                Value::integer(3)};
};

TEST(Orbit, WhatChangesNothingIsCountedOnce) {
  const AllRenamings symmetry;
  const auto size = [&](unsigned twins, std::uint8_t used_values) {
    Canonical how;
    how.twins = static_cast<std::uint16_t>(twins);
    how.used_values = used_values;
    return orbit_size(symmetry, how);
  };
  EXPECT_EQ(size(0, 3), 144);
  EXPECT_EQ(size(0b001, 3), 72) << "two processes are alike";
  EXPECT_EQ(size(0b101, 3), 36) << "two pairs are";
  EXPECT_EQ(size(0b011, 3), 24) << "three are";
  EXPECT_EQ(size(0b111, 3), 6) << "all four are";
  EXPECT_EQ(size(0, 2), 144) << "one value is nowhere";
  EXPECT_EQ(size(0, 1), 72) << "two are nowhere";
  EXPECT_EQ(size(0b111, 0), 1);
}

TEST(Permutation, IsFollowedByOthersAndUndone) {
  Permutation turn;
  for (std::size_t i = 0; i < 3; ++i) turn.set(i, (i + 1) % 3);
  EXPECT_EQ(turn.then(turn), turn.inverse());
  EXPECT_TRUE(turn.then(turn.inverse()).is_identity());
  EXPECT_EQ(turn.then(Permutation::swap(0, 1))[2], 1u);
}

TEST(Permutation, IsTheOneOfItsNumber) {
  for (std::uint32_t i = 0; i < 40'320; ++i) {
    const Permutation each = permutation_of(static_cast<std::uint16_t>(i));
    ASSERT_EQ(number_of(each), i);
  }
  EXPECT_EQ(number_of(Permutation()), 0);
}

}  // namespace
}  // namespace plumb::lts
