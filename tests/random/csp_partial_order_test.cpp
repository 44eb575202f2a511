// SPDX-License-Identifier: Apache-2.0
// Of random CSP# models: what partial order reduction leaves out, and what not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "assertions/assertions.h"
#include "base/budget.h"
#include "csp/small_graphs.h"
#include "support/csp_observer.h"
#include "support/csp_random.h"
#include "support/csp_random_components.h"
#include "support/random_formulas.h"

namespace plumb::csp {
namespace {

using check::Answer;
using Events = Observed::Events;
using lts::StateBytes;

struct Counts {
  std::size_t compared = 0, reduced = 0, answers = 0;
};

constexpr std::size_t kMostStates = 600;

std::shared_ptr<const Module> read_random(const std::string& text) {
  const ReadResult read = read_module("random.csp", text, {});
  EXPECT_NE(read.module, nullptr) << text;
  return read.module;
}

struct Sight {
  Watched watched;
  Observed observed;
};

// What assertions look at.
std::vector<Sight> sights_of(const Module& module) {
  std::vector<Sight> all = {{{}, {Events::kAll, {}}},
                            {{}, {Events::kNone, {}}},
                            {{}, {Events::kNamed, {"e.1", "k", "c.1", "d!1"}}}};
  if (module.propositions.size() < 2) return all;
  all.push_back({{{0}, {}}, {Events::kNone, {}}});
  all.push_back(
      {{{}, {module.propositions[1].expression}}, {Events::kNone, {}}});
  return all;
}

void expect_same_behaviour(const lts::System& whole, const lts::System& reduced,
                           const std::string& text) {
  Budget budget;
  for (const bool back : {false, true}) {
    const verify::Outcome outcome = assertions::refines(
        back ? reduced : whole, back ? whole : reduced,
        assertions::Semantics::kFailuresDivergences, {}, budget);
    ASSERT_EQ(outcome.answer, Answer::kHolds)
        << (back ? "more: " : "missing: ") << outcome.reason << "\n"
        << text;
  }
}

// How far away each stuck state is.
std::map<StateBytes, std::size_t> stuck_states(const lts::System& system) {
  std::map<StateBytes, std::size_t> depth = {{system.initial(), 0}}, stuck;
  std::vector<StateBytes> queue = {system.initial()};
  lts::Successors out;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::size_t here = depth.at(queue[i]);
    system.successors(StateBytes(queue[i]), out);
    if (out.size() == 0) stuck[queue[i]] = here;
    for (std::size_t j = 0; j < out.size(); ++j) {
      if (out.label(j).kind == lts::LabelKind::kFault) continue;
      StateBytes to(out.state(j).begin(), out.state(j).end());
      if (depth.emplace(to, here + 1).second) queue.push_back(std::move(to));
    }
  }
  return stuck;
}

void compare(const std::string& text, const std::string& name, bool resets,
             Counts& counts) {
  const auto module = read_random(text);
  const Process reference = reference_to(*module, name);
  const Model model(module, {false, resets, true});
  for (const Sight& sight : sights_of(*module)) {
    const auto whole = model.system(reference, sight.watched);
    const auto reduced =
        model.system(reference, sight.watched, std::nullopt, sight.observed);
    const SmallGraph all = graph_of(*whole, kMostStates);
    if (all.cut) return;
    const SmallGraph few = graph_of(*reduced, kMostStates);
    ASSERT_FALSE(few.cut) << text;
    ++counts.compared;
    if (few.transitions == all.transitions) continue;
    ++counts.reduced;
    expect_same_behaviour(
        Observer(model, whole, sight.watched, sight.observed),
        Observer(model, reduced, sight.watched, sight.observed), text);
    if (::testing::Test::HasFatalFailure()) return;
    ASSERT_EQ(stuck_states(*whole), stuck_states(*reduced)) << text;
  }
}

TEST(CspPartialOrder, ComponentsBehaveTheSame) {
  Counts counts;
  for (std::uint32_t seed = 1; seed <= 350; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    compare(ComponentsWriter(seed).model(seed % 2 == 0), "P", seed % 3 == 0,
            counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counts.compared, 1'000u);
  EXPECT_GT(counts.reduced, 200u);
}

TEST(CspPartialOrder, ModelsOfEverythingBehaveTheSame) {
  Counts counts;
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    compare(random_csp_model(random), "System", seed % 3 == 0, counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counts.compared, 1'000u);
  EXPECT_GT(counts.reduced, 100u);
}

const char* const kFormulas[] = {"[] one",
                                 "<> one",
                                 "[]<> one",
                                 "<>[] one",
                                 "[] (one -> <> !one)",
                                 "[]<> \"k\"",
                                 "!\"k\" U \"e.1\"",
                                 "<> \"e.1\"",
                                 "[] (\"e.1\" -> <> \"k\")"};

// Of one proposition and events with names in quotes.
assertions::Temporal meaning_of(const ltl::Property& property,
                                const Model& model, Sight& sight) {
  assertions::Temporal temporal{property.formula, {}, {}};
  sight.observed.events = Events::kNamed;
  for (const ltl::Atom& atom : property.atoms) {
    if (!atom.quoted) {
      sight.watched.propositions = {0};
      temporal.atoms.push_back(
          {[&](lts::StateView state) { return model.holds(0, state); }, {}});
      continue;
    }
    sight.observed.names.push_back(atom.text);
    const Value name = Value::text(atom.text);
    temporal.atoms.push_back({{}, [name](const lts::Label& label) {
                                return label.kind == lts::LabelKind::kEvent &&
                                       label.value == name;
                              }});
  }
  return temporal;
}

void expect_same_answers(const std::string& text, Counts& counts) {
  const auto module = read_random(text);
  const Process reference = reference_to(*module, "P");
  const Model model(module, {false, true, true});
  if (graph_of(*model.system(reference, {}), kMostStates).cut) return;
  Budget budget;
  const auto ask = [&](const Sight& sight, const auto& question) {
    const auto whole = model.system(reference, sight.watched);
    const auto reduced =
        model.system(reference, sight.watched, std::nullopt, sight.observed);
    const verify::Outcome all = question(*whole), few = question(*reduced);
    // A fault may be nearer than what it hides.
    EXPECT_EQ(all.answer == Answer::kHolds, few.answer == Answer::kHolds)
        << text;
    ++counts.answers;
    if (!few.path || !all.path) return;
    EXPECT_GE(few.path->size(), all.path->size()) << text;
  };
  ask({{}, {Events::kNone, {}}}, [&](const lts::System& system) {
    return assertions::deadlock_free(system, {}, budget);
  });
  ask({{}, {Events::kNone, {}}}, [&](const lts::System& system) {
    return assertions::nonterminating(system, {}, budget);
  });
  ask({{}, {Events::kAll, {}}}, [&](const lts::System& system) {
    return assertions::divergence_free(system, {}, budget);
  });
  ask({{{0}, {}}, {Events::kNone, {}}}, [&](const lts::System& system) {
    const auto reached = [&](lts::StateView at) { return model.holds(0, at); };
    verify::Outcome outcome =
        assertions::reaches(system, reached, {}, {}, budget);
    // That nothing is there is what a reduction could get wrong.
    if (outcome.answer != Answer::kViolated) outcome.answer = Answer::kUnknown;
    if (outcome.answer == Answer::kViolated) outcome.answer = Answer::kHolds;
    return outcome;
  });
  for (const char* formula : kFormulas) {
    const ltl::Property property = testing::formula(formula);
    Sight sight;
    const auto temporal = meaning_of(property, model, sight);
    ask(sight, [&](const lts::System& system) {
      return assertions::satisfies(system, temporal, {}, budget);
    });
  }
}

TEST(CspPartialOrder, AssertionsGetTheSameAnswers) {
  Counts counts;
  for (std::uint32_t seed = 2'001; seed <= 2'300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_same_answers(ComponentsWriter(seed).model(seed % 2 == 0), counts);
    if (HasFailure()) return;
  }
  EXPECT_GT(counts.answers, 2'000u);
}

// Each choice of some component's steps is looked at: whatever the others do,
// its steps stay the same, and can be taken before or after.
class Diamonds {
 public:
  Diamonds(std::string text, const Observed& observed)
      : text_(std::move(text)),
        module_(read_random(text_)),
        model_(module_, {false, false, true}),
        whole_(model_.system(reference_to(*module_, "P"), {})),
        reduced_(model_.system(reference_to(*module_, "P"), {}, std::nullopt,
                               observed)),
        has_atomic_(text_.find("atomic") != std::string::npos) {}

  void look(Counts& counts) {
    std::map<StateBytes, bool> seen = {{whole_->initial(), true}};
    std::vector<StateBytes> queue = {whole_->initial()};
    for (std::size_t i = 0; i < queue.size() && i < 150; ++i) {
      const Steps all = steps_of(*whole_, queue[i]);
      const Steps few = steps_of(*reduced_, queue[i]);
      ++counts.compared;
      for (const auto& [label, to] : few) {
        ASSERT_TRUE(has(all, label, to)) << text_;
      }
      if (few.size() < all.size()) {
        ++counts.reduced;
        look_from(queue[i], few);
        if (::testing::Test::HasFatalFailure()) return;
      }
      for (const auto& [label, to] : all) {
        if (label.kind == lts::LabelKind::kFault) continue;
        if (seen.emplace(to, true).second) queue.push_back(to);
      }
    }
  }

 private:
  using Steps = std::vector<std::pair<lts::Label, StateBytes>>;

  static Steps steps_of(const lts::System& system, const StateBytes& state) {
    lts::Successors out;
    system.successors(state, out);
    Steps steps;
    for (std::size_t i = 0; i < out.size(); ++i) {
      steps.emplace_back(out.label(i),
                         StateBytes(out.state(i).begin(), out.state(i).end()));
    }
    return steps;
  }
  bool is_of(const lts::Label& label, std::uint64_t component) const {
    return (whole_->actors(label) & component) != 0;
  }
  static bool has(const Steps& steps, const lts::Label& label,
                  const StateBytes& to) {
    return std::find(steps.begin(), steps.end(), std::pair(label, to)) !=
           steps.end();
  }

  void look_from(const StateBytes& from, const Steps& chosen) {
    const std::uint64_t component = whole_->actors(chosen[0].first);
    std::map<StateBytes, std::size_t> depth = {{from, 0}};
    std::vector<StateBytes> queue = {from};
    for (std::size_t i = 0; i < queue.size() && i < 25; ++i) {
      Steps own, others;
      for (auto& step : steps_of(*whole_, queue[i])) {
        if (step.first.kind == lts::LabelKind::kFault) continue;
        (is_of(step.first, component) ? own : others).push_back(step);
      }
      // What is atomic goes first, and the others wait.
      if (own.empty() && has_atomic_) continue;
      ASSERT_EQ(own.size(), chosen.size()) << text_;
      for (std::size_t j = 0; j < own.size(); ++j) {
        ASSERT_EQ(own[j].first, chosen[j].first) << text_;
      }
      for (const auto& [label, to] : others) {
        look_at(own, label, to);
        if (::testing::Test::HasFatalFailure()) return;
        if (depth.emplace(to, depth.at(queue[i]) + 1).second) {
          queue.push_back(to);
        }
      }
    }
  }
  // Another's step led to `to`.
  void look_at(const Steps& own, const lts::Label& label,
               const StateBytes& to) {
    const Steps after = steps_of(*whole_, to);
    for (const auto& [mine, there] : own) {
      bool meets = false, waits = true;
      for (const auto& [next, end] : steps_of(*whole_, there)) {
        meets |= next == label && has(after, mine, end);
      }
      for (const auto& step : after) waits &= !(step.first == mine);
      ASSERT_TRUE(meets || (waits && has_atomic_)) << text_;
    }
  }

  const std::string text_;
  const std::shared_ptr<const Module> module_;
  const Model model_;
  const std::shared_ptr<const lts::System> whole_, reduced_;
  const bool has_atomic_;
};

TEST(CspPartialOrder, WhatIsChosenMeetsNobody) {
  Counts counts;
  for (std::uint32_t seed = 4'001; seed <= 4'500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Observed observed{seed % 2 == 0 ? Events::kAll : Events::kNone, {}};
    Diamonds(ComponentsWriter(seed).model(true), observed).look(counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counts.compared, 5'000u);
  EXPECT_GT(counts.reduced, 1'000u);
}

}  // namespace
}  // namespace plumb::csp
