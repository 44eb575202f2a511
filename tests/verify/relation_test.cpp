// SPDX-License-Identifier: Apache-2.0
// Relations that are simulations, and those that are not.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lts/abstraction.h"
#include "lts/path.h"
#include "verify/order_test_support.h"

namespace plumb::verify {
namespace {

using check::Answer;
using check::Order;
using testing::deq;
using testing::deqs;
using testing::enq;
using testing::enqs;
using testing::internal;
using testing::number;
using testing::Runs;
using Queue = std::vector<std::int64_t>;

// States of a table by their numbers.  One that is not mentioned cannot be
// evaluated.
class Table : public lts::Abstraction {
 public:
  Table(const testing::TableSystem& system,
        std::map<std::size_t, std::vector<Queue>> queues)
      : system_(system), queues_(std::move(queues)) {}

  std::optional<std::string> relate(
      lts::StateView state,
      std::vector<std::vector<Value>>& out) const override {
    const auto found = queues_.find(system_.decode(state));
    if (found == queues_.end()) return "line 7: not this one";
    for (const Queue& queue : found->second) {
      auto& values = out.emplace_back();
      for (const std::int64_t n : queue) values.push_back(number(n));
    }
    return std::nullopt;
  }

 private:
  const testing::TableSystem& system_;
  std::map<std::size_t, std::vector<Queue>> queues_;
};

class Coupled : public ::testing::Test {
 protected:
  // 0 -enq(1)- 1 -enq(2)- 2 -returns- 3 -returns- 4 -deq- 5 -2- 6
  Coupled() {
    runs_.add({enq(0, 1), enq(1, 2), enqs(1), enqs(0), deq(1), deqs(1, 2)});
  }
  Outcome check(std::map<std::size_t, std::vector<Queue>> queues,
                const Options& options = {}) {
    const Table table(runs_.system, std::move(queues));
    Budget budget;
    return check_relation(runs_.question(), table, Order::kQuiescent, options,
                          budget);
  }
  Runs runs_;
};

TEST_F(Coupled, ARelationOfQuiescentStatesIsEnough) {
  const Outcome outcome = check({{0, {{}}}, {4, {{2, 1}}}, {6, {{1}}}});
  EXPECT_EQ(outcome.answer, Answer::kHolds);
  EXPECT_EQ(outcome.statistics.method, "coupled simulation");
  EXPECT_EQ(outcome.statistics.states, 7u);
  EXPECT_TRUE(outcome.details.empty());
}

TEST_F(Coupled, TheInitialStatesMustBeRelated) {
  for (const auto& first : {std::vector<Queue>{{1}}, std::vector<Queue>{}}) {
    const Outcome outcome = check({{0, first}, {4, {{2, 1}}}, {6, {{1}}}});
    EXPECT_EQ(outcome.answer, Answer::kViolated);
    EXPECT_EQ(outcome.reason, "obligation 'initialisation' fails");
    EXPECT_EQ(outcome.path->size(), 0u);
    EXPECT_EQ(outcome.details[1], first.empty() ? "it is related to: nothing"
                                                : "it is related to: [1]");
  }
}

TEST_F(Coupled, AReturnToQuiescenceMustLeadToWhatIsRelated) {
  const Outcome outcome = check({{0, {{}}}, {4, {{1, 2, 2}}}, {6, {{1}}}});
  ASSERT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.reason, "obligation 'return to quiescent' fails");
  EXPECT_NE(outcome.hint.find("of the object nothing is known"),
            std::string::npos);
  EXPECT_FALSE(outcome.history) << "no history is refuted";
  ASSERT_TRUE(outcome.path);
  EXPECT_TRUE(is_run_of(*outcome.path, runs_.system));
  EXPECT_EQ(outcome.path->size(), 4u);
  const std::vector<std::string> expected = {
      "state before: state = 3",
      "state after: state = 4",
      "related when nothing was pending before: []",
      "operations since then: enq(2), enq(1)",
      "related now: [1, 2, 2]",
      "orders of them lead from [] to: [2, 1], [1, 2]"};
  ASSERT_EQ(outcome.details.size(), expected.size());
  for (std::size_t i = 0; i + 1 < expected.size(); ++i) {
    EXPECT_EQ(outcome.details[i], expected[i]);
  }
  EXPECT_NE(outcome.details.back().find("[1, 2]"), std::string::npos);
  EXPECT_NE(outcome.details.back().find("[2, 1]"), std::string::npos);
}

// The state after the first busy period has two possible pasts; a relation
// with both must show that each of them goes on.
TEST_F(Coupled, EveryAbstractStateThatIsRelatedMustGoOn) {
  const Outcome outcome = check({{0, {{}}}, {4, {{1, 2}, {2, 1}}}, {6, {{1}}}});
  ASSERT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.path->size(), 6u);
  EXPECT_EQ(outcome.details.back(),
            "orders of them lead from [1, 2] to: nothing");
  EXPECT_EQ(runs_.check(Order::kQuiescent).answer, Answer::kHolds);
}

