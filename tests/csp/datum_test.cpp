// SPDX-License-Identifier: Apache-2.0
// Values: copies, equality, words and bytes.
#include "csp/datum.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace plumb::csp {
namespace {

Datum array(const std::vector<int>& numbers) {
  Datum::Items items;
  for (const int n : numbers) items.push_back(Datum::integer(n));
  return Datum::array(items);
}

Datum read_back(const Datum& datum) {
  lts::StateBytes bytes;
  write_datum(datum, bytes);
  const std::uint8_t* at = bytes.data();
  const Datum result = read_datum(at);
  EXPECT_EQ(at, bytes.data() + bytes.size());
  return result;
}

TEST(Datum, IsZeroAtFirst) {
  EXPECT_TRUE(Datum().is_integer());
  EXPECT_EQ(Datum().number(), 0);
  EXPECT_EQ(Datum(), Datum::integer(0));
}

TEST(Datum, HoldsAllNumbersOf32Bits) {
  for (const std::int32_t n :
       {std::numeric_limits<std::int32_t>::min(), -1, 0, 1, 63, 64, -64, -65,
        std::numeric_limits<std::int32_t>::max()}) {
    EXPECT_EQ(Datum::integer(n).number(), n);
    EXPECT_EQ(read_back(Datum::integer(n)), Datum::integer(n));
  }
}

TEST(Datum, TellsTrueFromOneThoughTheyAreTheSameValue) {
  EXPECT_NE(Datum::boolean(true), Datum::integer(1));
  EXPECT_TRUE(same_value(Datum::boolean(true), Datum::integer(1)));
  EXPECT_FALSE(same_value(Datum::boolean(true), Datum::integer(2)));
  EXPECT_EQ(read_back(Datum::boolean(true)), Datum::boolean(true));
  EXPECT_EQ(read_back(Datum::boolean(false)), Datum::boolean(false));
}

TEST(Datum, ACopyOfAnArrayIsAnotherArray) {
  Datum one = array({1, 2, 3});
  Datum other = one;
  EXPECT_EQ(one, other);
  other.own_items()[1] = Datum::integer(7);
  EXPECT_EQ(one.text(), "[1,2,3]");
  EXPECT_EQ(other.text(), "[1,7,3]");
  EXPECT_NE(one, other);
}

TEST(Datum, ACopyOfAnObjectIsAnotherObject) {
  Datum one = Datum::object(ClassId::kStack, {1, 2});
  Datum other = one;
  other.own_contents().push_back(3);
  EXPECT_EQ(one.contents(), (Datum::Contents{1, 2}));
  EXPECT_EQ(other.contents(), (Datum::Contents{1, 2, 3}));
}

TEST(Datum, AnAssignedDatumKeepsItsValueWhenTheSourceGoes) {
  Datum kept;
  {
    const Datum source = array({4, 5});
    kept = source;
    kept = Datum(kept);
    const Datum& alias = kept;
    kept = alias;
  }
  EXPECT_EQ(kept.text(), "[4,5]");
}

TEST(Datum, ObjectsOfTwoClassesDifferThoughTheirContentsAreEqual) {
  const Datum queue = Datum::object(ClassId::kQueue, {1});
  const Datum stack = Datum::object(ClassId::kStack, {1});
  EXPECT_NE(queue, stack);
  EXPECT_FALSE(same_value(queue, stack));
  EXPECT_NE(queue, array({1}));
  EXPECT_FALSE(same_value(array({1}), Datum::integer(1)));
  EXPECT_EQ(read_back(queue), queue);
}

TEST(Datum, ArraysAreTheSameValueItemByItem) {
  const Datum truths =
      Datum::array({Datum::boolean(true), Datum::boolean(false)});
  EXPECT_TRUE(same_value(truths, array({1, 0})));
  EXPECT_NE(truths, array({1, 0}));
  EXPECT_FALSE(same_value(array({1, 0}), array({1, 0, 0})));
}

TEST(Datum, HasWordsForPeople) {
  EXPECT_EQ(Datum::integer(-3).text(), "-3");
  EXPECT_EQ(Datum::boolean(false).text(), "false");
  EXPECT_EQ(array({}).text(), "[]");
  EXPECT_EQ(Datum::object(ClassId::kSet, {1, 5}).text(), "[1,5]");
  EXPECT_EQ(Datum::object(ClassId::kHashTable, {1, 5, 2, 6}).text(),
            "{1:5,2:6}");
  EXPECT_EQ(Datum::object(ClassId::kList, {0, 8}).text(), "[8]");
  EXPECT_EQ(Datum::object(ClassId::kList, {4, 8}).text(), "[8]$4");
}

TEST(DatumBytes, SmallNumbersHaveOneByte) {
  for (int n = -64; n < 64; ++n) {
    lts::StateBytes bytes;
    write_datum(Datum::integer(n), bytes);
    EXPECT_EQ(bytes.size(), 1u) << n;
  }
}

TEST(DatumBytes, CodesWithAnOffsetComeBack) {
  for (const Datum& datum :
       {Datum::integer(-5), Datum::boolean(true), array({1, -200, 3}),
        Datum::object(ClassId::kEntryList, {0, -1, 0, 0})}) {
    lts::StateBytes bytes;
    write_datum(datum, bytes, 2);
    const std::uint8_t* at = bytes.data();
    const std::uint64_t code = read_number(at);
    ASSERT_GE(code, 2u);
    EXPECT_EQ(read_datum(code - 2, at), datum);
  }
}

Datum random_datum(std::mt19937& random, int depth) {
  const auto number = [&] {
    const auto bits = static_cast<std::int32_t>(random());
    return bits >> (random() % 32);
  };
  switch (random() % (depth > 0 ? 4 : 2)) {
    case 0:
      return Datum::integer(number());
    case 1:
      return Datum::boolean(random() % 2 == 0);
    case 2: {
      Datum::Items items(random() % 4);
      for (Datum& item : items) item = random_datum(random, 0);
      return Datum::array(items);
    }
    default: {
      Datum::Contents contents(random() % 4);
      for (std::int32_t& n : contents) n = number();
      return Datum::object(static_cast<ClassId>(random() % 6), contents);
    }
  }
}

TEST(DatumBytes, OfRandomValuesComeBackAndAreEqualForEqualValuesOnly) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    const Datum one = random_datum(random, 1), other = random_datum(random, 1);
    ASSERT_EQ(read_back(one), one);
    lts::StateBytes of_one, of_other;
    write_datum(one, of_one);
    write_datum(other, of_other);
    ASSERT_EQ(one == other, of_one == of_other);
  }
}

}  // namespace
}  // namespace plumb::csp
