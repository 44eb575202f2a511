// SPDX-License-Identifier: Apache-2.0
// Set, map, register, counter, mutex and snzi.
#include <gtest/gtest.h>

#include "spec/spec_test_support.h"

namespace plumb::spec_testing {
namespace {

TEST(Set, TellsWhetherTheValueWasThere) {
  Walk set("set");
  EXPECT_EQ(set.call("contains", number(1)), "false");
  EXPECT_EQ(set.call("remove", number(1)), "false");
  EXPECT_EQ(set.call("add", number(1)), "true");
  EXPECT_EQ(set.call("add", number(1)), "false");
  EXPECT_EQ(set.call("contains", number(1)), "true");
  EXPECT_EQ(set.call("contains", number(2)), "false");
  EXPECT_EQ(set.call("remove", number(1)), "true");
  EXPECT_EQ(set.call("remove", number(1)), "false");
  EXPECT_EQ(set.contents(), "{}");
}

TEST(Set, ForgetsTheOrderInWhichItsMembersCame) {
  Walk left("set"), right("set");
  for (const int n : {3, -1, 20}) left.call("add", number(n));
  for (const int n : {20, -1, 3}) right.call("add", number(n));
  EXPECT_EQ(left.state(), right.state());
  EXPECT_EQ(left.contents(), "{-1, 3, 20}");
}

TEST(Set, HasAPartForEachValue) {
  Walk set("set");
  for (const auto* name : {"add", "remove", "contains"}) {
    EXPECT_EQ(set.object().part(set.named(name, text("x"))), text("x"));
  }
  EXPECT_FALSE(set.object().parts_are_objects());
}

TEST(Map, GivesThePreviousValueOrNull) {
  Walk map("map");
  const Value k = text("k"), other = text("a");
  EXPECT_EQ(map.call("get", k), "null");
  EXPECT_EQ(map.call("remove", k), "null");
  EXPECT_EQ(map.call("put", list({k, number(1)})), "null");
  EXPECT_EQ(map.call("put", list({k, number(2)})), "1");
  EXPECT_EQ(map.call("put", list({other, number(3)})), "null");
  EXPECT_EQ(map.contents(), R"({"a": 3, "k": 2})");
  EXPECT_EQ(map.call("get", k), "2");
  EXPECT_EQ(map.call("get", other), "3");
  EXPECT_EQ(map.call("remove", k), "2");
  EXPECT_EQ(map.call("get", k), "null");
  EXPECT_EQ(map.contents(), R"({"a": 3})");
}

TEST(Map, CannotTellAKeyWithNullFromAnAbsentOne) {
  Walk map("map");
  map.call("put", list({text("k"), Value()}));
  EXPECT_EQ(map.state(), map.object().initial());
  map.call("put", list({text("k"), number(1)}));
  EXPECT_EQ(map.call("put", list({text("k"), Value()})), "1");
  EXPECT_EQ(map.state(), map.object().initial());
}

TEST(Map, HasAPartForEachKey) {
  Walk map("map");
  const Value key = list({number(1), number(2)});
  EXPECT_EQ(map.object().part(map.named("put", list({key, number(3)}))), key);
  EXPECT_EQ(map.object().part(map.named("get", key)), key);
  EXPECT_EQ(map.object().part(map.named("remove", key)), key);
  EXPECT_TRUE(map.object().parts_are_objects());
}

TEST(Register, HoldsNullUntilItIsWritten) {
  Walk cell("register");
  EXPECT_EQ(cell.call("read"), "null");
  EXPECT_EQ(cell.call("write", number(1)), "null");
  EXPECT_EQ(cell.call("read"), "1");
  EXPECT_EQ(cell.contents(), "1");
  EXPECT_FALSE(cell.saw("read", {}, Value()));
  EXPECT_TRUE(cell.saw("read", {}, number(1)));
  EXPECT_EQ(cell.object().part(cell.named("read", {})), std::nullopt);
}

TEST(Register, SwapsOnlyIfItHoldsTheOldValue) {
  Walk cell("register");
  EXPECT_EQ(cell.call("cas", list({number(1), number(2)})), "false");
  EXPECT_EQ(cell.call("read"), "null");
  EXPECT_EQ(cell.call("cas", list({Value(), number(1)})), "true");
  EXPECT_EQ(cell.call("cas", list({number(1), number(1)})), "true");
  EXPECT_EQ(cell.call("cas", list({number(1), text("x")})), "true");
  EXPECT_EQ(cell.call("read"), "\"x\"");
}

TEST(Register, AsksOfACasOnlyWhetherItSucceeded) {
  const auto cell = make("register");
  const Signature cas = cell->operations()[*find_operation(*cell, "cas")];
  EXPECT_EQ(cas.argument, Argument::kPair);
  EXPECT_EQ(cas.result, Result::kSuccess);
}

TEST(Counter, GivesTheValueBeforeAndStopsAtZero) {
  Walk counter("counter");
  EXPECT_EQ(counter.call("get"), "0");
  EXPECT_EQ(counter.call("dec"), "0");
  EXPECT_EQ(counter.call("get"), "0");
  EXPECT_EQ(counter.call("inc"), "0");
  EXPECT_EQ(counter.call("inc"), "1");
  EXPECT_EQ(counter.call("get"), "2");
  EXPECT_EQ(counter.contents(), "2");
  EXPECT_EQ(counter.call("dec"), "2");
  EXPECT_EQ(counter.call("get"), "1");
  EXPECT_FALSE(counter.saw("inc", {}, number(2)));
  EXPECT_FALSE(counter.saw("inc", {}, Value()));
}

TEST(Mutex, LetsOnlyOneInAndNobodyReleaseWhatIsFree) {
  Walk mutex("mutex");
  EXPECT_EQ(mutex.contents(), "free");
  EXPECT_EQ(mutex.call("release"), "blocks");
  EXPECT_EQ(mutex.call("acquire"), "null");
  EXPECT_EQ(mutex.contents(), "held");
  EXPECT_EQ(mutex.call("acquire"), "blocks");
  EXPECT_EQ(mutex.call("release"), "null");
  EXPECT_EQ(mutex.state(), mutex.object().initial());
}

TEST(Snzi, TellsWhetherAnybodyIsThere) {
  Walk snzi("snzi");
  EXPECT_EQ(snzi.call("query"), "false");
  EXPECT_EQ(snzi.call("depart"), "blocks");
  EXPECT_EQ(snzi.call("arrive"), "null");
  EXPECT_EQ(snzi.call("arrive"), "null");
  EXPECT_EQ(snzi.call("query"), "true");
  EXPECT_EQ(snzi.contents(), "2");
  EXPECT_EQ(snzi.call("depart"), "null");
  EXPECT_EQ(snzi.call("query"), "true");
  EXPECT_EQ(snzi.call("depart"), "null");
  EXPECT_EQ(snzi.call("query"), "false");
  EXPECT_EQ(snzi.state(), snzi.object().initial());
}

}  // namespace
}  // namespace plumb::spec_testing
