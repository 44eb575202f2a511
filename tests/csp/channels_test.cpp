// SPDX-License-Identifier: Apache-2.0
// Buffers of channels, and what can be asked of them.
#include "csp/channels.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <string>
#include <vector>

#include "csp/evaluate.h"
#include "csp/trees.h"

namespace plumb::csp {
namespace {

using namespace trees;

std::vector<Datum> message(const std::vector<int>& fields) {
  std::vector<Datum> result;
  for (const int field : fields) result.push_back(Datum::integer(field));
  return result;
}

// Channels s (synchronous), c (2), and d[3] (1 each).
Module example() {
  Module module;
  add_channel(module, "s", 0);
  add_channel(module, "c", 2);
  add_channel(module, "d", 1, 3);
  return module;
}

class Channels : public ::testing::Test {
 protected:
  std::string ask(const ExprPtr& tree) {
    Context context{valuation_};
    try {
      return evaluate(*tree, context).text();
    } catch (const RuntimeFault& fault) {
      return fault.message();
    }
  }

  Module module_ = example();
  Layout layout_{module_};
  Valuation valuation_{layout_};
};

TEST_F(Channels, AreFirstInFirstOut) {
  valuation_.push(1, message({1, 2}));
  valuation_.push(1, message({3}));
  EXPECT_TRUE(valuation_.full(1));
  EXPECT_EQ(valuation_.front(1).size(), 2u);
  EXPECT_EQ(valuation_.front(1)[1], Datum::integer(2));
  valuation_.pop(1);
  EXPECT_EQ(valuation_.front(1)[0], Datum::integer(3));
  valuation_.pop(1);
  EXPECT_EQ(valuation_.size(1), 0u);
}

TEST_F(Channels, OfAnArrayAreApart) {
  valuation_.push(3, message({7}));
  EXPECT_EQ(ask(channel("ccount", 2, {number(0)})), "0");
  EXPECT_EQ(ask(channel("ccount", 2, {number(1)})), "1");
  EXPECT_EQ(ask(channel("cpeek", 2, {number(1)})), "7");
  EXPECT_EQ(ask(channel("cfull", 2, {number(1)})), "true");
  EXPECT_EQ(ask(channel("cfull", 2, {number(2)})), "false");
  EXPECT_EQ(ask(channel("cempty", 2, {number(3)})),
            "index out of bounds: 3 where 'd' has 3 channels");
  EXPECT_EQ(ask(channel("cempty", 2, {number(-1)})),
            "index out of bounds: -1 where 'd' has 3 channels");
}

TEST_F(Channels, TellHowFullTheyAre) {
  EXPECT_EQ(ask(channel("cempty", 1)), "true");
  EXPECT_EQ(ask(channel("cfull", 1)), "false");
  EXPECT_EQ(ask(channel("csize", 1)), "2");
  valuation_.push(1, message({4}));
  EXPECT_EQ(ask(channel("cempty", 1)), "false");
  EXPECT_EQ(ask(channel("ccount", 1)), "1");
  EXPECT_EQ(ask(channel("cpeek", 1)), "4");
  EXPECT_EQ(ask(channel("ccount", 1)), "1") << "a look takes nothing";
  valuation_.push(1, message({5, 6}));
  EXPECT_EQ(ask(channel("cfull", 1)), "true");
  valuation_.pop(1);
  EXPECT_EQ(ask(channel("cpeek", 1)), "[5,6]");
}

TEST_F(Channels, ThatAreSynchronousHoldNothing) {
  EXPECT_EQ(ask(channel("cempty", 0)), "true");
  EXPECT_EQ(ask(channel("cfull", 0)), "true");
  EXPECT_EQ(ask(channel("ccount", 0)), "0");
  EXPECT_EQ(ask(channel("csize", 0)), "0");
}

TEST_F(Channels, ThatAreEmptyCannotBeLookedInto) {
  EXPECT_EQ(ask(channel("cpeek", 1)),
            "nothing there to take or look at: cpeek of 'c'");
}

TEST_F(Channels, CopyTheArraysTheyCarry) {
  Datum array = Datum::array(message({1, 2}));
  valuation_.push(1, std::vector<Datum>{array});
  array.own_items()[0] = Datum::integer(9);
  EXPECT_EQ(ask(channel("cpeek", 1)), "[1,2]");
}

TEST(ChannelFunctions, AreFoundByTheirNames) {
  EXPECT_EQ(find_channel_function("ccount"), ChannelFunction::kCount);
  EXPECT_EQ(find_channel_function("cpeek"), ChannelFunction::kPeek);
  EXPECT_EQ(find_channel_function("count"), std::nullopt);
  EXPECT_NE(hint_for_channel_function("cempy").find("cempty"),
            std::string::npos);
}

TEST_F(Channels, DoAsQueuesWouldOnRandomUse) {
  std::mt19937 random(3);
  std::vector<std::deque<std::vector<Datum>>> model(5);
  for (int round = 0; round < 5'000; ++round) {
    const auto buffer = static_cast<std::uint32_t>(1 + random() % 4);
    if (random() % 2 == 0) {
      if (valuation_.full(buffer)) continue;
      std::vector<int> fields(random() % 3);
      for (int& field : fields) field = static_cast<int>(random() % 5);
      valuation_.push(buffer, message(fields));
      model[buffer].push_back(message(fields));
    } else if (valuation_.size(buffer) > 0) {
      const auto front = valuation_.front(buffer);
      ASSERT_EQ(std::vector<Datum>(front.begin(), front.end()),
                model[buffer].front());
      valuation_.pop(buffer);
      model[buffer].pop_front();
    }
    for (std::uint32_t i = 0; i < 5; ++i) {
      const auto messages = valuation_.messages(i);
      ASSERT_TRUE(std::equal(messages.begin(), messages.end(), model[i].begin(),
                             model[i].end()));
    }
  }
}

}  // namespace
}  // namespace plumb::csp