TEST_F(Coupled, AQuiescentStateMustBeRelatedToSomething) {
  const Outcome outcome = check({{0, {{}}}, {4, {}}, {6, {{1}}}});
  ASSERT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.reason, "obligation 'return to quiescent' fails");
  EXPECT_EQ(outcome.details[4], "related now: nothing");
}

TEST_F(Coupled, ARelationThatCannotBeEvaluatedFails) {
  const Outcome outcome = check({{0, {{}}}, {4, {{2, 1}}}});
  ASSERT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.path->size(), 6u);
  EXPECT_EQ(outcome.details[4],
            "related now: unknown, for the relation cannot be evaluated: line "
            "7: not this one");
}

TEST_F(Coupled, MoreRelatedStatesAreHarder) {
  // The same pair of operations, begun in a state with one possible past, and
  // sooner or later in one with two of which one is wrong.
  Runs runs(2);
  const std::size_t one = runs.add({enq(0, 1), enqs(0)});
  const std::size_t two =
      runs.add({enq(1, 1), enqs(1), deq(1), deqs(1, 1), enq(1, 1), enqs(1)});
  const std::size_t open = runs.add({deq(0)}, one);
  runs.join(two, {deq(0)}, open);
  const std::size_t last = runs.add({deqs(0, 1)}, open);
  std::map<std::size_t, std::vector<Queue>> queues = {
      {0, {{}}},    {4, {{1}}},        {6, {{}}},
      {one, {{1}}}, {two, {{1}, {2}}}, {last, {{}}}};
  const Table table(runs.system, queues);
  Budget budget;
  const Outcome outcome =
      check_relation(runs.question(), table, Order::kQuiescent, {}, budget);
  ASSERT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.path->size(), 8u);
}

TEST_F(Coupled, TheBoundOfBusyPeriodsCounts) {
  Options options;
  options.busy = {1, false};
  const Outcome outcome =
      check({{0, {{}}}, {4, {{2, 1}}}, {6, {{1}}}}, options);
  EXPECT_EQ(outcome.answer, Answer::kUnknown);
  EXPECT_EQ(outcome.bounds_met.size(), 1u);
}

TEST_F(Coupled, FaultsAreShownAsTheyAre) {
  runs_.system.fault(5, 1, 3, 99);
  const Outcome outcome = check({{0, {{}}}, {4, {{2, 1}}}, {6, {{1}}}});
  EXPECT_EQ(outcome.reason, "fault 3");
  EXPECT_TRUE(is_run_of(*outcome.path, runs_.system));
}

class Forward : public ::testing::Test {
 protected:
  // 0 -enq(1)- 1 -enq(1)- 2 -0's step- 3 -1's step- 4 -returns- 5 -returns- 6
  Forward() {
    runs_.add({enq(0, 1), enq(1, 1), internal(0, 2), internal(1, 2), enqs(1),
               enqs(0)});
  }
  Outcome check(std::map<std::size_t, std::vector<Queue>> queues) {
    const Table table(runs_.system, std::move(queues));
    Budget budget;
    return check_relation(runs_.question(), table, Order::kRealTime, {},
                          budget);
  }
  Runs runs_;
  const std::map<std::size_t, std::vector<Queue>> right_ = {
      {0, {{}}},     {1, {{}}},     {2, {{}}},    {3, {{1}}},
      {4, {{1, 1}}}, {5, {{1, 1}}}, {6, {{1, 1}}}};
};

