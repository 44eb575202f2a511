// SPDX-License-Identifier: Apache-2.0
// Random CSP# models say the same with one state for all that differ in names.
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "assertions/assertions.h"
#include "base/budget.h"
#include "csp/model.h"
#include "csp/small_graphs.h"
#include "csp/symmetry_systems.h"
#include "ltl/parse.h"
#include "lts/path_system.h"
#include "support/csp_symmetric_models.h"
#include "support/csp_symmetry_judge.h"

namespace plumb::csp {
namespace {

using check::Answer;
using verify::Outcome;
using SystemPtr = std::shared_ptr<const lts::System>;

struct Made {
  std::string text;
  std::shared_ptr<const Module> module;
  ProcessPtr subject, other;
};

Made made_from(unsigned seed, bool almost) {
  std::mt19937 random(seed);
  Made made;
  made.text = random_symmetric_csp(random, almost, seed % 5 == 4);
  made.module = module_of(made.text);
  if (made.module == nullptr) return made;
  made.subject =
      std::make_shared<Process>(reference_to(*made.module, "System"));
  made.other = std::make_shared<Process>(reference_to(*made.module, "Other"));
  return made;
}

// What is said to be symmetric is: states with nothing forgotten, and with
// dead values forgotten.
TEST(CspSymmetry, RandomModelsTakeTheSameStepsByOtherNames) {
  std::size_t found[2] = {}, refused[2] = {}, states = 0, kept = 0, several = 0;
  for (unsigned seed = 1; seed <= 900; ++seed) {
    const bool almost = seed % 2 == 1;
    const Made made = made_from(seed, almost);
    ASSERT_NE(made.module, nullptr) << made.text;
    const Model model(made.module, {.reset_dead_variables = seed % 3 == 0});
    const Alike alike = model.alike({made.subject}, {}, std::nullopt, {});
    ++(alike.symmetry == nullptr ? refused : found)[almost ? 1 : 0];
    if (alike.symmetry == nullptr) {
      EXPECT_FALSE(alike.notes.empty()) << made.text;
      continue;
    }
    const auto said = judge_symmetry(*model.system(*made.subject, Watched{}),
                                     *alike.symmetry, 250);
    ASSERT_EQ(said.wrong, "") << "seed " << seed << "\n" << made.text;
    states += said.states;
    kept += said.kept;
    several += said.several;
  }
  EXPECT_GT(found[0], 380u);
  EXPECT_GT(found[1], 250u);
  EXPECT_GT(refused[1], 80u);
  EXPECT_LT(kept * 2, states);
  EXPECT_LT(several * 100, states);
}

// The same question with and without symmetry.
class Both {
 public:
  Both(const Made& made, const Model& model, const Alike& alike)
      : made_(made), model_(model), alike_(alike) {
    options_.state_limit = 3'000;
  }

  using Question = std::function<Outcome(const lts::System&)>;

  void ask(const char* what, const Question& question,
           bool tells_apart = false) {
    const SystemPtr whole = model_.system(*made_.subject, watched());
    const Outcome plain = question(*whole);
    if (plain.answer == Answer::kUnknown && !plain.path) return;
    const QuotientSystem quotient(whole, alike_.symmetry, tells_apart);
    compare(what, plain, question(quotient), quotient);
  }

