// SPDX-License-Identifier: Apache-2.0
// Records of what has returned: their orders, and other names for them.
#include "verify/order_moves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "lts/symmetry.h"
#include "verify/verify_test_support.h"

namespace plumb::verify {
namespace {

using check::Order;
using lts::Permutation;
using lts::Renaming;
using testing::invoke;
using testing::number;
using testing::returns;

constexpr std::uint16_t kAdd = 0, kTake = 1;

class Machine {
 public:
  Machine(const std::string& object, std::size_t processes, unsigned seed,
          Order order)
      : random(seed),
        object_(spec::make(object)),
        graph_(*object_, {}),
        records_(graph_, processes, budget_),
        moves_(records_, order, {}, budget_) {
    for (int n = 1; n <= 3; ++n) values.push_back(number(n));
    moves_.set_values(values);
  }

  SetMoves& moves() { return moves_; }
  std::size_t pick(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  }
  // A label that can be followed from `set`, which it leads on.
  lts::Label step(SetId& set) {
    for (;;) {
      const lts::Label label = label_for(set);
      const SetId next = moves_.after(set, label);
      if (next == kEmptySet || next == kBeyond) continue;
      set = next;
      return label;
    }
  }
  SetId walk(std::size_t steps) {
    SetId set = moves_.initial();
    while (steps-- > 0) step(set);
    return set;
  }
  // Any places for the processes of a class of twins, and for the values that
  // are free.
  Renaming renaming(std::uint16_t twins, std::size_t used) {
    Renaming made;
    for (std::size_t p = 0; p + 1 < records_.processes(); ++p) {
      if ((twins >> p & 1) == 0 || pick(2) == 0) continue;
      made.processes = made.processes.then(Permutation::swap(p, p + 1));
    }
    for (std::size_t v = used; v + 1 < values.size(); ++v) {
      if (pick(2) == 0) continue;
      made.values = made.values.then(Permutation::swap(v, v + 1));
    }
    return made;
  }

  std::mt19937 random;
  std::vector<Value> values;

 private:
  // There always is a way on: somebody else may call.
  lts::Label label_for(SetId set) {
    const BusyRecord record = records_[moves_.sets()[set][0]];
    const auto process =
        static_cast<std::uint16_t>(pick(record.processes.size()));
    const Status status = record.processes[process].status;
    if (status.is_idle()) {
      return pick(2) == 0 ? invoke(process, kAdd, values[pick(3)])
                          : invoke(process, kTake);
    }
    if (graph_.code_of_call(status.call()) == kAdd) {
      return returns(process, kAdd);
    }
    return returns(process, kTake, pick(4) == 0 ? Value() : values[pick(3)]);
  }

  Budget budget_;
  spec::SpecificationPtr object_;
  SpecificationGraph graph_;
  BusyRecords records_;
  OrderMoves moves_;
};

class RenamedRecords : public ::testing::TestWithParam<Order> {};

TEST_P(RenamedRecords, FollowRenamedSteps) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Machine machine(seed % 2 == 0 ? "bag" : "stack", 3, seed, GetParam());
    SetMoves& moves = machine.moves();
    const Renaming how = machine.renaming(3, 0);
    SetId set = moves.initial();
    SetId other = moves.renamed(set, how);
    for (int i = 0; i < 14; ++i) {
      const lts::Label label = machine.step(set);
      other = moves.after(other, lts::renamed(label, machine.values, how));
      ASSERT_EQ(other, moves.renamed(set, how)) << "seed " << seed;
      ASSERT_EQ(moves.renamed(other, how.inverse()), set);
    }
  }
}

TEST_P(RenamedRecords, SettleAtOneOfTheirOrbit) {
  std::size_t moved = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    Machine machine(seed % 2 == 0 ? "queue" : "bag", 4, seed, GetParam());
    SetMoves& moves = machine.moves();
    for (int round = 0; round < 10; ++round) {
      const SetId set = machine.walk(machine.pick(12));
      const auto twins = static_cast<std::uint16_t>(machine.pick(8));
      const auto used = static_cast<std::uint8_t>(machine.pick(4));
      const auto settled = moves.canonical(set, {{}, twins, used});
      ASSERT_EQ(moves.renamed(set, settled.renaming), settled.tag);
      for (int i = 0; i < 6; ++i) {
        const Renaming names = machine.renaming(7, 0);
        const Renaming within = machine.renaming(twins, used);
        const SetId other = moves.renamed(set, within.then(names.inverse()));
        moved += other != set ? 1u : 0u;
        const auto again = moves.canonical(other, {names, twins, used});
        ASSERT_EQ(again.tag, settled.tag) << "seed " << seed;
        ASSERT_EQ(moves.renamed(other, again.renaming), again.tag);
      }
    }
  }
  EXPECT_GT(moved, 150u);
}

