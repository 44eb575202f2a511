// SPDX-License-Identifier: Apache-2.0
// Operations a second of each decider, without reading.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "base/budget.h"
#include "check/decide.h"
#include "spec/catalogue.h"
#include "support/generate.h"

namespace {

using plumb::check::Answer;

struct Case {
  plumb::testing::Load load;
  std::string condition = "linearizable";
  plumb::check::Decider decider = plumb::check::Decider::kAuto;
  // Values are taken modulo this, so that they repeat; 0: they stay distinct.
  std::int64_t values = 0;
};

plumb::Value folded(plumb::Value value, std::int64_t values) {
  if (values == 0 || !value.is_integer()) return value;
  return plumb::Value::integer(value.as_integer() % values);
}

void run(benchmark::State& state, const Case& c) {
  auto history = plumb::testing::generate(c.load);
  for (plumb::history::Operation& o : history.operations) {
    o.argument = folded(o.argument, c.values);
    o.result = folded(o.result, c.values);
  }
  const auto object = plumb::spec::make(c.load.object);
  const auto condition = plumb::check::parse_condition(c.condition);
  for (auto _ : state) {
    plumb::Budget budget(plumb::Budget::Clock::now() + std::chrono::seconds(20),
                         std::size_t{8} << 30);
    const auto verdict = plumb::check::decide(history, *object, condition,
                                              {.decider = c.decider}, budget);
    if (verdict.answer == Answer::kUnknown) {
      state.SkipWithError(verdict.reason.c_str());
    } else if ((verdict.answer == Answer::kHolds) == c.load.violate) {
      state.SkipWithError("the verdict is wrong");
    }
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(history.size()));
}

void add(const std::string& family, const Case& c) {
  const std::string name =
      fmt::format("{}/{}/{}/{}/p{}/n{}", family, c.load.object, c.condition,
                  c.load.violate ? "violated" : "holds", c.load.processes,
                  c.load.operations);
  benchmark::RegisterBenchmark(name.c_str(), [c](benchmark::State& state) {
    run(state, c);
  })->Unit(benchmark::kMillisecond);
}

const bool kRegistered = [] {
  for (const char* object :
       {"queue", "stack", "priority_queue", "set", "register"}) {
    for (const std::uint32_t processes : {2u, 8u, 32u}) {
      for (const std::size_t n : {1'000u, 10'000u, 100'000u, 1'000'000u}) {
        for (const bool violate : {false, true}) {
          Case c;
          c.load = {.object = object,
                    .operations = n,
                    .processes = processes,
                    .violate = violate};
          if (violate && n < 10'000) continue;  // see Load::violate
          add("special", c);
        }
      }
      Case c;
      c.load = {.object = object, .operations = 10'000, .processes = 8};
      c.condition = "quiescent";
      if (processes == 8) add("special", c);
      c.condition = "linearizable";
      c.decider = plumb::check::Decider::kGeneral;
      c.load.processes = processes;
      c.load.depth = 8;
      if (processes < 32) add("general", c);
    }
  }
  Case c;
  c.load = {.object = "register", .operations = 100'000, .processes = 8};
  c.values = 5;
  add("repeated", c);
  c.load.object = "queue";
  c.load.operations = 10'000;
  c.load.processes = 4;
  c.load.depth = 8;
  add("repeated", c);
  c.values = 0;
  c.condition = "quasi(deq=2)";
  add("general", c);
  return true;
}();

}  // namespace
