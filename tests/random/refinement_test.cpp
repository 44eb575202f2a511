// SPDX-License-Identifier: Apache-2.0
// Refinement against the slow checker of all traces, on random systems.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "lts/path.h"
#include "oracle/traces.h"
#include "spec/catalogue.h"
#include "support/object_system.h"
#include "support/table_system.h"
#include "verify/outcome.h"

namespace plumb::testing {
namespace {

using check::Answer;
using verify::Options;
using verify::Outcome;
using Method = Options::Method;
using Order = Options::Order;

Outcome answer(const verify::Question& question, Method method,
               Order order = Order::kBreadthFirst) {
  Budget budget;
  Options options;
  options.method = method;
  options.order = order;
  return check_linearizable(question, options, budget);
}

// What is wrong with `outcome`, or "".
std::string fault_of(const Outcome& outcome, const verify::Question& question,
                     const oracle::TraceVerdict& expected, bool shortest) {
  const Answer answer = expected.violated ? Answer::kViolated : Answer::kHolds;
  if (outcome.answer != answer) {
    return std::string("the answer is ") + to_string(outcome.answer) + " (" +
           outcome.reason + "), not " + to_string(answer);
  }
  if (!expected.violated) return "";
  if (!outcome.path || !is_run_of(*outcome.path, question.system)) {
    return "there is no run";
  }
  if (shortest && outcome.path->size() != *expected.violated) {
    return "the run has " + std::to_string(outcome.path->size()) +
           " steps, not " + std::to_string(*expected.violated);
  }
  return "";
}

// All ways to decide, each with its name.
std::map<std::string, std::string> dissenters(
    const verify::Question& question, const oracle::TraceVerdict& expected,
    std::map<std::string, int>& methods) {
  std::map<std::string, std::string> all;
  for (const Method method : {Method::kAuto, Method::kExact}) {
    for (const Order order : {Order::kBreadthFirst, Order::kDepthFirst}) {
      const bool shortest = order == Order::kBreadthFirst;
      const Outcome outcome = answer(question, method, order);
      ++methods[outcome.statistics.method];
      const std::string fault = fault_of(outcome, question, expected, shortest);
      const std::string name =
          std::string(method == Method::kAuto ? "auto" : "exact") +
          (shortest ? "" : ", depth-first");
      if (!fault.empty()) all[name] = fault;
    }
  }
  const Outcome points = answer(question, Method::kPoints);
  ++methods[points.statistics.method];
  if (points.answer != Answer::kUnknown) {
    const std::string fault = fault_of(points, question, expected, true);
    if (!fault.empty()) all["points"] = fault;
  }
  // Marks prove what they explain; where they do not, only a history does.
  const Outcome marks = answer(question, Method::kMarks);
  const bool proves = marks.answer == Answer::kHolds || marks.history;
  if (proves) {
    const std::string fault = fault_of(marks, question, expected, true);
    if (!fault.empty()) all["marks"] = fault;
  } else if (marks.answer != Answer::kViolated || !marks.path) {
    all["marks"] = "neither a proof nor a run";
  }
  return all;
}

std::string message(const std::map<std::string, std::string>& dissenters) {
  std::string text;
  for (const auto& [name, fault] : dissenters) {
    text += name + ": " + fault + "\n";
  }
  return text;
}

TEST(Refinement, AgreesWithAllTracesOnRandomImplementations) {
  std::mt19937 random(1913);  // fixed: a failure here is one everywhere
  int holding = 0, violated = 0;
  std::map<std::size_t, int> lengths;
  std::map<std::string, int> methods;
  for (int round = 0; round < 1500; ++round) {
    const ObjectSystem system(random_program(random));
    const spec::Specification& object = *system.program().object;
    const auto expected = oracle::check_traces(system, object);
    if (!expected.complete && !expected.violated) continue;
    verify::Question question{system, &object, {}};
    question.smaller = [&](std::size_t processes) {
      ObjectProgram smaller = system.program();
      smaller.processes = processes;
      auto out = std::make_shared<verify::Smaller>();
      out->system = std::make_shared<ObjectSystem>(smaller);
      return out;
    };
    const auto wrong = dissenters(question, expected, methods);
    ASSERT_TRUE(wrong.empty())
        << "in round " << round << ": " << system.to_string() << message(wrong);
    ++(expected.violated ? violated : holding);
    if (expected.violated) ++lengths[*expected.violated];
  }
  EXPECT_GT(holding, 400);
  EXPECT_GT(violated, 400);
  EXPECT_GT(lengths.size(), 10u) << "counterexamples of many lengths";
  EXPECT_GT(methods["linearization points"], 300);
  EXPECT_GT(methods["marks"], 100);
  EXPECT_GT(methods["antichain"], 2000);
  EXPECT_GT(methods["refuted history"], 300);
}

std::size_t events_of(const lts::Path& path) {
  return static_cast<std::size_t>(
      std::ranges::count_if(path.labels, [](const lts::Label& label) {
        return label.kind == lts::LabelKind::kInvoke ||
               label.kind == lts::LabelKind::kReturn;
      }));
}

// Any graph at all, with loops and any number of calls.  The slow checker sees
// traces up to a length; the answer may rest on a longer one.
TEST(Refinement, AgreesWithShortTracesOnRandomGraphs) {
  constexpr std::size_t kEvents = 7;
  std::mt19937 random(77);
  int holding = 0, violated = 0;
  std::map<std::size_t, int> lengths;
  for (int round = 0; round < 4000; ++round) {
    RandomTable wanted;
    wanted.states = 5 + random() % 8;
    wanted.transitions = wanted.states * 2 + random() % 16;
    wanted.arguments = wanted.results = 1 + round / 2 % 2;
    wanted.faults = round % 8 == 0 ? 0.02 : 0;
    const TableSystem system = random_table_system(wanted, random);
    constexpr const char* kObjects[] = {"register", "blocking_queue(1)",
                                        "blocking_queue(2)", "register",
                                        "blocking_bag(2)"};
    const auto object = spec::make(kObjects[round % 5]);
    const auto expected = oracle::check_traces(
        system, *object, {.events = kEvents, .nodes = 3000});
    const verify::Question question{system, object.get(), {}, {}};
    for (const Method method : {Method::kAuto, Method::kExact}) {
      const Outcome outcome = answer(question, method);
      ASSERT_NE(outcome.answer, Answer::kUnknown);
      const bool wrong = outcome.answer == Answer::kViolated;
      ASSERT_TRUE(wrong || !expected.violated) << "round " << round;
      if (!wrong) continue;
      if (expected.violated) {
        ASSERT_LE(outcome.path->size(), *expected.violated);
      }
      if (events_of(*outcome.path) <= kEvents && expected.whole) {
        ASSERT_EQ(outcome.path->size(), expected.violated.value_or(0))
            << "round " << round;
        ++lengths[outcome.path->size()];
      }
    }
    ++(expected.violated ? violated : holding);
  }
  EXPECT_GT(holding, 300);
  EXPECT_GT(violated, 1000);
  EXPECT_GT(lengths.size(), 5u);
}

}  // namespace
}  // namespace plumb::testing
