// SPDX-License-Identifier: Apache-2.0
// relax_for_models against the definition, on all short sequences, and
// against slower ways to the same object, on sequences of any length.
#include <gtest/gtest.h>

#include <tuple>

#include "spec/relax_test_support.h"

namespace plumb::relax_testing {
namespace {

using Factors = std::map<std::string, std::uint32_t>;

void expect_definition(const Case& one, std::size_t length,
                       std::size_t further) {
  Alphabet alphabet;
  const Words expected = Definition(one, alphabet).words(length, further);
  const Words found = words_of(*relaxed_model(one), one, length, alphabet);
  for (const Word& word : expected) {
    ASSERT_TRUE(found.contains(word))
        << "missing: " << to_text(word, alphabet, *one.object);
  }
  for (const Word& word : found) {
    ASSERT_TRUE(expected.contains(word))
        << "too much: " << to_text(word, alphabet, *one.object);
  }
}

std::string factors_text(const Factors& factors) {
  std::string text;
  for (const auto& [name, factor] : factors) {
    text += " " + name + "=" + std::to_string(factor);
  }
  return text;
}

void expect_definition(const char* name, const Factors& factors,
                       std::size_t length, std::size_t further) {
  SCOPED_TRACE(name + factors_text(factors));
  expect_definition(with_factors(make_case(name, numbers({1, 2})), factors),
                    length, further);
}

TEST(RelaxModels, TakesAgreeWithTheDefinition) {
  for (std::uint32_t q = 0; q <= 3; ++q) {
    const std::size_t further = q + 2;
    for (const char* name : {"queue", "queue(1)", "queue(2)", "queue(3)",
                             "blocking_queue(2)", "deque(2)"}) {
      const bool is_deque = std::string_view(name) == "deque(2)";
      expect_definition(name, {{is_deque ? "pop_front" : "deq", q}},
                        is_deque ? 3 : 4, is_deque ? q + 1 : further);
    }
    expect_definition("stack", {{"pop", q}}, 4, further);
    expect_definition("stack(2)", {{"pop", q}}, 4, further);
    expect_definition("priority_queue", {{"remove_min", q}}, 4, further);
    expect_definition("priority_queue(2)", {{"remove_min", q}}, 4, further);
    expect_definition("bag(2)", {{"take", q}}, 4, further);
  }
}

TEST(RelaxModels, PutsAgreeWithTheDefinition) {
  for (std::uint32_t q = 0; q <= 2; ++q) {
    const std::size_t further = 2 * q + 1;
    expect_definition("queue", {{"enq", q}}, 4, q);
    expect_definition("queue(2)", {{"enq", q}}, 4, further);
    expect_definition("stack(1)", {{"push", q}}, 4, further);
    expect_definition("priority_queue(2)", {{"insert", q}}, 4, further);
  }
}

TEST(RelaxModels, SeveralClassesAgreeWithTheDefinition) {
  for (const auto& [puts, takes] : {std::pair{1u, 1u}, {1u, 2u}, {2u, 1u}}) {
    expect_definition("queue", {{"enq", puts}, {"deq", takes}}, 4, 4);
    expect_definition("queue(1)", {{"enq", puts}, {"deq", takes}}, 4, 4);
    expect_definition("queue(2)", {{"enq", puts}, {"deq", takes}}, 3, 5);
    expect_definition("stack(2)", {{"push", puts}, {"pop", takes}}, 3, 5);
  }
}

TEST(RelaxModels, SetsRegistersAndIndicatorsAgreeWithTheDefinition) {
  for (std::uint32_t q = 0; q <= 2; ++q) {
    const std::size_t further = q < 2 ? 3 : 4;
    expect_definition("set", {{"add", q}}, 3, further);
    expect_definition("set", {{"contains", q}}, 3, further);
    Case cell = make_case("register", numbers({1, 2}));
    cell.arguments[2].resize(2);  // few cas
    expect_definition(with_factors(cell, {{"read", q}}), 3, 4);
    expect_definition(with_factors(cell, {{"write", q}}), 3, 4);
    expect_definition(with_factors(cell, {{"cas", q}}), 3, 4);
    expect_definition("snzi", {{"query", q}}, 4, 5);
    expect_definition("snzi", {{"depart", q}}, 4, 5);
    expect_definition("snzi", {{"arrive", q}, {"query", 1}}, 4, 5);
  }
}

TEST(RelaxModels, NamedClassesAgreeWithTheDefinition) {
  const Range ones{Value::integer(1), Value::integer(1)};
  const Range twos{Value::integer(2), Value::integer(2)};
  const Range yes{Value::boolean(true), Value::boolean(true)};
  const std::vector<std::vector<RelaxedClass>> choices = {
      {{1, {{1, {}, ones}}}},
      {{2, {{1, {}, ones}}}},
      {{1, {{1, {}, ones}}}, {1, {{1, {}, twos}}}},
      {{1, {{0, ones, {}}, {1, {}, ones}}}},
      {{1, {{0, ones, {}}, {1, {}, twos}}}, {1, {{0, twos, {}}}}},
      {{2, {{0, {}, {}}, {1, {}, {}}}}},
      {{1, {{0, {}, yes}}}},
  };
  for (const char* name : {"queue(2)", "stack(2)", "priority_queue(2)"}) {
    for (std::size_t i = 0; i < choices.size(); ++i) {
      SCOPED_TRACE(name + (" " + std::to_string(i)));
      Case one = make_case(name, numbers({1, 2}));
      one.classes = choices[i];
      expect_definition(one, 4, i == 4 ? 5 : 4);
    }
  }
}

// Objects that the code knows something of, and the same ones as if it knew
// nothing: few helpers and all of them, results from the signature and from a
// search, holes and names.
TEST(RelaxModels, WhatIsKnownOfAnObjectChangesNothing) {
  for (const char* name :
       {"queue(1)", "queue(2)", "queue(3)", "stack(2)", "priority_queue(2)",
        "deque(2)", "bag(2)", "blocking_queue(2)", "register", "set"}) {
    const Case plain = make_case(name, numbers({1, 2}));
    const auto operations = plain.object->operations();
    const std::string first(operations.front().name);
    const std::string last(operations.back().name);
    std::vector<Factors> all = {{{first, 1}}, {{last, 1}}};
    if (plain.object->operations().size() != 3) {  // of a set there are many
      all.push_back({{last, 2}});
      all.push_back({{last, 3}});
      all.push_back({{first, 1}, {last, 1}});
    }
    for (const Factors& factors : all) {
      SCOPED_TRACE(name + factors_text(factors));
      const Case one = with_factors(plain, factors);
      EXPECT_EQ(difference(*relaxed_model(one), *relaxed_model(opaque(one)),
                           one, Relation::kEqual),
                "");
    }
    Case named = plain;
    named.classes = {{2,
                      {{static_cast<std::uint16_t>(operations.size() - 1),
                        {},
                        Range{Value::integer(1), Value::integer(1)}}}}};
    EXPECT_EQ(difference(*relaxed_model(named), *relaxed_model(opaque(named)),
                         named, Relation::kEqual),
              "")
        << name;
  }
}

TEST(RelaxModels, FactorZeroIsTheObjectAndMoreIsMore) {
  for (const auto& [name, operation] : {std::pair{"queue(2)", "deq"},
                                        {"queue(3)", "deq"},
                                        {"queue(2)", "enq"},
                                        {"stack(2)", "pop"},
                                        {"stack(2)", "push"},
                                        {"priority_queue(2)", "remove_min"},
                                        {"set", "remove"},
                                        {"register", "read"},
                                        {"register", "write"}}) {
    SCOPED_TRACE(name + (" " + std::string(operation)));
    const Case plain = make_case(name, numbers({1, 2}));
    const auto relaxed = [&](std::uint32_t q) {
      return relaxed_model(with_factors(plain, {{operation, q}}));
    };
    EXPECT_EQ(difference(*relaxed(0), *plain.object, plain, Relation::kEqual),
              "");
    for (std::uint32_t q = 0; q < 2; ++q) {
      EXPECT_EQ(
          difference(*relaxed(q), *relaxed(q + 1), plain, Relation::kContained),
          "");
      EXPECT_NE(
          difference(*relaxed(q + 1), *relaxed(q), plain, Relation::kContained),
          "");
    }
  }
}

}  // namespace
}  // namespace plumb::relax_testing
