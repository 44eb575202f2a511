// SPDX-License-Identifier: Apache-2.0
#include "verify/lossy_search.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "lang/model.h"
#include "lang/parse.h"
#include "support/source_folder.h"
#include "support/table_system.h"
#include "verify/exact_moves.h"
#include "verify/pair_search.h"
#include "verify/verify_test_support.h"

namespace plumb::verify {
namespace {

using testing::number;
using testing::ObjectSystem;
using testing::TableSystem;
using End = LossySearch::End;
using Store = Options::Store;

// Everything that a search needs, in one place.
struct Setting {
  Setting(const lts::System& the_system, const spec::Specification& object,
          std::vector<std::uint16_t> codes = {}, const Budget& the_budget = {})
      : system(the_system),
        graph(object, std::move(codes)),
        all(graph, system.processes()),
        budget(the_budget),
        moves(all, budget) {}

  const lts::System& system;
  SpecificationGraph graph;
  Configurations all;
  Budget budget;
  ExactMoves moves;
};

const spec::Specification& queue() {
  static const spec::SpecificationPtr object = spec::make("queue");
  return *object;
}

struct Lossy : Setting {
  Lossy(const lts::System& the_system, const LossyTable& table,
        const SearchLimits& limits = {}, const Budget& the_budget = {})
      : Setting(the_system, queue(), {}, the_budget),
        search(system, moves, limits, budget, table),
        end(search.run()) {
    search.add_to(statistics);
  }

