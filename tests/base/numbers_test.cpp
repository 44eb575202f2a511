// SPDX-License-Identifier: Apache-2.0
#include "base/numbers.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace plumb {
namespace {

using List = std::vector<std::uint32_t>;

TEST(WordLists, NumberListsInTheOrderInWhichTheyCome) {
  WordLists lists;
  EXPECT_EQ(lists.intern(List{}), 0u);
  EXPECT_EQ(lists.intern(List{7}), 1u);
  EXPECT_EQ(lists.intern(List{7, 0}), 2u) << "not the same as {7}";
  EXPECT_EQ(lists.intern(List{7}), 1u);
  EXPECT_EQ(lists.intern(List{}), 0u);
  EXPECT_EQ(lists.size(), 3u);
}

TEST(WordLists, AListThatIsOnlyAddedIsNeverFound) {
  WordLists lists;
  EXPECT_EQ(lists.add(List{3, 4}), 0u);
  EXPECT_EQ(lists.intern(List{3, 4}), 1u);
}

TEST(WordLists, AgreeWithAMapOnRandomLists) {
  std::mt19937 random(19);
  WordLists lists;
  std::map<List, WordLists::Id> known;
  for (int round = 0; round < 20'000; ++round) {
    List list(random() % 6);
    for (auto& word : list) word = static_cast<std::uint32_t>(random() % 5);
    const auto next = static_cast<WordLists::Id>(known.size());
    const auto [entry, is_new] = known.try_emplace(list, next);
    ASSERT_EQ(lists.intern(list), entry->second) << "round " << round;
  }
  for (const auto& [list, id] : known) {
    EXPECT_EQ(List(lists[id].begin(), lists[id].end()), list);
  }
}

// All marks are equal: only is_it() tells things apart.
TEST(NumberIndex, ThingsWithTheSameHashAreToldApart) {
  NumberIndex index;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const auto is_it = [&](std::uint32_t number) { return number == i; };
    EXPECT_EQ(index.find(5, is_it), NumberIndex::kNone);
    index.add(5, i);
    EXPECT_EQ(index.find(5, is_it), i);
  }
  EXPECT_EQ(index.size(), 100u);
}

}  // namespace
}  // namespace plumb
