// SPDX-License-Identifier: Apache-2.0
// Compares what different searches see of the same random programs.
//
//   plumb_search_tests outcomes|verdicts [ROUNDS [SEED [FLAVOUR]]]
//   plumb_search_tests counts
#include <fmt/format.h>
#include <sys/personality.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <set>

#include "harness/explore.h"
#include "harness/settings.h"
#include "runtime/early_memory.h"
#include "runtime/heap.h"
#include "search/axioms.h"
#include "search/every_order.h"
#include "search/random_code.h"
#include "search/verdicts.h"

namespace plumb::search_test {
namespace {

using harness::Exploration;
using harness::ProgramRun;
using harness::Question;
using harness::SearchKind;
using sched::RunEnd;

// More are not tried naively: what was seen by then must be seen by others.
constexpr std::uint64_t kMostExecutions = 60'000;
// Nor does any other search go on for longer.  Where threads overwrite each
// other's cell in loops, each execution asks about a hundred loops whether they
// came back, and each answer takes executions of its own.
constexpr std::chrono::seconds kLongest(3);

const Machines* machines = nullptr;

// What a search saw.
struct Seen {
  std::set<std::string> results;  // of complete executions
  std::set<std::string> faults;
  bool is_all = false;
  std::uint64_t executions = 0;
  std::uint64_t blocked = 0;
  std::uint64_t states = 0;
};

harness::Settings settings_of(SearchKind kind, bool cut) {
  harness::Settings settings;
  settings.search = kind;
  settings.preemptions = 1'000'000;
  settings.cut_loops = cut;
  settings.allow_leaks = true;
  settings.spurious.wakes = false;  // every order, but one outcome
  return settings;
}

std::string result_of(const ProgramRun& run) {
  std::string text;
  for (const auto& record : run.calls()) {
    text += record.result.to_string() + ' ';
  }
  for (const auto& record : run.after()) {
    text += record.result.to_string() + ' ';
  }
  return text;
}

void note(Seen& seen, const runtime::Outcome& outcome, const ProgramRun& run) {
  if (outcome.end == RunEnd::kComplete) {
    seen.results.insert(result_of(run));
  } else if (outcome.finding.fault != runtime::Fault::kNone) {
    seen.faults.insert(harness::name_of(outcome.finding.fault));
  } else {
    seen.faults.insert("deadlock");
  }
}

Seen search(const Question& asked, SearchKind kind, bool cut,
            std::uint64_t steps) {
  Seen seen;
  Question question = asked;
  question.settings = settings_of(kind, cut);
  question.settings.steps = steps;
  question.settings.executions = kMostExecutions;
  question.observer = [&](const runtime::Outcome& outcome,
                          const ProgramRun& run) { note(seen, outcome, run); };
  Budget budget(Budget::Clock::now() + kLongest, SIZE_MAX);
  const Exploration exploration = harness::explore(question, budget);
  seen.is_all = exploration.exhaustive;
  seen.executions =
      exploration.statistics.executions + exploration.statistics.graphs;
  seen.blocked = exploration.statistics.blocked;
  seen.states = exploration.statistics.states;
  if (exploration.finding.fault == runtime::Fault::kDiverged) {
    seen.faults.insert("diverged");
  }
  return seen;
}

Seen search_naively(const Question& question, std::uint64_t steps) {
  Seen seen;
  seen.is_all = true;
  Question asked = question;
  asked.settings = settings_of(SearchKind::kExhaustive, false);
  asked.settings.steps = steps;
  ProgramRun run(*question.test, *question.program);
  runtime::heap().start_search();
  EveryOrder every;
  while (seen.executions < kMostExecutions && every.start_run()) {
    const runtime::Outcome outcome = runtime::run(
        every, harness::runtime_settings(asked), ProgramRun::main, &run);
    ++seen.executions;
    if (outcome.end == RunEnd::kAbandoned) {
      seen.is_all = false;
    } else {
      note(seen, outcome, run);
    }
  }
  seen.is_all &= seen.executions < kMostExecutions;
  return seen;
}

bool failed(const Seen& seen) {
  for (const std::string& fault : seen.faults) {
    if (fault != "deadlock" && fault != "livelock") return true;
  }
  return false;
}

// Says what is wrong, or nothing.  `naive` is the truth, as far as it goes: it
// leaves out executions that are too long.
std::string compare(const Seen& naive, const Seen& reduced) {
  if (reduced.faults.count("diverged")) return "it diverged";
  if (!reduced.is_all && !failed(reduced)) return "";  // and says so
  if (failed(naive) || failed(reduced)) {
    // Searches end at the first failure, so they need not find the same.
    if (failed(naive) == failed(reduced)) return "";
    return "only one finds a fault: " +
           *(failed(naive) ? naive : reduced).faults.begin();
  }
  for (const std::string& result : naive.results) {
    if (!reduced.results.count(result)) return "a result is lost: " + result;
  }
  if (naive.faults.count("deadlock") && !reduced.faults.count("deadlock")) {
    return "a deadlock is lost";
  }
  if (!naive.is_all) return "";
  for (const std::string& result : reduced.results) {
    if (!naive.results.count(result)) return "it cannot be: " + result;
  }
  return naive.faults == reduced.faults ? "" : "other faults";
}

bool tries_locks(const Threads& threads) {
  for (const Code& code : threads) {
    for (std::size_t i = 0; i < code.size; ++i) {
      const Do what = code.steps[i].what;
      if (what == Do::kTryLock || what == Do::kTryDown) return true;
    }
  }
  return false;
}

struct Tally {
  std::uint64_t programs = 0, naive = 0, reduced = 0, blocked = 0, wrong = 0;
  std::uint64_t results = 0, with_faults = 0, endless = 0, unfinished = 0;
  std::uint64_t graphs = 0, graphs_unfinished = 0;
  std::uint64_t states = 0;
};

class OneProgram {
 public:
  explicit OneProgram(const Threads& threads) : threads_(threads) {
    case_.name = "random";
    case_.object.reset(machines->machine());
    case_.operations.push_back({"run", {}, false});
    for (const Code& code : threads_) {
      program_.threads.push_back({add(machines->run(&code))});
    }
    program_.after.push_back(add(machines->look()));
    question_.test = &case_;
    question_.program = &program_;
    question_.heap = harness::Heap::kQuarantine;
  }

