// SPDX-License-Identifier: Apache-2.0
// Orders weaker than real time against all traces, on random systems.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "check/condition.h"
#include "history/history.h"
#include "lts/path.h"
#include "oracle/definition.h"
#include "oracle/traces.h"
#include "spec/catalogue.h"
#include "support/busy_system.h"
#include "support/object_system.h"
#include "support/table_system.h"
#include "verify/outcome.h"

namespace plumb::testing {
namespace {

using check::Answer;
using check::Order;
using verify::Options;
using verify::Outcome;

constexpr Order kOrders[] = {Order::kQuiescent, Order::kProgram,
                             Order::kQuiescentAndProgram};

oracle::TraceVerdict expect(const lts::System& system,
                            const spec::Specification& object, Order order,
                            std::uint32_t busy, oracle::TraceLimits limits) {
  return oracle::check_traces(BusySystem(system, busy), object, limits,
                              [&](const history::History& history) {
                                check::Condition condition;
                                condition.order = order;
                                return oracle::holds(history, object,
                                                     condition);
                              });
}

Outcome answer(const lts::System& system, const spec::Specification& object,
               Order order, const Options& options) {
  const verify::Question question{system, &object, {}, {}};
  Budget budget;
  return check_order(question, order, options, budget);
}

// All ways to search, which need not find a shortest run each.
struct Way {
  std::string name;
  Options options;
  bool shortest = true;
};

std::vector<Way> ways(std::uint32_t busy) {
  std::vector<Way> all(4);
  all[0].name = "breadth-first";
  all[1].name = "depth-first";
  all[1].options.order = Options::Order::kDepthFirst;
  all[1].shortest = false;
  all[2].name = "compact";
  all[2].options.store = Options::Store::kCompact;
  all[3].name = "bits";
  all[3].options.store = Options::Store::kBitstate;
  all[3].options.table_bytes = 1 << 20;
  for (Way& way : all) way.options.busy.most = busy;
  return all;
}

// What is wrong with `outcome`, or "".
std::string fault_of(const Outcome& outcome, const Way& way,
                     const lts::System& system,
                     const oracle::TraceVerdict& expected) {
  const bool lossy = way.options.store != Options::Store::kExact;
  const Answer answer = expected.violated ? Answer::kViolated
                        : lossy           ? Answer::kUnknown
                                          : Answer::kHolds;
  if (outcome.answer != answer) {
    return std::string("the answer is ") + to_string(outcome.answer) + " (" +
           outcome.reason + "), not " + to_string(answer);
  }
  if (!expected.violated) return "";
  if (!outcome.path || !is_run_of(*outcome.path, system)) return "no run";
  if (way.shortest && outcome.path->size() != *expected.violated) {
    return "the run has " + std::to_string(outcome.path->size()) +
           " steps, not " + std::to_string(*expected.violated);
  }
  return "";
}

TEST(Orders, AgreeWithAllTracesOnRandomImplementations) {
  std::mt19937 random(1914);  // fixed: a failure here is one everywhere
  std::map<Order, std::map<Answer, int>> answers;
  int cut = 0;
  for (int round = 0; round < 200; ++round) {
    const ObjectSystem system(random_program(random));
    const spec::Specification& object = *system.program().object;
    for (const Order order : kOrders) {
      // Sequential consistency knows no busy periods.
      const std::uint32_t busy =
          order == Order::kProgram ? 0 : static_cast<std::uint32_t>(round) % 4;
      const auto expected = expect(system, object, order, busy, {});
      if (!expected.complete && !expected.violated) continue;
      for (const Way& way : ways(busy)) {
        const Outcome outcome = answer(system, object, order, way.options);
        ASSERT_EQ(fault_of(outcome, way, system, expected), "")
            << way.name << ", order " << static_cast<int>(order) << ", busy "
            << busy << ", in round " << round << ": " << system.to_string();
        cut += outcome.bounds_met.empty() ? 0 : 1;
      }
      ++answers[order][expected.violated ? Answer::kViolated : Answer::kHolds];
    }
  }
  for (const Order order : kOrders) {
    EXPECT_GT(answers[order][Answer::kHolds], 30) << static_cast<int>(order);
    EXPECT_GT(answers[order][Answer::kViolated], 15) << static_cast<int>(order);
  }
  EXPECT_GT(cut, 30) << "the bound matters";
}

std::size_t events_of(const lts::Path& path) {
  return static_cast<std::size_t>(
      std::ranges::count_if(path.labels, [](const lts::Label& label) {
        return label.kind == lts::LabelKind::kInvoke ||
               label.kind == lts::LabelKind::kReturn;
      }));
}

// Any graph at all, with loops and any number of calls.  The slow checker sees
// traces up to a length; the answer may rest on a longer one.
TEST(Orders, AgreeWithShortTracesOnRandomGraphs) {
  constexpr std::size_t kEvents = 8;
  constexpr std::uint32_t kBusy = 3;
  std::mt19937 random(78);
  int holding = 0, violated = 0, relaxed = 0;
  std::map<std::size_t, int> lengths;
  for (int round = 0; round < 4000; ++round) {
    RandomTable wanted;
    wanted.states = 5 + random() % 8;
    wanted.transitions = wanted.states * 2 + random() % 16;
    wanted.arguments = wanted.results = 1 + round / 2 % 2;
    wanted.faults = round % 8 == 0 ? 0.02 : 0;
    const TableSystem system = random_table_system(wanted, random);
    constexpr const char* kObjects[] = {"register", "blocking_queue(1)",
                                        "blocking_queue(2)", "register",
                                        "blocking_bag(2)"};
    const auto object = spec::make(kObjects[round % 5]);
    const Order order =
        round % 2 == 0 ? Order::kQuiescent : Order::kQuiescentAndProgram;
    const auto expected = expect(system, *object, order, kBusy,
                                 {.events = kEvents, .nodes = 3000});
    Options options;
    options.busy.most = kBusy;
    options.state_limit = 1000;
    const Outcome outcome = answer(system, *object, order, options);
    ++(expected.violated ? violated : holding);
    if (outcome.answer == Answer::kUnknown) {
      ASSERT_NE(outcome.reason, "");
      continue;
    }
    const bool wrong = outcome.answer == Answer::kViolated;
    ASSERT_TRUE(wrong || !expected.violated) << "round " << round;
    const bool is_linearizable =
        answer(system, *object, Order::kRealTime, options).answer ==
        Answer::kHolds;
    ASSERT_FALSE(wrong && is_linearizable) << "round " << round;
    relaxed += wrong || is_linearizable ? 0 : 1;
    if (!wrong) continue;
    if (expected.violated) {
      ASSERT_LE(outcome.path->size(), *expected.violated);
    }
    if (events_of(*outcome.path) <= kEvents && expected.whole) {
      ASSERT_EQ(outcome.path->size(), expected.violated.value_or(0))
          << "round " << round;
      ++lengths[outcome.path->size()];
    }
  }
  EXPECT_GT(holding, 300);
  EXPECT_GT(violated, 500);
  EXPECT_GT(relaxed, 50) << "right, but not linearizable";
  EXPECT_GT(lengths.size(), 5u);
}

}  // namespace
}  // namespace plumb::testing
