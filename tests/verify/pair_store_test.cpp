// SPDX-License-Identifier: Apache-2.0
#include "verify/pair_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "verify/exact_moves.h"
#include "verify/verify_test_support.h"

namespace plumb::verify {
namespace {

// Sets are numbers; of two that are not prime to each other, the larger one
// is harder if the smaller one divides it.
class Divisors : public SetMoves {
 public:
  explicit Divisors(Configurations& all) : SetMoves(all) {}
  std::string course() const override { return "divisors"; }
  std::optional<std::uint32_t> point(const lts::Label&) const override {
    return std::nullopt;
  }

 private:
  SetId move(SetId set, const lts::Label&) override { return set; }
  bool compare(SetId set, SetId other) override { return set % other == 0; }
};

class Pairs : public ::testing::Test {
 protected:
  Pairs()
      : object_(spec::make("queue")), graph_(*object_, {}), all_(graph_, 1) {}

  PairStore::Reached reach(PairStore& store, std::uint8_t state, SetId set,
                           PairId from = 0) {
    const lts::StateBytes bytes = {state, 7};
    return store.reach(0, bytes, explore::SharedStore::hash(bytes), set, from,
                       moves_);
  }
  static std::set<PairId> members(const std::vector<PairRange>& ranges) {
    std::set<PairId> all;
    for (const PairRange& range : ranges) {
      for (std::size_t i = 0; i < range.size(); ++i) {
        all.insert(range.begin + static_cast<PairId>(i) * range.stride);
      }
    }
    return all;
  }

