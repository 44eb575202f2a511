// SPDX-License-Identifier: Apache-2.0
// Histories have pending operations, whose results nobody saw.
#include <gtest/gtest.h>

#include "base/limit_error.h"
#include "spec/relax_test_support.h"

namespace plumb::relax_testing {
namespace {

// The sequences of `length` operations with results that `object` may go on
// with from some of `states`, if a history may end after them.
void collect(const Specification& object, const std::vector<State>& states,
             const std::vector<Letter>& letters, std::size_t length,
             std::string so_far, std::set<std::string>& found) {
  if (states.empty()) return;
  for (const State& state : states) {
    if (object.may_end(state)) found.insert(so_far);
  }
  if (length == 0) return;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    std::vector<State> next;
    for (const State& state : states) {
      object.step(state, {letters[i].code, letters[i].argument},
                  letters[i].result, next);
    }
    collect(object, next, letters, length - 1, so_far + " " + std::to_string(i),
            found);
  }
}

// All states after some sequences of `length` operations with results.
std::vector<State> reached(const Specification& object,
                           const std::vector<Letter>& letters,
                           std::size_t length) {
  std::vector<State> states{object.initial()};
  std::vector<State> level = states;
  for (std::size_t n = 0; n < length; ++n) {
    std::vector<State> next;
    for (const State& state : level) {
      for (const Letter& letter : letters) {
        object.step(state, {letter.code, letter.argument}, letter.result, next);
      }
    }
    level = next;
    for (const State& state : next) {
      if (std::ranges::find(states, state) == states.end()) {
        states.push_back(state);
      }
    }
  }
  return states;
}

// An operation whose result is not known may go on like those with the results
// that it may have, and in no other way.
void expect_unseen_is_any(const Case& one, bool closed) {
  Relaxation relaxation = relaxation_of(one);
  relaxation.closed = closed;
  const auto object = relax(*one.object, relaxation);
  std::vector<Letter> letters;
  for_each_call(one, [&](const Call& call) {
    const bool takes = one.object->operations()[call.code].takes;
    const auto results =
        takes ? std::vector{Value(), Value::integer(1), Value::integer(2)}
              : std::vector{Value::boolean(false), Value::boolean(true)};
    for (const Value result : results) {
      letters.push_back({call.code, call.argument, result});
    }
  });
  for (const State& state : reached(*object, letters, 3)) {
    for_each_call(one, [&](const Call& call) {
      std::set<std::string> of_unseen, of_seen;
      std::vector<State> unseen;
      object->step(state, call, std::nullopt, unseen);
      collect(*object, unseen, letters, 2, "", of_unseen);
      std::vector<State> seen;
      for (const Letter& letter : letters) {
        if (Call{letter.code, letter.argument} != call) continue;
        object->step(state, call, letter.result, seen);
      }
      collect(*object, seen, letters, 2, "", of_seen);
      EXPECT_EQ(of_unseen, of_seen) << object->describe(state) << " then "
                                    << one.object->operations()[call.code].name;
    });
  }
}

TEST(RelaxPending, AnOperationMayBeOfAnyClassThatItsResultAllows) {
  const Range ones{Value::integer(1), Value::integer(1)};
  const Range twos{Value::integer(2), Value::integer(2)};
  const Range yes{Value::boolean(true), Value::boolean(true)};
  const std::vector<std::vector<RelaxedClass>> choices = {
      {{1, {{1, {}, {}}}}},
      {{1, {{0, {}, {}}}}},
      {{1, {{1, {}, ones}}}},
      {{1, {{1, {}, ones}}}, {2, {{1, {}, twos}}}},
      {{1, {{0, twos, yes}, {1, {}, twos}}}},
  };
  for (const char* name : {"queue(1)", "stack(2)"}) {
    for (const auto& classes : choices) {
      Case one = make_case(name, numbers({1, 2}));
      one.classes = classes;
      expect_unseen_is_any(one, true);
      expect_unseen_is_any(one, false);
    }
  }
}

TEST(RelaxPending, FurtherOperationsAreThoseOfClasses) {
  for (const bool enq_too : {false, true}) {
    Case one = with_factors(make_case("queue", numbers({1, 2})), {{"deq", 1}});
    if (enq_too) one = with_factors(one, {{"enq", 1}});
    const auto object = relax(*one.object, relaxation_of(one));
    std::vector<State> after_enq, after_deq;
    object->step(object->initial(), {0, Value::integer(1)}, Value(), after_enq);
    for (const State& state : after_enq) {
      object->step(state, {1, Value()}, Value::integer(2), after_deq);
    }
    ASSERT_GE(after_deq.size(), 1u);
    // Only an enq could bring the 2.
    EXPECT_EQ(may_end(*object, after_deq), enq_too);
  }
}

// The states after these operations with their results.
std::vector<State> after(const Specification& object,
                         const std::vector<Letter>& letters) {
  std::vector<State> states{object.initial()};
  for (const Letter& letter : letters) {
    std::vector<State> next;
    for (const State& state : states) {
      object.step(state, {letter.code, letter.argument}, letter.result, next);
    }
    states = next;
  }
  return states;
}

// What was found out about one state and its pending calls says nothing about
// another state that is written down with the same words.
TEST(RelaxPending, AnswersDoNotDependOnWhatWasAskedBefore) {
  const Case one =
      with_factors(make_case("queue(2)", numbers({0})), {{"enq", 1}});
  const Call enq{0, Value::integer(0)};
  const std::vector<Letter> letters = {
      {enq.code, enq.argument, Value::boolean(true)},
      {enq.code, enq.argument, Value::boolean(false)},
      {1, Value(), enq.argument}};
  const auto asked_all = relax(*one.object, relaxation_of(one));
  const std::vector<std::vector<Call>> pending = {{enq, enq}, {enq}, {}};
  bool is_ever_alive = false, is_ever_dead = false;
  for (const State& state : reached(*asked_all, letters, 3)) {
    for (const auto& calls : pending) {
      const auto asked_once = relax(*one.object, relaxation_of(one));
      const bool alive = asked_once->may_end_with(state, calls);
      EXPECT_EQ(asked_all->may_end_with(state, calls), alive)
          << asked_all->describe(state) << ", " << calls.size() << " pending";
      (alive ? is_ever_alive : is_ever_dead) = true;
    }
  }
  EXPECT_TRUE(is_ever_alive && is_ever_dead);
}

// One that is needed among many others, as the last of them or not.
TEST(RelaxPending, AnyNumberOfThemMayTakeEffect) {
  const Case one =
      with_factors(make_case("queue(1)", numbers({1, 2, 3, 9})), {{"deq", 2}});
  const Value yes = Value::boolean(true);
  const std::vector<Letter> letters = {{0, Value::integer(1), yes},
                                       {1, Value(), Value::integer(9)},
                                       {0, Value::integer(2), yes}};
  const auto object = relax(*one.object, relaxation_of(one));
  const std::vector<State> states = after(*object, letters);
  // The 9 is owed; its enq can only come between two further deqs.
  const Call enq_9{0, Value::integer(9)};
  const auto may_end_with = [&](const std::vector<Call>& calls) {
    return std::ranges::any_of(states, [&](const State& state) {
      return object->may_end_with(state, calls);
    });
  };
  std::vector<Call> calls(100, Call{0, Value::integer(3)});
  EXPECT_FALSE(may_end_with(calls));
  calls.push_back(enq_9);
  EXPECT_TRUE(may_end_with(calls));
  EXPECT_TRUE(may_end_with({enq_9}));
}

TEST(RelaxPending, FurtherWritesAreOfWhatAPendingCasWaitsFor) {
  Case one = make_case("register", numbers({1, 4, 5, 6, 9}));
  const auto code = [&](const char* name) {
    return find_operation(*one.object, name).value();
  };
  const Range small{Value::integer(1), Value::integer(5)};
  one.classes = {{1, {{code("write"), small, {}}}},
                 {1, {{code("read"), {}, {}}}}};
  const auto object = relax(*one.object, relaxation_of(one));
  const auto states =
      after(*object, {{code("read"), Value(), Value::integer(9)}});
  const auto may_end_with = [&](std::vector<std::pair<int, int>> pairs) {
    std::vector<Call> calls;
    for (const auto& [old, made] : pairs) {
      const Value pair[] = {Value::integer(old), Value::integer(made)};
      calls.push_back({code("cas"), Value::list(pair)});
    }
    return std::ranges::any_of(states, [&](const State& state) {
      return object->may_end_with(state, calls);
    });
  };
  EXPECT_TRUE(may_end_with({{1, 9}}));
  EXPECT_TRUE(may_end_with({{4, 9}}));
  EXPECT_TRUE(may_end_with({{5, 9}}));
  EXPECT_TRUE(may_end_with({{6, 9}, {5, 6}}));
  EXPECT_FALSE(may_end_with({{6, 9}}));
}

// With many pending calls that differ, a search through all orders of all of
// them would never end.
TEST(RelaxPending, CallsThatCannotHelpAreLeftOut) {
  const auto is_payable = [](const char* name, const char* relaxed,
                             const std::vector<Letter>& letters,
                             const std::vector<Call>& pending) {
    Case one = make_case(name, numbers({1, 2, 9}));
    for (int i = 0; i < 50; ++i) {
      one.arguments[pending[0].code].push_back(Value::integer(100 + i));
    }
    one = with_factors(one, {{relaxed, 1}});
    const auto object = relax(*one.object, relaxation_of(one));
    return std::ranges::any_of(after(*object, letters),
                               [&](const State& state) {
                                 return object->may_end_with(state, pending);
                               });
  };
  const auto calls = [](std::uint16_t code, std::optional<int> helpful) {
    std::vector<Call> out;
    for (int i = 0; i < 50; ++i) {
      out.push_back({code, Value::integer(100 + i)});
    }
    if (helpful) out.push_back({code, Value::integer(*helpful)});
    return out;
  };
  const Value yes = Value::boolean(true), no = Value::boolean(false);
  // 9 was taken, and nobody put it in so far.
  const std::vector<Letter> pops = {{0, Value::integer(1), Value()},
                                    {1, Value(), Value::integer(9)}};
  EXPECT_FALSE(is_payable("stack", "pop", pops, calls(0, {})));
  EXPECT_TRUE(is_payable("stack", "pop", pops, calls(0, 9)));
  // There was no room, although the 1 could be taken: three must fill it up.
  const std::vector<Letter> puts = {{0, Value::integer(1), yes},
                                    {0, Value::integer(2), no}};
  Case full = make_case("stack(3)", numbers({1, 2}));
  for (const Call& call : calls(0, {})) {
    full.arguments[0].push_back(call.argument);
  }
  full.classes = {{1, {{0, {}, Range{no, no}}, {1, {}, {}}}}};
  const auto object = relax(*full.object, relaxation_of(full));
  const auto states = after(*object, puts);
  const auto can_be_full = [&](std::size_t count) {
    std::vector<Call> some = calls(0, {});
    some.resize(count);
    return std::ranges::any_of(states, [&](const State& state) {
      return object->may_end_with(state, some);
    });
  };
  EXPECT_FALSE(can_be_full(2));
  EXPECT_TRUE(can_be_full(3));
  EXPECT_TRUE(can_be_full(50));
}

// In a priority queue the sizes of what fills it up matter.
TEST(RelaxPending, ALargeSearchEndsWithItsTime) {
  const Value no = Value::boolean(false);
  Case one = make_case("priority_queue(40)", {});
  std::vector<Call> pending;
  for (int i = 0; i < 30; ++i) {
    one.arguments[0].push_back(Value::integer(i));
    pending.push_back({0, Value::integer(i)});
  }
  one.classes = {{1, {{0, {}, Range{no, no}}, {1, {}, {}}}}};
  Relaxation relaxation = relaxation_of(one);
  relaxation.budget = Budget(Budget::Clock::now(), SIZE_MAX);
  const auto object = relax(*one.object, relaxation);
  const auto states =
      after(*object, {{0, Value::integer(1), Value::boolean(true)},
                      {0, Value::integer(2), no}});
  ASSERT_FALSE(states.empty());
  try {
    object->may_end_with(states[0], pending);
    ADD_FAILURE() << "it went on";
  } catch (const LimitError& limit) {
    EXPECT_NE(std::string(limit.what()).find("time limit"), std::string::npos)
        << limit.what();
  }
}

TEST(RelaxPending, WhatStandsInTheWayOfAClassCanBeTakenOut) {
  const Value one = Value::integer(1);
  const Value two = Value::integer(2);
  Case queue = make_case("queue", numbers({1, 2}));
  const RelaxedClass mixed{1, {{0, {}, {}}, {1, {}, Range{one, one}}}};
  const std::vector<Letter> letters = {{0, two, Value()}, {0, two, Value()},
                                       {0, two, Value()}, {0, two, Value()},
                                       {0, one, Value()}, {1, Value(), one}};
  // `deq -> 1` is owed at the next place of its class.  Many `deq -> 2` must
  // come first, which are of the other class here ...
  queue.classes = {mixed, {1, {{1, {}, Range{two, two}}}}};
  const auto both = relax(*queue.object, relaxation_of(queue));
  EXPECT_TRUE(may_end(*both, after(*both, letters)));
  // ... and of none here.
  queue.classes = {mixed};
  const auto object = relax(*queue.object, relaxation_of(queue));
  const auto states = after(*object, letters);
  EXPECT_FALSE(states.empty());
  EXPECT_FALSE(may_end(*object, states));
}

}  // namespace
}  // namespace plumb::relax_testing
