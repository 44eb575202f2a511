// SPDX-License-Identifier: Apache-2.0
// Orders on models: with and without reductions, and against all histories.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/input_error.h"
#include "check/condition.h"
#include "check/decide.h"
#include "lang/model.h"
#include "lang/reduce.h"
#include "lts/path.h"
#include "oracle/traces.h"
#include "support/busy_system.h"
#include "support/mutated_models.h"
#include "support/ways_to_reduce.h"
#include "verify/outcome.h"

namespace plumb::testing {
namespace {

using check::Answer;
using check::Order;
using lts::Reductions;
using verify::Options;
using verify::Outcome;

constexpr std::uint64_t kMostStates = 2'000;

std::vector<Way> all_ways() {
  std::vector<Way> ways = ways_to_reduce();
  Way threads{"none, two threads", Reductions::none()};
  threads.options.threads = 2;
  ways.push_back(threads);
  return ways;
}

// A check of a model, with another condition.
struct Asked {
  const lang::Model& model;
  Order order;
  std::uint32_t busy;
};

Outcome decide(const Asked& asked, const Way& way) {
  const lts::Reduced reduced = lang::reduce(
      asked.model, asked.model.specification.get(), way.reductions);
  const verify::Question question{
      *asked.model.system, asked.model.specification.get(), asked.model.codes,
      nullptr, reduced.system.get()};
  Options options = way.options;
  options.state_limit = kMostStates;
  options.busy.most = asked.busy;
  // Sets may grow where states do not.
  Budget budget(Budget::Clock::now() + std::chrono::seconds(20), SIZE_MAX);
  return check_order(question, asked.order, options, budget);
}

bool was_explored(const Outcome& outcome) {
  return outcome.answer != Answer::kUnknown ||
         outcome.reason.find(" limit of") == std::string::npos;
}

struct Tally {
  std::map<std::string, unsigned> count, helped;
};

// What is wrong with `outcome`, or "".
std::string fault_of(const Outcome& outcome, const Outcome& whole,
                     const lts::System& system) {
  const bool may_differ =
      whole.answer == Answer::kUnknown && outcome.answer == Answer::kHolds;
  if (outcome.answer != whole.answer && !may_differ) {
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

// What the histories of all runs say, as far as they are looked at.
std::string contradiction(const Asked& asked, const Outcome& whole,
                          Tally& tally) {
  const spec::Specification& object = *asked.model.specification;
  const BusySystem system(*asked.model.system, asked.busy, asked.model.codes);
  const auto expected = oracle::check_traces(
      system, object, {.events = 10, .nodes = 3'000},
      [&](const history::History& history) {
        check::Condition condition;
        condition.order = asked.order;
        check::Options options;
        options.decider = check::Decider::kGeneral;
        Budget budget;
        return check::decide(history, object, condition, options, budget)
                   .answer == Answer::kHolds;
      });
  if (expected.violated) {
    ++tally.count["refuted by a history"];
    if (whole.answer != Answer::kViolated) return "a history is wrong";
    if (whole.path->size() != *expected.violated) {
      return "there is a run of " + std::to_string(*expected.violated) +
             " steps, not " + std::to_string(whole.path->size());
    }
    return "";
  }
  if (!expected.complete) return "";
  ++tally.count["all histories are right"];
  return whole.answer == Answer::kViolated ? "all histories are right" : "";
}

std::string dissent(const Asked& asked, Tally& tally) {
  static const std::vector<Way> kWays = all_ways();
  const Outcome whole = decide(asked, {"none", Reductions::none()});
  if (!was_explored(whole)) {
    ++tally.count["too large"];
    return "";
  }
  ++tally.count[to_string(whole.answer)];
  std::string wrong = contradiction(asked, whole, tally);
  for (const Way& way : kWays) {
    const Outcome outcome = decide(asked, way);
    if (!was_explored(outcome) && whole.answer == Answer::kViolated) continue;
    const std::string fault = fault_of(outcome, whole, *asked.model.system);
    if (!fault.empty()) wrong += way.name + ": " + fault + "\n";
    if (outcome.statistics.pairs < whole.statistics.pairs) {
      ++tally.helped[way.name];
    }
  }
  return wrong;
}

std::optional<lang::Model> compiled(const MutatedModel& mutant) {
  if (mutant.module == nullptr) return std::nullopt;
  try {
    return lang::compile(*mutant.module, *mutant.check, {});
  } catch (const InputError&) {
    return std::nullopt;  // a role needs more processes, say
  }
}

bool is_linearizable(const lang::Model& model) {
  const verify::Question question{*model.system, model.specification.get(),
                                  model.codes};
  Options options;
  options.method = Options::Method::kExact;
  options.state_limit = kMostStates;
  Budget budget;
  return check_linearizable(question, options, budget).answer == Answer::kHolds;
}

void check_mutants(Order order, unsigned wanted, Tally& tally) {
  const ModelMutator mutator;
  unsigned made = 0;
  for (unsigned seed = 0; made < wanted; ++seed) {
    std::mt19937 random(seed + 10'000 * static_cast<unsigned>(order));
    const MutatedModel mutant = mutator.next(random, 2);
    const auto model = compiled(mutant);
    const bool bounded = model && mutant.check->operations != nullptr;
    if (!model || (order == Order::kProgram && !bounded)) continue;
    ++made;
    const std::uint32_t busy = order == Order::kProgram ? 0
                               : bounded                ? seed % 4
                                                        : 2 + seed % 2;
    ASSERT_EQ(dissent({*model, order, busy}, tally), "")
        << "seed " << seed << ", busy " << busy << "\n"
        << mutant.text;
    tally.count["linearizable"] += is_linearizable(*model) ? 1u : 0u;
  }
  for (const auto& [name, count] : tally.count) {
    std::printf("  %u %s\n", count, name.c_str());
  }
  for (const auto& [name, count] : tally.helped) {
    std::printf("  %u fewer pairs with %s\n", count, name.c_str());
  }
  EXPECT_GT(tally.count["holds"] * 8, wanted);
  EXPECT_GT(tally.count["violated"] * 10, wanted);
  EXPECT_GT(tally.count["refuted by a history"] * 20, wanted);
  EXPECT_GT(tally.count["all histories are right"] * 20, wanted);
  EXPECT_GT(tally.count["holds"], tally.count["linearizable"])
      << "some hold that are not linearizable";
}

TEST(OrdersOfModels, QuiescentConsistencyIsThatOfAllHistories) {
  Tally tally;
  check_mutants(Order::kQuiescent, rounds(250), tally);
  EXPECT_GT(tally.helped["all"] * 4, rounds(250));
}

TEST(OrdersOfModels, SequentialConsistencyIsThatOfAllHistories) {
  Tally tally;
  check_mutants(Order::kProgram, rounds(250), tally);
}

TEST(OrdersOfModels, BothAreThatOfAllHistories) {
  Tally tally;
  check_mutants(Order::kQuiescentAndProgram, rounds(150), tally);
}

}  // namespace
}  // namespace plumb::testing
