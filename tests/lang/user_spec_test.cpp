// SPDX-License-Identifier: Apache-2.0
#include "lang/user_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "lang/machine_test_support.h"
#include "spec/catalogue.h"

namespace plumb::lang {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// The specification that an object with these operations implements.
spec::SpecificationPtr specification(const std::string& text,
                                     const std::string& implements,
                                     const std::string& operations) {
  const Compiled made =
      compiled(text + "object o implements " + implements + " { " + operations +
               " } check o safe with 2 processes, values 1..3;");
  return made.model.specification;
}

std::vector<spec::Outcome> apply(const spec::Specification& object,
                                 const spec::State& state,
                                 const std::string& name, Value argument) {
  std::vector<spec::Outcome> outcomes;
  object.apply(state, {*spec::find_operation(object, name), argument},
               outcomes);
  return outcomes;
}

constexpr const char* kQueue =
    "spec my_queue { seq<int, 20> q; void enq(int v) { push_back(q, v); }"
    " int deq() { if (len(q) == 0) return empty; return pop_front(q); } }";
constexpr const char* kQueueOperations =
    "void enq(int v) { skip; } int deq() { return 0; }";

// For classes of operations, `empty` says that a take found nothing; but what
// the operation does then is not known.
TEST(UserSpec, WhatMayBeEmptyIsATake) {
  const auto mine = specification(
      "spec s { int n; int a() { n++; return empty; } int 0..3 b() { return 0; "
      "}"
      " bool c() { return true; } void d() { skip; } }",
      "s",
      "int a() { return 0; } int 0..3 b() { return 0; }"
      " bool c() { return true; } void d() { skip; }");
  const auto operations = mine->operations();
  EXPECT_TRUE(operations[0].takes);
  EXPECT_FALSE(operations[2].takes);
  EXPECT_FALSE(operations[3].takes);
  EXPECT_FALSE(mine->changes_nothing({0, Value()}, Value()));
}

TEST(UserSpec, AgreesWithTheBuiltInQueue) {
  const auto mine = specification(kQueue, "my_queue", kQueueOperations);
  const auto built_in = spec::make("queue");
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    spec::State state = mine->initial();
    spec::State expected = built_in->initial();
    for (int i = 0; i < 20; ++i) {
      const bool puts = random() % 2 == 0;
      const Value argument =
          puts ? Value::integer(static_cast<std::int64_t>(random() % 3 + 1))
               : Value();
      const std::string name = puts ? "enq" : "deq";
      const auto got = apply(*mine, state, name, argument);
      const auto wanted = apply(*built_in, expected, name, argument);
      ASSERT_EQ(got.size(), 1u);
      ASSERT_EQ(wanted.size(), 1u);
      ASSERT_EQ(got[0].result, wanted[0].result) << "round " << round;
      state = got[0].next;
      expected = wanted[0].next;
    }
    EXPECT_EQ(mine->describe(state), "q = " + built_in->describe(expected));
  }
}

TEST(UserSpec, EqualContentsAreEqualStates) {
  const auto mine = specification(kQueue, "my_queue", kQueueOperations);
  const auto one = apply(*mine, mine->initial(), "enq", Value::integer(1));
  const auto none = apply(*mine, one[0].next, "deq", Value());
  EXPECT_EQ(none[0].next, mine->initial());
}

TEST(UserSpec, GivesAllOutcomesOfChoices) {
  const auto lossy = specification(
      "spec lossy_queue(int capacity) { seq<int> q;"
      " void enq(int v) { if (len(q) < capacity) push_back(q, v); }"
      " int deq() { choose { return empty; }"
      "  or { await len(q) > 0; return pop_front(q); } } }",
      "lossy_queue(2)", kQueueOperations);
  EXPECT_EQ(lossy->name(), "lossy_queue(2)");
  spec::State state = lossy->initial();
  EXPECT_EQ(apply(*lossy, state, "deq", Value()).size(), 1u);
  for (int i = 1; i <= 3; ++i) {
    state = apply(*lossy, state, "enq", Value::integer(i))[0].next;
  }
  EXPECT_EQ(lossy->describe(state), "q = [1, 2]") << "the third is lost";
  const auto outcomes = apply(*lossy, state, "deq", Value());
  std::vector<std::string> results;
  for (const auto& outcome : outcomes) {
    results.push_back(outcome.result.to_string() + " " +
                      lossy->describe(outcome.next));
  }
  EXPECT_THAT(results, UnorderedElementsAre("null q = [1, 2]", "1 q = [2]"));
}

