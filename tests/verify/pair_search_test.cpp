// SPDX-License-Identifier: Apache-2.0
#include "verify/pair_search.h"

#include <gtest/gtest.h>

#include <chrono>

#include "support/table_system.h"
#include "verify/exact_moves.h"
#include "verify/pair_store.h"
#include "verify/verify_test_support.h"
#include "verify/words.h"

namespace plumb::verify {
namespace {

using testing::number;
using testing::TableSystem;
using End = PairSearch::End;

// Everything that a search needs, in one place.
struct Search {
  explicit Search(const lts::System& system, const SearchLimits& limits = {},
                  const Budget& the_budget = {})
      : object(spec::make("queue")),
        graph(*object, {}),
        all(graph, system.processes()),
        budget(the_budget),
        moves(all, budget),
        search(system, moves, limits, budget),
        end(search.run()) {
    search.add_to(statistics);
  }

  spec::SpecificationPtr object;
  SpecificationGraph graph;
  Configurations all;
  Budget budget;
  ExactMoves moves;
  PairSearch search;
  End end;
  Statistics statistics;
};

constexpr std::size_t kEnq = 0, kDeq = 1;

TableSystem queue_system() {
  return TableSystem(1, {"enq", "deq"});
}

// Process 0 gets 1 out of an empty queue, after a detour or without.
TableSystem with_detour() {
  TableSystem system = queue_system();
  system.invoke(0, 0, kDeq, {}, 1);
  system.internal(1, 0, 2);
  system.internal(2, 0, 4);
  system.internal(1, 0, 3, 1);
  system.returns(3, 0, kDeq, number(1), 0);
  system.returns(4, 0, kDeq, number(1), 0);
  return system;
}

TEST(PairSearch, FindsTheShortestRunBreadthFirst) {
  const TableSystem system = with_detour();
  Search run(system);
  ASSERT_EQ(run.end, End::kEmpty);
  const lts::Path path = run.search.path();
  EXPECT_TRUE(is_run_of(path, system));
  ASSERT_EQ(path.size(), 3u);
  EXPECT_EQ(path.labels[1].edge, 1u);
  EXPECT_EQ(run.statistics.depth, 2u) << "the last step is not taken any more";
}

TEST(PairSearch, FindsARunDepthFirstToo) {
  const TableSystem system = with_detour();
  Search run(system, {.order = Options::Order::kDepthFirst});
  ASSERT_EQ(run.end, End::kEmpty);
  EXPECT_TRUE(is_run_of(run.search.path(), system));
  EXPECT_EQ(run.search.path().size(), 4u) << "the first step comes first";
}

TEST(PairSearch, ExploresAStateAgainWithAnotherSetButNotWithAnEasierOne) {
  // Two ways to state 2: process 0 has put 1 in, or nothing.
  TableSystem system(1, {"enq", "deq"});
  system.invoke(0, 0, kEnq, number(1), 1);
  system.returns(1, 0, kEnq, {}, 2);
  system.invoke(0, 0, kDeq, {}, 3);
  system.returns(3, 0, kDeq, {}, 2);
  system.invoke(2, 0, kDeq, {}, 4);
  system.returns(4, 0, kDeq, {}, 5);
  Search run(system);
  ASSERT_EQ(run.end, End::kEmpty);
  EXPECT_EQ(run.search.path().size(), 4u);
  EXPECT_EQ(run.search.path().labels[0].value, number(1));
}

TEST(PairSearch, CountsTransitionsOfAStateOnce) {
  // State 2 is reached with the queues [] and [1]: two pairs.
  TableSystem system(1, {"enq", "deq"});
  system.invoke(0, 0, kEnq, number(1), 1);
  system.returns(1, 0, kEnq, {}, 2);
  system.invoke(0, 0, kDeq, {}, 3);
  system.returns(3, 0, kDeq, {}, 2);
  system.invoke(2, 0, kEnq, number(2), 4);
  Search run(system);
  ASSERT_EQ(run.end, End::kComplete);
  EXPECT_EQ(run.statistics.states, 5u);
  EXPECT_EQ(run.statistics.transitions, 5u);
  EXPECT_EQ(run.statistics.pairs, 7u);
  EXPECT_EQ(run.search.transitions(), 6u) << "work counts twice";
}

// State 9 with process 0's enq pending (easy), or seen by process 1 and so
// done, and its value replaced (hard): by equally many steps.
TEST(PairSearch, KeepsTheHarderSetOfTwoWhicheverComesFirst) {
  for (const bool hard_first : {true, false}) {
    TableSystem system(2, {"enq", "deq"});
    system.invoke(0, 0, kEnq, number(1), 1);
    const auto easy = [&] {
      system.invoke(1, 1, kDeq, {}, 2);
      system.returns(2, 1, kDeq, {}, 3);
      system.invoke(3, 1, kDeq, {}, 4);
      system.returns(4, 1, kDeq, {}, 9);
    };
    if (!hard_first) easy();
    system.invoke(1, 1, kDeq, {}, 5);
    system.returns(5, 1, kDeq, number(1), 6);
    system.invoke(6, 1, kEnq, number(1), 7);
    system.returns(7, 1, kEnq, {}, 9);
    if (hard_first) easy();
    system.invoke(9, 1, kDeq, {}, 10);
    Search search(system);
    ASSERT_EQ(search.end, End::kComplete);
    EXPECT_EQ(search.statistics.pairs, 10u);
    system.returns(10, 1, kDeq, {}, 11);
    EXPECT_EQ(Search(system).end, End::kEmpty) << "only the hard one fails";
  }
}

TEST(PairSearch, StopsAtFaults) {
  TableSystem system = queue_system();
  system.invoke(0, 0, kDeq, {}, 1);
  system.fault(1, 0, 3, 2);
  Search run(system);
  EXPECT_EQ(run.end, End::kFault);
  EXPECT_EQ(run.search.path().size(), 2u);
  EXPECT_EQ(run.search.path().labels.back().fault, 3u);
}

TEST(PairSearch, RemembersTheBoundsThatCut) {
  TableSystem system = queue_system();
  system.invoke(0, 0, kDeq, {}, 1);
  system.cut(1, 0);
  system.cut(1, 3);
  Search run(system);
  EXPECT_EQ(run.end, End::kComplete);
  EXPECT_EQ(run.search.cut(), 9u);
}

TEST(PairSearch, NamesTheLimitThatItReached) {
  const TableSystem system = with_detour();
  Search states(system, {.states = 3});
  EXPECT_EQ(states.end, End::kLimit);
  EXPECT_EQ(states.search.limit(),
            "the limit of 3 states was reached after 3 states");
  Search transitions(system, {.transitions = 2});
  EXPECT_EQ(transitions.end, End::kTransitions);
}

TEST(PairSearch, EndsWhenItsTimeIsOver) {
  const TableSystem system = with_detour();
  const Budget late(Budget::Clock::now() - std::chrono::seconds(1), SIZE_MAX);
  Search search(system, {}, late);
  EXPECT_EQ(search.end, End::kLimit);
  EXPECT_EQ(search.search.limit().substr(0, 14), "the time limit");
}

TEST(Words, NumbersHaveCommas) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
}

}  // namespace
}  // namespace plumb::verify
