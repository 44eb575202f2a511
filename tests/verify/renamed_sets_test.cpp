// SPDX-License-Identifier: Apache-2.0
// Sets of configurations by other names of processes and values.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "lts/symmetry.h"
#include "verify/exact_moves.h"
#include "verify/point_moves.h"
#include "verify/verify_test_support.h"

namespace plumb::verify {
namespace {

using lts::Permutation;
using lts::Renaming;
using testing::invoke;
using testing::number;
using testing::returns;

constexpr std::uint16_t kAdd = 0, kTake = 1;

// The specification machine of a container, and random runs of it.
class Machine {
 public:
  Machine(const std::string& object, std::size_t processes, unsigned seed,
          bool exact)
      : random(seed),
        object_(spec::make(object)),
        graph_(*object_, {}),
        all_(graph_, processes) {
    if (exact) {
      moves_ = std::make_unique<ExactMoves>(all_, budget_);
    } else {
      Effect effect;
      effect.may = true;
      policy_.effects[0] = {effect};
      moves_ = std::make_unique<PointMoves>(all_, policy_);
    }
    for (int n = 1; n <= 3; ++n) values.push_back(number(n));
    moves_->set_values(values);
  }

  SetMoves& moves() { return *moves_; }
  std::size_t processes() const { return all_.processes(); }
  std::size_t pick(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  }

  // A label that the machine can follow from `set`, which it leads on.
  lts::Label step(SetId& set) {
    for (;;) {
      const auto process = static_cast<std::uint16_t>(pick(processes()));
      const lts::Label label = label_for(set, process);
      const SetId next = moves_->after(set, label);
      if (next == kEmptySet) continue;
      set = next;
      return label;
    }
  }
  SetId walk(std::size_t steps) {
    SetId set = moves_->initial();
    while (steps-- > 0) step(set);
    return set;
  }
  // Any places for the processes of a class of twins, and for the values that
  // are free.
  Renaming renaming(std::uint16_t twins, std::size_t used) {
    Renaming made;
    for (std::size_t p = 0; p + 1 < processes(); ++p) {
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
  lts::Label label_for(SetId set, std::uint16_t process) {
    const ConfigurationId some = moves_->sets()[set].front();
    if (all_.status(some, process).is_idle()) {
      return pick(2) == 0 ? invoke(process, kAdd, values[pick(3)])
                          : invoke(process, kTake);
    }
    if (pick(3) == 0) return testing::internal(process, 0);
    return pick(2) == 0 ? returns(process, kAdd)
                        : returns(process, kTake,
                                  pick(4) == 0 ? Value() : values[pick(3)]);
  }

  Budget budget_;
  spec::SpecificationPtr object_;
  SpecificationGraph graph_;
  Configurations all_;
  Policy policy_;
  std::unique_ptr<SetMoves> moves_;
};

class RenamedSets : public ::testing::TestWithParam<bool> {};

TEST_P(RenamedSets, FollowRenamedSteps) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Machine machine(seed % 2 == 0 ? "queue" : "stack", 3, seed, GetParam());
    SetMoves& moves = machine.moves();
    const Renaming how = machine.renaming(3, 0);
    SetId set = moves.initial();
    SetId other = moves.renamed(set, how);
    for (int i = 0; i < 25; ++i) {
      const lts::Label label = machine.step(set);
      other = moves.after(other, lts::renamed(label, machine.values, how));
      ASSERT_EQ(other, moves.renamed(set, how)) << "seed " << seed;
      ASSERT_EQ(moves.renamed(other, how.inverse()), set);
    }
  }
}

TEST_P(RenamedSets, AreComposed) {
  Machine machine("queue", 4, 7, GetParam());
  SetMoves& moves = machine.moves();
  for (int round = 0; round < 200; ++round) {
    const SetId set = machine.walk(machine.pick(20));
    const Renaming a = machine.renaming(7, 0), b = machine.renaming(7, 0);
    EXPECT_EQ(moves.renamed(moves.renamed(set, a), b),
              moves.renamed(set, a.then(b)));
  }
}

TEST_P(RenamedSets, SettleAtOneOfTheirOrbit) {
  std::size_t moved = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    Machine machine(seed % 2 == 0 ? "queue" : "stack", 4, seed, GetParam());
    SetMoves& moves = machine.moves();
    for (int round = 0; round < 15; ++round) {
      const SetId set = machine.walk(machine.pick(25));
      const auto twins = static_cast<std::uint16_t>(machine.pick(8));
      const auto used = static_cast<std::uint8_t>(machine.pick(4));
      const auto settled = moves.canonical(set, {{}, twins, used});
      ASSERT_EQ(moves.renamed(set, settled.renaming), settled.tag);
      for (int i = 0; i < 6; ++i) {
        // Of a state by any other names, brought to the same form.
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
  EXPECT_GT(moved, 300u);
}

// What is not among the twins, and values that are used, stay.
TEST_P(RenamedSets, SettleWithoutTouchingTheOthers) {
  Machine machine("queue", 4, 3, GetParam());
  for (int round = 0; round < 300; ++round) {
    const SetId set = machine.walk(machine.pick(25));
    const auto settled = machine.moves().canonical(set, {{}, 0b010, 1});
    EXPECT_EQ(settled.renaming.processes[0], 0u);
    EXPECT_EQ(settled.renaming.processes[3], 3u);
    EXPECT_EQ(settled.renaming.values[0], 0u);
  }
}

// How sets were made is enough to make them again, by the same numbers.
TEST_P(RenamedSets, AreMadeAgainFromTheirOrigins) {
  Machine machine("queue", 3, 11, GetParam());
  SetMoves& moves = machine.moves();
  moves.keep_origins();
  for (int round = 0; round < 30; ++round) {
    moves.canonical(machine.walk(machine.pick(25)), {{}, 3, 0});
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

INSTANTIATE_TEST_SUITE_P(Moves, RenamedSets, ::testing::Bool(),
                         [](const auto& one) {
                           return one.param ? "exact" : "points";
                         });

}  // namespace
}  // namespace plumb::verify
