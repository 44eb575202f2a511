// SPDX-License-Identifier: Apache-2.0
#include "base/flat_table.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <new>
#include <string>

namespace plumb {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kHasShadow = true;  // needs terabytes of addresses
#else
constexpr bool kHasShadow = false;
#endif

struct Large {
  std::array<char, 1 << 12> bytes{};
  std::string text = "something that has to be destroyed, and is not short";
};

// Inserts until there is no more memory; 0 if all is there that was inserted.
int filled() {
  const rlimit small{rlim_t{200} << 20, rlim_t{200} << 20};
  if (setrlimit(RLIMIT_AS, &small) != 0) return 2;
  int count = 0;
  bool whole = true;
  {
    FlatMap<int, Large> table;
    try {
      for (;; ++count) table.try_emplace(count);
    } catch (const std::bad_alloc&) {
    }
    whole = table.size() == static_cast<std::size_t>(count) && count > 1000;
    for (int i = 0; i < count; ++i) {
      whole &=
          table.contains(i) && table.at(i).text.size() == Large().text.size();
    }
    whole &= !table.contains(count);
  }
  return whole ? 0 : 1;
}

TEST(FlatTable, IsWholeWhereMemoryEnds) {
  if (kHasShadow) GTEST_SKIP() << "a limit on addresses ends this program";
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(_exit(filled()), testing::ExitedWithCode(0), "");
}

TEST(FlatTable, IsATable) {
  FlatMap<std::string, int> map;
  FlatSet<int> set{3};
  for (int i = 0; i < 1000; ++i) {
    map[std::to_string(i)] = i;
    EXPECT_TRUE(set.insert(i).second == (i != 3));
    EXPECT_FALSE(map.try_emplace(std::to_string(i), 0).second);
  }
  EXPECT_EQ(map.size(), 1000u);
  EXPECT_EQ(map.at("7"), 7);
  EXPECT_EQ(set.size(), 1000u);
}

}  // namespace
}  // namespace plumb