  void ask_refinement(const char* what, assertions::Semantics semantics) {
    const SystemPtr whole = model_.system(*made_.subject, Watched{}, 0);
    const SystemPtr other = model_.system(*made_.other, Watched{}, 0);
    // Some specifications never end.
    Budget budget = Budget().with_steps(20'000);
    const Outcome plain =
        assertions::refines(*whole, *other, semantics, options_, budget);
    if (plain.answer == Answer::kUnknown && !plain.path) return;
    budget = Budget();
    const QuotientSystem quotient(whole, alike_.symmetry, false);
    const OrderedSystem ordered(other, alike_.symmetry);
    const Outcome small =
        assertions::refines(quotient, ordered, semantics, options_, budget);
    compare(what, plain, small, quotient);
    if (semantics != assertions::Semantics::kTraces || !small.path ||
        small.answer != Answer::kViolated) {
      return;
    }
    // The run alone refutes it.
    const auto run = quotient.unfold(*small.path, small.path->size() - 1);
    ASSERT_TRUE(run);
    EXPECT_EQ(assertions::refines(lts::PathSystem(*whole, *run), *other,
                                  semantics, options_, budget)
                  .answer,
              Answer::kViolated)
        << made_.text;
  }

  const verify::Options& options() const { return options_; }
  std::size_t asked = 0, violated = 0, fewer = 0;

 private:
  static Watched watched() { return {{0, 1}, {}}; }

  void compare(const char* what, const Outcome& plain, const Outcome& small,
               const QuotientSystem& quotient) {
    SCOPED_TRACE(std::string(what) + "\n" + made_.text);
    ASSERT_EQ(plain.answer, small.answer) << plain.reason << small.reason;
    ++asked;
    violated += plain.answer == Answer::kViolated ? 1u : 0u;
    fewer += small.statistics.states < plain.statistics.states ? 1u : 0u;
    ASSERT_EQ(plain.path.has_value(), small.path.has_value());
    ASSERT_EQ(plain.lasso.has_value(), small.lasso.has_value());
    if (small.path) {
      EXPECT_EQ(plain.path->size(), small.path->size());
      const auto run = quotient.unfold(*small.path, small.path->size());
      ASSERT_TRUE(run);
      EXPECT_TRUE(lts::is_run_of(*run, quotient.inner()));
      EXPECT_EQ(run->size(), small.path->size());
    }
    if (small.lasso) {
      // Others do not promise that a loop is a nearest one.
      if (small.statistics.method == "cycles of internal steps") {
        EXPECT_EQ(plain.lasso->back_to, small.lasso->back_to);
      }
      const auto run = quotient.unfold(*small.lasso);
      ASSERT_TRUE(run);
      EXPECT_TRUE(lts::is_run_of(run->path, quotient.inner()));
      EXPECT_EQ(run->path.states[run->back_to], run->path.states.back());
    }
  }

  const Made& made_;
  const Model& model_;
  const Alike& alike_;
  verify::Options options_;
};

const char* const kFormulas[] = {"[] !some", "<> odd", "[] (tick -> <> odd)",
                                 "[]<> tick", "<>[] !odd"};

// `some` and `odd` are propositions 0 and 1, `tick` is an event.
assertions::Temporal meant_by(const std::string& formula, const Model& model) {
  const text::Source source("formula", formula);
  const ltl::Property property =
      ltl::parse(source, {0, static_cast<std::uint32_t>(formula.size())});
  assertions::Temporal temporal;
  temporal.formula = property.formula;
  for (const ltl::Atom& atom : property.atoms) {
    if (atom.text == "tick") {
      temporal.atoms.push_back({nullptr, [](const lts::Label& label) {
                                  return label.kind == lts::LabelKind::kEvent &&
                                         label.value.as_text() == "tick";
                                }});
      continue;
    }
    const std::uint32_t number = atom.text == "some" ? 0 : 1;
    temporal.atoms.push_back({[&model, number](lts::StateView state) {
                                return model.holds(number, state);
                              },
                              nullptr});
  }
  return temporal;
}

TEST(CspSymmetry, RandomModelsGetTheSameAnswers) {
  std::size_t asked = 0, violated = 0, fewer = 0;
  for (unsigned seed = 5'000; seed < 5'300; ++seed) {
    const Made made = made_from(seed, seed % 3 == 0);
    ASSERT_NE(made.module, nullptr) << made.text;
    const Model model(made.module, {.reset_dead_variables = seed % 2 == 0});
    const auto& propositions = made.module->propositions;
    const Alike alike =
        model.alike({made.subject},
                    {propositions[0].expression, propositions[1].expression},
                    std::nullopt, {});
    if (alike.symmetry == nullptr) continue;
    Budget budget;
    Both both(made, model, alike);
    const auto& options = both.options();
    both.ask("deadlockfree", [&](const lts::System& system) {
      return assertions::deadlock_free(system, options, budget);
    });
    both.ask("nonterminating", [&](const lts::System& system) {
      return assertions::nonterminating(system, options, budget);
    });
    both.ask("divergencefree", [&](const lts::System& system) {
      return assertions::divergence_free(system, options, budget);
    });
    both.ask(
        "deterministic",
        [&](const lts::System& system) {
          return assertions::deterministic(system, options, budget);
        },
        true);
    for (std::uint32_t p = 0; p < 2; ++p) {
      both.ask("reaches", [&](const lts::System& system) {
        return assertions::reaches(
            system, [&](lts::StateView state) { return model.holds(p, state); },
            std::nullopt, options, budget);
      });
    }
    for (const char* formula : kFormulas) {
      const assertions::Temporal temporal = meant_by(formula, model);
      if (seed % 4 != 0 || !alike.symmetry->keeps("tick")) break;
      both.ask(formula, [&](const lts::System& system) {
        return assertions::satisfies(system, temporal, options, budget);
      });
    }
    asked += both.asked;
    violated += both.violated;
    fewer += both.fewer;
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(asked, 900u);
  EXPECT_GT(violated, 250u);
  EXPECT_GT(fewer, 250u);
}

// Both leave out what the other one does not.
TEST(CspSymmetry, GoesWithPartialOrder) {
  std::size_t asked = 0, fewer = 0;
  for (unsigned seed = 20'000; seed < 20'300; ++seed) {
    const Made made = made_from(seed, false);
    ASSERT_NE(made.module, nullptr) << made.text;
    const Model model(made.module,
                      {.reset_dead_variables = true, .partial_order = true});
    const Alike alike =
        model.alike({made.subject, made.other}, {}, std::nullopt, {});
    if (alike.symmetry == nullptr) continue;
    verify::Options options;
    options.state_limit = 2'000;
    Budget budget;
    const Outcome plain = assertions::deadlock_free(
        *model.system(*made.subject, Watched{}), options, budget);
    const Observed nothing{Observed::Events::kNone};
    const QuotientSystem small(
        model.system(*made.subject, Watched{}, std::nullopt, nothing),
        alike.symmetry, false);
    if (plain.answer == Answer::kUnknown) continue;
    const Outcome both = assertions::deadlock_free(small, options, budget);
    ASSERT_EQ(plain.answer, both.answer) << made.text;
    ++asked;
    fewer += both.statistics.states < plain.statistics.states ? 1u : 0u;
    Budget steps = Budget().with_steps(20'000);
    const SystemPtr whole = model.system(*made.subject, Watched{}, 0);
    const SystemPtr other = model.system(*made.other, Watched{}, 0);
    const auto semantics = assertions::Semantics::kFailures;
    const Outcome refines =
        assertions::refines(*whole, *other, semantics, options, steps);
    if (refines.answer == Answer::kUnknown) continue;
    const Observed all;
    const QuotientSystem left(model.system(*made.subject, Watched{}, 0, all),
                              alike.symmetry, false);
    const OrderedSystem right(model.system(*made.other, Watched{}, 0, all),
                              alike.symmetry);
    EXPECT_EQ(
        assertions::refines(left, right, semantics, options, budget).answer,
        refines.answer)
        << made.text;
  }
  EXPECT_GT(asked, 150u);
  EXPECT_GT(fewer, 100u);
}

TEST(CspSymmetry, RandomModelsRefineTheSameModels) {
  std::size_t asked = 0, violated = 0, fewer = 0;
  for (unsigned seed = 9'000; seed < 9'200; ++seed) {
    const Made made = made_from(seed, seed % 4 == 0);
    ASSERT_NE(made.module, nullptr) << made.text;
    const Model model(made.module, {.reset_dead_variables = seed % 2 == 0});
    const Alike alike = model.alike({made.subject, made.other}, {}, 0, {});
    if (alike.symmetry == nullptr) continue;
    Both both(made, model, alike);
    using assertions::Semantics;
    both.ask_refinement("traces", Semantics::kTraces);
    both.ask_refinement("failures", Semantics::kFailures);
    both.ask_refinement("divergences", Semantics::kFailuresDivergences);
    asked += both.asked;
    violated += both.violated;
    fewer += both.fewer;
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(asked, 300u);
  EXPECT_GT(violated, 150u);
  EXPECT_GT(fewer, 40u);
}

}  // namespace
}  // namespace plumb::csp
