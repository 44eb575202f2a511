// SPDX-License-Identifier: Apache-2.0
#include "explore/explorer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <set>
#include <vector>

#include "lts/path.h"
#include "oracle/progress.h"
#include "support/counter_system.h"
#include "support/table_system.h"

namespace plumb::explore {
namespace {

using testing::CounterSystem;
using testing::RandomTable;
using testing::TableSystem;

struct Figures {
  std::size_t processes;
  std::uint64_t states, transitions;
};

TEST(Explorer, FindsTheKnownNumbersOfTheCounter) {
  for (const Figures& known :
       {Figures{1, 33, 38}, Figures{2, 969, 2118}, Figures{3, 21711, 69993}}) {
    for (const bool depth_first : {false, true}) {
      const CounterSystem system(known.processes, 4);
      Budget budget;
      Explorer explorer(system, {depth_first, 0}, budget);
      EXPECT_EQ(explorer.run(), SearchEnd::kComplete);
      EXPECT_TRUE(explorer.complete());
      EXPECT_EQ(explorer.states(), known.states);
      EXPECT_EQ(explorer.transitions(), known.transitions);
      EXPECT_EQ(explorer.cut(), 0u);
    }
  }
}

TableSystem random_system(std::mt19937& random) {
  RandomTable wanted;
  wanted.processes = 1 + random() % 3;
  wanted.states = 1 + random() % 200;
  wanted.transitions = wanted.states * (1 + random() % 5);
  wanted.operations = 1;
  wanted.faults = random() % 2 == 0 ? 0 : 0.1;
  wanted.cuts = 0.02;
  return random_table_system(wanted, random);
}

// All that a search tells its visitor, as a set and in order.
struct Recorder : Visitor {
  explicit Recorder(const TableSystem& table) : system(table) {}

  bool on_state(StateId from, const lts::Successors& out) {
    EXPECT_TRUE(expanded.insert(from).second) << "expanded twice";
    current = from;
    left = out.size();
    return true;
  }
  bool on_transition(StateId from, const lts::Label& label, StateId to,
                     bool is_new) {
    EXPECT_EQ(from, current);
    EXPECT_NE(label.kind, lts::LabelKind::kFault);
    EXPECT_EQ(is_new, to != 0 && seen.insert(to).second);
    ++transitions;
    return true;
  }
  bool on_fault(StateId from, const lts::Label& label, lts::StateView after) {
    EXPECT_EQ(from, current);
    EXPECT_EQ(label.kind, lts::LabelKind::kFault);
    EXPECT_LT(system.decode(after), system.states());
    ++faults;
    return true;
  }

  const TableSystem& system;
  std::set<StateId> expanded, seen;
  StateId current = 0;
  std::size_t left = 0;
  std::uint64_t transitions = 0, faults = 0;
};

bool is_fault(const lts::Label& label) {
  return label.kind == lts::LabelKind::kFault;
}

TEST(Explorer, FindsAllStatesByShortestPaths) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    const TableSystem system = random_system(random);
    const auto far = oracle::distances(system);
    for (const bool depth_first : {false, true}) {
      Budget budget;
      Explorer explorer(system, {depth_first, 0}, budget);
      Recorder recorder(system);
      ASSERT_EQ(explorer.run(recorder), SearchEnd::kComplete);
      EXPECT_EQ(recorder.expanded.size(), explorer.states());
      EXPECT_EQ(recorder.transitions + recorder.faults, explorer.transitions());
      EXPECT_EQ(recorder.faults, explorer.faults());
      std::size_t reachable = 0, farthest = 0;
      std::uint64_t cut = 0;
      for (std::size_t s = 0; s < system.states(); ++s) {
        const StateId id = explorer.find(system.encode(s));
        ASSERT_EQ(id != kNoState, far[s].has_value());
        if (!far[s]) continue;
        ++reachable;
        farthest = std::max(farthest, *far[s]);
        cut |= system.state(s).cut;
        const lts::Path path = explorer.path_to(id);
        EXPECT_TRUE(lts::is_run_of(path, system));
        EXPECT_TRUE(std::ranges::none_of(path.labels, is_fault));
        EXPECT_EQ(path.states.back(), system.encode(s));
        if (!depth_first) {
          EXPECT_EQ(path.size(), *far[s]);
        }
      }
      EXPECT_EQ(explorer.states(), reachable);
      EXPECT_EQ(explorer.cut(), cut);
      EXPECT_EQ(explorer.depth(), depth_first ? 0 : farthest);
    }
  }
}

TEST(Explorer, GivesIdsInOrderOfDepth) {
  const CounterSystem system(2, 3);
  Budget budget;
  Explorer explorer(system, {}, budget);
  explorer.run();
  std::size_t depth = 0;
  for (StateId id = 0; id < explorer.states(); ++id) {
    const std::size_t own = explorer.path_to(id).size();
    EXPECT_GE(own, depth);
    depth = own;
  }
  EXPECT_EQ(explorer.depth(), depth);
}

TEST(Explorer, StopsAtTheLimitOnStates) {
  const CounterSystem system(3, 4);
  for (const bool depth_first : {false, true}) {
    Budget budget;
    Explorer explorer(system, {depth_first, 1000}, budget);
    EXPECT_EQ(explorer.run(), SearchEnd::kTruncated);
    EXPECT_EQ(explorer.states(), 1000u);
    EXPECT_EQ(explorer.why_truncated(), "the limit of 1000 states was reached");
    EXPECT_FALSE(explorer.complete());
    EXPECT_TRUE(lts::is_run_of(explorer.path_to(999), system));
  }
}

TEST(Explorer, ALimitThatIsNotExceededChangesNothing) {
  const CounterSystem system(2, 4);
  Budget budget;
  Explorer explorer(system, {false, 969}, budget);
  EXPECT_EQ(explorer.run(), SearchEnd::kComplete);
}

TEST(Explorer, StopsWhenTheBudgetIsSpent) {
  const CounterSystem system(4, 4);
  for (const bool depth_first : {false, true}) {
    Budget steps = Budget().with_steps(2000);
    Explorer explorer(system, {depth_first, 0}, steps);
    EXPECT_EQ(explorer.run(), SearchEnd::kTruncated);
    EXPECT_LT(explorer.states(), 439485u);
    Budget late(Budget::Clock::now() - std::chrono::seconds(1), SIZE_MAX);
    Explorer other(system, {depth_first, 0}, late);
    EXPECT_EQ(other.run(), SearchEnd::kTruncated);
    EXPECT_NE(other.why_truncated().find("time limit"), std::string::npos);
  }
}

TEST(Explorer, StopsWhenTheVisitorHasSeenEnough) {
  struct StopAt : Visitor {
    bool on_transition(StateId, const lts::Label&, StateId to, bool) {
      return to != 17;
    }
  };
  const CounterSystem system(2, 4);
  Budget budget;
  Explorer explorer(system, {}, budget);
  EXPECT_EQ(explorer.run(StopAt()), SearchEnd::kStopped);
  EXPECT_EQ(explorer.states(), 18u);
  EXPECT_FALSE(explorer.complete());
}

TEST(Explorer, KeepsAStateInLessThanThirtyBytes) {
  const CounterSystem system(4, 4);
  Budget budget;
  Explorer explorer(system, {}, budget);
  explorer.run();
  EXPECT_EQ(explorer.states(), 439485u);
  EXPECT_LT(explorer.bytes(), 30u * 439485u);
}

}  // namespace
}  // namespace plumb::explore