  spec::SpecificationPtr object_;
  SpecificationGraph graph_;
  Configurations all_;
  Divisors moves_{all_};
};

TEST_F(Pairs, OfANewStateAreTheFirst) {
  PairStore store(explore::kNoState, 1);
  const auto first = reach(store, 1, 6, kNoPair);
  EXPECT_EQ(first.pair, 0u);
  EXPECT_TRUE(first.is_new_state);
  const auto second = reach(store, 2, 6, 0);
  EXPECT_EQ(second.pair, 1u);
  EXPECT_EQ(store[1].parent, 0u);
  EXPECT_EQ(store[1].set, 6u);
  EXPECT_EQ(store[1].state, 1u);
  EXPECT_EQ(store.size(), 2u);
}

TEST_F(Pairs, ThatAreNoHarderAreLeftOut) {
  PairStore store(explore::kNoState, 1);
  reach(store, 1, 12);
  EXPECT_EQ(reach(store, 1, 12).pair, kNoPair);
  EXPECT_EQ(reach(store, 1, 4).pair, kNoPair);
  const PairId more = reach(store, 1, 35).pair;
  EXPECT_GE(more, kMorePairs);
  EXPECT_FALSE(PairStore::is_first(more));
  EXPECT_EQ(reach(store, 1, 7).pair, kNoPair) << "35 is harder";
  EXPECT_EQ(reach(store, 1, 6).pair, kNoPair) << "12 is harder";
  EXPECT_EQ(store.size(), 2u);
}

TEST_F(Pairs, GiveTheirPlaceToHarderOnesOfTheirLevel) {
  PairStore store(explore::kNoState, 1);
  reach(store, 9, 1);
  reach(store, 1, 6);
  const PairId more = reach(store, 1, 5).pair;
  store.keep_replaced();
  const auto first = reach(store, 1, 12, 3);
  EXPECT_EQ(first.pair, 1u) << "the place of 6";
  EXPECT_FALSE(first.is_new_state);
  EXPECT_EQ(reach(store, 1, 25, 4).pair, more) << "the place of 5";
  EXPECT_EQ(store[1].set, 12u);
  EXPECT_EQ(store[1].parent, 3u);
  EXPECT_EQ(store[more].set, 25u);
  EXPECT_EQ(store[more].parent, 4u);
  EXPECT_EQ(store.size(), 3u);
  const auto replaced = store.replaced();
  EXPECT_EQ(std::set<PairId>(replaced.begin(), replaced.end()),
            (std::set<PairId>{1, more}));
  store.forget_replaced();
  EXPECT_TRUE(store.replaced().empty());
}

// Who was expanded may be the parent of others.
TEST_F(Pairs, KeepTheirPlaceOnceTheirLevelHasBegun) {
  PairStore store(explore::kNoState, 1);
  reach(store, 1, 6);
  const PairId more = reach(store, 1, 5).pair;
  EXPECT_EQ(members(store.next_level()), (std::set<PairId>{0, more}));
  const PairId harder = reach(store, 1, 12).pair;
  EXPECT_NE(harder, 0u);
  EXPECT_NE(harder, more);
  EXPECT_GE(harder, kMorePairs);
  EXPECT_EQ(store[0].set, 6u);
  EXPECT_EQ(reach(store, 1, 12).pair, kNoPair);
  EXPECT_EQ(members(store.added_in_level()), std::set<PairId>{harder});
  EXPECT_EQ(members(store.next_level()), std::set<PairId>{harder});
  EXPECT_TRUE(store.next_level().empty());
}

TEST_F(Pairs, ThatAreFrozenKeepTheirPlaceFromTheBeginning) {
  PairStore store(explore::kNoState, 1);
  store.freeze();
  reach(store, 1, 6);
  EXPECT_GE(reach(store, 1, 12).pair, kMorePairs);
  EXPECT_EQ(store[0].set, 6u);
}

TEST_F(Pairs, OfManyStatesAreAllInTheNextLevel) {
  PairStore store(explore::kNoState, 1);
  std::set<PairId> expected;
  for (int state = 0; state < 200; ++state) {
    for (const SetId set : {2u, 3u, 5u, 7u}) {
      expected.insert(reach(store, static_cast<std::uint8_t>(state), set).pair);
    }
  }
  EXPECT_EQ(expected.size(), 800u);
  EXPECT_EQ(members(store.next_level()), expected);
}

TEST_F(Pairs, StopAtTheLimitOnStates) {
  PairStore store(2, 1);
  reach(store, 1, 6);
  reach(store, 2, 6);
  EXPECT_TRUE(reach(store, 3, 6).is_full);
  EXPECT_EQ(reach(store, 3, 6).pair, kNoPair);
  EXPECT_FALSE(reach(store, 2, 5).is_full) << "the state is there";
}

TEST_F(Pairs, CanBeRestored) {
  PairStore store(explore::kNoState, 1);
  const lts::StateBytes one = {1, 7}, two = {2, 7};
  EXPECT_EQ(store.restore_first(one, 6), 0u);
  EXPECT_EQ(store.restore_first(two, 5), 1u);
  EXPECT_EQ(store.restore_first(one, 6), kNoPair) << "it is there";
  const PairId more = store.restore_more(0, 7);
  ASSERT_GE(more, kMorePairs);
  store.restore(0, 12, kNoPair);
  store.restore(1, 5, more);
  store.restore(more, 11, 0);
  // Pair 0 was expanded before; the others were added since.
  store.restore_level({{1, 2, 1}, {more, more + 1, 1}});
  EXPECT_EQ(store[0].set, 12u);
  EXPECT_EQ(store[1].parent, more);
  EXPECT_EQ(store[more].set, 11u);
  EXPECT_EQ(store[more].state, 0u);
  EXPECT_EQ(reach(store, 1, 6).pair, kNoPair) << "12 is harder";
  EXPECT_EQ(reach(store, 1, 11).pair, kNoPair) << "that one is further";
  EXPECT_NE(reach(store, 1, 24).pair, 0u) << "expanded already";
  const PairId third = reach(store, 3, 2).pair;
  const auto level = members(store.next_level());
  EXPECT_TRUE(level.contains(1) && level.contains(more));
  EXPECT_TRUE(level.contains(third));
  EXPECT_FALSE(level.contains(0));
  EXPECT_EQ(level.size(), 4u);
}

}  // namespace
}  // namespace plumb::verify
