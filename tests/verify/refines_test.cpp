// SPDX-License-Identifier: Apache-2.0
#include "verify/refines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "spec/catalogue.h"

namespace plumb::verify {
namespace {

using check::Answer;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Value number(std::int64_t n) {
  return Value::integer(n);
}

Comparison compared(const spec::Specification& left,
                    const spec::Specification& right, std::int64_t values,
                    std::uint32_t operations = 0, const Options& options = {}) {
  SpecificationPair pair{left, right, {}, {}, operations};
  for (const spec::Signature& signature : left.operations()) {
    pair.codes.push_back(*spec::find_operation(right, signature.name));
    auto& arguments = pair.arguments.emplace_back();
    if (signature.argument == spec::Argument::kNone) arguments = {Value()};
    for (std::int64_t v = 1; v <= values && arguments.size() < 9; ++v) {
      if (signature.argument != spec::Argument::kNone) {
        arguments.push_back(number(v));
      }
    }
  }
  Budget budget;
  return check_refines(pair, options, budget);
}

std::vector<std::string> words(const spec::Specification& left,
                               const Comparison& found) {
  std::vector<std::string> out;
  for (const SpecificationStep& step : found.sequence) {
    out.push_back(std::string(left.operations()[step.call.code].name) + " " +
                  step.call.argument.to_string() + " " +
                  step.result.to_string());
  }
  return out;
}

TEST(Refines, ASpecificationRefinesItself) {
  for (const char* name : {"queue(2)", "stack(2)", "bag(3)", "set", "mutex",
                           "priority_queue(3)"}) {
    const auto object = spec::make(name);
    const Comparison found = compared(*object, *object, 2);
    EXPECT_EQ(found.outcome.answer, Answer::kHolds) << name;
    EXPECT_EQ(found.outcome.statistics.states,
              found.outcome.statistics.specification_states)
        << name;
  }
}

TEST(Refines, AViolationIsAShortestSequence) {
  const auto bag = spec::make("bag(2)");
  const auto blocking = spec::make("blocking_bag(2)");
  const Comparison found = compared(*bag, *blocking, 2);
  EXPECT_EQ(found.outcome.answer, Answer::kViolated);
  EXPECT_THAT(words(*bag, found), ElementsAre("take null null"));
  EXPECT_THAT(found.possible, IsEmpty());
  EXPECT_EQ(compared(*blocking, *bag, 2).outcome.answer, Answer::kHolds);
}

TEST(Refines, SaysWhatTheOtherCouldHaveGiven) {
  const auto small = spec::make("queue(1)");
  const auto large = spec::make("queue(2)");
  const Comparison found = compared(*small, *large, 1);
  EXPECT_EQ(found.outcome.answer, Answer::kViolated);
  EXPECT_THAT(words(*small, found), ElementsAre("enq 1 true", "enq 1 false"));
  EXPECT_THAT(found.possible, ElementsAre(Value::boolean(true)));
}

TEST(Refines, SequencesMayBeBounded) {
  const auto three = spec::make("queue(3)");
  const auto four = spec::make("queue(4)");
  const Comparison within = compared(*three, *four, 1, 3);
  EXPECT_EQ(within.outcome.answer, Answer::kHolds);
  EXPECT_THAT(within.outcome.bounds_met, ElementsAre("3 operations"));
  EXPECT_EQ(compared(*three, *four, 1, 4).outcome.answer, Answer::kViolated);
  const auto endless = spec::make("queue");
  const Comparison same = compared(*endless, *endless, 2, 6);
  EXPECT_EQ(same.outcome.answer, Answer::kHolds);
  EXPECT_EQ(same.outcome.statistics.depth, 6u);
  // A bound that nothing reaches is not met.
  const auto mutex = spec::make("mutex");
  EXPECT_THAT(compared(*mutex, *mutex, 1, 6).outcome.bounds_met, IsEmpty());
}

TEST(Refines, LimitsMakeItUnknown) {
  const auto endless = spec::make("queue");
  Options options;
  options.state_limit = 1000;
  const Comparison found = compared(*endless, *endless, 2, 0, options);
  EXPECT_EQ(found.outcome.answer, Answer::kUnknown);
  EXPECT_EQ(found.outcome.reason, "the limit of 1,000 states was reached");
  SpecificationPair pair{*endless, *endless, {0, 1}, {{number(1)}, {Value()}}};
  Budget budget = Budget().with_steps(500);
  const Comparison stopped = check_refines(pair, {}, budget);
  EXPECT_EQ(stopped.outcome.answer, Answer::kUnknown);
  EXPECT_NE(stopped.outcome.reason, "");
}

// A table: state, call -> (result, next) for random comparison.
class Table final : public spec::Specification {
 public:
  static constexpr std::size_t kStates = 4;
  std::multimap<std::pair<std::size_t, std::size_t>,
                std::pair<std::int64_t, std::size_t>>
      rows;

