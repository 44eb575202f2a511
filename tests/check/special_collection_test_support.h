// SPDX-License-Identifier: Apache-2.0
// Random and all small histories of queue, stack and priority queue.
#pragma once

#include <memory>
#include <utility>

#include "check/special_test_support.h"

namespace plumb::check::special_test {

// Operation codes of a container: put 0, take 1 (asserted in the tests).
inline constexpr std::uint16_t kPut = 0, kTake = 1;

// Puts of distinct values, given by a function of their number, and takes.
inline std::function<NextCall()> container_calls(
    Random& random, std::function<Value(std::int64_t)> value_of) {
  return [&random, value_of] {
    const std::uint32_t percent_puts = 35 + below(random, 40);
    auto numbers = std::make_shared<std::vector<std::int64_t>>(16);
    std::iota(numbers->begin(), numbers->end(), 1);
    if (chance(random, 50)) {
      std::shuffle(numbers->begin(), numbers->end(), random);
    }
    auto used = std::make_shared<std::size_t>(0);
    return [=](Random& r) -> spec::Call {
      if (!chance(r, percent_puts)) return {kTake, Value()};
      return {kPut, value_of((*numbers)[(*used)++])};
    };
  };
}

// Swaps the results of two takes, or makes one up.
inline void change_takes(History& history, Random& random) {
  Indices takes;
  std::vector<Value> values = {Value(), Value::integer(77)};
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    const Operation& operation = history.operations[i];
    if (operation.code == kPut) values.push_back(operation.argument);
    if (operation.code == kTake && !operation.pending()) takes.push_back(i);
  }
  if (takes.empty()) return;
  Operation& one = history.operations[takes[below(
      random, static_cast<std::uint32_t>(takes.size()))]];
  Operation& other = history.operations[takes[below(
      random, static_cast<std::uint32_t>(takes.size()))]];
  if (chance(random, 60)) {
    std::swap(one.result, other.result);
  } else {
    one.result =
        values[below(random, static_cast<std::uint32_t>(values.size()))];
  }
}

// The same, and some operations never return.
inline void change_and_lose_some(History& history, Random& random) {
  if (chance(random, 30)) change_takes(history, random);
  const std::uint32_t percent = 20 + below(random, 60);
  for (Operation& operation : history.operations) {
    if (!chance(random, operation.code == kTake ? percent : 10)) continue;
    operation.returned = history::kNever;
    operation.result = Value();
  }
}

// Many pending takes, of which several may have taken effect.
inline void compare_with_lost_takes(std::string_view name, std::uint32_t seed,
                                    int rounds) {
  Random random(seed);
  Comparison comparison(name);
  const auto calls =
      container_calls(random, [](std::int64_t n) { return Value::integer(n); });
  for (int round = 0; round < rounds; ++round) {
    Look look;
    look.operations = 10;
    look.coarse = 1 + below(random, 2);
    History history =
        Simulation(comparison.object(), look, random).run(calls());
    change_and_lose_some(history, random);
    comparison.judge(history, random);
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_EQ(comparison.decided(), comparison.total());
  EXPECT_GT(comparison.violated(), comparison.total() / 40);
}

// Gives the operations of `history` every combination of puts of 1, 2, ...
// and takes with every result, and judges each.
inline void judge_all_calls(Comparison& comparison, History history,
                            std::size_t next, std::int64_t values,
                            Random& random) {
  if (::testing::Test::HasFatalFailure()) return;
  if (next == history.size()) {
    comparison.judge(history, random);
    return;
  }
  Operation& operation = history.operations[next];
  operation.code = kPut;
  operation.argument = Value::integer(values + 1);
  operation.result = Value();
  judge_all_calls(comparison, history, next + 1, values + 1, random);
  operation.code = kTake;
  operation.argument = Value();
  const auto most = static_cast<std::int64_t>(history.size());
  for (std::int64_t v = 0; v < (operation.pending() ? 1 : most); ++v) {
    operation.result = v == 0 ? Value() : Value::integer(v);
    judge_all_calls(comparison, history, next + 1, values, random);
  }
}

// The same with puts of 1 and 2 only, so that values repeat.
inline void judge_all_repeats(Comparison& comparison, History history,
                              std::size_t next, Random& random) {
  if (::testing::Test::HasFatalFailure()) return;
  if (next == history.size()) {
    comparison.judge(history, random);
    return;
  }
  Operation& operation = history.operations[next];
  for (std::int64_t v = 1; v <= 2; ++v) {
    operation.code = kPut;
    operation.argument = Value::integer(v);
    operation.result = Value();
    judge_all_repeats(comparison, history, next + 1, random);
  }
  operation.code = kTake;
  operation.argument = Value();
  for (std::int64_t v = 0; v < (operation.pending() ? 1 : 3); ++v) {
    operation.result = v == 0 ? Value() : Value::integer(v);
    judge_all_repeats(comparison, history, next + 1, random);
  }
}

inline void compare_repeats_exhaustively(Comparison& comparison) {
  Random random(6);
  for (std::size_t size = 1; size <= 4; ++size) {
    for_every_overlap(size, size <= 3, [&](const History& history) {
      judge_all_repeats(comparison, history, 0, random);
    });
  }
}

// Longer ones with up to three values and with lost operations, some from few
// processes and some in which nearly everything overlaps.
inline void compare_repeats_at_random(
    Comparison& comparison, std::uint32_t seed, int rounds,
    const std::function<Value(std::int64_t)>& value_of = Value::integer) {
  Random random(seed);
  for (int round = 0; round < rounds; ++round) {
    Look look;
    look.operations = 11;
    look.processes = 1 + below(random, 5);
    look.coarse = chance(random, 30) ? 2 + below(random, 6) : 1;
    const std::uint32_t values = 1 + below(random, 3);
    const std::uint32_t percent_puts = 35 + below(random, 30);
    const NextCall call = [=, &value_of](Random& r) -> spec::Call {
      if (!chance(r, percent_puts)) return {kTake, Value()};
      return {kPut, value_of(1 + below(r, values))};
    };
    History history = Simulation(comparison.object(), look, random).run(call);
    if (chance(random, 60)) change_takes(history, random);
    if (chance(random, 20)) change_takes(history, random);
    if (chance(random, 30)) change_and_lose_some(history, random);
    comparison.judge(history, random);
    if (::testing::Test::HasFatalFailure()) {
      ADD_FAILURE() << "in round " << round;
      return;
    }
  }
  EXPECT_EQ(comparison.decided(), comparison.total());
  EXPECT_GT(comparison.violated(), comparison.total() / 10);
}

inline void compare_exhaustively(Comparison& comparison) {
  Random random(5);
  for (std::size_t size = 1; size <= 4; ++size) {
    for_every_overlap(size, size <= 3, [&](const History& history) {
      judge_all_calls(comparison, history, 0, 0, random);
    });
  }
}

}  // namespace plumb::check::special_test
