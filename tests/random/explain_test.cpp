// SPDX-License-Identifier: Apache-2.0
// What an explanation says must be true by the definition, and not too much.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "check/decide.h"
#include "check/explain.h"
#include "oracle/definition.h"
#include "oracle/judged.h"
#include "spec/catalogue.h"
#include "support/histories.h"
#include "support/random_conditions.h"
#include "support/random_histories.h"

namespace plumb::testing {
namespace {

using check::Condition;
using check::Explanation;
using history::History;
using history::Operation;
using oracle::Judged;

// The prefix that ends at `until`, in which only `firm` are certain: the
// others, in their own time, had any result or did not happen.
Judged with_only(const History& history, const Condition& condition,
                 history::Moment until,
                 const std::vector<std::uint32_t>& firm) {
  Judged all = oracle::judged(history, condition.order);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Operation& o = history.operations[all.origin[i]];
    if (std::find(firm.begin(), firm.end(), all.origin[i]) != firm.end()) {
      continue;
    }
    all.operations[i].returned = history::kNever;
    all.operations[i].result = Value();
    // What returns after the end of the prefix precedes nothing in it.
    const bool later = o.returned > until && condition.local();
    if (later) all.before[i].assign(all.size(), false);
  }
  return oracle::restricted(all, [&](std::size_t i) {
    return history.operations[all.origin[i]].invoked <= until;
  });
}

class Explanations : public ::testing::TestWithParam<std::string> {
 protected:
  // What is wrong with the explanation of this history, "" if nothing is.
  std::string fault(const History& history, const Condition& condition) {
    Budget budget;
    const auto verdict =
        check::decide(history, *object_, condition, {}, budget);
    if (verdict.answer != check::Answer::kViolated) return "";
    ++explained_;
    const Explanation why =
        check::explain(history, *object_, condition, verdict, budget);
    if (why.culprits.empty()) return "there are no culprits";
    const auto holds_with = [&](const std::vector<std::uint32_t>& firm) {
      return oracle::holds(with_only(history, condition, why.until, firm),
                           *object_, condition);
    };
    if (holds_with(why.culprits)) return "the culprits can be explained";
    std::vector<std::uint32_t> order = why.order;
    std::sort(order.begin(), order.end());
    if (std::adjacent_find(order.begin(), order.end()) != order.end()) {
      return "the longest order has an operation twice";
    }
    if (history.operations[why.last].returned != why.until) {
      return "the last operation does not return at the end";
    }
    if (!why.is_minimal) return "";
    for (const std::uint32_t culprit : why.culprits) {
      std::vector<std::uint32_t> rest = why.culprits;
      std::erase(rest, culprit);
      if (!rest.empty() && !holds_with(rest)) return "there are too many";
    }
    return "";
  }

  void examine(const History& history, const Condition& condition) {
    if (fault(history, condition).empty()) return;
    const History small = shrink(history, [&](const History& smaller) {
      return !fault(smaller, condition).empty();
    });
    FAIL() << GetParam() << ", " << describe(condition) << ": "
           << fault(small, condition) << "\n"
           << picture(small, *object_);
  }

  const spec::SpecificationPtr object_ = spec::make(GetParam());
  std::mt19937 random_{2718};
  int explained_ = 0;
};

TEST_P(Explanations, AreTrueAndMinimal) {
  for (int round = 0; round < 2000; ++round) {
    const RandomShape shape = random_shape(random_, 6);
    examine(random_history(random_, *object_, shape), random_order(random_));
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(explained_, 100);
}

INSTANTIATE_TEST_SUITE_P(
    Deciders, Explanations, ::testing::ValuesIn(all_objects()),
    [](const ::testing::TestParamInfo<std::string>& object) {
      return test_name(object.param);
    });

}  // namespace
}  // namespace plumb::testing