  std::string name() const override { return "table"; }
  std::span<const spec::Signature> operations() const override {
    static constexpr spec::Signature kOperations[] = {
        {.name = "a", .result = spec::Result::kValue},
        {.name = "b", .result = spec::Result::kValue}};
    return kOperations;
  }
  spec::State initial() const override { return {number(0)}; }
  void apply(const spec::State& state, const spec::Call& call,
             std::vector<spec::Outcome>& outcomes) const override {
    const auto at = static_cast<std::size_t>(state[0].as_integer());
    const auto [begin, end] = rows.equal_range({at, call.code});
    for (auto row = begin; row != end; ++row) {
      spec::Outcome& outcome = outcomes.emplace_back();
      outcome.result = number(row->second.first);
      outcome.next = {number(static_cast<std::int64_t>(row->second.second))};
    }
  }
};

Table random_table(std::uint32_t& seed, std::size_t rows) {
  const auto next = [&](std::uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
  };
  Table table;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t from = next(Table::kStates);
    const std::size_t call = next(2);
    const std::int64_t result = next(2);
    const std::size_t to = next(Table::kStates);
    table.rows.insert({{from, call}, {result, to}});
  }
  return table;
}

using Sequence = std::vector<std::pair<std::size_t, std::int64_t>>;

// All sequences of at most `length` steps, one by one.
void sequences(const Table& table, const std::set<std::size_t>& states,
               std::size_t length, Sequence& so_far, std::set<Sequence>& out) {
  out.insert(so_far);
  if (length == 0) return;
  for (std::size_t call = 0; call < 2; ++call) {
    for (std::int64_t result = 0; result < 2; ++result) {
      std::set<std::size_t> next;
      for (const std::size_t state : states) {
        const auto [begin, end] = table.rows.equal_range({state, call});
        for (auto row = begin; row != end; ++row) {
          if (row->second.first == result) next.insert(row->second.second);
        }
      }
      if (next.empty()) continue;
      so_far.emplace_back(call, result);
      sequences(table, next, length - 1, so_far, out);
      so_far.pop_back();
    }
  }
}

// After `a` the right one may be in one of two states, after `b` in one of
// them only: that the first is all right says nothing of the second.
TEST(Refines, ALargerSetDoesNotCoverASmallerOne) {
  Table left, right;
  left.rows = {{{0, 0}, {0, 1}}, {{0, 1}, {0, 1}}, {{1, 0}, {1, 1}}};
  right.rows = {
      {{0, 0}, {0, 1}}, {{0, 0}, {0, 2}}, {{0, 1}, {0, 1}}, {{2, 0}, {1, 2}}};
  const Comparison found = compared(left, right, 0);
  EXPECT_EQ(found.outcome.answer, Answer::kViolated);
  EXPECT_THAT(words(left, found), ElementsAre("b null 0", "a null 1"));
  // The other way round, the larger one need not be looked at again.
  right.rows.insert({{1, 0}, {1, 1}});
  left.rows.insert({{1, 1}, {0, 0}});
  right.rows.insert({{1, 1}, {0, 0}});
  EXPECT_EQ(compared(left, right, 0).outcome.answer, Answer::kHolds);
}

// Inclusion of sequences, by listing them all up to a length.
TEST(Refines, AgreesWithAllSequencesOfRandomTables) {
  std::uint32_t seed = 7;
  std::size_t holds = 0, violated = 0;
  for (std::size_t round = 0; round < 600; ++round) {
    const Table left = random_table(seed, 3 + round % 6);
    Table right = random_table(seed, 4 + round % 9);
    if (round % 3 == 0) {  // near to the left one
      for (const auto& row : left.rows) right.rows.insert(row);
    }
    constexpr std::size_t kLength = 5;
    std::set<Sequence> of_left, of_right;
    Sequence none;
    sequences(left, {0}, kLength, none, of_left);
    sequences(right, {0}, kLength, none, of_right);
    std::size_t shortest = SIZE_MAX;
    for (const Sequence& one : of_left) {
      if (!of_right.contains(one)) shortest = std::min(shortest, one.size());
    }
    const Comparison found = compared(left, right, 0, kLength);
    const bool is_included = shortest == SIZE_MAX;
    ASSERT_EQ(found.outcome.answer,
              is_included ? Answer::kHolds : Answer::kViolated)
        << round;
    (is_included ? holds : violated) += 1;
    if (is_included) continue;
    ASSERT_EQ(found.sequence.size(), shortest) << round;
  }
  EXPECT_GT(holds, 100u);
  EXPECT_GT(violated, 100u);
}

}  // namespace
}  // namespace plumb::verify