TEST_F(Forward, EffectsMatchTheSteps) {
  const Outcome outcome = check(right_);
  EXPECT_EQ(outcome.answer, Answer::kHolds);
  EXPECT_EQ(outcome.statistics.method, "forward simulation");
}

TEST_F(Forward, EveryObligationHasItsName) {
  const std::vector<std::pair<std::size_t, std::string>> kinds = {
      {0, "initialisation"}, {1, "invocation"}, {3, "internal"}, {5, "return"}};
  for (const auto& [state, name] : kinds) {
    for (const bool evaluates : {true, false}) {
      auto wrong = right_;
      wrong[state] = {{9}};
      if (!evaluates) wrong.erase(state);
      const Outcome outcome = check(wrong);
      ASSERT_EQ(outcome.answer, Answer::kViolated) << state;
      EXPECT_EQ(outcome.reason, "obligation '" + name + "' fails");
      EXPECT_EQ(outcome.path->size(), state);
      EXPECT_TRUE(is_run_of(*outcome.path, runs_.system));
    }
  }
}

TEST_F(Forward, AFailureShowsWhatTheMachineMayBeIn) {
  auto wrong = right_;
  wrong[3] = {{}, {1}};
  wrong[4] = {{2}};
  const std::vector<std::string> expected = {
      "state before: state = 3",
      "state after: state = 4",
      "related after: [2]",
      "the specification before: []; enq(1) of process 0 has not taken "
      "effect; enq(1) of process 1 has not taken effect",
      "the specification before: [1]; process 0 is to return null; enq(1) of "
      "process 1 has not taken effect",
      "the specification before: [1]; enq(1) of process 0 has not taken "
      "effect; process 1 is to return null"};
  EXPECT_EQ(check(wrong).details, expected);
}

TEST_F(Forward, AnEffectMayComeAsLateAsTheReturn) {
  auto late = right_;
  late[4] = late[5] = {{1}};
  EXPECT_EQ(check(late).answer, Answer::kHolds);
  late[6] = {{1}};
  EXPECT_EQ(check(late).answer, Answer::kViolated);
}

TEST_F(Forward, SeveralEffectsMayMatchOneStep) {
  auto both = right_;
  both[3] = {{}};
  EXPECT_EQ(check(both).answer, Answer::kHolds);
}

TEST_F(Forward, AStateMayBeRelatedToSeveral) {
  auto more = right_;
  more[3] = {{}, {1}, {5}};
  more[4] = {{1}, {1, 1}};
  EXPECT_EQ(check(more).answer, Answer::kHolds);
}

TEST_F(Forward, AResultThatWasNotGivenFails) {
  Runs runs;
  runs.add(
      {enq(0, 1), internal(0, 2), enqs(0), deq(1), internal(1, 3), deqs(1, 2)});
  const Table table(runs.system, {{0, {{}}},
                                  {1, {{}}},
                                  {2, {{1}}},
                                  {3, {{1}}},
                                  {4, {{1}}},
                                  {5, {{}}},
                                  {6, {{}}}});
  Budget budget;
  const Outcome outcome =
      check_relation(runs.question(), table, Order::kRealTime, {}, budget);
  ASSERT_EQ(outcome.answer, Answer::kViolated);
  EXPECT_EQ(outcome.reason, "obligation 'return' fails");
  EXPECT_EQ(outcome.details.back(),
            "the specification before: []; process 1 is to return 1");
}

TEST(Relations, ThereAreNoneForOtherOrders) {
  Runs runs;
  runs.add({enq(0, 1), enqs(0)});
  const Table table(runs.system, {{0, {{}}}, {2, {{1}}}});
  Budget budget;
  const Outcome outcome =
      check_relation(runs.question(), table, Order::kProgram, {}, budget);
  EXPECT_EQ(outcome.answer, Answer::kUnknown);
  EXPECT_NE(outcome.reason, "");
}

}  // namespace
}  // namespace plumb::verify
