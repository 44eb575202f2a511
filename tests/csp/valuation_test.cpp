// SPDX-License-Identifier: Apache-2.0
// Variables of a state, its bytes, and the states to begin with.
#include "csp/valuation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "csp/library.h"
#include "csp/trees.h"

namespace plumb::csp {
namespace {

using namespace trees;

Datum array_of(const std::vector<int>& numbers) {
  Datum::Items items;
  for (const int n : numbers) items.push_back(Datum::integer(n));
  return Datum::array(items);
}

lts::StateBytes bytes_of(const Valuation& valuation) {
  lts::StateBytes bytes;
  valuation.encode(bytes);
  return bytes;
}

template <typename Work>
std::string fault_of(Work work) {
  try {
    work();
  } catch (const RuntimeFault& fault) {
    return fault.message();
  }
  return "none";
}

// x, a[3], b, m[2][3], s, and r with a range.
Module example() {
  Module module;
  module.variables.push_back(variable("x"));
  module.variables.push_back(array("a", {3}, numbers({1, 2, 3})));
  module.variables.push_back(variable("b", boolean(true)));
  module.variables.back().is_boolean = true;
  module.variables.push_back(array("m", {2, 3}));
  module.variables.push_back(object("s", "Set"));
  module.variables.push_back(ranged(variable("r"), 0, 3));
  add_channel(module, "c", 2);
  add_channel(module, "d", 3, 2);
  return module;
}

TEST(Layout, PutsVariablesBehindEachOther) {
  const Module module = example();
  const Layout layout(module);
  EXPECT_EQ(layout.slots().size(), 1u + 3 + 1 + 6 + 1 + 1);
  EXPECT_EQ(layout.variables()[3].first, 5u);
  EXPECT_EQ(layout.variables()[3].length, 6u);
  EXPECT_EQ(layout.buffers().size(), 3u);
  EXPECT_EQ(layout.buffers()[2].name, "d[1]");
  EXPECT_EQ(layout.buffers()[2].capacity, 3u);
}

TEST(Layout, CountsARecordWithoutDimensions) {
  Module module;
  module.variables.push_back(variable("a", numbers({4, 5})));
  Layout layout(module);
  const auto initial = initial_valuations(module, layout);
  EXPECT_EQ(initial[0].length(0), 2u);
  EXPECT_EQ(initial[0].get(0), array_of({4, 5}));
}

TEST(Layout, RefusesWhatItCannotHold) {
  Module module;
  module.variables.push_back(array("big", {4'000'000'000, 4'000'000'000}));
  EXPECT_NE(fault_of([&] { Layout layout(module); }).find("'big'"),
            std::string::npos);
  module.variables = {object("o", "Sets")};
  EXPECT_NE(fault_of([&] { Layout layout(module); }).find("'Sets'"),
            std::string::npos);
}

TEST(Valuation, BeginsWithWhatIsDeclared) {
  const Module module = example();
  Layout layout(module);
  const auto initial = initial_valuations(module, layout);
  ASSERT_EQ(initial.size(), 1u);
  EXPECT_EQ(initial[0].get(0), Datum::integer(0));
  EXPECT_EQ(initial[0].get(1), array_of({1, 2, 3}));
  EXPECT_EQ(initial[0].get(2), Datum::boolean(true));
  EXPECT_EQ(initial[0].get(3), array_of({0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(initial[0].get(4).text(), "[]");
}

TEST(Valuation, HasOneByteForEachSmallNumberAndBoolean) {
  const Module module = example();
  Layout layout(module);
  const Valuation valuation = initial_valuations(module, layout)[0];
  // 12 numbers and booleans, the set's code and size, three empty channels.
  EXPECT_EQ(bytes_of(valuation).size(), 12u + 2 + 3);
}

TEST(Valuation, ChecksIndicesAndRanges) {
  const Module module = example();
  const Layout layout(module);
  Valuation valuation(layout);
  valuation.set_element(1, 2, Datum::integer(9));
  EXPECT_EQ(valuation.element(1, 2), Datum::integer(9));
  EXPECT_EQ(fault_of([&] { valuation.element(1, 3); }),
            "index out of bounds: 3 where 'a' has 3 elements");
  EXPECT_EQ(fault_of([&] { valuation.set_element(1, -1, Datum()); }),
            "index out of bounds: -1 where 'a' has 3 elements");
  valuation.set(5, Datum::integer(3));
  EXPECT_EQ(fault_of([&] { valuation.set(5, Datum::integer(4)); }),
            "value outside of the variable's range: 4 for 'r:{0..3}'");
  EXPECT_NE(fault_of([&] { valuation.set(5, Datum::integer(-1)); }), "none");
  EXPECT_EQ(valuation.get(5), Datum::integer(3)) << "a fault writes nothing";
  EXPECT_NE(fault_of([&] { valuation.element(0, 0); }), "none");
}

TEST(Valuation, ChecksTheRangeOfEachElement) {
  Module module;
  module.variables.push_back(ranged(array("a", {2}), 0, 5));
  const Layout layout(module);
  Valuation valuation(layout);
  EXPECT_NE(fault_of([&] { valuation.set(0, array_of({5, 6})); }), "none");
  EXPECT_NE(fault_of([&] { valuation.set_element(0, 1, Datum::integer(6)); }),
            "none");
  valuation.set(0, array_of({5, 0}));
  EXPECT_EQ(valuation.get(0), array_of({5, 0}));
}

TEST(Valuation, AnArrayMayGetAnotherLengthAndItsOldOneBack) {
  const Module module = example();
  Layout layout(module);
  const Valuation initial = initial_valuations(module, layout)[0];
  Valuation changed = initial;
  changed.set(1, array_of({7, 8}));
  EXPECT_EQ(changed.length(1), 2u);
  EXPECT_EQ(changed.get(1), array_of({7, 8}));
  changed.set_element(1, 1, Datum::integer(6));
  EXPECT_EQ(changed.element(1, 1), Datum::integer(6));
  EXPECT_NE(fault_of([&] { changed.element(1, 2); }), "none");
  Valuation again(layout);
  const lts::StateBytes bytes = bytes_of(changed);
  again.decode(bytes.data(), bytes.data() + bytes.size());
  EXPECT_EQ(again, changed);
  changed.set(1, array_of({1, 2, 3}));
  EXPECT_EQ(changed, initial);
  EXPECT_EQ(bytes_of(changed), bytes_of(initial));
}

TEST(Valuation, AnArrayWithoutElementsHasOneFormOnly) {
  Module module;
  module.variables.push_back(array("a", {0}));
  const Layout layout(module);
  Valuation one(layout), other(layout);
  other.set(0, array_of({1, 2}));
  other.set(0, array_of({}));
  EXPECT_EQ(other.length(0), 0u);
  EXPECT_EQ(bytes_of(one), bytes_of(other));
  EXPECT_EQ(one, other);
}

TEST(Valuation, KindsMayChange) {
  const Module module = example();
  const Layout layout(module);
  Valuation valuation(layout);
  valuation.set(0, array_of({1}));          // a number becomes an array
  valuation.set(2, Datum::integer(-7));     // a boolean a number
  valuation.set(4, Datum::boolean(false));  // an object a boolean
  EXPECT_NE(fault_of([&] { valuation.set(1, Datum::integer(0)); }), "none");
  EXPECT_NE(fault_of([&] { valuation.set_element(1, 0, array_of({})); }),
            "none");
  const lts::StateBytes bytes = bytes_of(valuation);
  Valuation again(layout);
  EXPECT_EQ(again.decode(bytes.data(), bytes.data() + bytes.size()),
            bytes.data() + bytes.size());
  EXPECT_EQ(again, valuation);
}

TEST(Valuation, CopiesAreIndependent) {
  const Module module = example();
  const Layout layout(module);
  Valuation one(layout);
  Valuation other = one;
  const std::vector<Datum> five = {Datum::integer(5)};
  const MethodInfo* add = find_method(class_info(ClassId::kSet), "Add");
  add->invoke(other.slot(layout.variables()[4].first), five);
  EXPECT_EQ(one.get(4).text(), "[]");
  EXPECT_EQ(other.get(4).text(), "[5]");
  EXPECT_NE(bytes_of(one), bytes_of(other));
}

TEST(Valuation, LeavesHiddenVariablesOutIfAsked) {
  Module module;
  module.variables.push_back(variable("x"));
  module.variables.push_back(variable("h", number(4)));
  module.variables.back().hidden = true;
  Layout all(module);
  EXPECT_EQ(bytes_of(initial_valuations(module, all)[0]).size(), 2u);
  Layout less(module, true);
  Valuation valuation = initial_valuations(module, less)[0];
  valuation.set(1, Datum::integer(9));
  const lts::StateBytes bytes = bytes_of(valuation);
  EXPECT_EQ(bytes.size(), 1u);
  valuation.decode(bytes.data(), bytes.data() + bytes.size());
  EXPECT_EQ(valuation.get(1), Datum::integer(4));
}

TEST(Valuation, DescribesItself) {
  const Module module = example();
  Layout layout(module);
  Valuation valuation = initial_valuations(module, layout)[0];
  const std::vector<Datum> message = {Datum::integer(1), array_of({2, 3})};
  valuation.push(0, message);
  valuation.push(0, message);
  const auto lines = valuation.describe();
  EXPECT_EQ(lines[1].name, "a");
  EXPECT_EQ(lines[1].value, "[1,2,3]");
  EXPECT_EQ(lines[6].name, "c");
  EXPECT_EQ(lines[6].value, "<1.[2,3], 1.[2,3]>");
  EXPECT_EQ(lines[7].name, "d[0]");
  EXPECT_EQ(lines[7].value, "<>");
}

TEST(InitialValuations, AStarIsEveryValueOfTheRange) {
  Module module;
  module.variables.push_back(ranged(variable("x"), 1, 3));
  module.variables.back().any = true;
  module.variables.push_back(ranged(array("a", {2}), 0, 1));
  module.variables.back().any = true;
  module.variables.push_back(
      variable("y", binary(Operator::kAdd, global(0), number(10))));
  Layout layout(module);
  const auto all = initial_valuations(module, layout);
  ASSERT_EQ(all.size(), 3u * 4);
  std::vector<std::string> texts;
  for (const Valuation& one : all) {
    texts.push_back(one.get(0).text() + one.get(1).text());
    EXPECT_EQ(one.get(2).number(), one.get(0).number() + 10);
  }
  EXPECT_EQ(texts[0], "1[0,0]");
  EXPECT_EQ(texts[1], "1[0,1]");
  EXPECT_EQ(texts[11], "3[1,1]");
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(std::unique(texts.begin(), texts.end()), texts.end());
}

TEST(InitialValuations, AStarNeedsAFiniteRangeThatIsNotTooLarge) {
  Module module;
  module.variables.push_back(variable("x"));
  module.variables.back().any = true;
  Layout layout(module);
  EXPECT_NE(fault_of([&] {
              initial_valuations(module, layout);
            }).find("needs a range"),
            std::string::npos);
  module.variables[0].range = Range{0, std::nullopt};
  EXPECT_NE(fault_of([&] { initial_valuations(module, layout); }), "none");
  module.variables[0].range = Range{2, 1};
  EXPECT_NE(
      fault_of([&] { initial_valuations(module, layout); }).find("is empty"),
      std::string::npos);
  module.variables[0].range = Range{0, 9};
  EXPECT_EQ(initial_valuations(module, layout, 10).size(), 10u);
  EXPECT_NE(fault_of([&] { initial_valuations(module, layout, 9); }), "none");
}

TEST(InitialValuations, MustBeInRangeAndOfTheRightLength) {
  const auto begun = [](Variable variable) {
    Module module;
    module.variables.push_back(std::move(variable));
    return fault_of([&] {
      Layout layout(module);
      initial_valuations(module, layout);
    });
  };
  EXPECT_EQ(begun(ranged(variable("x", number(4)), 0, 4)), "none");
  EXPECT_NE(begun(ranged(variable("x", number(5)), 0, 4)), "none");
  EXPECT_NE(begun(ranged(variable("x"), 1, 4)), "none") << "0 is not in it";
  EXPECT_EQ(begun(array("a", {2}, numbers({1, 2}))), "none");
  EXPECT_NE(begun(array("a", {3}, numbers({1, 2}))).find("2 values are given"),
            std::string::npos);
}

Datum random_plain(std::mt19937& random) {
  if (random() % 4 == 0) return Datum::boolean(random() % 2 == 0);
  return Datum::integer(static_cast<std::int32_t>(random() % 400) - 200);
}

Datum random_array(std::mt19937& random) {
  Datum::Items items(random() % 5);
  for (Datum& item : items) item = random_plain(random);
  return Datum::array(items);
}

void change(Valuation& valuation, std::mt19937& random) {
  const auto variable = static_cast<std::uint32_t>(random() % 5);
  const auto buffer = static_cast<std::uint32_t>(random() % 3);
  switch (random() % 6) {
    case 0:
      if (variable == 1 || variable == 3) break;
      valuation.set(variable, random_plain(random));
      break;
    case 1:
      valuation.set(variable, random_array(random));
      break;
    case 2:
      if (variable != 1 && variable != 3) break;
      if (valuation.length(variable) == 0) break;
      valuation.set_element(
          variable,
          static_cast<std::int64_t>(random() % valuation.length(variable)),
          random_plain(random));
      break;
    case 3:
      valuation.set(4, Datum::object(static_cast<ClassId>(random() % 6),
                                     {0, static_cast<int>(random() % 3)}));
      break;
    case 4:
      if (valuation.size(buffer) > 0) valuation.pop(buffer);
      break;
    default: {
      if (valuation.full(buffer)) break;
      std::vector<Datum> message(random() % 3);
      for (Datum& field : message) {
        field = random() % 3 == 0 ? random_array(random) : random_plain(random);
      }
      valuation.push(buffer, message);
    }
  }
}

TEST(ValuationBytes, ComeBackAndAreEqualForEqualValuationsOnly) {
  std::mt19937 random(2);
  const Module module = example();
  const Layout layout(module);
  Valuation walker(layout), reader(layout), other(layout);
  for (int round = 0; round < 20'000; ++round) {
    change(walker, random);
    change(other, random);
    lts::StateBytes bytes = bytes_of(walker);
    const std::size_t length = bytes.size();
    bytes.push_back(0xFF);  // what follows is of no concern
    ASSERT_EQ(reader.decode(bytes.data(), bytes.data() + bytes.size()),
              bytes.data() + length);
    ASSERT_EQ(reader, walker);
    ASSERT_EQ(bytes_of(walker) == bytes_of(other), walker == other);
    if (random() % 16 == 0) other = walker;
  }
}

}  // namespace
}  // namespace plumb::csp
