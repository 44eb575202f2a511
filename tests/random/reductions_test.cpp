// SPDX-License-Identifier: Apache-2.0
// Verdicts with reductions against those without, on many models.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/input_error.h"
#include "check/verdict.h"
#include "lang/model.h"
#include "lang/parse.h"
#include "lang/reduce.h"
#include "lts/path.h"
#include "support/mutated_models.h"
#include "support/racy_models.h"
#include "support/random_models.h"
#include "support/symmetric_models.h"
#include "support/ways_to_reduce.h"
#include "verify/outcome.h"

namespace plumb::testing {
namespace {

using check::Answer;
using lts::Reductions;
using verify::Options;
using verify::Outcome;

// Larger systems take too long.
constexpr std::uint64_t kMostStates = 3'000;

Outcome decide(const lang::Model& model, const Way& way, bool linearizable,
               Options::Method method) {
  Reductions wanted = way.reductions;
  wanted.keep_marks = method == Options::Method::kMarks;
  const lts::Reduced reduced = lang::reduce(
      model, linearizable ? model.specification.get() : nullptr, wanted);
  const verify::Question question{*model.system, model.specification.get(),
                                  model.codes, nullptr, reduced.system.get()};
  Options options = way.options;
  options.method = method;
  options.state_limit = kMostStates;
  Budget budget;
  return linearizable ? check_linearizable(question, options, budget)
                      : check_safe(question, options, budget);
}

bool was_explored(const Outcome& outcome) {
  return outcome.answer != Answer::kUnknown ||
         outcome.reason.find("the limit of") == std::string::npos;
}

// How many models there were of each kind.
struct Tally {
  std::map<std::string, unsigned> count;
  // With a way to reduce: how often it had fewer states.
  std::map<std::string, unsigned> helped;
};

// What is wrong with `outcome`, or "".  A bound that the whole system meets
// need not be met by the reduced one.
std::string fault_of(const Outcome& outcome, const Outcome& whole,
                     const lts::System& system) {
  const bool differs = outcome.answer != whole.answer;
  const bool may_differ =
      whole.answer == Answer::kUnknown && outcome.answer == Answer::kHolds;
  if (differs && !may_differ) {
    return std::string(to_string(outcome.answer)) + " (" + outcome.reason +
           ") instead of " + to_string(whole.answer) + " (" + whole.reason +
           ")";
  }
  if (outcome.answer != Answer::kViolated) return "";
  if (!outcome.path || !is_run_of(*outcome.path, system)) {
    return "the run is none of the whole system";
  }
  return "";
}

// All ways to reduce, for one question.
std::string dissent(const lang::Model& model, bool linearizable,
                    Options::Method method, Tally& tally,
                    std::optional<Answer>& answer) {
  static const std::vector<Way> kWays = ways_to_reduce();
  const Way plain{"none", Reductions::none()};
  const Outcome whole = decide(model, plain, linearizable, method);
  answer = whole.answer;
  if (!was_explored(whole)) {
    ++tally.count["too large"];
    answer = std::nullopt;
    return "";
  }
  ++tally.count[to_string(whole.answer)];
  std::string wrong;
  for (const Way& way : kWays) {
    if (method == Options::Method::kMarks &&
        way.options.order == Options::Order::kDepthFirst) {
      continue;
    }
    const Outcome outcome = decide(model, way, linearizable, method);
    // Where the whole system failed early, another order may take long.
    if (!was_explored(outcome) && whole.answer == Answer::kViolated) continue;
    const std::string fault = fault_of(outcome, whole, *model.system);
    if (!fault.empty()) wrong += way.name + ": " + fault + "\n";
    if (outcome.statistics.states < whole.statistics.states) {
      ++tally.helped[way.name];
    }
  }
  return wrong;
}

std::optional<lang::Model> compiled(const lang::Module& module,
                                    const lang::Check& check) {
  try {
    return lang::compile(module, check, {});
  } catch (const InputError&) {
    return std::nullopt;  // a role needs more processes, say
  }
}

void print(const Tally& tally) {
  for (const auto& [name, count] : tally.count) {
    std::printf("  %u %s\n", count, name.c_str());
  }
  for (const auto& [name, count] : tally.helped) {
    std::printf("  %u fewer states with %s\n", count, name.c_str());
  }
}

// `seldom`: a way to reduce that these models have little use for.
void expect_many(const Tally& tally, unsigned models,
                 const std::string& seldom = "") {
  const auto count = [&](const char* name) {
    const auto found = tally.count.find(name);
    return found == tally.count.end() ? 0 : found->second;
  };
  EXPECT_GT(count("holds") * 8, models);
  EXPECT_GT(count("violated") * 8, models);
  for (const Way& way : ways_to_reduce()) {
    if (way.name == seldom) continue;
    const auto helped = tally.helped.find(way.name);
    EXPECT_TRUE(helped != tally.helped.end() && helped->second * 20 > models)
        << way.name;
  }
}

TEST(Reductions, KeepTheVerdictsOfMutatedObjects) {
  const ModelMutator mutator;
  Tally tally;
  unsigned made = 0;
  for (unsigned seed = 0; made < rounds(1500); ++seed) {
    std::mt19937 random(seed);
    const MutatedModel mutant = mutator.next(random, 2);
    if (mutant.module == nullptr) continue;
    const auto model = compiled(*mutant.module, *mutant.check);
    if (!model) continue;
    ++made;
    const auto method =
        seed % 2 == 0 ? Options::Method::kExact : Options::Method::kAuto;
    std::optional<Answer> answer;
    ASSERT_EQ(dissent(*model, true, method, tally, answer), "")
        << "seed " << seed << "\n"
        << mutant.text;
    // What is wrong without a fault must be so with reductions.
    if (!answer) continue;
    Tally safe;
    ASSERT_EQ(dissent(*model, false, method, safe, answer), "")
        << "safe, seed " << seed << "\n"
        << mutant.text;
  }
  print(tally);
  expect_many(tally, made);
}

TEST(Reductions, KeepTheVerdictsAtMarks) {
  const ModelMutator mutator;
  Tally tally;
  unsigned made = 0;
  for (unsigned seed = 0; made < rounds(1000); ++seed) {
    std::mt19937 random(seed);
    const MutatedModel mutant = mutator.next(random, 2);
    if (mutant.module == nullptr) continue;
    const auto model = compiled(*mutant.module, *mutant.check);
    if (!model || !model->has_marks) continue;
    ++made;
    std::optional<Answer> answer;
    ASSERT_EQ(dissent(*model, true, Options::Method::kMarks, tally, answer), "")
        << "seed " << seed << "\n"
        << mutant.text;
  }
  print(tally);
  expect_many(tally, made, "all, depth-first");
}

TEST(Reductions, KeepTheFaultsOfRandomModels) {
  Tally tally;
  const unsigned models = rounds(1500);
  for (unsigned seed = 0; seed < models; ++seed) {
    std::mt19937 random(seed);
    const std::string text =
        seed % 3 == 0   ? lang::random_model(random)
        : seed % 3 == 1 ? lang::random_racy_model(random)
                        : lang::random_symmetric_model(random, seed % 2 == 0);
    const lang::Reading reading = lang::read_model("model.plumb", text);
    ASSERT_TRUE(reading.errors.empty()) << text;
    const auto model =
        compiled(*reading.module, reading.module->checks.front());
    ASSERT_TRUE(model);
    std::optional<Answer> answer;
    ASSERT_EQ(dissent(*model, false, Options::Method::kAuto, tally, answer), "")
        << "seed " << seed << "\n"
        << text;
  }
  print(tally);
  expect_many(tally, models / 2, "data symmetry");
}

}  // namespace
}  // namespace plumb::testing
