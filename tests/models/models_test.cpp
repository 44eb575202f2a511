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

#include "ask/subject.h"
#include "base/budget.h"
#include "check/verdict.h"
#include "lang/parse.h"
#include "lts/path.h"
#include "lts/reduction.h"
#include "support/source_folder.h"
#include "verify/outcome.h"

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

using ModulePtr = std::shared_ptr<const lang::Module>;

ModulePtr read(const std::string& name, const std::string& text) {
  lang::Reading reading = lang::read_model(name, text);
  for (const InputError& error : reading.errors) {
    ADD_FAILURE() << name << ": " << error.what();
  }
  if (!reading.errors.empty()) return nullptr;
  return ModulePtr(std::move(reading.module));
}

std::string text_of_file(const std::string& name) {
  std::ifstream file(kModels / name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

ModulePtr read_shipped(const std::string& name) {
  return read(name + ".plumb", text_of_file(name + ".plumb"));
}

// A way to check: what is left out, and how linearizability is decided.
struct Way {
  std::string name;
  lts::Reductions reductions = lts::Reductions::none();
  verify::Options::Method method = verify::Options::Method::kAuto;
};

ask::SubjectPtr subject(const ModulePtr& module, const lang::Check& check) {
  return ask::subject(module, {module, &check}, {});
}

Budget five_minutes() {
  return Budget(Budget::Clock::now() + std::chrono::minutes(5), SIZE_MAX);
}

ask::Outcome answer(const ask::Subject& subject, const Way& way) {
  ask::Question question = subject.question();
  question.reductions = way.reductions;
  question.search.method = way.method;
  Budget budget = five_minutes();
  return subject.answer(question, budget);
}

class ShippedModel : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedModel, GivesWhatItsChecksExpect) {
  const auto module = read_shipped(GetParam());
  ASSERT_NE(module, nullptr);
  ASSERT_FALSE(module->checks.empty());
  for (const lang::Check& check : module->checks) {
    const auto asked = subject(module, check);
    const verify::Outcome outcome = answer(*asked, {"none"}).found;
    EXPECT_STREQ(check::to_string(outcome.answer),
                 check::to_string(asked->expected().value_or(Answer::kHolds)))
        << lang::text_of(check) << "\n"
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
    const auto asked = subject(module, check);
    if (!asked->question().is_of_histories()) continue;
    for (const Way& way : ways_to_reduce()) {
      const verify::Outcome outcome = answer(*asked, way).found;
      SCOPED_TRACE(lang::text_of(check) + " with " + way.name);
      EXPECT_STREQ(check::to_string(outcome.answer),
                   check::to_string(asked->expected().value_or(Answer::kHolds)))
          << outcome.reason;
      if (outcome.answer != Answer::kViolated) continue;
      ASSERT_TRUE(outcome.path);
      EXPECT_TRUE(is_run_of(*outcome.path, *asked->whole().system));
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

// Explores all of a shipped model with a check that it has no line for.
verify::Statistics explore(const Size& size) {
  const auto module = read_shipped(size.model);
  if (module == nullptr) return {};
  const auto check = std::make_shared<const lang::Check>(
      lang::read_check(*module, "a test", size.check));
  const verify::Outcome outcome =
      answer(*ask::subject(module, check, {}), {"none"}).found;
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
        Size{"counter", "counter safe with 2 processes", 969, 2'118},
        Size{"counter", "counter safe with 3 processes", 21'711, 69'993},
        Size{"counter", "counter safe with 4 processes", 439'485, 1'874'580},
        Size{"counter", "counter linearizable with 3 processes", 21'711,
             69'993}));

// These by small programs of their own, one for each object, which step through
// it as the manual says.
INSTANTIATE_TEST_SUITE_P(
    Register, StateSpace,
    ::testing::Values(
        Size{"k_valued_register",
             "k_valued_register safe with 2 processes, K = 5", 5'373, 12'790},
        Size{"k_valued_register",
             "k_valued_register safe with 3 processes, K = 4", 19'958, 66'717},
        Size{"k_valued_register",
             "k_valued_register linearizable with 4 processes, K = 4, "
             "1 operation",
             5'638, 18'147}));
INSTANTIATE_TEST_SUITE_P(
    Treiber, StateSpace,
    ::testing::Values(
        Size{"treiber_stack",
             "treiber linearizable with 2 processes, values 1..2", 2'993,
             6'306},
        Size{"treiber_stack", "treiber safe with 3 processes, values 1", 11'953,
             37'059},
        Size{"treiber_stack",
             "treiber safe with 2 processes, values 1..2, 3 operations", 9'428,
             19'146}));

}  // namespace
}  // namespace plumb::testing
