// SPDX-License-Identifier: Apache-2.0
// What must be true of the answers whatever the conditions mean in detail.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>

#include "oracle/definition.h"
#include "spec/catalogue.h"
#include "support/compare.h"
#include "support/histories.h"
#include "support/random_conditions.h"
#include "support/random_histories.h"

namespace plumb::testing {
namespace {

using check::Answer;
using check::Condition;
using check::Decider;
using check::Order;
using history::History;
using history::kNever;
using history::Moment;
using history::Operation;

class Invariance : public ::testing::TestWithParam<std::string> {
 protected:
  bool holds(const History& history, const Condition& condition) const {
    return answer_of(Decider::kAuto, history, *object_, condition).answer ==
           Answer::kHolds;
  }
  History next(std::uint32_t most) {
    return random_history(random_, *object_, random_shape(random_, most));
  }
  // For a message.
  std::string shown(const History& history, const Condition& condition) const {
    return GetParam() + ", " + describe(condition) + "\n" +
           picture(history, *object_);
  }
  Condition random_condition() {
    return below(random_, 2) == 0 ? random_order(random_)
                                  : random_quasi(random_, *object_);
  }

  const spec::SpecificationPtr object_ = spec::make(GetParam());
  std::mt19937 random_{1618};
};

History with_other_names(const History& history, std::mt19937& random) {
  History renamed = history;
  std::vector<std::uint32_t> names(history.processes.size());
  for (std::uint32_t i = 0; i < names.size(); ++i) names[i] = i;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    const auto rest = static_cast<std::uint32_t>(names.size()) - i;
    std::swap(names[i], names[i + below(random, rest)]);
  }
  for (Operation& operation : renamed.operations) {
    operation.process = names[operation.process];
  }
  return renamed;
}

// What had happened directly before `moment`.
History prefix(const History& history, Moment moment) {
  History start = history;
  std::erase_if(start.operations, [moment](const Operation& operation) {
    return operation.invoked >= moment;
  });
  for (Operation& operation : start.operations) {
    if (operation.pending() || operation.returned < moment) continue;
    operation.returned = kNever;
    operation.result = Value();
  }
  return start;
}

// Does a process go on after it has given a call up?
bool goes_on_after_pending(const History& history) {
  for (const Operation& a : history.operations) {
    for (const Operation& b : history.operations) {
      if (a.pending() && a.process == b.process && a.invoked < b.invoked) {
        return true;
      }
    }
  }
  return false;
}

TEST_P(Invariance, TheNamesOfProcessesDoNotMatter) {
  for (int round = 0; round < 150; ++round) {
    const History history = next(7);
    const Condition condition = random_condition();
    ASSERT_EQ(holds(history, condition),
              holds(with_other_names(history, random_), condition))
        << shown(history, condition);
  }
}

TEST_P(Invariance, EveryPrefixOfALinearizableHistoryIsLinearizable) {
  const Condition linearizable;
  for (int round = 0; round < 150; ++round) {
    const History history = next(8);
    if (!holds(history, linearizable)) continue;
    for (Moment moment = 0; moment < 2 * history.size(); ++moment) {
      ASSERT_TRUE(holds(prefix(history, moment), linearizable))
          << shown(history, linearizable) << "up to " << moment;
    }
  }
}

// LIMIT: not if something comes out before it comes in, since only further
// operations of the relaxed classes are thought of.
TEST_P(Invariance, EveryPrefixOfAHistoryThatHoldsOpenHolds) {
  for (int round = 0; round < 100; ++round) {
    const History history = next(5);
    Condition condition = random_quasi(random_, *object_);
    condition.order = Order::kRealTime;
    condition.reading = check::Reading::kInPlace;
    condition.closed = false;
    if (!holds(history, condition)) continue;
    for (Moment moment = 0; moment < 2 * history.size(); ++moment) {
      const History start = prefix(history, moment);
      if (holds(start, condition)) continue;
      ASSERT_TRUE(
          oracle::holds(start, *object_, condition, {.any_operation = true}) &&
          !oracle::holds(start, *object_, condition))
          << shown(history, condition) << "up to " << moment;
    }
  }
}

// A given-up call is before the next one of its process in program order, but
// not in real time.
TEST_P(Invariance, LinearizableIsTheStrongest) {
  Condition sequential, quiescent, both;
  sequential.order = Order::kProgram;
  quiescent.order = Order::kQuiescent;
  both.order = Order::kQuiescentAndProgram;
  int compared = 0;
  for (int round = 0; round < 300; ++round) {
    const History history = next(8);
    if (!holds(history, {})) continue;
    ASSERT_TRUE(holds(history, quiescent)) << shown(history, quiescent);
    ASSERT_TRUE(holds(history, both)) << shown(history, both);
    if (goes_on_after_pending(history)) continue;
    ASSERT_TRUE(holds(history, sequential)) << shown(history, sequential);
    ++compared;
  }
  EXPECT_GT(compared, 30);
}

TEST_P(Invariance, FactorZeroChangesNothing) {
  for (int round = 0; round < 200; ++round) {
    const History history = next(8);
    const Condition plain = random_order(random_);
    Condition zero = plain;
    for (const spec::Signature& signature : object_->operations()) {
      zero.factors[std::string(signature.name)] = 0;
    }
    ASSERT_EQ(holds(history, plain), holds(history, zero))
        << shown(history, zero);
    zero.closed = true;
    ASSERT_EQ(holds(history, plain), holds(history, zero))
        << shown(history, zero);
  }
}

TEST_P(Invariance, LargerFactorsAndOpennessAllowMore) {
  for (int round = 0; round < 150; ++round) {
    const History history = next(5);
    Condition condition = random_quasi(random_, *object_);
    // One class: several with large factors take the deciders too long.
    condition.factors.erase(std::next(condition.factors.begin()),
                            condition.factors.end());
    if (!holds(history, condition)) continue;
    Condition larger = condition;
    for (auto& [name, factor] : larger.factors) factor += below(random_, 2);
    ASSERT_TRUE(holds(history, larger)) << shown(history, larger);
    larger.closed = false;
    ASSERT_TRUE(holds(history, larger)) << shown(history, larger);
  }
}

TEST_P(Invariance, ALinearizableHistoryHoldsWithEveryFactor) {
  for (int round = 0; round < 150; ++round) {
    const History history = next(7);
    if (!holds(history, {})) continue;
    Condition condition = random_quasi(random_, *object_);
    condition.order = Order::kRealTime;
    ASSERT_TRUE(holds(history, condition)) << shown(history, condition);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Deciders, Invariance, ::testing::ValuesIn(all_objects()),
    [](const ::testing::TestParamInfo<std::string>& object) {
      return test_name(object.param);
    });

}  // namespace
}  // namespace plumb::testing
