// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "base/input_error.h"
#include "check/relaxation.h"
#include "spec/relax_test_support.h"
#include "spec/spec_test_support.h"

namespace plumb::relax_testing {
namespace {

using spec_testing::number;
using spec_testing::Walk;

Walk filled_queue(std::uint32_t factor, int items) {
  std::vector<Value> values;
  for (int i = 1; i <= items; ++i) values.push_back(number(i));
  Walk walk(relaxed_model(
      with_factors(make_case("queue", values), {{"deq", factor}})));
  for (const Value value : values) EXPECT_TRUE(walk.saw("enq", value, {}));
  return walk;
}

TEST(RelaxForModels, WhatCameTooEarlyMustBeMadeUpForInTime) {
  Walk walk = filled_queue(1, 3);
  EXPECT_FALSE(walk.saw("deq", {}, number(3)));
  EXPECT_TRUE(walk.saw("deq", {}, number(2)));
  EXPECT_FALSE(walk.saw("deq", {}, number(3)));
  EXPECT_TRUE(walk.saw("deq", {}, number(1)));
  EXPECT_TRUE(walk.saw("deq", {}, number(3)));
  EXPECT_TRUE(walk.saw("deq", {}, {}));
}

TEST(RelaxForModels, ApplyGivesEveryResultThatCouldBeSeen) {
  Walk walk = filled_queue(2, 4);
  EXPECT_EQ(walk.call("deq"), "1 or 2 or 3");
  EXPECT_TRUE(walk.saw("deq", {}, number(3)));
  EXPECT_EQ(walk.call("deq"), "1 or 2 or 4");
}

TEST(RelaxForModels, OnlyRelaxedOperationsPayADebt) {
  // 2 is not inside.  Somebody could still put it in, but that is no excuse.
  const Case one =
      with_factors(make_case("queue", numbers({1, 2})), {{"deq", 1}});
  Walk queue(relaxed_model(one));
  EXPECT_TRUE(queue.saw("enq", number(1), {}));
  EXPECT_FALSE(queue.saw("deq", {}, number(2)));
  // Where puts are relaxed, it could come before its turn.
  const auto both = relaxed_model(with_factors(one, {{"enq", 1}}));
  std::vector<State> after_enq, after_deq;
  both->step(both->initial(), {0, number(1)}, Value(), after_enq);
  for (const State& state : after_enq) {
    both->step(state, {1, Value()}, number(2), after_deq);
  }
  EXPECT_TRUE(may_end(*both, after_deq));
}

TEST(RelaxForModels, ManyOperationsMayBeNeededToPayADebt) {
  Walk indicator(relaxed_model(
      with_factors(make_case("snzi", {}), {{"query", 1}, {"depart", 1}})));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(indicator.saw("arrive", {}, {}));
  EXPECT_TRUE(indicator.saw("query", {}, Value::boolean(false)));
  EXPECT_FALSE(indicator.saw("query", {}, Value::boolean(false)));
}

TEST(RelaxForModels, ATakeThatFoundNothingKeepsItsPlace) {
  Walk walk = filled_queue(1, 2);
  EXPECT_FALSE(walk.saw("deq", {}, {}));
  EXPECT_TRUE(walk.saw("deq", {}, number(2)));
  // pi' has executed `deq -> 1` only: 2 is still inside.
  EXPECT_FALSE(walk.saw("deq", {}, {}));
}

TEST(RelaxForModels, AClassIsByArgumentsAndResults) {
  Case one = make_case("priority_queue", numbers({1, 2, 3}));
  const Range small{number(1), number(2)};
  one.classes = {{1, {{1, {}, small}}}};
  Walk walk(relaxed_model(one));
  for (const int n : {3, 2, 1}) EXPECT_TRUE(walk.saw("insert", number(n), {}));
  EXPECT_FALSE(walk.saw("remove_min", {}, number(3)));  // in no class
  EXPECT_TRUE(walk.saw("remove_min", {}, number(2)));
  EXPECT_FALSE(walk.saw("remove_min", {}, number(2)));
  EXPECT_TRUE(walk.saw("remove_min", {}, number(1)));
  EXPECT_TRUE(walk.saw("remove_min", {}, number(3)));
}

TEST(RelaxForModels, MembersOfAClassShareTheirPlaces) {
  Case shared = make_case("queue(1)", numbers({1, 2}));
  shared.classes = {{1, {{0, {}, {}}, {1, {}, {}}}}};
  Alphabet alphabet;
  const Words words = words_of(*relaxed_model(shared), shared, 4, alphabet);
  EXPECT_EQ(words, Definition(shared, alphabet).words(4, 3));
  // `deq -> 1` may come before its own `enq(1)`.
  const Letter deq{1, Value(), number(1)};
  EXPECT_TRUE(words.contains({alphabet.number(deq)}));
  const Case apart =
      with_factors(make_case("queue(1)", numbers({1, 2})), {{"deq", 3}});
  EXPECT_FALSE(words_of(*relaxed_model(apart), apart, 1, alphabet)
                   .contains({alphabet.number(deq)}));
}

TEST(RelaxForModels, DeqAndPopLeadToOneStateForEachResult) {
  for (const std::uint32_t factor : {1u, 2u, 3u}) {
    for (const char* name : {"queue(3)", "stack(3)"}) {
      Case one = make_case(name, numbers({1, 2}));
      one.classes = {{factor, {{1, {}, {}}}}};
      const auto object = relaxed_model(one);
      std::set<std::vector<std::uint64_t>> seen;
      std::vector<State> open{object->initial()};
      for (std::size_t i = 0; i < open.size(); ++i) {
        for (const auto& [letter, after] :
             successors(*object, one, {open[i]})) {
          ASSERT_EQ(after.size(), 1u) << object->describe(open[i]);
          std::vector<std::uint64_t> key;
          for (const Value word : after[0]) key.push_back(word.word());
          if (seen.insert(key).second) open.push_back(after[0]);
        }
      }
      EXPECT_GT(open.size(), 30u);
    }
  }
}

TEST(RelaxForModels, AnItemThatIsAsGoodAsTakenHasNoName) {
  Walk a = filled_queue(2, 4);
  Walk b = filled_queue(2, 4);
  EXPECT_TRUE(a.saw("deq", {}, number(2)));
  EXPECT_EQ(a.contents(),
            "[\"taken\", 3, 4]; ahead of their turn: deq() -> 1; "
            "still owed: deq() -> \"taken\"");
  EXPECT_TRUE(b.saw("deq", {}, number(3)));
  EXPECT_NE(a.state(), b.state());
}

// Does renaming before a call come to the same as renaming after it?
void expect_renaming_commutes(const Case& one, std::span<const Value> from,
                              std::span<const Value> to) {
  const auto object = relaxed_model(one);
  std::vector<State> open{object->initial()};
  for (std::size_t i = 0; i < open.size() && i < 300; ++i) {
    const State other = object->renamed(open[i], from, to);
    const Successors after = successors(*object, one, {open[i]});
    const Successors other_after = successors(*object, one, {other});
    ASSERT_EQ(after.size(), other_after.size()) << object->describe(open[i]);
    for (const auto& [letter, states] : after) {
      const auto found =
          other_after.find({letter.code, renamed(letter.argument, from, to),
                            renamed(letter.result, from, to)});
      ASSERT_NE(found, other_after.end()) << object->describe(open[i]);
      ASSERT_EQ(states.size(), found->second.size());
      for (const State& state : states) {
        const State made = object->renamed(state, from, to);
        ASSERT_NE(std::ranges::find(found->second, made), found->second.end())
            << object->describe(state);
        open.push_back(state);
      }
    }
  }
}

TEST(RelaxForModels, RenamingCommutesWithCalls) {
  const auto values = numbers({1, 2, 3});
  const auto rotated = numbers({2, 3, 1});
  for (const std::uint32_t factor : {1u, 2u}) {
    for (const auto& [name, code] : {std::pair{"queue(3)", 0},
                                     {"queue", 1},
                                     {"stack(2)", 1},
                                     {"set", 0},
                                     {"register", 0},
                                     {"map", 0},
                                     {"map", 1},
                                     {"bag(2)", 1}}) {
      Case one = make_case(name, values);
      one.classes = {{factor, {{static_cast<std::uint16_t>(code), {}, {}}}}};
      EXPECT_EQ(relaxed_model(one)->interchangeable(values), values) << name;
      expect_renaming_commutes(one, values, rotated);
    }
  }
}

TEST(RelaxForModels, ValuesThatAClassTellsApartAreNotInterchangeable) {
  const auto values = numbers({1, 2, 3, 4});
  Case one = make_case("queue", values);
  one.classes = {{1, {{1, {}, Range{number(2), number(4)}}}}};
  const auto alike = numbers({2, 3, 4});
  EXPECT_EQ(relaxed_model(one)->interchangeable(values), alike);
  expect_renaming_commutes(one, alike, numbers({4, 2, 3}));
  // Nor are those that clients may not pass alike.
  Case uneven = with_factors(make_case("queue", values), {{"deq", 1}});
  uneven.arguments[0] = numbers({1, 3});
  EXPECT_EQ(relaxed_model(uneven)->interchangeable(values), numbers({1, 3}));
  EXPECT_EQ(window_model(uneven)->interchangeable(values), numbers({1, 3}));
}

TEST(RelaxForModels, ASetIsNotRelaxedMemberByMember) {
  const Case set =
      with_factors(make_case("set", numbers({1, 2})), {{"add", 1}});
  EXPECT_TRUE(set.object->part({0, number(1)}));
  EXPECT_FALSE(relaxed_model(set)->part({0, number(1)}));
  EXPECT_FALSE(window_model(set)->part({0, number(1)}));
}

TEST(RelaxForModels, AResultThatNobodySawMayBeAny) {
  Walk walk = filled_queue(2, 2);
  EXPECT_TRUE(walk.saw("deq", {}, number(2)));
  EXPECT_TRUE(walk.saw("deq", {}, number(1)));
  const Specification& object = walk.object();
  std::vector<State> unseen;
  object.step(walk.state(), {1, Value()}, std::nullopt, unseen);
  std::vector<Outcome> outcomes;
  object.apply(walk.state(), {1, Value()}, outcomes);
  ASSERT_EQ(unseen.size(), outcomes.size());
  for (const Outcome& outcome : outcomes) {
    EXPECT_NE(std::ranges::find(unseen, outcome.next), unseen.end());
  }
}

TEST(RelaxForModels, EachKeyOfAMapIsRelaxedOnItsOwn) {
  const auto map = relaxed_model(
      with_factors(make_case("map", numbers({1, 2})), {{"put", 1}}));
  const auto put = [](int key, int value, Value before) {
    return Letter{0, spec_testing::list({number(key), number(value)}), before};
  };
  const auto holds = [&](const std::vector<Letter>& letters) {
    std::vector<State> states{map->initial()};
    for (const Letter& letter : letters) {
      std::vector<State> next;
      for (const State& state : states) {
        map->step(state, {letter.code, letter.argument}, letter.result, next);
      }
      states = std::move(next);
    }
    return may_end(*map, states);
  };
  // The two puts of key 1 change places; those of key 2 do not count.
  EXPECT_TRUE(holds({put(1, 1, number(2)), put(2, 1, Value()),
                     put(2, 2, number(1)), put(1, 2, Value())}));
  EXPECT_FALSE(holds({put(1, 1, number(2)), Letter{1, number(1), number(1)}}));
}

TEST(RelaxForModels, ResultsThatCannotBeListedAreAnError) {
  const Case one = with_factors(make_case("counter", {}), {{"inc", 1}});
  try {
    relaxed_model(one);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "'counter' has too many states to list the results that relaxed "
              "operations could have");
    EXPECT_NE(error.hint().find("bound"), std::string::npos);
  }
}

// Counts up to a limit and then begins again.
class Ring final : public Specification {
 public:
  explicit Ring(std::int64_t limit) : limit_(limit) {}
  std::string name() const override { return "ring"; }
  std::span<const Signature> operations() const override {
    static constexpr Signature kOperations[] = {
        {.name = "next", .result = Result::kValue}};
    return kOperations;
  }
  State initial() const override { return {number(0)}; }
  void apply(const State& state, const Call&,
             std::vector<Outcome>& outcomes) const override {
    const std::int64_t now = state[0].as_integer();
    if (now == 7) throw InputError("7 is not a number");
    outcomes.push_back({state[0], {number((now + 1) % limit_)}});
  }

