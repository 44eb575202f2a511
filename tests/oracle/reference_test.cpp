// SPDX-License-Identifier: Apache-2.0
// The oracle against another one, written by others in another language.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "oracle/definition.h"
#include "spec/catalogue.h"
#include "support/histories.h"
#include "support/random_histories.h"
#include "support/shared_folder.h"

namespace plumb::oracle {
namespace {

using check::Condition;
using check::Order;
using history::History;

// Reads one question a line, and prints one answer a line.
constexpr const char* kDriver = R"(
import json, sys
sys.path.insert(0, sys.argv[1])
import oracle
for line in open(sys.argv[2]):
    ask = json.loads(line)
    events = [json.dumps(e) for e in ask["events"]]
    print(int(oracle.decide(ask["spec"], ask["condition"],
                            oracle.read_history(events),
                            ask["factors"], ask["closed"])))
)";

struct Question {
  const char* object;
  History history;
  Condition condition;
};

std::string event(const history::Operation& operation, const char* type,
                  Value value, const spec::Specification& object) {
  const auto name = object.operations()[operation.code].name;
  return "{\"process\": " + std::to_string(operation.process) +
         ", \"type\": \"" + type + "\", \"f\": \"" + std::string(name) +
         "\", \"value\": " + value.to_string() + "}";
}

// The call that process `operation.process` has given up, if any.
const history::Operation* given_up_before(const History& history,
                                          const history::Operation& operation) {
  const history::Operation* last = nullptr;
  for (const history::Operation& other : history.operations) {
    if (other.process == operation.process &&
        other.invoked < operation.invoked) {
      last = &other;
    }
  }
  return last && last->pending() ? last : nullptr;
}

std::string events_of(const History& history,
                      const spec::Specification& object) {
  std::vector<std::string> events(2 * history.size());
  for (const history::Operation& operation : history.operations) {
    std::string& invocation = events[operation.invoked];
    if (const auto* given_up = given_up_before(history, operation)) {
      invocation = event(*given_up, "info", Value(), object) + ", ";
    }
    invocation += event(operation, "invoke", operation.argument, object);
    if (operation.pending()) continue;
    events[operation.returned] =
        event(operation, "ok", operation.result, object);
  }
  std::string all;
  for (const std::string& each : events) {
    if (each.empty()) continue;
    all += (all.empty() ? "[" : ", ") + each;
  }
  return all.empty() ? "[]" : all + "]";
}

std::string line_of(const Question& question) {
  const char* name =
      !question.condition.factors.empty()            ? "quasi"
      : question.condition.order == Order::kRealTime ? "linearizable"
      : question.condition.order == Order::kProgram  ? "sequential"
                                                     : "quiescent";
  std::string factors;
  for (const auto& [operation, factor] : question.condition.factors) {
    factors += (factors.empty() ? "\"" : ", \"") + operation +
               "\": " + std::to_string(factor);
  }
  return std::string("{\"spec\": \"") + question.object +
         "\", \"condition\": \"" + name + "\", \"factors\": {" + factors +
         "}, \"closed\": " + (question.condition.closed ? "true" : "false") +
         ", \"events\": " +
         events_of(question.history, *spec::make(question.object)) + "}";
}

// Their answers, in the order of the questions; none if python3 is missing.
std::vector<bool> ask(const std::filesystem::path& folder,
                      const std::vector<Question>& questions) {
  namespace fs = std::filesystem;
  const fs::path here = fs::temp_directory_path() /
                        ("plumb-reference-" + std::to_string(::getpid()));
  fs::create_directories(here);
  std::ofstream(here / "driver.py") << kDriver;
  std::ofstream lines(here / "questions");
  for (const Question& question : questions) lines << line_of(question) << "\n";
  lines.close();
  const std::string command = "python3 -B '" + (here / "driver.py").string() +
                              "' '" + folder.string() + "' '" +
                              (here / "questions").string() + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"),
                                                   pclose);
  std::vector<bool> answers;
  for (int c = 0; pipe && (c = std::fgetc(pipe.get())) != EOF;) {
    if (c != '\n') answers.push_back(c == '1');
  }
  fs::remove_all(here);
  return answers;
}

Condition random_condition(std::mt19937& random,
                           const spec::Specification& object) {
  using plumb::testing::below;
  Condition condition;
  const auto kind = below(random, 6);
  if (kind == 1) condition.order = Order::kProgram;
  if (kind == 2) condition.order = Order::kQuiescent;
  if (kind < 3) return condition;
  const std::string put(object.operations()[0].name);
  const std::string take(object.operations()[1].name);
  if (kind != 3) condition.factors[take] = 1 + below(random, 2);
  if (kind != 4) condition.factors[put] = 1 + below(random, 2);
  condition.closed = below(random, 2) == 0;
  return condition;
}

std::vector<Question> random_questions(const std::vector<const char*>& objects,
                                       int rounds, bool with_factors) {
  std::mt19937 random(1991);
  std::vector<Question> questions;
  for (int round = 0; round < rounds; ++round) {
    const char* name =
        objects[static_cast<std::size_t>(round) % objects.size()];
    const auto object = spec::make(name);
    Condition condition;
    do {
      condition = random_condition(random, *object);
    } while (condition.factors.empty() == with_factors);
    auto shape = plumb::testing::random_shape(random, with_factors ? 5 : 6);
    shape.wrong = 60;
    questions.push_back({name,
                         plumb::testing::random_history(random, *object, shape),
                         condition});
  }
  return questions;
}

void compare(const std::vector<Question>& questions) {
  const auto folder = plumb::testing::shared_folder();
  if (!folder || !std::filesystem::exists(*folder / "oracle" / "oracle.py")) {
    GTEST_SKIP() << "there is no oracle/oracle.py in the shared folder";
  }
  if (std::system("python3 --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "there is no python3";
  }
  const std::vector<bool> answers = ask(*folder / "oracle", questions);
  ASSERT_EQ(answers.size(), questions.size());
  int holding = 0;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto object = spec::make(questions[i].object);
    ASSERT_EQ(holds(questions[i].history, *object, questions[i].condition),
              answers[i])
        << line_of(questions[i]) << "\n"
        << plumb::testing::picture(questions[i].history, *object);
    holding += answers[i] ? 1 : 0;
  }
  const int all = static_cast<int>(questions.size());
  EXPECT_GT(holding, all / 10);
  EXPECT_LT(holding, all - all / 10) << "questions that are worth asking";
}

// Priorities are left out here: the other oracle knows no items.
TEST(OracleAgainstTheReference, AgreesOnOrders) {
  compare(random_questions({"queue", "stack", "set", "counter"}, 4000, false));
}

TEST(OracleAgainstTheReference, AgreesOnFactors) {
  compare(random_questions({"queue", "stack"}, 3000, true));
}

}  // namespace
}  // namespace plumb::oracle
