// SPDX-License-Identifier: Apache-2.0
// Relations against the definition of coupled simulation, on random systems.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "lts/abstraction.h"
#include "lts/path.h"
#include "spec/catalogue.h"
#include "support/table_system.h"
#include "verify/outcome.h"

namespace plumb::testing {
namespace {

using check::Answer;
using check::Order;
using lts::LabelKind;
using AbstractState = std::vector<Value>;

constexpr std::uint32_t kBusy = 3;

class RandomRelation : public lts::Abstraction {
 public:
  RandomRelation(const TableSystem& system, std::mt19937& random)
      : system_(system), related_(system.states()) {
    const auto pick = [&](std::size_t count) {
      return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
    };
    for (auto& states : related_) {
      for (std::size_t length = 0; length <= 2; ++length) {
        if (pick(3) == 0) continue;
        AbstractState& state = states.emplace_back();
        for (std::size_t i = 0; i < length; ++i) {
          state.push_back(Value::integer(1));
        }
      }
    }
    if (related_[0].empty() || !related_[0][0].empty()) {
      related_[0].insert(related_[0].begin(), AbstractState());
    }
  }
  std::optional<std::string> relate(
      lts::StateView state, std::vector<AbstractState>& out) const override {
    out = related_[system_.decode(state)];
    return std::nullopt;
  }
  const std::vector<AbstractState>& of(std::size_t state) const {
    return related_[state];
  }

 private:
  const TableSystem& system_;
  std::vector<std::vector<AbstractState>> related_;
};

// Definition 6, step by step: R^H is what was related when H began.  Returns
// after how many steps an obligation fails.
class Definition {
 public:
  Definition(const TableSystem& system, const spec::Specification& object,
             const RandomRelation& relation)
      : system_(system), object_(object), relation_(relation) {}

  std::optional<std::size_t> failure() {
    std::set<Situation> level = {{0, 0, {}, {}}};
    std::set<Situation> seen = level;
    for (std::size_t steps = 1; !level.empty(); ++steps) {
      std::set<Situation> next;
      for (const Situation& at : level) {
        for (const auto& step : system_.state(at.state).transitions) {
          if (step.label.kind == LabelKind::kFault) return steps;
          Situation after = at;
          after.state = step.to;
          if (!take(step.label, after)) continue;
          if (is_wrong_) return steps;
          if (seen.insert(after).second) next.insert(after);
        }
      }
      level = std::move(next);
    }
    return std::nullopt;
  }

 private:
  using Call = std::pair<std::uint16_t, std::uint64_t>;
  struct Situation {
    std::size_t state, quiet;  // now, and when H began
    std::map<std::uint16_t, Call> pending;
    std::multiset<std::pair<Call, std::uint64_t>> returned;
    friend auto operator<=>(const Situation&, const Situation&) = default;
  };

  // Returns false if the busy period is too busy.
  bool take(const lts::Label& label, Situation& at) {
    if (label.kind == LabelKind::kInvoke) {
      if (at.pending.size() + at.returned.size() == kBusy) return false;
      at.pending[label.process] = {label.operation, label.value.word()};
    } else if (label.kind == LabelKind::kReturn) {
      const auto kind = object_.operations()[label.operation].result;
      const Value result = kind == spec::Result::kNone ? Value() : label.value;
      at.returned.insert({at.pending[label.process], result.word()});
      at.pending.erase(label.process);
      if (at.pending.empty()) judge(at);
    }
    return true;
  }

  void judge(Situation& at) {
    for (const AbstractState& state : relation_.of(at.quiet)) {
      if (!some_order_leads_on(at, spec::State(state.begin(), state.end()))) {
        is_wrong_ = true;
      }
    }
    at.quiet = at.state;
    at.returned.clear();
  }

  bool some_order_leads_on(const Situation& at, const spec::State& state) {
    if (at.returned.empty()) {
      return std::ranges::any_of(relation_.of(at.state),
                                 [&](const AbstractState& related) {
                                   return std::ranges::equal(related, state);
                                 });
    }
    for (const auto& operation : at.returned) {
      Situation rest = at;
      rest.returned.erase(rest.returned.find(operation));
      const auto [call, result] = operation;
      std::vector<spec::Outcome> outcomes;
      object_.apply(state, {call.first, Value::from_word(call.second)},
                    outcomes);
      for (const spec::Outcome& outcome : outcomes) {
        if (outcome.result.word() == result &&
            some_order_leads_on(rest, outcome.next)) {
          return true;
        }
      }
    }
    return false;
  }

  const TableSystem& system_;
  const spec::Specification& object_;
  const RandomRelation& relation_;
  bool is_wrong_ = false;
};

TEST(CoupledSimulation, IsThatOfTheDefinitionOnRandomGraphs) {
  std::mt19937 random(79);
  int holding = 0, failing = 0;
  std::map<std::size_t, int> lengths;
  for (int round = 0; round < 3000; ++round) {
    RandomTable wanted;
    wanted.states = 4 + random() % 6;
    wanted.transitions = wanted.states + random() % 10;
    wanted.faults = round % 8 == 0 ? 0.02 : 0;
    const TableSystem system = random_table_system(wanted, random);
    const auto object = spec::make(round % 3 == 0   ? "stack(2)"
                                   : round % 3 == 1 ? "blocking_queue(2)"
                                                    : "bag(2)");
    const RandomRelation relation(system, random);
    const auto expected = Definition(system, *object, relation).failure();
    const verify::Question question{system, object.get(), {}, {}};
    verify::Options options;
    options.busy.most = kBusy;
    Budget budget;
    const auto outcome =
        check_relation(question, relation, Order::kQuiescent, options, budget);
    const bool begins = outcome.reason == "obligation 'initialisation' fails";
    ASSERT_EQ(begins, object->initial().size() != 0) << "round " << round;
    if (begins) continue;
    ASSERT_EQ(outcome.answer, expected ? Answer::kViolated : Answer::kHolds)
        << "round " << round;
    if (expected) {
      ASSERT_TRUE(is_run_of(*outcome.path, system));
      ASSERT_EQ(outcome.path->size(), *expected) << "round " << round;
      ++lengths[*expected];
      ++failing;
      continue;
    }
    ++holding;
    // What a relation proves is so.
    const auto proved =
        check_order(question, Order::kQuiescent, options, budget);
    ASSERT_EQ(proved.answer, Answer::kHolds) << "round " << round;
  }
  EXPECT_GT(holding, 150);
  EXPECT_GT(failing, 150);
  EXPECT_GT(lengths.size(), 3u);
}

}  // namespace
}  // namespace plumb::testing
