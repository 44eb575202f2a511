// SPDX-License-Identifier: Apache-2.0
// What a verdict shows must be true: the order of one that holds, and the core
// of one that is violated.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "check/decide.h"
#include "oracle/definition.h"
#include "oracle/judged.h"
#include "spec/catalogue.h"
#include "support/histories.h"
#include "support/random_conditions.h"
#include "support/random_histories.h"

namespace plumb::testing {
namespace {

using check::Answer;
using check::Condition;
using check::Decider;
using check::Verdict;
using history::History;
using oracle::Judged;

using Indices = std::vector<std::uint32_t>;

// Can these operations run one after the other, with what was seen of them?
bool runs(const spec::Specification& object, const History& history,
          const Indices& order) {
  std::vector<spec::State> states = {object.initial()};
  for (const std::uint32_t index : order) {
    const history::Operation& operation = history.operations[index];
    std::vector<spec::State> next;
    for (const spec::State& state : states) {
      std::vector<spec::Outcome> outcomes;
      object.apply(state, operation.call(), outcomes);
      for (spec::Outcome& outcome : outcomes) {
        if (operation.pending() || outcome.result == operation.result) {
          next.push_back(std::move(outcome.next));
        }
      }
    }
    states = std::move(next);
  }
  return !states.empty();
}

// What is wrong with an order, "" if nothing is.
std::string fault_of_order(const History& history,
                           const spec::Specification& object,
                           const Condition& condition, const Indices& order) {
  const Judged all = oracle::judged(history, condition.order);
  std::vector<bool> taken(all.size());
  for (const std::uint32_t index : order) {
    const auto found = std::find(all.origin.begin(), all.origin.end(), index);
    if (found == all.origin.end()) return "it has what is not judged";
    const auto i = static_cast<std::size_t>(found - all.origin.begin());
    if (!oracle::may_follow(all, taken, i)) {
      return "operation " + std::to_string(index) + " may not come there";
    }
    taken[i] = true;
  }
  if (!oracle::is_whole(all, taken)) return "it lacks a completed operation";
  // With factors, the order is pi, and need not be legal.
  if (condition.relaxed() || runs(object, history, order)) return "";
  return "the object does not accept it";
}

// Is the history violated when all others that returned are left out?
bool is_core(const History& history, const spec::Specification& object,
             const Condition& condition, const Indices& core) {
  const Judged all = oracle::judged(history, condition.order);
  const Judged left = oracle::restricted(all, [&](std::size_t i) {
    return all.operations[i].pending() ||
           std::find(core.begin(), core.end(), all.origin[i]) != core.end();
  });
  return !oracle::holds(left, object, condition);
}

std::string shown(const Indices& indices) {
  std::string text;
  for (const auto index : indices) text += " " + std::to_string(index);
  return text;
}

class Evidence : public ::testing::TestWithParam<std::string> {
 protected:
  // What is wrong with the evidence for this history, "" if nothing is.
  std::string fault(const History& history, const Condition& condition,
                    Decider decider) {
    Budget budget;
    const Verdict verdict =
        check::decide(history, *object_, condition,
                      {.want_order = true, .decider = decider}, budget);
    if (verdict.answer == Answer::kHolds) {
      ++orders_;
      const std::string fault =
          fault_of_order(history, *object_, condition, verdict.order);
      if (fault.empty()) return "";
      return "the order" + shown(verdict.order) + ": " + fault;
    }
    if (verdict.answer == Answer::kUnknown) return "";
    ++cores_;
    if (verdict.core.empty()) return "there is no core";
    if (!condition.local()) return "";
    if (is_core(history, *object_, condition, verdict.core)) return "";
    return "the core" + shown(verdict.core) + " can be explained";
  }

  void examine(const History& history, const Condition& condition) {
    for (const Decider decider :
         {Decider::kAuto, Decider::kGeneral, Decider::kSpecial}) {
      if (fault(history, condition, decider).empty()) continue;
      const History small = shrink(history, [&](const History& smaller) {
        return !fault(smaller, condition, decider).empty();
      });
      FAIL() << GetParam() << ", " << describe(condition) << ", decider "
             << static_cast<int>(decider) << ": "
             << fault(small, condition, decider) << "\n"
             << picture(small, *object_);
    }
  }

  const spec::SpecificationPtr object_ = spec::make(GetParam());
  std::mt19937 random_{3141};
  int orders_ = 0, cores_ = 0;
};

TEST_P(Evidence, ForEveryOrderIsTrue) {
  for (int round = 0; round < 600; ++round) {
    const RandomShape shape = random_shape(random_, 8);
    examine(random_history(random_, *object_, shape), random_order(random_));
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(orders_, 50);
  EXPECT_GT(cores_, 50);
}

TEST_P(Evidence, WithFactorsIsTrue) {
  for (int round = 0; round < 200; ++round) {
    const RandomShape shape = random_shape(random_, 5);
    const Condition condition = random_quasi(random_, *object_);
    if (condition.reading == check::Reading::kLiteral) continue;
    examine(random_history(random_, *object_, shape), condition);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(orders_, 20);
}

INSTANTIATE_TEST_SUITE_P(
    Deciders, Evidence, ::testing::ValuesIn(all_objects()),
    [](const ::testing::TestParamInfo<std::string>& object) {
      return test_name(object.param);
    });

}  // namespace
}  // namespace plumb::testing
