// SPDX-License-Identifier: Apache-2.0
// The models that are shipped: every check gives what its line expects, with
// reductions and without, and some state spaces have exactly the size they
// should.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "assertions/assertions.h"
#include "assertions/call_atoms.h"
#include "base/budget.h"
#include "check/condition.h"
#include "check/relaxation.h"
#include "check/verdict.h"
#include "lang/model.h"
#include "lang/parse.h"
#include "lang/reduce.h"
#include "lang/refinement.h"
#include "ltl/parse.h"
#include "lts/path.h"
#include "lts/reduction.h"
#include "spec/specification.h"
#include "support/source_folder.h"
#include "verify/outcome.h"
#include "verify/refines.h"

namespace plumb::testing {
namespace {

using check::Answer;
using std::filesystem::path;

const path kModels = source_folder() / "examples" / "models";

// File names without their ending, sorted.
std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kModels)) {
    if (entry.path().extension() == ".plumb") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::unique_ptr<lang::Module> read(const std::string& name,
                                   const std::string& text) {
  lang::Reading reading = lang::read_model(name, text);
  for (const InputError& error : reading.errors) {
    ADD_FAILURE() << name << ": " << error.what();
  }
  return reading.errors.empty() ? std::move(reading.module) : nullptr;
}

std::string text_of_file(const std::string& name) {
  std::ifstream file(kModels / name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::unique_ptr<lang::Module> read_shipped(const std::string& name) {
  return read(name + ".plumb", text_of_file(name + ".plumb"));
}

std::string text_of(const lang::Module& module, const lang::Check& check) {
  return std::string(module.source->text(check.span));
}

// A way to check: what is left out, and how linearizability is decided.
struct Way {
  std::string name;
  lts::Reductions reductions = lts::Reductions::none();
  verify::Options::Method method = verify::Options::Method::kAuto;
};

bool is_condition(const lang::Check& check) {
  static const std::set<std::string> others = {
      "safe",      "deadlock_free",    "lock_free",
      "wait_free", "obstruction_free", "satisfies"};
  return check.refinement == nullptr && !others.contains(check.property);
}

// A relation speaks of every state.
bool can_be_reduced(const lang::Check& check) {
  return (is_condition(check) && !check.by_relation) ||
         check.property == "safe";
}

verify::Busy busy_bound(const lang::Model& model, const lang::Check& check) {
  if (model.busy > 0) return {model.busy, true};
  return check.operations != nullptr
             ? verify::Busy()
             : verify::Busy::by_default(model.system->processes());
}

verify::Outcome run_condition(const lang::Model& model,
                              const lang::Check& check,
                              verify::Question question,
                              verify::Options options, Budget& budget) {
  const check::Condition condition = check::parse_condition(check.property);
  const spec::SpecificationPtr object =
      check::relaxed_for_models(model.specification, condition,
                                {model.arguments}, check::Construction::kExact);
  question.specification = object.get();
  question.order = condition.order;
  options.busy = busy_bound(model, check);
  if (check.by_relation) {
    return verify::check_relation(question, *model.abstraction, condition.order,
                                  options, budget);
  }
  if (condition.order != check::Order::kRealTime) {
    return verify::check_order(question, condition.order, options, budget);
  }
  if (check.at_marks) options.method = verify::Options::Method::kMarks;
  return verify::check_linearizable(question, options, budget);
}

verify::Outcome run_formula(const lang::Model& model,
                            const text::Source& source,
                            const lang::Check& check,
                            const verify::Options& options, Budget& budget) {
  const ltl::Property property = ltl::parse(source, check.formula);
  assertions::Temporal temporal;
  temporal.formula = property.formula;
  for (const ltl::Atom& atom : property.atoms) {
    temporal.atoms.push_back(assertions::call_atom(atom.text, *model.system,
                                                   source.place(atom.span)));
  }
  if (check.fairness == "weak") {
    temporal.fairness = assertions::Fairness::kWeakProcess;
  }
  return assertions::satisfies(*model.system, temporal, options, budget);
}

Budget five_minutes() {
  return Budget(Budget::Clock::now() + std::chrono::minutes(5), SIZE_MAX);
}

verify::Outcome run(const lang::Model& model, const lang::Check& check,
                    const Way& way) {
  lts::Reductions wanted = way.reductions;
  wanted.keep_marks = check.at_marks;
  wanted.keep_room = true;
  const spec::SpecificationPtr object =
      is_condition(check)
          ? check::relaxed_for_models(
                model.specification, check::parse_condition(check.property),
                {model.arguments}, check::Construction::kExact)
          : nullptr;
  const lts::Reduced reduced = lang::reduce(model, object.get(), wanted);
  const verify::Question question{
      .system = *model.system,
      .codes = model.codes,
      .reduced = can_be_reduced(check) ? reduced.system.get() : nullptr};
  Budget budget = five_minutes();
  verify::Options options;
  options.method = way.method;
  if (is_condition(check)) {
    return run_condition(model, check, question, options, budget);
  }
  if (check.property == "safe") {
    return verify::check_safe(question, options, budget);
  }
  return verify::check_progress(question, check.property, options, budget);
}

spec::SpecificationPtr relaxed(const lang::Side& side,
                               const lang::ComparedSpec& compared) {
  if (side.relaxation.empty()) return compared.specification;
  return check::relaxed_for_models(
      compared.specification, check::parse_condition(side.relaxation),
      {compared.arguments}, check::Construction::kExact);
}

verify::Outcome run_refinement(const lang::Module& module,
                               const lang::Check& check) {
  const lang::Comparison compared = lang::compile_refinement(module, check, {});
  const auto left = relaxed(check.refinement->left, compared.left);
  const auto right = relaxed(check.refinement->right, compared.right);
  Budget budget = five_minutes();
  return verify::check_refines({*left, *right, compared.codes,
                                compared.left.arguments, compared.operations},
                               {}, budget)
      .outcome;
}

verify::Outcome run(const lang::Module& module, const lang::Check& check) {
  if (check.refinement != nullptr) return run_refinement(module, check);
  const lang::Model model = lang::compile(module, check, {});
  if (check.property == "satisfies") {
    Budget budget = five_minutes();
    return run_formula(model, *module.source, check, {}, budget);
  }
  return run(model, check, {"none"});
}

Answer expected(const lang::Check& check) {
  switch (check.expect.value_or(lang::Expectation::kHolds)) {
    case lang::Expectation::kHolds:
      return Answer::kHolds;
    case lang::Expectation::kViolated:
      return Answer::kViolated;
    case lang::Expectation::kUnknown:
      return Answer::kUnknown;
  }
  return Answer::kUnknown;
}

class ShippedModel : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedModel, GivesWhatItsChecksExpect) {
  const auto module = read_shipped(GetParam());
  ASSERT_NE(module, nullptr);
  ASSERT_FALSE(module->checks.empty());
  for (const lang::Check& check : module->checks) {
    const verify::Outcome outcome = run(*module, check);
    EXPECT_STREQ(check::to_string(outcome.answer),
                 check::to_string(expected(check)))
        << text_of(*module, check) << "\n"
        << outcome.reason;
  }
}

std::vector<Way> ways_to_reduce() {
  using PartialOrder = lts::Reductions::PartialOrder;
  std::vector<Way> ways = {{"process symmetry"},
                           {"data symmetry"},
                           {"tight calls"},
                           {"persistent sets"},
                           {"Cartesian vectors"}};
  ways[0].reductions.process_symmetry = true;
  ways[1].reductions.data_symmetry = true;
  ways[2].reductions.tight_calls = true;
  ways[3].reductions.partial_order = PartialOrder::kPersistent;
  ways[4].reductions.partial_order = PartialOrder::kCartesian;
  ways.push_back({"all", lts::Reductions()});
  ways.push_back(
      {"all, exact", lts::Reductions(), verify::Options::Method::kExact});
  return ways;
}

// What is left out makes no difference, and what goes wrong does so in the
// whole system.
TEST_P(ShippedModel, GivesTheSameWithReductions) {
  const auto module = read_shipped(GetParam());
  ASSERT_NE(module, nullptr);
  for (const lang::Check& check : module->checks) {
    if (!can_be_reduced(check)) continue;
    const lang::Model model = lang::compile(*module, check, {});
    for (const Way& way : ways_to_reduce()) {
      const verify::Outcome outcome = run(model, check, way);
      SCOPED_TRACE(text_of(*module, check) + " with " + way.name);
      EXPECT_STREQ(check::to_string(outcome.answer),
                   check::to_string(expected(check)))
          << outcome.reason;
      if (outcome.answer != Answer::kViolated) continue;
      ASSERT_TRUE(outcome.path);
      EXPECT_TRUE(is_run_of(*outcome.path, *model.system));
    }
  }
}

// An object that nobody checks would only look as if it were tested.
TEST_P(ShippedModel, ChecksEachOfItsObjects) {
  const auto module = read_shipped(GetParam());
  ASSERT_NE(module, nullptr);
  std::set<std::string> checked;
  for (const lang::Check& check : module->checks) {
    checked.insert(check.object_name);
  }
  for (const auto& object : module->objects) {
    if (object->is_specification) continue;
    EXPECT_TRUE(checked.contains(object->name)) << object->name;
  }
}

TEST_P(ShippedModel, IsInTheHouseLayout) {
  const std::string name = GetParam() + ".plumb";
  const std::string text = text_of_file(name);
  EXPECT_EQ(lang::format_model(name, text), text);
}

INSTANTIATE_TEST_SUITE_P(Examples, ShippedModel,
                         ::testing::ValuesIn(model_names()),
                         [](const auto& one) { return one.param; });

// The table of examples/models/README.md names every file.
TEST(ShippedModels, AreAllListed) {
  const std::string text = text_of_file("README.md");
  for (const std::string& name : model_names()) {
    EXPECT_NE(text.find("`" + name + ".plumb`"), std::string::npos) << name;
  }
}

struct Size {
  std::string model, check;
  std::uint64_t states, transitions;
};

void PrintTo(const Size& size, std::ostream* out) {
  *out << size.check;
}

// Adds `check` to a shipped model and explores all of it.
verify::Statistics explore(const Size& size) {
  const std::string name = size.model + ".plumb";
  const auto module = read(name, text_of_file(name) + size.check + "\n");
  if (module == nullptr) return {};
  const verify::Outcome outcome = run(*module, module->checks.back());
  EXPECT_EQ(outcome.answer, Answer::kHolds) << outcome.reason;
  return outcome.statistics;
}

class StateSpace : public ::testing::TestWithParam<Size> {};

TEST_P(StateSpace, HasExactlyThisSize) {
  const verify::Statistics found = explore(GetParam());
  EXPECT_EQ(found.states, GetParam().states);
  EXPECT_EQ(found.transitions, GetParam().transitions);
}

// The counter's numbers were counted by three other tools.
INSTANTIATE_TEST_SUITE_P(
    Counter, StateSpace,
    ::testing::Values(
        Size{"counter", "check counter safe with 2 processes;", 969, 2'118},
        Size{"counter", "check counter safe with 3 processes;", 21'711, 69'993},
        Size{"counter", "check counter safe with 4 processes;", 439'485,
             1'874'580},
        Size{"counter", "check counter linearizable with 3 processes;", 21'711,
             69'993}));

// These by small programs of their own, one for each object, which step through
// it as the manual says.
INSTANTIATE_TEST_SUITE_P(
    Register, StateSpace,
    ::testing::Values(
        Size{"k_valued_register",
             "check k_valued_register safe with 2 processes, K = 5;", 5'373,
             12'790},
        Size{"k_valued_register",
             "check k_valued_register safe with 3 processes, K = 4;", 19'958,
             66'717},
        Size{"k_valued_register",
             "check k_valued_register linearizable with 4 processes, K = 4, "
             "1 operation;",
             5'638, 18'147}));
INSTANTIATE_TEST_SUITE_P(
    Treiber, StateSpace,
    ::testing::Values(
        Size{"treiber_stack",
             "check treiber linearizable with 2 processes, values 1..2;", 2'993,
             6'306},
        Size{"treiber_stack", "check treiber safe with 3 processes, values 1;",
             11'953, 37'059},
        Size{"treiber_stack",
             "check treiber safe with 2 processes, values 1..2, 3 operations;",
             9'428, 19'146}));

}  // namespace
}  // namespace plumb::testing
