// SPDX-License-Identifier: Apache-2.0
#include "explore/fingerprint_set.h"

#include <absl/container/flat_hash_set.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "explore/bit_table.h"
#include "explore/fingerprint_table.h"
#include "explore/shared_store.h"

namespace plumb::explore {
namespace {

using Answer = FingerprintSet::Answer;

TEST(FingerprintTable, KnowsJustWhatItWasGiven) {
  std::mt19937_64 random(1);
  FingerprintTable table;
  absl::flat_hash_set<std::uint64_t> expected;
  for (std::uint64_t i = 0; i < 300'000; ++i) {
    // Some of them for the second time, some close together.
    const std::uint64_t fingerprint = i % 3 == 0   ? random() >> 46 << 46
                                      : i % 3 == 1 ? i % 1000
                                                   : random();
    const bool is_new = expected.insert(fingerprint).second;
    ASSERT_EQ(table.insert(fingerprint),
              is_new ? Answer::kNew : Answer::kKnown);
  }
  EXPECT_EQ(table.size(), expected.size());
  for (const std::uint64_t fingerprint : expected) {
    ASSERT_EQ(table.insert(fingerprint), Answer::kKnown);
  }
}

TEST(FingerprintTable, TakesTheSmallestAndTheLargestFingerprints) {
  FingerprintTable table;
  const std::vector<std::uint64_t> ends = {0, 1, UINT64_MAX, UINT64_MAX - 1};
  for (const auto end : ends) EXPECT_EQ(table.insert(end), Answer::kNew);
  for (const auto end : ends) EXPECT_EQ(table.insert(end), Answer::kKnown);
  // More than find room behind the last home before it grows.
  for (std::uint64_t i = 2; i < 1000; ++i) {
    ASSERT_EQ(table.insert(UINT64_MAX - i), Answer::kNew);
  }
  for (std::uint64_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(table.insert(UINT64_MAX - i), Answer::kKnown);
  }
}

TEST(FingerprintTable, TakesLittleMoreThanEightBytesForEach) {
  std::mt19937_64 random(2);
  FingerprintTable table;
  for (int i = 0; i < 1'000'000; ++i) table.insert(random());
  EXPECT_LT(table.bytes(), 12u * table.size());
  EXPECT_GT(table.bytes(), 8u * table.size());
}

TEST(FingerprintTable, ErrsAsOftenAsItSaysIfItLooksAtFewBits) {
  std::mt19937_64 random(3);
  FingerprintTable table(16);
  while (table.size() < 8000) table.insert(random());
  EXPECT_DOUBLE_EQ(table.known_share(), 8000.0 / 65536);
  int known = 0;
  double expected = 0;
  for (int i = 0; i < 20'000; ++i) {
    expected += table.known_share();
    known += table.insert(random()) == Answer::kKnown;
  }
  EXPECT_NEAR(known, expected, 5 * std::sqrt(expected));
}

// What searches take for random: any 32 bits of the hash of a state.
TEST(FingerprintTable, HashesOfStatesThatDifferALittleAreAsGoodAsRandom) {
  constexpr unsigned kStates = 300'000;
  for (const unsigned first : {0u, 16u, 32u}) {
    absl::flat_hash_set<std::uint32_t> slices;
    for (unsigned i = 0; i < kStates; ++i) {
      lts::StateBytes state(24, 0);
      unsigned rest = i;
      for (std::size_t at = 3; rest != 0; at += 2, rest /= 5) {
        state[at] = static_cast<std::uint8_t>(rest % 5);
      }
      slices.insert(
          static_cast<std::uint32_t>(SharedStore::hash(state) >> first));
    }
    // Of random ones, 10 would be equal to one before.
    EXPECT_LT(kStates - slices.size(), 30u) << first;
    EXPECT_GT(kStates - slices.size(), 0u) << first;
  }
}

TEST(BitTable, ForgetsNothing) {
  std::mt19937_64 random(4);
  BitTable table(1 << 12);
  std::vector<std::uint64_t> all;
  for (int i = 0; i < 5000; ++i) {
    all.push_back(random());
    table.insert(all.back());
    ASSERT_EQ(table.insert(all.back()), Answer::kKnown);
  }
  for (const auto each : all) ASSERT_EQ(table.insert(each), Answer::kKnown);
}

TEST(BitTable, SetsThreeBitsForTheFirstFingerprintOfMany) {
  BitTable table(1 << 20);
  EXPECT_EQ(table.bytes(), std::size_t{1} << 20);
  EXPECT_EQ(table.known_share(), 0);
  EXPECT_EQ(table.insert(0x123456789ABCDEF0), Answer::kNew);
  EXPECT_EQ(table.bits_set(), 3u);
  EXPECT_DOUBLE_EQ(table.known_share(), std::pow(3.0 / (8 << 20), 3));
}

// At each of several loads, from nearly empty to nearly full.
TEST(BitTable, ErrsAsOftenAsItSays) {
  std::mt19937_64 random(5);
  BitTable table(1 << 13);
  for (int load = 0; load < 8; ++load) {
    int known = 0;
    double expected = 0;
    for (int i = 0; i < 8000; ++i) {
      expected += table.known_share();
      known += table.insert(random()) == Answer::kKnown;
    }
    EXPECT_NEAR(known, expected, 5 * std::sqrt(expected)) << load;
  }
  EXPECT_GT(table.known_share(), 0.7);
}

TEST(BitTable, HasAtLeastOneWord) {
  BitTable table(0);
  EXPECT_EQ(table.bytes(), 8u);
  std::mt19937_64 random(6);
  int fresh = 0;
  for (int i = 0; i < 10'000; ++i) {
    fresh += table.insert(random()) == Answer::kNew;
  }
  EXPECT_LE(fresh, 64);
  EXPECT_EQ(table.bits_set(), 64u);
  EXPECT_EQ(table.known_share(), 1);
}

TEST(BitTable, SaysThatThereIsNoMemory) {
  BitTable table(SIZE_MAX / 4);
  table.prefetch(1);
  EXPECT_EQ(table.insert(1), Answer::kFull);
}

}  // namespace
}  // namespace plumb::explore
