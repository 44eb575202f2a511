// SPDX-License-Identifier: Apache-2.0
// What can be set for a test, in its file or on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/condition.h"
#include "check/verdict.h"
#include "runtime/core.h"
#include "sched/execution_graph.h"

namespace plumb::harness {

enum class SearchKind : std::uint8_t {
  kExhaustive,   // each trace once
  kStates,       // each state once
  kPreemptions,  // with few switches that were not needed, fewest first
  kPct,          // random priorities that change a few times
  kRandom,       // whoever comes, at every event
};
const char* to_string(SearchKind kind);
constexpr bool is_exhaustive(SearchKind kind) {
  return kind == SearchKind::kExhaustive || kind == SearchKind::kStates;
}
constexpr bool is_random(SearchKind kind) {
  return kind == SearchKind::kPct || kind == SearchKind::kRandom;
}

enum class HeapSetting : std::uint8_t {
  kAuto,  // quarantine; the others where blocks are freed and used again
  kOwn,   // ... but for those that threads share
  kLifo,
  kFifo,
  kQuarantine,
  kShared,
  kAll,
};

// What may fail, or end, for no reason.
struct SpuriousSetting {
  bool cas = true;    // weak compare-exchanges
  bool wakes = true;  // waits
};

// The verdict that the author of a test expects of it.
struct Expectation {
  check::Answer answer = check::Answer::kHolds;
  // Only this kind of violation will do; kNone: any, a history as well.
  runtime::Fault fault = runtime::Fault::kNone;

  // "holds", "violated", "race".
  std::string to_string() const;
};

struct Settings {
  std::string spec;  // "": the model, or the object run serially
  std::string condition = "linearizable";
  std::optional<Expectation> expect;
  HeapSetting heap = HeapSetting::kAuto;
  SearchKind search = SearchKind::kExhaustive;
  // None ("auto"): C++'s own, as far as execution graphs go.
  std::optional<sched::MemoryModel> memory;
  bool allow_races = false;
  bool allow_leaks = false;
  bool cut_loops = true;
  bool values_alike = false;  // to the code, as to the specification
  SpuriousSetting spurious;
  bool audit = true;              // look for accesses that nothing announces
  std::uint64_t executions = 0;   // of one program; 0: no bound
  std::uint32_t preemptions = 2;  // only for that search
  std::uint64_t seed = 1;
  std::uint32_t rand_values = 4;  // rand() gives 0 .. rand_values - 1
  std::uint64_t steps = 20'000;   // bound on the events of one execution

  // LIMIT: searches with few preemptions know one order of memory only.
  sched::MemoryModel memory_to_explore() const {
    if (search == SearchKind::kPreemptions) return sched::MemoryModel::kSc;
    return memory.value_or(sched::MemoryModel::kRc11);
  }

  // Throws InputError if there is no such setting or it has no such value.
  void set(std::string_view setting, std::string_view value);
};

// Names of settings, in the order of the manual.
const std::vector<std::string>& setting_names();

// "race", "use-after-free", ...: as settings and results name it.
const char* name_of(runtime::Fault fault);

}  // namespace plumb::harness