TEST_P(RenamedRecords, AreMadeAgainFromTheirOrigins) {
  Machine machine("queue", 3, 11, GetParam());
  SetMoves& moves = machine.moves();
  moves.keep_origins();
  for (int round = 0; round < 20; ++round) {
    moves.canonical(machine.walk(machine.pick(12)), {{}, 3, 0});
  }
  ASSERT_EQ(moves.sets().size(), moves.origins().size() + 2);
  Machine second("queue", 3, 0, GetParam());
  for (const SetMoves::Origin& origin : moves.origins()) {
    const std::size_t made = second.moves().sets().size();
    const SetId set = origin.by_renaming
                          ? second.moves().renamed(origin.from, origin.renaming)
                          : second.moves().after(origin.from, origin.label);
    ASSERT_EQ(set, made);
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, RenamedRecords,
                         ::testing::Values(Order::kQuiescent, Order::kProgram,
                                           Order::kQuiescentAndProgram),
                         [](const auto& one) {
                           return "order" +
                                  std::to_string(static_cast<int>(one.param));
                         });

TEST(OrderMoves, NothingBecomesEmptyBecauseTheTimeIsOver) {
  const auto object = spec::make("queue");
  SpecificationGraph graph(*object, {});
  for (const Order order : {Order::kQuiescent, Order::kProgram}) {
    Budget none = Budget().with_steps(0);
    BusyRecords records(graph, 2, none);
    OrderMoves moves(records, order, {}, none);
    const SetId set = moves.after(moves.initial(), invoke(0, kTake));
    EXPECT_NE(moves.after(set, returns(0, kTake, number(1))), kEmptySet);
  }
}

TEST(OrderMoves, OrdersAndBoundsAreOtherCourses) {
  const auto object = spec::make("queue");
  SpecificationGraph graph(*object, {});
  Budget budget;
  BusyRecords records(graph, 2, budget);
  std::set<std::string> courses;
  for (const Order order : {Order::kQuiescent, Order::kProgram}) {
    for (const std::uint32_t busy : {0u, 3u}) {
      courses.insert(OrderMoves(records, order, {busy, true}, budget).course());
    }
  }
  EXPECT_EQ(courses.size(), 4u);
}

// Straight from the definition: all permutations that keep each sequence.
std::vector<AbstractId> by_permutations(
    SpecificationGraph& graph, const OperationLogs& logs,
    const std::vector<std::vector<OperationId>>& sequences) {
  std::vector<std::size_t> turns;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    turns.insert(turns.end(), sequences[i].size(), i);
  }
  std::set<AbstractId> all;
  do {
    std::set<AbstractId> states = {graph.initial()};
    std::vector<std::size_t> next(sequences.size());
    for (const std::size_t turn : turns) {
      const auto [call, result] = logs[sequences[turn][next[turn]++]];
      std::set<AbstractId> after;
      for (const AbstractId state : states) {
        for (const auto& outcome : graph.outcomes(state, call)) {
          if (result == OperationLogs::kAnyResult || result == outcome.result) {
            after.insert(outcome.next);
          }
        }
      }
      states = after;
    }
    all.insert(states.begin(), states.end());
  } while (std::ranges::next_permutation(turns).found);
  return {all.begin(), all.end()};
}

TEST(AbstractSets, AreWhatAllPermutationsLeadTo) {
  std::mt19937 random(5);
  const auto pick = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  int none = 0, several = 0;
  for (int round = 0; round < 250; ++round) {
    const auto object = spec::make(round % 2 == 0 ? "queue" : "bag");
    SpecificationGraph graph(*object, {});
    OperationLogs logs(graph);
    Budget budget;
    AbstractSets sets(graph, logs, budget);
    const bool any_order = round % 3 == 0;
    std::vector<std::vector<OperationId>> sequences(1 + pick(3));
    if (any_order) sequences.resize(5);
    std::vector<LogId> ids;
    LogId sorted = kEmptyLog;
    for (auto& sequence : sequences) {
      LogId log = kEmptyLog;
      for (std::size_t n = any_order ? 1 : pick(4); n > 0; --n) {
        const bool add = pick(2) == 0;
        const Value value = number(static_cast<int>(1 + pick(2)));
        const CallId call =
            graph.call(add ? invoke(0, kAdd, value) : invoke(0, kTake));
        const ResultId result = pick(5) == 0 ? OperationLogs::kAnyResult
                                : add        ? graph.result(Value())
                                             : graph.result(value);
        sequence.push_back(logs.operation({call, result}));
        log = logs.extended(log, sequence.back());
        sorted = logs.inserted(sorted, sequence.back());
      }
      ids.push_back(log);
    }
    const auto expected = by_permutations(graph, logs, sequences);
    const auto found = any_order ? sets.after_any_order(sets.initial(), sorted)
                                 : sets.after(sets.initial(), ids);
    ASSERT_TRUE(found);
    ASSERT_TRUE(std::ranges::equal(sets[*found], expected)) << round;
    none += expected.empty() ? 1 : 0;
    several += expected.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(none, 20);
  EXPECT_GT(several, 20);
}

}  // namespace
}  // namespace plumb::verify
