// SPDX-License-Identifier: Apache-2.0
#include "verify/unfold.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/limit_error.h"
#include "lts/path.h"
#include "support/table_system.h"
#include "verify/verify_test_support.h"

namespace plumb::verify {
namespace {

using lts::Permutation;
using lts::Renaming;
using testing::internal;
using testing::invoke;
using testing::number;
using testing::returns;
using testing::TableSystem;

// State n of a table.
lts::StateBytes state(const TableSystem& system, std::size_t n) {
  lts::StateBytes bytes = system.initial();
  bytes[0] = static_cast<std::uint8_t>(n);
  return bytes;
}

// Two steps of one process in one transition; the first has two outcomes with
// the same label, and only the second leads to the goal.
TEST(Unfold, FindsTheWayWhereLabelsAreAmbiguous) {
  TableSystem system(1, {"enq", "deq"});
  system.invoke(0, 0, 0, number(1), 1);
  system.internal(1, 0, 2, 5);
  system.internal(1, 0, 3, 5);
  system.internal(2, 0, 4, 6);
  system.internal(3, 0, 5, 6);
  system.internal(4, 0, 6, 7);
  system.internal(5, 0, 7, 7);
  const std::vector<FoldedStep> steps = {
      {{invoke(0, 0, number(1)), internal(0, 5), internal(0, 6)},
       state(system, 5),
       true,
       {}},
      {{internal(0, 7)}, {}, false, {}}};
  const lts::Path path = unfold(system, nullptr, {}, steps);
  EXPECT_TRUE(is_run_of(path, system));
  ASSERT_EQ(path.size(), 4u);
  EXPECT_EQ(path.states[3], state(system, 5));
  EXPECT_EQ(path.states[4], state(system, 7));
}

// Who cannot be told apart: two processes that add 1 or 2, or look.  The bytes
// of a state are what each of them is about to add; 0 is nothing, 3 a look.
class TwoAdders : public lts::System, public lts::Symmetry {
 public:
  std::size_t processes() const override { return 2; }
  std::span<const std::string> operations() const override { return names_; }
  lts::StateBytes initial() const override { return {0, 0}; }
  void successors(lts::StateView from, lts::Successors& out) const override {
    out.clear();
    for (std::uint16_t p = 0; p < 2; ++p) {
      lts::StateBytes to(from.begin(), from.end());
      for (std::uint8_t v = 1; v <= kLook; ++v) {
        const std::uint16_t operation = v == kLook ? 1 : 0;
        const Value value = v == kLook ? Value() : number(v);
        to[p] = from[p] == 0 ? v : std::uint8_t{0};
        if (from[p] == 0) {
          out.add(invoke(p, operation, value), to);
        } else if (from[p] == v) {
          out.add(returns(p, operation, value), to);
        }
      }
    }
  }
  const lts::Symmetry* symmetry() const override { return this; }
  lts::Edge edge(std::uint32_t) const override { return {}; }
  std::string fault(std::uint16_t) const override { return ""; }
  lts::StepText explain(lts::StateView, const lts::Label&,
                        lts::StateView) const override {
    return {};
  }
  std::vector<lts::Variable> describe(lts::StateView) const override {
    return {};
  }

  lts::Canonical canonicalize(lts::StateBytes& bytes) const override {
    lts::StateBytes best = bytes;
    lts::Canonical how;
    for (const bool turn : {false, true}) {
      for (const bool swap : {false, true}) {
        const Renaming renaming{turn ? Permutation::swap(0, 1) : Permutation(),
                                swap ? Permutation::swap(0, 1) : Permutation()};
        const lts::StateBytes other = rename(bytes, renaming);
        if (other < best) {
          best = other;
          how.renaming = renaming;
        }
      }
    }
    bytes = best;
    return how;
  }
  lts::StateBytes rename(lts::StateView bytes,
                         const Renaming& renaming) const override {
    lts::StateBytes out(2);
    for (std::size_t p = 0; p < 2; ++p) {
      const std::uint8_t v = bytes[p];
      out[renaming.processes[p]] =
          v == 0 || v == kLook
              ? v
              : static_cast<std::uint8_t>(renaming.values[v - 1u] + 1);
    }
    return out;
  }
  std::span<const Value> values() const override { return values_; }
  double order() const override { return 4; }

 private:
  static constexpr std::uint8_t kLook = 3;
  std::vector<std::string> names_ = {"add", "look"};
  std::vector<Value> values_ = {number(1), number(2)};
};

// All runs of canonical states, up to some length.
void check_runs(const TwoAdders& system, const lts::StateBytes& from,
                std::vector<FoldedStep>& steps, std::size_t& runs) {
  const lts::Path path = unfold(system, &system, {}, steps);
  ASSERT_TRUE(is_run_of(path, system));
  ASSERT_EQ(path.size(), steps.size());
  ++runs;
  if (steps.size() == 5) return;
  lts::Successors out;
  system.successors(from, out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const lts::StateView view = out.state(i);
    lts::StateBytes next(view.begin(), view.end());
    FoldedStep step{{out.label(i)}, next, true, {}};
    step.renaming = system.canonicalize(next).renaming;
    steps.push_back(step);
    check_runs(system, next, steps, runs);
    steps.pop_back();
  }
}

TEST(Unfold, KeepsTheNamesOfTheInitialStateThroughout) {
  const TwoAdders system;
  std::vector<FoldedStep> steps;
  std::size_t runs = 0;
  check_runs(system, system.initial(), steps, runs);
  EXPECT_GT(runs, 200u);
}

// Process 1 invokes in the canonical state where it is called 0 and the value
// by its other name, and so on.
TEST(Unfold, UsesAllRenamingsSoFar) {
  const TwoAdders system;
  const Renaming both{Permutation::swap(0, 1), Permutation::swap(0, 1)};
  const std::vector<FoldedStep> steps = {
      {{invoke(0, 0, number(1))}, {1, 0}, true, both},
      {{invoke(0, 0, number(1))}, {1, 2}, true, both},
      {{returns(0, 0, number(1))}, {}, false, {}}};
  const lts::Path path = unfold(system, &system, both, steps);
  EXPECT_EQ(path.labels[0], invoke(0, 0, number(1)));
  EXPECT_EQ(path.labels[1], invoke(1, 0, number(2)));
  EXPECT_EQ(path.labels[2], returns(0, 0, number(1)));
}

// People begin with value 1, whatever comes before it.
TEST(Unfold, WhatIsNoValueHasNoOtherName) {
  const TwoAdders system;
  const std::vector<FoldedStep> steps = {
      {{invoke(0, 1)}, {3, 0}, true, {}},
      {{returns(0, 1)}, {0, 0}, true, {}},
      {{invoke(0, 0, number(2))}, {2, 0}, true, {}},
      {{invoke(1, 0, number(1))}, {2, 1}, true, {}}};
  const lts::Path path = unfold(system, &system, {}, steps);
  EXPECT_TRUE(is_run_of(path, system));
  EXPECT_EQ(path.labels[2], invoke(0, 0, number(1)));
  EXPECT_EQ(path.labels[3], invoke(1, 0, number(2)));
}

TEST(Unfold, IsAnErrorOfOursIfThereIsNoSuchRun) {
  TableSystem system(1, {"enq", "deq"});
  system.invoke(0, 0, 0, number(1), 1);
  const std::vector<FoldedStep> steps = {
      {{invoke(0, 0, number(2))}, state(system, 1), true, {}}};
  EXPECT_THROW(unfold(system, nullptr, {}, steps), LimitError);
}

}  // namespace
}  // namespace plumb::verify
