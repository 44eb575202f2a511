// SPDX-License-Identifier: Apache-2.0
// Quasi-linearizability of systems against the verdicts on all their traces.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "check/decide.h"
#include "check/relaxation.h"
#include "lts/path.h"
#include "oracle/traces.h"
#include "spec/catalogue.h"
#include "spec/relax.h"
#include "support/all_histories.h"
#include "support/object_system.h"
#include "support/random_histories.h"
#include "support/ways_to_reduce.h"
#include "verify/outcome.h"

namespace plumb::testing {
namespace {

using check::Answer;
using check::Condition;
using verify::Outcome;

struct Case {
  const char* object;
  std::vector<const char*> operations;    // those that may get a factor
  std::vector<const char*> classes = {};  // other conditions; '#': a factor
};

check::Universe universe_of(const spec::Specification& object) {
  check::Universe universe;
  universe.arguments.resize(object.operations().size());
  for (const Choice& choice : choices_over_two_values(object)) {
    universe.arguments[choice.call.code].push_back(choice.call.argument);
  }
  return universe;
}

Condition with_factor(std::string text, std::uint32_t factor) {
  for (std::size_t at; (at = text.find('#')) != std::string::npos;) {
    text.replace(at, 1, std::to_string(factor));
  }
  return check::parse_condition("quasi(" + text + ")");
}

// Quasi-linearizability of one history as `plumb history` decides it.
class Judge {
 public:
  Judge(spec::SpecificationPtr object, const Condition& condition)
      : object_(std::move(object)), condition_(condition) {}

  bool operator()(const history::History& history) const {
    Budget budget;
    const check::Options options{.decider = check::Decider::kGeneral};
    return check::decide(history, *object_, condition_, options, budget)
               .answer == Answer::kHolds;
  }

 private:
  spec::SpecificationPtr object_;
  Condition condition_;
};

// The object itself, or one that is off by a little.
spec::SpecificationPtr implementation(const spec::SpecificationPtr& object,
                                      const std::string& operation,
                                      std::mt19937& random) {
  Condition condition;
  const std::uint32_t off = 1 + below(random, 2);
  switch (below(random, 4)) {
    case 0:
      return object;
    case 1:
      condition.stuttering[operation] = off;
      break;
    case 2:
      if (object->has_turns(*spec::find_operation(*object, operation))) {
        condition.out_of_order[operation] = off;
        break;
      }
      [[fallthrough]];
    default:
      condition.factors[operation] = off;
  }
  return check::relaxed_for_models(object, condition, universe_of(*object),
                                   check::Construction::kExact);
}

// Calls of `made`, which is `object` or nearly so.
ObjectProgram program_of(const spec::SpecificationPtr& object,
                         spec::SpecificationPtr made, std::mt19937& random) {
  ObjectProgram program = random_program(random, std::move(made));
  if (below(random, 3) != 0) {  // all that there are, or half of them
    const auto choices = choices_over_two_values(*object);
    program.calls.clear();
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (choices.size() > 4 && i % 2 == 1) continue;
      program.calls.push_back(choices[i].call);
    }
  }
  program.processes = 1 + below(random, 2);
  program.calls_each = program.processes == 1 ? 5 : 2;
  return program;
}

Outcome decide(const ObjectSystem& system, const spec::SpecificationPtr& object,
               const Condition& condition, verify::Options::Method method) {
  const auto relaxed = check::relaxed_for_models(
      object, condition, universe_of(*object), check::Construction::kExact);
  const verify::Question question{
      .system = system, .specification = relaxed.get(), .codes = {}};
  verify::Options options;
  options.method = method;
  Budget budget;
  return check_linearizable(question, options, budget);
}

class RelaxedModels : public ::testing::TestWithParam<Case> {};

TEST_P(RelaxedModels, AgreeWithTheVerdictsOnAllTheirTraces) {
  const auto object = spec::make(GetParam().object);
  std::mt19937 random(515);  // fixed: a failure here is one everywhere
  std::map<Answer, int> answers;
  int by_factor_alone = 0;
  const unsigned count = rounds(50);
  for (unsigned round = 0; round < count; ++round) {
    const auto& operations = GetParam().operations;
    const std::string operation = operations[below(
        random, static_cast<std::uint32_t>(operations.size()))];
    const ObjectSystem system(
        program_of(object, implementation(object, operation, random), random));
    Answer before = Answer::kViolated;
    const auto& classes = GetParam().classes;
    std::string relaxed = operation + "=#";
    if (!classes.empty() && below(random, 2) == 0) {
      relaxed =
          classes[below(random, static_cast<std::uint32_t>(classes.size()))];
    }
    for (std::uint32_t factor = 0; factor <= 3; ++factor) {
      const Condition condition = with_factor(relaxed, factor);
      const auto expected =
          oracle::check_traces(system, *object, {.events = 12, .nodes = 6000},
                               Judge(object, condition));
      if (!expected.complete && !expected.violated) break;
      const Answer wanted =
          expected.violated ? Answer::kViolated : Answer::kHolds;
      for (const auto method :
           {verify::Options::Method::kAuto, verify::Options::Method::kExact}) {
        const Outcome outcome = decide(system, object, condition, method);
        ASSERT_EQ(outcome.answer, wanted)
            << "round " << round << ", " << condition.to_string() << ": "
            << system.to_string();
        if (outcome.path) {
          ASSERT_TRUE(is_run_of(*outcome.path, system));
          ASSERT_EQ(outcome.path->size(), *expected.violated)
              << "round " << round;
        }
      }
      ASSERT_FALSE(before == Answer::kHolds && wanted == Answer::kViolated)
          << "a larger factor allows less";
      if (factor > 0 && before != wanted) ++by_factor_alone;
      ++answers[before = wanted];
    }
  }
  EXPECT_GT(answers[Answer::kHolds], 10);
  EXPECT_GT(answers[Answer::kViolated], 10);
  if (std::string(GetParam().object) == "stack") {
    EXPECT_GT(by_factor_alone, 0) << "factors never matter";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Objects, RelaxedModels,
    ::testing::Values(
        Case{"queue",
             {"deq", "enq"},
             {"enq=#, deq=1", "m{enq, deq}=#", "a{deq -> 1}=#",
              "a{deq -> 1}=#, b{deq -> 2}=1", "a{enq(1), deq -> 2}=#",
              "a{enq(3..4)}=1, b{deq -> 2}=#"}},
        Case{"queue(2)",
             {"deq", "enq"},
             {"enq=#, deq=1", "m{enq, deq}=#", "a{enq(1)}=#",
              "a{enq(3)}=1, b{enq(1)}=#"}},
        Case{"stack", {"pop", "push"}, {"m{push, pop}=#", "a{pop -> 1}=#"}},
        Case{"deque(1)",
             {"pop_front", "push_back"},
             {"push_front=#, push_back=1", "m{pop_front, pop_back}=#"}},
        Case{"bag", {"take", "add"}, {"m{add, take}=#"}},
        Case{"snzi", {"query", "depart"}, {"query=#, depart=1"}},
        Case{"register",
             {"read", "write"},
             {"read=#, write=1", "a{read -> 1}=#", "a{write(3)}=1, read=#"}},
        Case{"priority_queue",
             {"remove_min", "insert"},
             {"a{remove_min -> 1}=#", "m{insert, remove_min}=#"}},
        Case{"set", {"add", "remove", "contains"}, {"m{add, remove}=#"}}),
    [](const auto& param) {
      std::string name;
      for (const char c : std::string(param.param.object)) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
      }
      return name;
    });

}  // namespace
}  // namespace plumb::testing