  // How many there are, no loop being cut.
  std::uint64_t executions(std::optional<sched::MemoryModel> memory) {
    Question question = question_;
    question.memory = memory;
    return search(question, SearchKind::kExhaustive, false, 20'000).executions;
  }

  // Returns what is wrong.
  std::string check(Tally& tally) {
    return is_weak(threads_) ? check_weak(tally) : check_strong(tally);
  }

  // Graphs with all rounds of loops, and without those that are left out.
  std::string check_weak(Tally& tally) {
    ++tally.programs;
    for (const auto model : {sched::MemoryModel::kSc, sched::MemoryModel::kTso,
                             sched::MemoryModel::kRc11}) {
      Question graphs = question_;
      graphs.memory = model;
      const Seen kept = search(graphs, SearchKind::kExhaustive, false, 20'000);
      const Seen cut = search(graphs, SearchKind::kExhaustive, true, 20'000);
      tally.naive += kept.executions;
      tally.graphs += cut.executions;
      tally.blocked += cut.blocked;
      tally.results += kept.results.size();
      tally.with_faults += !kept.faults.empty();
      tally.graphs_unfinished += !cut.is_all;
      const std::string wrong = compare(kept, cut);
      if (wrong.empty()) continue;
      return fmt::format("graphs of {}: {}", harness::to_string(model), wrong);
    }
    return "";
  }

  std::string check_strong(Tally& tally) {
    const bool spins = may_spin(threads_);
    const std::uint64_t steps = spins ? (threads_.size() == 2 ? 15 : 10) : 400;
    const Seen naive = search_naively(question_, steps);
    const Seen cut = search(question_, SearchKind::kExhaustive, true, 120);
    ++tally.programs;
    tally.naive += naive.executions;
    tally.reduced += cut.executions;
    tally.blocked += cut.blocked;
    tally.results += naive.results.size();
    tally.with_faults += !naive.faults.empty();
    tally.endless += !naive.is_all;
    tally.unfinished += !cut.is_all;
    std::string wrong = compare(naive, cut);
    if (!wrong.empty()) return "cut: " + wrong;
    const Seen states = search(question_, SearchKind::kStates, true, 120);
    tally.states += states.states;
    wrong = compare(naive, states);
    if (!wrong.empty()) return "states: " + wrong;
    // All is seq_cst here: graphs of any model show the same, but that in C++ a
    // lock that is tried in vain orders nothing.
    for (const auto model : {sched::MemoryModel::kSc, sched::MemoryModel::kTso,
                             sched::MemoryModel::kRc11}) {
      if (model == sched::MemoryModel::kRc11 && tries_locks(threads_)) continue;
      Question graphs = question_;
      graphs.memory = model;
      const Seen seen = search(graphs, SearchKind::kExhaustive, true, 120);
      tally.graphs += seen.executions;
      tally.graphs_unfinished += !seen.is_all;
      wrong = compare(naive, seen);
      if (!wrong.empty()) {
        return fmt::format("graphs of {}: {}", harness::to_string(model),
                           wrong);
      }
    }
    if (spins) return "";
    wrong = compare(naive,
                    search(question_, SearchKind::kExhaustive, false, 20'000));
    if (!wrong.empty()) return "kept: " + wrong;
    if (naive.executions > 3000) return "";
    wrong = compare(naive,
                    search(question_, SearchKind::kPreemptions, false, 20'000));
    return wrong.empty() ? "" : "preemptions: " + wrong;
  }

 private:
  int add(test::Action* action) {
    test::DeclaredCall call;
    call.action.reset(action);
    case_.calls.push_back(std::move(call));
    return static_cast<int>(case_.calls.size()) - 1;
  }

  Threads threads_;
  test::Case case_;
  harness::Program program_;
  Question question_;
};

// Each thread does one and then the other, the first with its own number.
std::uint64_t executions_of(std::size_t threads, Do put, Do take,
                            std::optional<sched::MemoryModel> memory) {
  Threads code(threads);
  for (std::size_t t = 0; t < threads; ++t) {
    code[t].steps[0] = {put, 0, static_cast<std::uint8_t>(t + 1), 0};
    code[t].steps[1] = {take, 0, 0, 0};
    code[t].size = 2;
  }
  return OneProgram(code).executions(memory);
}

// Graphs of sequential consistency are Mazurkiewicz traces, but for the order
// of writes that nobody can tell: here there are none.
int compare_counts() {
  int wrong = 0;
  const auto compare = [&](const char* name, std::size_t threads, Do put,
                           Do take) {
    const auto count = [&](std::optional<sched::MemoryModel> memory) {
      const std::clock_t begin = std::clock();
      const std::uint64_t all = executions_of(threads, put, take, memory);
      const double seconds =
          static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      std::printf("%s, %zu threads: %lu %s, %.2f s\n", name, threads, all,
                  memory ? "graphs" : "traces", seconds);
      return all;
    };
    const std::uint64_t traces = count(std::nullopt);
    const std::uint64_t graphs = count(sched::MemoryModel::kSc);
    wrong += traces != graphs;
  };
  compare("stack", 2, Do::kPush, Do::kPop);
  compare("stack", 3, Do::kPush, Do::kPop);
  compare("queue", 2, Do::kEnqueue, Do::kDequeue);
  return wrong == 0 ? 0 : 1;
}

int compare_outcomes(int rounds, unsigned seed, const std::string& only) {
  int wrong_programs = 0;
  for (int f = 0; f < kFlavours; ++f) {
    const auto flavour = static_cast<Flavour>(f);
    if (!only.empty() && only != to_string(flavour)) continue;
    std::mt19937 random(seed * 16 + static_cast<unsigned>(f));
    Tally tally;
    for (int round = 0; round < rounds; ++round) {
      const Threads threads = random_threads(random, flavour);
      const std::string wrong = OneProgram(threads).check(tally);
      if (wrong.empty()) continue;
      ++tally.wrong;
      if (tally.wrong <= 5) {
        std::printf("%s\n  %s\n", to_string(threads).c_str(), wrong.c_str());
      }
    }
    std::printf(
        "%s: %lu programs (%lu with faults, %lu endless), %lu results; "
        "executions: %lu naively, %lu reduced, %lu cut short; %lu not "
        "finished; %lu graphs, %lu not finished; %lu states; %lu wrong\n",
        to_string(flavour), tally.programs, tally.with_faults, tally.endless,
        tally.results, tally.naive, tally.reduced, tally.blocked,
        tally.unfinished, tally.graphs, tally.graphs_unfinished, tally.states,
        tally.wrong);
    std::fflush(stdout);
    wrong_programs += tally.wrong != 0;
  }
  return wrong_programs == 0 ? 0 : 1;
}

}  // namespace
}  // namespace plumb::search_test

int plumb_compare_searches(const plumb::search_test::Machines* given, int argc,
                           char** argv) {
  using namespace plumb::search_test;
  const int now = personality(0xffffffff);
  if (!(now & ADDR_NO_RANDOMIZE) &&
      personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) != -1) {
    execv("/proc/self/exe", argv);
  }
  machines = given;
  plumb::runtime::close_early_memory();  // what follows is ours
  if (!plumb::runtime::prepare()) return 2;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 100;
  const unsigned seed =
      argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1;
  if (argc > 1 && std::strcmp(argv[1], "verdicts") == 0) {
    return compare_verdicts(*given, rounds, seed);
  }
  if (argc > 1 && std::strcmp(argv[1], "axioms") == 0) {
    return compare_with_axioms(*given, rounds, seed);
  }
  if (argc > 1 && std::strcmp(argv[1], "counts") == 0) return compare_counts();
  return compare_outcomes(rounds, seed, argc > 4 ? argv[4] : "");
}
