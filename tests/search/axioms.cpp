// SPDX-License-Identifier: Apache-2.0
// What compiled programs with memory orders may read, as searches find it and
// as the axioms have it: the same outcomes and as many graphs, under each
// model; what a stronger one allows, the weaker ones do.
#include "search/axioms.h"

#include <algorithm>
#include <cstdio>
#include <random>
#include <set>
#include <string>

#include "harness/explore.h"
#include "oracle/memory_models.h"
#include "search/weak_machine.h"
#include "support/weak_run.h"

namespace plumb::search_test {
namespace {

using oracle::WeakGraphs;
using oracle::WeakProgram;
using sched::MemoryModel;
using test_support::WeakShape;

constexpr MemoryModel kModels[] = {MemoryModel::kSc, MemoryModel::kTso,
                                   MemoryModel::kRc11};

constexpr WeakShape kShapes[] = {
    {.threads = 2, .locations = 1, .steps = 4},
    {.threads = 2, .locations = 2, .steps = 5},
    {.threads = 3, .locations = 2, .steps = 3},
    {.threads = 3, .locations = 3, .steps = 3},
    {.threads = 4, .locations = 2, .steps = 2},
    {.threads = 2, .locations = 2, .steps = 3, .locks = true},
    {.threads = 3, .locations = 2, .steps = 2, .locks = true}};
// Of all threads; the oracle tries all orders of what locks do.
constexpr std::size_t kMostSteps = 11;

WeakProgram random_program(std::mt19937& random, const WeakShape& shape) {
  for (;;) {
    const WeakProgram program =
        test_support::random_weak_program(random, shape);
    std::size_t steps = 0;
    for (const oracle::WeakThread& thread : program) steps += thread.size();
    if (steps <= kMostSteps || !shape.locks) return program;
  }
}

struct Found {
  std::set<std::string> outcomes;
  std::uint64_t graphs = 0;
  bool is_all = false;
};

class Compiled {
 public:
  Compiled(const Machines& machines, const WeakProgram& program) {
    case_.name = "random";
    case_.object.reset(machines.cells());
    case_.operations.push_back({"run", {}, false});
    for (const oracle::WeakThread& thread : program) {
      program_.threads.push_back({add(machines.thread(&thread))});
    }
    program_.after.push_back(add(machines.look_at_cells()));
  }

  Found search(MemoryModel model) {
    harness::Question question;
    question.test = &case_;
    question.program = &program_;
    question.heap = harness::Heap::kQuarantine;
    question.settings.allow_leaks = true;
    question.memory = model;
    Found found;
    question.observer = [&](const runtime::Outcome& outcome,
                            const harness::ProgramRun& run) {
      if (outcome.end != sched::RunEnd::kComplete) return;
      ++found.graphs;
      found.outcomes.insert(result_of(run));
    };
    Budget budget(Budget::Clock::now() + std::chrono::seconds(20), SIZE_MAX);
    found.is_all = harness::explore(question, budget).exhaustive;
    return found;
  }

 private:
  int add(test::Action* action) {
    test::DeclaredCall call;
    call.action.reset(action);
    case_.calls.push_back(std::move(call));
    return static_cast<int>(case_.calls.size()) - 1;
  }
  static std::string result_of(const harness::ProgramRun& run) {
    std::string text;
    for (const auto& record : run.calls()) {
      text += record.result.to_string() + ' ';
    }
    return text + run.after()[0].result.to_string();
  }

  test::Case case_;
  harness::Program program_;
};

std::set<std::string> outcomes_of(const WeakGraphs& graphs) {
  std::set<std::string> out;
  for (const auto& outcome : graphs.outcomes) {
    std::string text;
    for (const std::vector<int>& values : outcome) {
      std::int64_t told = 0;
      for (const int value : values) told = tell_also(told, value);
      text += (text.empty() ? "" : " ") + std::to_string(told);
    }
    out.insert(text);
  }
  return out;
}

// What locks hold is no outcome.
void forget_locks(WeakGraphs& graphs, const WeakShape& shape) {
  std::set<std::vector<std::vector<int>>> outcomes;
  for (auto outcome : graphs.outcomes) {
    outcome.back().resize(static_cast<std::size_t>(shape.locations));
    outcome.back().resize(kWeakCells, 0);
    outcomes.insert(outcome);
  }
  graphs.outcomes = outcomes;
}

}  // namespace

int compare_with_axioms(const Machines& machines, int rounds, unsigned seed) {
  std::mt19937 random(seed);
  std::size_t graphs[3] = {}, outcomes[3] = {};
  int wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    const WeakShape shape = kShapes[random() % std::size(kShapes)];
    const WeakProgram program = random_program(random, shape);
    Compiled compiled(machines, program);
    std::set<std::string> stronger;
    for (std::size_t m = 0; m < 3; ++m) {
      WeakGraphs all =
          oracle::all_graphs(program, shape.locations + (shape.locks ? 2 : 0),
                             static_cast<oracle::Axioms>(m));
      forget_locks(all, shape);
      const std::set<std::string> expected = outcomes_of(all);
      const Found found = compiled.search(kModels[m]);
      graphs[m] += found.graphs;
      outcomes[m] += expected.size();
      const bool is_right = found.is_all && found.outcomes == expected &&
                            found.graphs == all.complete.size() &&
                            std::includes(expected.begin(), expected.end(),
                                          stronger.begin(), stronger.end());
      stronger = expected;
      if (is_right) continue;
      std::printf(
          "seed %u, round %d, model %zu: %zu outcomes, not %zu; %lu "
          "graphs, not %zu\n",
          seed, round, m, found.outcomes.size(), expected.size(), found.graphs,
          all.complete.size());
      ++wrong;
    }
  }
  std::printf(
      "%d programs; graphs: %zu sc, %zu tso, %zu rc11; outcomes: %zu, "
      "%zu, %zu; %d wrong\n",
      rounds, graphs[0], graphs[1], graphs[2], outcomes[0], outcomes[1],
      outcomes[2], wrong);
  return wrong == 0 && outcomes[2] > outcomes[1] && outcomes[1] > outcomes[0]
             ? 0
             : 1;
}

}  // namespace plumb::search_test
