// SPDX-License-Identifier: Apache-2.0
// A search that reduces judges all histories that a trace admits; a search that
// tries every order judges each as it happened.  Their verdicts must agree.
#include "search/verdicts.h"

#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "check/condition.h"
#include "harness/explore.h"
#include "runtime/heap.h"
#include "search/every_order.h"
#include "spec/catalogue.h"

namespace plumb::search_test {
namespace {

using check::Answer;

// An operation of an object as a machine has it: rightly, or not.
struct Choice {
  const char* name;
  Do right;
  Do wrong;
  bool takes_value;
};

struct Object {
  const char* specification;
  std::vector<Choice> choices;
};

const std::vector<Object>& objects() {
  static const std::vector<Object> all = {
      {"stack",
       {{"push", Do::kPush, Do::kPushBadly, true},
        {"pop", Do::kPop, Do::kPopBadly, false}}},
      {"queue",
       {{"enq", Do::kEnqueue, Do::kEnqueueBadly, true},
        {"deq", Do::kDequeue, Do::kDequeue, false}}},
      {"counter",
       {{"inc", Do::kIncrement, Do::kIncrementBadly, false},
        {"get", Do::kLoad, Do::kLoad, false}}}};
  return all;
}

constexpr const char* kConditions[] = {"linearizable", "sequential",
                                       "quiescent"};

// A random program of calls of one object.
class Calls {
 public:
  Calls(const Machines& machines, std::mt19937& random)
      : random_(random),
        object_(objects()[random() % objects().size()]),
        condition_(kConditions[random() % 3]) {
    case_.name = "random";
    case_.object.reset(machines.machine());
    for (const Choice& choice : object_.choices) {
      case_.operations.push_back({choice.name, {}, false});
    }
    const bool is_queue = object_.choices[0].right == Do::kEnqueue;
    const bool three = !is_queue && random_() % 3 == 0;
    for (int t = 0; t < (three ? 3 : 2); ++t) {
      auto& thread = program_.threads.emplace_back();
      // Calls of a queue are long: at most three of them.
      const unsigned most = three || (is_queue && t == 1) ? 1 : 2;
      const auto count = 1 + static_cast<unsigned>(random_() % most);
      for (unsigned c = 0; c < count; ++c) thread.push_back(add(machines));
    }
    if (random_() % 2) program_.before.push_back(add(machines));
    if (random_() % 2) program_.after.push_back(add(machines));
  }

  // `kind`: of search; `states` grows by what a search by states met.
  Answer verdict(bool cut, harness::SearchKind kind, std::uint64_t* states) {
    harness::Judge judge = make_judge();
    harness::Question question;
    question.test = &case_;
    question.program = &program_;
    question.heap = harness::Heap::kQuarantine;
    question.judge = &judge;
    question.settings.cut_loops = cut;
    question.settings.search = kind;
    question.settings.allow_leaks = true;
    Budget budget;
    const harness::Exploration seen = harness::explore(question, budget);
    if (states != nullptr) *states += seen.statistics.states;
    return seen.answer;
  }

  Answer naive_verdict() {
    harness::Judge judge = make_judge();
    harness::ProgramRun run(case_, program_);
    runtime::Settings settings;
    settings.heap = runtime::HeapMode::kQuarantine;
    settings.find_leaks = false;
    runtime::heap().start_search();
    EveryOrder every;
    Budget budget;
    harness::CallTrace calls;
    while (every.start_run()) {
      const runtime::Outcome outcome =
          runtime::run(every, settings, harness::ProgramRun::main, &run);
      if (outcome.end != sched::RunEnd::kComplete) return Answer::kViolated;
      run.fill(calls, nullptr);
      const harness::Judgement& judgement = judge.judge(calls, budget);
      if (judgement.answer != Answer::kHolds) return judgement.answer;
    }
    return Answer::kHolds;
  }

  std::string describe() const {
    std::string text = std::string(object_.specification) + ", " + condition_;
    const auto tell = [&](const std::vector<int>& calls) {
      text += " |";
      for (const int call : calls) text += ' ' + texts_.at(call);
    };
    tell(program_.before);
    for (const auto& thread : program_.threads) tell(thread);
    tell(program_.after);
    return text;
  }

 private:
  harness::Judge make_judge() const {
    return harness::Judge(case_, spec::make(object_.specification),
                          check::parse_condition(condition_));
  }

  int add(const Machines& machines) {
    const auto which = static_cast<int>(random_() % object_.choices.size());
    const Choice& choice = object_.choices[static_cast<std::size_t>(which)];
    const bool badly = random_() % 4 == 0;
    Instruction step;
    step.what = badly ? choice.wrong : choice.right;
    test::DeclaredCall call;
    call.operation = which;
    std::string text = choice.name;
    if (badly && choice.wrong != choice.right) text += "(badly)";
    if (choice.takes_value) {
      step.constant = next_value_++;
      call.argument = Value::integer(step.constant);
      text += std::to_string(step.constant);
    }
    call.action.reset(machines.operation(step));
    case_.calls.push_back(std::move(call));
    const int number = static_cast<int>(case_.calls.size()) - 1;
    texts_[number] = text;
    return number;
  }

  std::mt19937& random_;
  const Object& object_;
  const char* condition_;
  test::Case case_;
  harness::Program program_;
  std::map<int, std::string> texts_;
  std::uint8_t next_value_ = 1;
};

}  // namespace

int compare_verdicts(const Machines& machines, int rounds, unsigned seed) {
  std::mt19937 random(seed);
  using harness::SearchKind;
  int wrong = 0, violated = 0;
  std::uint64_t states = 0;
  for (int round = 0; round < rounds; ++round) {
    Calls calls(machines, random);
    const Answer naive = calls.naive_verdict();
    const Answer cut = calls.verdict(true, SearchKind::kExhaustive, nullptr);
    const Answer kept = calls.verdict(false, SearchKind::kExhaustive, nullptr);
    const Answer by_states = calls.verdict(true, SearchKind::kStates, &states);
    violated += naive == Answer::kViolated;
    if (naive == cut && naive == kept && naive == by_states) continue;
    if (++wrong <= 5) {
      std::printf("%s\n  naive %d, cut %d, kept %d, states %d (0: holds)\n",
                  calls.describe().c_str(), static_cast<int>(naive),
                  static_cast<int>(cut), static_cast<int>(kept),
                  static_cast<int>(by_states));
    }
  }
  std::printf("verdicts: %d programs, %d violated, %lu states, %d wrong\n",
              rounds, violated, states, wrong);
  return wrong == 0 && states != 0 ? 0 : 1;
}

}  // namespace plumb::search_test
