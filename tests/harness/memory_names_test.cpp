// SPDX-License-Identifier: Apache-2.0
#include "harness/memory_names.h"

#include <gtest/gtest.h>

namespace plumb::harness {
namespace {

constexpr std::uintptr_t kBlock = runtime::kHeap, kArray = runtime::kHeap + 64;
constexpr std::uintptr_t kLeft = 0x1000, kRight = 0x2000;

// `left` points to a Node (types 1, 2), `right` to a Leaf (3, 4).
class TwoTypes final : public Symbols {
 public:
  std::vector<CodePlace> frames_at(std::uintptr_t) override { return {{}}; }
  std::optional<Variable> variable_at(std::uintptr_t address) override {
    if (address == kLeft) return Variable{"left", kLeft, 8, 1};
    if (address == kRight) return Variable{"right", kRight, 8, 3};
    return std::nullopt;
  }
  Member member_at(TypeId type, std::size_t offset, std::size_t) override {
    if (type == 2 && offset == 8) return {".next", 0, 1};
    if (type == 4 && offset == 8) return {".key", 0, kNoType};
    return {"", offset, type};
  }
  std::size_t size_of(TypeId type) override {
    return type == 2 || type == 4 ? 16 : 8;
  }
  TypeId target_of(TypeId type) override {
    return type == 1 || type == 3 ? type + 1 : kNoType;
  }
  std::optional<std::string> value_of(TypeId, std::uint64_t) override {
    return std::nullopt;
  }
  TypeId argument_of(const void*) override { return kNoType; }
  std::string source_line(const std::string&, int) override { return ""; }
};

runtime::BlockInfo block_of(std::uintptr_t address) {
  runtime::BlockInfo info;
  if (address - kBlock < 16) info.begin = kBlock, info.size = 16;
  if (address - kArray < 48) info.begin = kArray, info.size = 48;
  return info;
}

class MemoryNamesTest : public ::testing::Test {
 protected:
  TwoTypes symbols_;
  MemoryNames names_{Memory{block_of, 0, kNoType}, symbols_};
};

TEST_F(MemoryNamesTest, OfABlockWithTwoTypesAreThoseOfTheFirst) {
  EXPECT_TRUE(names_.learn(kLeft, 8, kBlock));
  names_.learn(kRight, 8, kBlock);
  EXPECT_EQ(names_.place(kBlock + 8, 8), "#1.next");
}

TEST_F(MemoryNamesTest, LearnNothingTwice) {
  EXPECT_TRUE(names_.learn(kLeft, 8, kBlock));
  EXPECT_FALSE(names_.learn(kLeft, 8, kBlock));
  EXPECT_FALSE(names_.learn(kLeft, 8, 7)) << "no pointer";
}

TEST_F(MemoryNamesTest, OfSeveralThingsInARowHaveAnIndex) {
  names_.learn(kLeft, 8, kArray);
  EXPECT_EQ(names_.place(kArray + 40, 8), "#1[2].next");
  EXPECT_EQ(names_.value(kLeft, 8, kArray), "#1");
  EXPECT_EQ(names_.value(kLeft, 8, kArray + 16), "&#1[1]");
}

TEST_F(MemoryNamesTest, StayWhatTheyWere) {
  EXPECT_EQ(names_.block(kArray), "#1");
  EXPECT_EQ(names_.block(kBlock), "#2");
  EXPECT_EQ(names_.block(kArray + 8), "#1");
}

}  // namespace
}  // namespace plumb::harness