  LossySearch search;
  End end;
  Statistics statistics;
};

LossyTable table_of(Store kind, std::size_t bytes = std::size_t{1} << 20) {
  return {.kind = kind, .bytes = bytes, .bits = 64, .salt = 0};
}
constexpr Store kKinds[] = {Store::kCompact, Store::kBitstate};

// Without comparing sets some systems have very many pairs.
constexpr const char* kTooMany = "reaches too many pairs";

// What a lossy search says otherwise than the exact one, or "".
std::string difference(const lts::System& system,
                       const spec::Specification& object,
                       const std::vector<std::uint16_t>& codes, Store kind) {
  Setting one(system, object, codes), two(system, object, codes);
  LossySearch lossy(system, one.moves, {.states = 5000}, one.budget,
                    table_of(kind));
  const End end = lossy.run();
  if (end == End::kLimit) return kTooMany;
  PairSearch exact(system, two.moves, {}, two.budget);
  const bool holds = exact.run() == End::kComplete;
  if (holds != (end == End::kComplete)) {
    return holds ? "fails" : "overlooks a violation";
  }
  if (holds) return lossy.omission() > 0.01 ? "is not sure enough" : "";
  const lts::Path path = lossy.path();
  if (!is_run_of(path, system)) return "shows what is no run";
  return path.size() == exact.path().size() ? "" : "shows a longer run";
}

TEST(LossySearch, AgreesWithTheExactSearchOnRandomObjects) {
  std::mt19937 random(1);
  int compared = 0;
  for (int i = 0; i < 150; ++i) {
    const ObjectSystem system(testing::random_program(random));
    const spec::Specification& object = *system.program().object;
    for (const Store kind : kKinds) {
      const std::string found = difference(system, object, {}, kind);
      if (found == kTooMany) continue;
      ASSERT_EQ(found, "") << system.to_string();
      ++compared;
    }
  }
  EXPECT_GT(compared, 150);
}

// All checks of a shipped model, for linearizability.
void expect_agreement(const std::string& name) {
  const std::string file =
      testing::source_folder().string() + "/examples/models/" + name;
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  const lang::Reading reading = lang::read_model(file, text.str());
  ASSERT_TRUE(reading.errors.empty());
  int compared = 0;
  for (const lang::Check& check : reading.module->checks) {
    const lang::Model model = lang::compile(*reading.module, check, {});
    if (model.specification == nullptr) continue;
    for (const Store kind : kKinds) {
      const std::string found =
          difference(*model.system, *model.specification, model.codes, kind);
      if (found == kTooMany) continue;
      EXPECT_EQ(found, "") << name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 2) << name;
}

TEST(LossySearch, AgreesWithTheExactSearchOnShippedModels) {
  expect_agreement("counter.plumb");
  expect_agreement("naive_counter.plumb");
  expect_agreement("ms_queue.plumb");
  expect_agreement("treiber_stack.plumb");
}

constexpr std::size_t kEnq = 0, kDeq = 1;

// Process 0 gets 1 out of an empty queue, after a detour or without.
TableSystem with_detour() {
  TableSystem system(1, {"enq", "deq"});
  system.invoke(0, 0, kDeq, {}, 1);
  system.internal(1, 0, 2);
  system.internal(2, 0, 4);
  system.internal(1, 0, 3, 1);
  system.returns(3, 0, kDeq, number(1), 0);
  system.returns(4, 0, kDeq, number(1), 0);
  return system;
}

TEST(LossySearch, FindsTheShortestRun) {
  const TableSystem system = with_detour();
  for (const Store kind : kKinds) {
    Lossy run(system, table_of(kind));
    ASSERT_EQ(run.end, End::kEmpty);
    const lts::Path path = run.search.path();
    EXPECT_TRUE(is_run_of(path, system));
    ASSERT_EQ(path.size(), 3u);
    EXPECT_EQ(path.labels[1].edge, 1u);
    EXPECT_EQ(run.statistics.depth, 2u);
  }
}

TEST(LossySearch, TellsSetsOfTheSameStateApart) {
  // State 2 is reached with the queues [] and [1].
  TableSystem system(1, {"enq", "deq"});
  system.invoke(0, 0, kEnq, number(1), 1);
  system.returns(1, 0, kEnq, {}, 2);
  system.invoke(0, 0, kDeq, {}, 3);
  system.returns(3, 0, kDeq, {}, 2);
  system.invoke(2, 0, kDeq, {}, 4);
  for (const Store kind : kKinds) {
    Lossy run(system, table_of(kind));
    EXPECT_EQ(run.end, End::kComplete);
    EXPECT_EQ(run.statistics.pairs, 7u);
    EXPECT_EQ(run.statistics.transitions, 6u);
  }
  system.returns(4, 0, kDeq, number(1), 5);
  for (const Store kind : kKinds) {
    EXPECT_EQ(Lossy(system, table_of(kind)).end, End::kEmpty);
  }
}

TEST(LossySearch, StopsAtFaultsAndRemembersTheBoundsThatCut) {
  TableSystem system(1, {"enq", "deq"});
  system.invoke(0, 0, kDeq, {}, 1);
  system.cut(1, 3);
  EXPECT_EQ(Lossy(system, table_of(Store::kCompact)).search.cut(), 8u);
  system.fault(1, 0, 3, 2);
  Lossy run(system, table_of(Store::kCompact));
  EXPECT_EQ(run.end, End::kFault);
  EXPECT_EQ(run.search.path().size(), 2u);
  EXPECT_EQ(run.search.path().labels.back().fault, 3u);
}

TEST(LossySearch, NamesTheLimitThatItReached) {
  const TableSystem system = with_detour();
  for (const Store kind : kKinds) {
    Lossy states(system, table_of(kind), {.states = 3});
    EXPECT_EQ(states.end, End::kLimit);
    EXPECT_EQ(states.search.limit(),
              "the limit of 3 states was reached after 3 states");
    EXPECT_EQ(Lossy(system, table_of(kind), {.transitions = 2}).end,
              End::kTransitions);
    const Budget late(Budget::Clock::now() - std::chrono::seconds(1), SIZE_MAX);
    Lossy timed(system, table_of(kind), {}, late);
    EXPECT_EQ(timed.end, End::kLimit);
    EXPECT_EQ(timed.search.limit().substr(0, 14), "the time limit");
  }
  Lossy huge(system, table_of(Store::kBitstate, SIZE_MAX / 4));
  EXPECT_EQ(huge.end, End::kLimit);
  EXPECT_EQ(huge.search.limit(), "there is no more memory after 0 states");
}

TEST(LossySearch, IsNotCompleteIfItsLastMoveWasCutShort) {
  TableSystem system(1, {"enq", "deq"});
  system.invoke(0, 0, kDeq, {}, 1);
  system.returns(1, 0, kDeq, number(1), 1);
  const LossyTable table = table_of(Store::kCompact);
  EXPECT_EQ(Lossy(system, table).end, End::kEmpty);
  EXPECT_EQ(Lossy(system, table, {}, Budget().with_steps(2)).end, End::kLimit);
}

// A line of internal steps from 1 to `length`, `width` dead ends beside each,
// and a wrong result at the end of it.
TableSystem line(std::size_t length, std::size_t width) {
  TableSystem system(1, {"enq", "deq"});
  system.invoke(0, 0, kDeq, {}, 1);
  std::size_t next = length + 2;
  for (std::size_t i = 1; i < length; ++i) {
    for (std::size_t k = 0; k < width; ++k) system.internal(i, 0, next++);
    system.internal(i, 0, i + 1);
  }
  system.returns(length, 0, kDeq, number(1), length + 1);
  return system;
}

TEST(LossySearch, OverlooksAlmostEverythingInATinyTableAndSaysSo) {
  const TableSystem system = line(100, 3);
  Lossy run(system, table_of(Store::kBitstate, 8));
  EXPECT_EQ(run.end, End::kComplete);
  EXPECT_LT(run.statistics.pairs, 100u);
  EXPECT_GT(run.search.omission(), 0.5);
}

TEST(LossySearch, SaysWhatItsEndMeans) {
  TableSystem system(1, {"enq", "deq"});
  system.invoke(0, 0, kDeq, {}, 1);
  Lossy compact(system, table_of(Store::kCompact));
  // One pair, then two: when depth 0 has been expanded, and depth 1.
  EXPECT_DOUBLE_EQ(compact.search.omission(), std::ldexp(4, -64));
  EXPECT_EQ(compact.search.meaning(),
            "no violation found; one was overlooked with a probability of at "
            "most 2.2e-19");
  Lossy bitstate(system, table_of(Store::kBitstate, 1 << 10));
  EXPECT_DOUBLE_EQ(bitstate.search.omission(),
                   2 * std::pow(6.0 / (8 << 10), 3));
}

TEST(LossySearch, RoundsProbabilitiesUp) {
  EXPECT_EQ(rounded_up(2.31e-12), "2.4e-12");
  EXPECT_EQ(rounded_up(9.91e-12), "1.0e-11");
  EXPECT_EQ(rounded_up(0.00021), "2.1e-4");
  EXPECT_EQ(rounded_up(0.00512), "0.0052");
  EXPECT_EQ(rounded_up(0.251), "0.26");
  EXPECT_EQ(rounded_up(0.999), "1.0");
  EXPECT_EQ(rounded_up(0), "0");
}

struct Omissions {
  double overlooked = 0, stated = 0;  // shares of all searches
};

// Many searches of one system, each with another hash function.
Omissions omissions(const TableSystem& system, LossyTable table, int searches) {
  Omissions sum;
  for (int i = 0; i < searches; ++i) {
    table.salt = static_cast<std::uint64_t>(i);
    Lossy run(system, table, {.states = 1000});
    sum.overlooked += run.end == End::kComplete;
    sum.stated += run.search.omission();
  }
  return {sum.overlooked / searches, sum.stated / searches};
}

// Nothing of the line can be reached but along it, so that what is stated is
// nearly what happens: a smaller number would be wrong.
TEST(LossySearch, OverlooksAsOftenAsItSaysWhereThereIsOneWayOnly) {
  const TableSystem system = line(20, 10);
  const LossyTable few_bits{.kind = Store::kCompact, .bits = 13};
  const LossyTable few_bytes{.kind = Store::kBitstate, .bytes = 200};
  for (const LossyTable& table : {few_bits, few_bytes}) {
    const Omissions share = omissions(system, table, 1500);
    EXPECT_GT(share.overlooked, 0.1);
    EXPECT_LT(share.overlooked, 0.6);
    const double deviation = std::sqrt(share.overlooked / 1500);
    EXPECT_LT(share.overlooked, share.stated + 3 * deviation);
    EXPECT_GT(share.overlooked, share.stated / 1.5);
  }
}

TEST(LossySearch, OverlooksNoMoreThanItSaysOnRandomSystems) {
  std::mt19937 random(5);
  Omissions sum;
  int systems = 0;
  while (systems < 40) {
    const TableSystem system = testing::random_table_system(
        {.states = 60, .transitions = 90, .faults = 0.01}, random);
    // Where a queue can grow for ever, there are any number of pairs.
    Lossy whole(system, table_of(Store::kCompact), {.states = 1000});
    if (whole.end != End::kEmpty && whole.end != End::kFault) continue;
    if (whole.statistics.depth < 3) continue;
    ++systems;
    const Store kind = kKinds[systems % 2];
    const Omissions share =
        omissions(system, {.kind = kind, .bytes = 32, .bits = 9}, 100);
    sum.overlooked += share.overlooked / 40;
    sum.stated += share.stated / 40;
  }
  EXPECT_GT(sum.overlooked, 0.002) << "nothing was tested";
  EXPECT_LT(sum.overlooked, sum.stated);
}

}  // namespace
}  // namespace plumb::verify
