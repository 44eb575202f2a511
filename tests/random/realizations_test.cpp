// SPDX-License-Identifier: Apache-2.0
// Judging an execution against judging every history that it admits.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "check/decide.h"
#include "harness/judge.h"
#include "oracle/definition.h"
#include "spec/catalogue.h"
#include "support/random_conditions.h"
#include "support/random_histories.h"
#include "support/random_traces.h"

namespace plumb::testing {
namespace {

using check::Answer;
using check::Condition;
using harness::CallTrace;
using harness::Judge;
using harness::Judgement;
using history::History;
using history::Operation;

// Calls with the arguments 1 and 2, or pairs of them.
std::vector<spec::Call> calls_of(const spec::Specification& object) {
  std::vector<spec::Call> out;
  const auto signatures = object.operations();
  for (std::uint16_t code = 0; code < signatures.size(); ++code) {
    for (int n = 1; n <= 2; ++n) {
      Value argument = Value::integer(n);
      if (signatures[code].argument == spec::Argument::kPair) {
        argument = Value::list(std::vector{argument, Value::integer(3 - n)});
      } else if (signatures[code].argument == spec::Argument::kNone) {
        if (n == 2) break;
        argument = Value();
      }
      out.push_back({code, argument});
    }
  }
  return out;
}

// Which operation came before which, and what each gave: what a verdict
// depends on.
std::string key_of(const History& history) {
  std::string out;
  for (const Operation& a : history.operations) {
    out += std::to_string(a.process) + ':';
    for (const Operation& b : history.operations) {
      out += precedes(b, a) ? '<' : '.';
      out += std::to_string(b.process);
    }
  }
  return out;
}

struct Expected {
  bool violated = false;
  std::size_t histories = 0;
};

// All histories that the trace admits, one by one.
Expected expected(const CallTrace& trace, const Judge& judge, bool by_oracle) {
  std::map<std::string, bool> known;
  Expected out;
  for_each_order(trace, [&](const std::vector<std::uint8_t>& ends) {
    const History history = judge.history_of(trace, ends);
    const auto [entry, is_new] = known.try_emplace(key_of(history), false);
    if (!is_new) return;
    Budget budget;
    entry->second =
        by_oracle ? oracle::holds(history, judge.object(), judge.condition())
                  : check::decide(history, judge.object(), judge.condition(),
                                  {}, budget)
                            .answer == Answer::kHolds;
    out.violated |= !entry->second;
  });
  out.histories = known.size();
  return out;
}

// What is wrong with what the judge says of single histories, or "".
std::string fault_of_single(const CallTrace& trace, Judge& judge) {
  int left = 20;
  std::string fault;
  for_each_order(trace, [&](const std::vector<std::uint8_t>& ends) {
    if (left-- <= 0) return;
    Budget budget;
    const Answer answer = judge.judge_history(trace, ends, budget).answer;
    const History history = judge.history_of(trace, ends);
    if (answer !=
        check::decide(history, judge.object(), judge.condition(), {}, budget)
            .answer) {
      fault = "a single history";
    }
  });
  return fault;
}

// What is wrong with what the judge says of the trace, or "".
std::string fault_of(const CallTrace& trace, Judge& judge,
                     const Expected& right) {
  Budget budget;
  const Judgement judgement = judge.judge(trace, budget);
  if (judgement.answer == Answer::kUnknown) {
    const bool closed = judge.condition().closed || judge.condition().literal();
    return closed && trace.pending != 0 ? "" : judgement.reason;
  }
  if ((judgement.answer == Answer::kViolated) != right.violated) {
    return right.violated ? "it is violated" : "it holds";
  }
  if (!right.violated) return "";
  Budget another;
  const History history = judge.history_of(trace, judgement.ends);
  const auto verdict =
      check::decide(history, judge.object(), judge.condition(), {}, another);
  if (verdict.answer != Answer::kViolated) return "its history holds";
  bool admitted = false;
  for_each_order(trace, [&](const std::vector<std::uint8_t>& ends) {
    admitted |= ends == judgement.ends;
  });
  return admitted ? "" : "its history is not admitted";
}

struct Totals {
  int violated = 0, holds = 0;
};

CallTrace random_execution(std::mt19937& random, const Judge& judge,
                           const std::vector<spec::Call>& calls,
                           std::uint32_t most) {
  TraceShape shape;
  shape.calls = 1 + below(random, most);
  shape.threads = 1 + below(random, 3);
  shape.variables = 1 + below(random, 3);
  CallTrace trace = random_trace(random, shape);
  give_results(trace, random, calls, judge.object());
  return trace;
}

Condition random_condition(std::mt19937& random,
                           const spec::Specification& object, int round) {
  Condition condition = random_order(random);
  const check::Order order = condition.order;
  if (round % 3 == 1) condition = random_quasi(random, object);
  if (round % 3 == 2) condition = random_transformed(random, object);
  condition.order = order;
  return condition;
}

// `realizations`: how many are judged one by one, before all are at once.
void compare(const std::string& name, std::uint64_t realizations, int rounds,
             std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto object = spec::make(name);
  const std::vector<spec::Call> calls = calls_of(*object);
  Totals totals;
  for (int round = 0; round < rounds; ++round) {
    const Condition condition = random_condition(random, *object, round);
    Judge judge(calls, object, condition);
    judge.set_limits({.realizations = realizations});
    if (realizations == 0 &&
        (condition.order == check::Order::kProgram || condition.literal())) {
      continue;
    }
    // Several with one judge, which remembers them.
    for (int k = 0; k < 5; ++k) {
      const bool by_oracle = k == 0;
      const CallTrace trace = random_execution(random, judge, calls,
                                               by_oracle        ? 3
                                               : round % 4 == 0 ? 5
                                                                : 4);
      const Expected right = expected(trace, judge, by_oracle);
      ++(right.violated ? totals.violated : totals.holds);
      ASSERT_EQ(fault_of_single(trace, judge), "") << describe(trace);
      ASSERT_EQ(fault_of(trace, judge, right), "")
          << "round " << round << ", " << describe(condition) << "\n"
          << describe(trace);
    }
  }
  EXPECT_GT(totals.violated, rounds / 20);
  EXPECT_GT(totals.holds, rounds / 20);
}

class Realizations : public ::testing::TestWithParam<std::string> {};
class AtOnce : public ::testing::TestWithParam<std::string> {};

TEST_P(Realizations, DecideLikeAllHistories) {
  compare(GetParam(), 1'000'000, 800, 100);
}

TEST_P(AtOnce, RealizationsDecideLikeAllHistories) {
  compare(GetParam(), 0, 1200, 200);
}

const std::string kObjects[] = {
    "queue",   "stack",          "register",         "set",
    "counter", "priority_queue", "blocking_queue(1)"};

INSTANTIATE_TEST_SUITE_P(Objects, Realizations, ::testing::ValuesIn(kObjects),
                         [](const auto& chosen) {
                           return test_name(chosen.param);
                         });
INSTANTIATE_TEST_SUITE_P(Keys, Realizations, ::testing::Values("map"));
INSTANTIATE_TEST_SUITE_P(Objects, AtOnce, ::testing::ValuesIn(kObjects),
                         [](const auto& chosen) {
                           return test_name(chosen.param);
                         });

}  // namespace
}  // namespace plumb::testing
