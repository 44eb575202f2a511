// SPDX-License-Identifier: Apache-2.0
#include "base/value.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "base/map_value.h"

namespace plumb {
namespace {

Value pair(Value a, Value b) {
  return Value::list(std::array{a, b});
}

TEST(Value, EqualValuesHaveEqualWords) {
  EXPECT_EQ(Value::text("one"), Value::text(std::string("o") + "ne"));
  EXPECT_EQ(pair(Value::integer(1), Value()), pair(Value::integer(1), Value()));
  EXPECT_NE(Value::text("1"), Value::integer(1));
  EXPECT_NE(Value::boolean(false), Value());
  EXPECT_NE(Value::boolean(false), Value::integer(0));
  EXPECT_NE(Value::text(""), Value());
}

TEST(Value, AnIntegralRealIsThatInteger) {
  EXPECT_EQ(Value::real(3.0), Value::integer(3));
  EXPECT_EQ(Value::real(-0.0), Value::integer(0));
  EXPECT_NE(Value::real(3.5), Value::integer(3));
  EXPECT_FALSE(Value::real(1e300).is_integer());
}

TEST(Value, KeepsEveryIntegerThatFitsSixtyTwoBitsInItsWord) {
  for (const std::int64_t n :
       {std::int64_t{0}, std::int64_t{-1}, (std::int64_t{1} << 61) - 1,
        -(std::int64_t{1} << 61)}) {
    EXPECT_TRUE(Value::integer(n).is_integer()) << n;
    EXPECT_EQ(Value::integer(n).as_integer(), n);
  }
  const auto largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(Value::integer(largest).is_integer());
  EXPECT_TRUE(Value::integer(largest).is_number());
  EXPECT_EQ(Value::integer(largest).to_string(), "9223372036854775807");
  EXPECT_EQ(Value::integer(largest), Value::integer(largest));
  EXPECT_NE(Value::integer(largest), Value::integer(largest - 1));
}

TEST(Value, IsWrittenAsJson) {
  EXPECT_EQ(Value().to_string(), "null");
  EXPECT_EQ(Value::boolean(true).to_string(), "true");
  EXPECT_EQ(Value::real(1.5).to_string(), "1.5");
  EXPECT_EQ(pair(Value::text("a\"b\n\x01"), Value::integer(-7)).to_string(),
            "[\"a\\\"b\\n\\u0001\", -7]");
}

TEST(Value, IsOrderedAsPeopleExpect) {
  const std::vector<Value> sorted = {
      Value(),
      Value::boolean(false),
      Value::boolean(true),
      Value::integer(std::numeric_limits<std::int64_t>::min()),
      Value::integer(-3),
      Value::real(-2.5),
      Value::big_number("-2e-400"),
      Value::big_number("-1e-400"),
      Value::integer(0),
      Value::big_number("1e-401"),
      Value::big_number("1e-400"),
      Value::integer(10),
      Value::integer(std::numeric_limits<std::int64_t>::max()),
      Value::real(1e30),
      Value::text("10"),
      Value::text("9"),
      Value::list({}),
      pair(Value::integer(1), Value::integer(1)),
      pair(Value::integer(1), Value::integer(2)),
  };
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t j = 0; j < sorted.size(); ++j) {
      EXPECT_EQ(compare(sorted[i], sorted[j]) < 0, i < j)
          << sorted[i].to_string() << " and " << sorted[j].to_string();
      EXPECT_EQ(compare(sorted[i], sorted[j]) == 0, i == j);
    }
  }
}

// It stands for a result that is not known.
TEST(Value, AKeyWithoutAValueIsNoMap) {
  const Value one = Value::integer(1);
  EXPECT_TRUE(is_map(map_of(std::array{one, one})));
  EXPECT_TRUE(is_map(map_of({})));
  const Value key = map_of(std::array{one});
  EXPECT_FALSE(is_map(key));
  EXPECT_EQ(key.to_string(), "?");
}

TEST(Value, CanBeMadeByManyThreadsAtOnce) {
  constexpr int kThreads = 4, kTexts = 2000;
  std::vector<std::vector<Value>> made(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&made, t] {
        for (int i = 0; i < kTexts; ++i) {
          made[static_cast<std::size_t>(t)].push_back(
              Value::text("shared " + std::to_string(i)));
        }
      });
    }
  }
  for (const auto& texts : made) EXPECT_EQ(texts, made[0]);
}

}  // namespace
}  // namespace plumb