TEST(UserSpec, SameOutcomesAreGivenOnce) {
  const auto spec = specification(
      "spec s { int 0..2 x; int f() { x = any(0, 1); choose { return 1; }"
      " or { return 1; } } }",
      "s", "int f() { return 1; }");
  EXPECT_EQ(apply(*spec, spec->initial(), "f", Value()).size(), 2u);
}

TEST(UserSpec, BlocksWhereNothingIsPossible) {
  const auto lock = specification(
      "spec lock { bool held; void acquire() { await !held; held = true; }"
      " void release() { await held; held = false; } }",
      "lock", "void acquire() { skip; } void release() { skip; }");
  const auto held = apply(*lock, lock->initial(), "acquire", Value());
  ASSERT_EQ(held.size(), 1u);
  EXPECT_THAT(apply(*lock, held[0].next, "acquire", Value()), IsEmpty());
  EXPECT_THAT(apply(*lock, lock->initial(), "release", Value()), IsEmpty());
}

TEST(UserSpec, TakesListsEnumsAndFunctions) {
  const auto spec = specification(
      "enum Color { red, green }"
      "spec s { map<int, int> m; Color c = green; set<int> seen;"
      " function int old(int k) { if (contains(m, k)) return m[k];"
      "  return empty; }"
      " int put(int k, int v) { int before = old(k); m[k] = v; insert(seen, v);"
      "  return before; } Color paint(Color d) { Color b = c; c = d;"
      "  return b; } }",
      "s",
      "int put(int k, int v) { return 0; } Color paint(Color d) { return d; }");
  const Value pair[] = {Value::integer(1), Value::integer(2)};
  const auto first = apply(*spec, spec->initial(), "put", Value::list(pair));
  EXPECT_TRUE(first[0].result.is_null());
  const auto second = apply(*spec, first[0].next, "put", Value::list(pair));
  EXPECT_EQ(second[0].result, Value::integer(2));
  const auto third = apply(*spec, second[0].next, "paint", Value::text("red"));
  EXPECT_EQ(third[0].result, Value::text("green"));
  EXPECT_EQ(spec->describe(third[0].next), "m = {1: 2}, c = red, seen = {2}");
}

std::string error_of(const spec::Specification& object, const char* name) {
  try {
    apply(object, object.initial(), name, Value());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(UserSpec, FaultsAreErrorsOfTheSpecification) {
  const auto spec = specification(
      "spec s { seq<int, 1> q; int f() { return pop_back(q); }"
      " void g() { push_back(q, 1); push_back(q, 2); } }",
      "s", "int f() { return 0; } void g() { skip; }");
  EXPECT_EQ(error_of(*spec, "f"),
            "the specification 's' goes wrong: line 1: nothing to take in "
            "`pop_back(q)`");
  EXPECT_EQ(error_of(*spec, "g"),
            "the specification 's' needs more than 1 item in 'q'");
}

TEST(UserSpec, ResultsThatTheObjectDoesNotGiveAreForgotten) {
  const auto spec = specification("", "counter", "void inc() { skip; }");
  const auto code = *spec::find_operation(*spec, "inc");
  EXPECT_EQ(spec->operations()[code].result, spec::Result::kNone);
  const auto outcomes = apply(*spec, spec->initial(), "inc", Value());
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_TRUE(outcomes[0].result.is_null());
  std::vector<spec::State> next;
  spec->step(spec->initial(), {code, Value()}, Value(), next);
  EXPECT_THAT(next, ElementsAre(outcomes[0].next));
}

TEST(UserSpec, BoundedContainersWithSilentPutsAreUnbounded) {
  const auto silent = specification(
      "", "stack(1)", "void push(int v) { skip; } int pop() { return 0; }");
  EXPECT_EQ(silent->name(), "stack");
  const auto telling =
      specification("", "stack(1)",
                    "bool push(int v) { return true; } int pop() "
                    "{ return 0; }");
  EXPECT_EQ(telling->name(), "stack(1)");
}

}  // namespace
}  // namespace plumb::lang
