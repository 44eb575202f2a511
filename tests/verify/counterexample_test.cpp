// SPDX-License-Identifier: Apache-2.0
#include "verify/counterexample.h"

#include <gtest/gtest.h>

#include "verify/verify_test_support.h"

namespace plumb::verify {
namespace {

using testing::act;
using testing::Act;
using testing::internal;
using testing::invoke;
using testing::number;
using testing::ObjectSystem;
using testing::program_of;
using testing::returns;

TEST(History, HasEveryCallOfTheRunWithItsSteps) {
  const auto queue = spec::make("queue");
  const SpecificationGraph graph(*queue, {1, 0});  // 0 is deq here
  lts::Path path;
  path.labels = {
      invoke(2, 1, number(7)),  internal(2, 5),           invoke(0, 0),
      returns(2, 1, number(9)), returns(0, 0, number(7)), invoke(2, 0)};
  const history::History history = history_of(path, graph);
  ASSERT_EQ(history.size(), 3u);
  const auto& enq = history.operations[0];
  EXPECT_EQ(enq.code, 0u);
  EXPECT_EQ(enq.argument, number(7));
  EXPECT_EQ(enq.result, Value()) << "nobody sees it";
  EXPECT_EQ(enq.invoked, 0u);
  EXPECT_EQ(enq.returned, 2u);
  EXPECT_EQ(enq.line, 1u);
  EXPECT_EQ(enq.returned_line, 4u);
  EXPECT_EQ(enq.process, 2u);
  EXPECT_EQ(history.operations[1].result, number(7));
  EXPECT_EQ(history.operations[1].code, 1u);
  EXPECT_TRUE(history.operations[2].pending());
  ASSERT_EQ(history.processes.size(), 3u);
  EXPECT_EQ(history.processes[2], number(2));
  Budget budget;
  EXPECT_EQ(judge(history, *queue, budget), check::Answer::kHolds);
}

// Follows these processes, each its first step.
lts::Path walk(const lts::System& system,
               const std::vector<std::uint16_t>& processes) {
  lts::Path path;
  path.states.push_back(system.initial());
  lts::Successors successors;
  for (const std::uint16_t process : processes) {
    system.successors(path.states.back(), successors);
    std::size_t i = 0;
    while (successors.label(i).process != process) ++i;
    const auto next = successors.state(i);
    path.labels.push_back(successors.label(i));
    path.states.emplace_back(next.begin(), next.end());
  }
  return path;
}

TEST(Switches, AreCounted) {
  lts::Path path;
  path.labels = {internal(0, 1), internal(0, 2), internal(1, 1),
                 internal(0, 3)};
  EXPECT_EQ(switches(path), 2u);
}

TEST(Switches, BecomeFewerWhereStepsDoNotDependOnEachOther) {
  const ObjectSystem system(
      program_of("register", {{0, {}}}, {act(Act::kSkip), act(Act::kSkip)}));
  const lts::Path path = walk(system, {0, 1, 0, 1, 0, 1, 0, 1});
  const lts::Path better =
      with_fewer_switches(path, system, [](const lts::Path&) { return true; });
  EXPECT_TRUE(is_run_of(better, system));
  EXPECT_EQ(better.size(), path.size());
  EXPECT_EQ(switches(path), 7u);
  EXPECT_EQ(switches(better), 1u);
  EXPECT_EQ(better.labels.back(), path.labels.back());
}

TEST(Switches, StayWhereTheRunIsNotWantedOtherwise) {
  const ObjectSystem system(
      program_of("register", {{0, {}}}, {act(Act::kSkip)}));
  const lts::Path path = walk(system, {0, 1, 0, 1, 0, 1});
  const auto overlaps = [](const lts::Path& run) {
    return run.labels[1].kind == lts::LabelKind::kInvoke;
  };
  const lts::Path better = with_fewer_switches(path, system, overlaps);
  EXPECT_TRUE(overlaps(better));
  EXPECT_EQ(switches(better), 2u);
}

TEST(Switches, StayWhereTheRunWouldBeNone) {
  // Each cas fails if the other's comes first, and the edges tell it.
  const ObjectSystem system(
      program_of("counter", {{0, {}}},
                 {act(Act::kLoad), act(Act::kApply), act(Act::kCas)}));
  const lts::Path path = walk(system, {0, 1, 0, 1, 0, 1, 0, 1, 0});
  const lts::Path better =
      with_fewer_switches(path, system, [](const lts::Path&) { return true; });
  EXPECT_TRUE(is_run_of(better, system));
  EXPECT_GT(switches(better), 1u) << "the second cas has to fail";
  EXPECT_LT(switches(better), switches(path));
}

}  // namespace
}  // namespace plumb::verify