 private:
  std::int64_t limit_;
};

TEST(RelaxForModels, ResultsOfASpecificationOfOnesOwnAreFound) {
  const auto ring = [](std::int64_t limit, std::uint32_t factor) {
    return Walk(relaxed_model(with_factors(
        make_case(std::make_shared<Ring>(limit), {}), {{"next", factor}})));
  };
  EXPECT_EQ(ring(5, 0).call("next"), "0");
  EXPECT_EQ(ring(5, 2).call("next"), "0 or 1 or 2");
  EXPECT_EQ(ring(2, 3).call("next"), "0 or 1");
  // Where it goes wrong, nothing follows.
  EXPECT_EQ(ring(9, 6).call("next"), "0 or 1 or 2 or 3 or 4 or 5 or 6");
  EXPECT_EQ(ring(9, 8).call("next"), "0 or 1 or 2 or 3 or 4 or 5 or 6");
}

TEST(RelaxForModels, SeveralThreadsMayAsk) {
  const Case one = with_factors(make_case("queue(2)", numbers({1, 2})),
                                {{"deq", 2}, {"enq", 1}});
  const auto object = relaxed_model(one);
  std::array<Words, 4> found;
  std::vector<std::thread> threads;
  for (Words& words : found) {
    threads.emplace_back([&]() {
      Alphabet alphabet;
      words = words_of(*object, one, 3, alphabet);
    });
  }
  for (std::thread& thread : threads) thread.join();
  Alphabet alphabet;
  const Words expected = words_of(*relaxed_model(one), one, 3, alphabet);
  for (const Words& words : found) EXPECT_EQ(words, expected);
}

TEST(RelaxedForModels, TheConditionDecidesWhatIsRelaxed) {
  const SpecificationPtr queue = make("queue(2)");
  const Case one = make_case(queue, numbers({1, 2}));
  const auto relaxed = [&](const char* condition) {
    return check::relaxed_for_models(queue, check::parse_condition(condition),
                                     {one.arguments},
                                     check::Construction::kExact);
  };
  EXPECT_EQ(relaxed("linearizable"), queue);
  EXPECT_EQ(relaxed("quiescent+quasi(deq=0)"), queue);
  const auto same = [&](const char* condition, const Case& other) {
    return difference(*relaxed(condition), *relaxed_model(other), one,
                      Relation::kEqual);
  };
  EXPECT_EQ(
      same("quasi(deq=2, enq=1)", with_factors(one, {{"deq", 2}, {"enq", 1}})),
      "");
  Case named = one;
  named.classes = {{1, {{0, {}, {}}, {1, {}, Range{number(1), number(1)}}}}};
  EXPECT_EQ(same("quasi(mixed{enq, deq -> 1}=1)", named), "");
  EXPECT_EQ(Walk(relaxed("out_of_order(deq=1)")).call("deq"), "null");
  EXPECT_THROW(relaxed("quasi(pop=1)"), InputError);
}

}  // namespace
}  // namespace plumb::relax_testing
