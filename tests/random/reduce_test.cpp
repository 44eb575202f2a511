// SPDX-License-Identifier: Apache-2.0
// Reduced systems against all traces of the whole ones.
#include "lang/reduce.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "lang/model.h"
#include "lang/parse.h"
#include "support/racy_models.h"
#include "support/random_models.h"
#include "support/source_folder.h"
#include "support/trace_graph.h"

namespace plumb::testing {
namespace {

using lang::Model;
using PartialOrder = lts::Reductions::PartialOrder;

constexpr std::size_t kMostPairs = 200'000;
constexpr std::size_t kMostLoosened = 60'000;

struct Tally {
  std::size_t models = 0, compared = 0, given_up = 0;
  std::size_t states = 0, fewest = 0;  // of all whole and most reduced systems
};

// What is wrong with one reduction, or "".
//
// Every trace of the reduced system must be one of the whole.  Without tight
// calls the opposite too; with them each trace of the whole must be one of the
// reduced system's, except that calls begin earlier and end later.
std::string difference(const Model& model, const TraceGraph& whole,
                       const lts::Reductions& wanted, Symbols& symbols,
                       Tally& tally) {
  const lts::Reduced reduced =
      lang::reduce(model, model.specification.get(), wanted);
  const auto graph =
      trace_graph(*reduced.system, wanted.keep_marks, whole.states, symbols);
  if (!graph) return "it has more states than the whole";
  if (graph->faults != whole.faults) return "the faults differ";
  if ((graph->cut & ~whole.cut) != 0) return "the bounds reached differ";
  ++tally.compared;
  const Inclusion extra =
      find_missing_trace(*graph, whole, symbols, kMostPairs);
  if (extra.missing) return "only the reduced one has " + *extra.missing;
  const auto expected =
      wanted.tight_calls
          ? loosened(*graph, symbols, model.system->processes(), kMostLoosened)
          : graph;
  if (!expected) {
    ++tally.given_up;
    return "";
  }
  const Inclusion lost =
      find_missing_trace(whole, *expected, symbols, kMostPairs);
  if (lost.missing) return "the reduced one has lost " + *lost.missing;
  if (!extra.known || !lost.known) ++tally.given_up;
  tally.fewest += graph->states;
  return "";
}

std::string differences(const Model& model, std::size_t most_states,
                        Tally& tally) {
  for (const bool marks : {false, true}) {
    if (marks && !model.has_marks) continue;
    Symbols symbols;
    const auto whole = trace_graph(*model.system, marks, most_states, symbols);
    if (!whole) return "";
    tally.models += marks ? 0 : 1;
    for (const bool tight : {false, true}) {
      for (const auto order : {PartialOrder::kNone, PartialOrder::kPersistent,
                               PartialOrder::kCartesian, PartialOrder::kBoth}) {
        lts::Reductions wanted = lts::Reductions::none();
        wanted.tight_calls = tight;
        wanted.partial_order = order;
        wanted.keep_marks = marks;
        tally.states += whole->states;
        const std::string what =
            difference(model, *whole, wanted, symbols, tally);
        if (what.empty()) continue;
        return what + (tight ? ", tight" : "") + (marks ? ", marks" : "") +
               ", partial order " + std::to_string(static_cast<int>(order));
      }
    }
  }
  return "";
}

Model compiled(const std::string& text, std::size_t check = 0) {
  const lang::Reading reading = lang::read_model("model.plumb", text);
  EXPECT_TRUE(reading.errors.empty()) << text;
  return lang::compile(*reading.module, reading.module->checks.at(check), {});
}

TEST(ReduceRandom, KeepsAllTracesOfRandomModels) {
  Tally tally;
  for (unsigned seed = 0; seed < 700; ++seed) {
    std::mt19937 random(seed);
    const std::string text = seed % 3 == 0 ? lang::random_model(random)
                                           : lang::random_racy_model(random);
    ASSERT_EQ(differences(compiled(text), 400, tally), "")
        << "seed " << seed << "\n"
        << text;
  }
  EXPECT_GT(tally.models, 350u);
  EXPECT_LT(tally.given_up * 20, tally.compared);
  EXPECT_LT(tally.fewest * 3, tally.states * 2) << "nothing is reduced";
}

TEST(ReduceRandom, KeepsAllTracesOfShippedModels) {
  const auto folder = source_folder() / "examples" / "models";
  Tally tally;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".plumb") continue;
    std::ifstream in(entry.path());
    std::ostringstream text;
    text << in.rdbuf();
    const lang::Reading reading =
        lang::read_model(entry.path().string(), text.str());
    for (std::size_t i = 0; i < reading.module->checks.size(); ++i) {
      if (reading.module->checks[i].refinement) continue;  // of no object
      const Model model =
          lang::compile(*reading.module, reading.module->checks[i], {});
      ASSERT_EQ(differences(model, 1000, tally), "")
          << entry.path() << " check " << i;
    }
  }
  EXPECT_GT(tally.models, 20u);
}

}  // namespace
}  // namespace plumb::testing
